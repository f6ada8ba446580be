"""Every public callable and every property: the table is made from the package itself."""

import inspect
from importlib import import_module

import pytest

import sklearn_calib
from tests.properties._exceptions import EXEMPT
from tests.properties._properties import PROPERTIES
from tests.properties._run import FEW, MANY, cells, run
from tests.properties._states import state_subjects
from tests.properties._subjects import (
    calibrator_subjects,
    display_subjects,
    function_subjects,
    kernel_subjects,
    metric_subjects,
    report_subjects,
    statistic_subjects,
)

SUBJECTS = [
    *metric_subjects(),
    *statistic_subjects(),
    *function_subjects(),
    *kernel_subjects(),
    *calibrator_subjects(),
    *display_subjects(),
    *report_subjects(),
    *state_subjects(),
]
CELLS = cells(SUBJECTS, PROPERTIES)
# What takes seconds for an example is tried in the thorough run only.
QUICK = cells([one for one in SUBJECTS if one.cost < 20], PROPERTIES)

# Public names without a row of their own, and where their properties are tested.
ELSEWHERE = {
    "inference.check_calibration": "has a row for each statistic",
    "inference.calibration_test_score": "fits models; `check_calibration` of each fold",
    "metrics.calibration_bins": "the table behind the binned errors and the reliability diagram",
    "metrics.score_decomposition": "the table behind `miscalibration`",
    "metrics.get_scorer": "finds a scorer by its name",
    "metrics.get_scorer_names": "lists the scorers",
    "metrics.make_calibration_scorer": "is in the property `scorer` of every metric",
    "calibrators.CalibratedClassifier": "fits models, whose rows belong to folds",
    "calibrators.CrossFitTransformer": "fits models, whose rows belong to folds",
    "datasets.fetch_compas": "reads a file",
    "datasets.make_calibration_data": "takes no data",
}


def has_no_data(module, name):
    """Return whether a public name is a result, a base class, a scorer or drawn from a result."""
    value = getattr(import_module(f"sklearn_calib.{module}"), name)
    if name.startswith("neg_") and name.endswith("_scorer"):
        return True
    if module == "display":
        return not hasattr(value, "from_predictions")
    return (inspect.isclass(value) and module in ("base", "inference", "metrics", "report")) or (
        module == "streaming" and not hasattr(value, "merge")
    )


def test_every_public_callable_is_in_the_table():
    public = {
        f"{module}.{name}"
        for module in sklearn_calib._SUBMODULES
        for name in import_module(f"sklearn_calib.{module}").__all__
        if not has_no_data(module, name)
    }
    in_table = {one.name for one in SUBJECTS if not one.name.startswith("statistics.")}
    assert public - in_table == set(ELSEWHERE)
    assert not in_table - public


@pytest.mark.parametrize("exempt", EXEMPT, ids=lambda one: one.subjects.split()[0])
def test_every_exception_speaks_of_a_cell(exempt):
    assert len(exempt.reason) > 20
    for pattern in exempt.subjects.split():
        one = type(exempt)(pattern, exempt.properties, exempt.reason)
        assert any(
            one.covers(subject, prop) and prop.rows_for(subject) is not None
            for subject in SUBJECTS
            for prop in PROPERTIES
        ), pattern


@pytest.mark.parametrize(("subject", "prop"), QUICK)
def test_property(subject, prop):
    run(subject, prop, FEW)


@pytest.mark.slow
@pytest.mark.parametrize(("subject", "prop"), CELLS)
def test_property_with_many_examples(subject, prop):
    run(subject, prop, MANY, fixed=False)
