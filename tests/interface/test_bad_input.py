"""The matrix of bad input: every argument of every public callable, with what can be wrong with it.

Functions, methods and constructors are found by introspection, and their arguments by name, so that
a new function is in the matrix without being listed. Each wrong argument must raise `ValueError` or
`TypeError` with a message that has the name of the argument. What is left out is in
``_bad_input/exceptions.py``, with the reason.
"""

import pytest

from ._bad_input.arguments import describe_argument
from ._bad_input.callables import find_subjects
from ._bad_input.calls import problems_of
from ._bad_input.exceptions import EXCEPTIONS, reason_to_accept
from ._bad_input.values import find_kind, wrong_values

SUBJECTS = find_subjects()
# What they look at takes seconds to make.
TAKE_LONG = {
    "report.CalibrationReport.to_html",
    "report.ModelsReport.to_html",
    "display.CalibrationComparisonDisplay",
    "display.CalibrationComparisonDisplay.plot",
}
# Parameters of scikit-learn's fetchers aside, a right call needs the network.
NEED_NETWORK = {"datasets.fetch_compas"}


def test_functions_methods_and_constructors_of_all_modules_are_found():
    assert {
        "metrics.ece",
        "metrics.neg_ece_scorer",
        "inference.check_calibration",
        "calibrators.PlattCalibrator",
        "calibrators.PlattCalibrator.fit",
        "streaming.CalibrationState.update",
        "display.ReliabilityDisplay",
        "display.ReliabilityDisplay.from_predictions",
        "report.calibration_report",
        "kernels.rbf_kernel",
        "datasets.make_calibration_data",
    } <= set(SUBJECTS)


@pytest.mark.parametrize("name", SUBJECTS)
def test_it_is_known_what_each_argument_is(name):
    for argument in SUBJECTS[name].parameters:
        assert callable(find_kind(describe_argument(name, argument)[0]))


@pytest.mark.parametrize("name", [name for name in SUBJECTS if name not in TAKE_LONG])
def test_some_bad_arguments_are_refused_by_name(name):
    problems = problems_of(SUBJECTS[name], most=1)
    assert not problems, "\n".join(problems)


@pytest.mark.slow
@pytest.mark.parametrize("name", SUBJECTS)
def test_all_bad_arguments_are_refused_by_name(name):
    problems = problems_of(SUBJECTS[name])
    assert not problems, "\n".join(problems)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in SUBJECTS if name not in NEED_NETWORK])
def test_right_arguments_are_accepted(name):
    """Or else a refusal would say nothing about the argument that is wrong."""
    subject = SUBJECTS[name]
    for argument in subject.parameters:
        right = describe_argument(name, argument)[1]()
        subject.call(**{**subject.good(for_parameter=argument), argument: right})


def test_the_matrix_finds_what_is_wrong():
    """A function that checks nothing fails in every way that is looked for."""
    from ._bad_input.callables import Subject

    def unchecked(y_true, sample_weight=None):
        return sum(y_true)

    def unnamed(y_true, sample_weight=None):
        raise ValueError("something is wrong")

    parameters = {"sample_weight": None}
    accepted = problems_of(Subject("metrics.unchecked", unchecked, parameters))
    assert any("was accepted" in problem for problem in accepted) or accepted
    nameless = problems_of(Subject("metrics.unnamed", unnamed, parameters))
    assert nameless
    assert all("has no name" in problem or "raised" in problem for problem in nameless)


@pytest.mark.slow
def test_exceptions_are_of_use():
    for subjects, arguments, _, reason in EXCEPTIONS:
        assert reason.endswith(".")
        assert any(
            reason_to_accept(name, argument, kind) == reason
            for name, subject in SUBJECTS.items()
            for argument in subject.parameters
            for kind in wrong_values(*_described(name, argument))
        ), (subjects, arguments)


def _described(name, argument):
    kind, make = describe_argument(name, argument)
    return kind, make()
