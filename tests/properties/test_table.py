"""Every public callable and every property: the table is made from the package itself."""

import inspect

import pytest

from sklearn_calib._utils.results import Result
from sklearn_calib.metrics._scorers import _CalibrationScorer
from tests.properties._exceptions import EXEMPT
from tests.properties._models import validation_subjects, wrapper_subjects
from tests.properties._properties import PROPERTIES
from tests.properties._run import FEW, MANY, cells, run
from tests.properties._states import state_subjects
from tests.properties._subjects import (
    calibrator_subjects,
    display_subjects,
    function_subjects,
    kernel_subjects,
    metric_subjects,
    public_names,
    report_subjects,
    statistic_subjects,
    table_subjects,
)

SUBJECTS = [
    *metric_subjects(),
    *table_subjects(),
    *statistic_subjects(),
    *function_subjects(),
    *validation_subjects(),
    *kernel_subjects(),
    *calibrator_subjects(),
    *wrapper_subjects(),
    *display_subjects(),
    *report_subjects(),
    *state_subjects(),
]
CELLS = cells(SUBJECTS, PROPERTIES)
# What takes seconds for an example is tried in the thorough run only.
QUICK = cells([one for one in SUBJECTS if one.cost < 20], PROPERTIES)

# Public names without a row of their own, and where their properties are tested.
ELSEWHERE = {
    "base.BaseCalibrator": "is derived from by calibrators, which have rows",
    "base.BaseBinaryCalibrator": "is derived from by calibrators, which have rows",
    "base.BaseMulticlassCalibrator": "is derived from by calibrators, which have rows",
    "datasets.fetch_compas": "reads a file",
    "datasets.make_calibration_data": "takes no data",
    "display.CalibrationMonitorDisplay": "is drawn from a monitor, which has a row",
    "display.ModelDifferenceDisplay": "is drawn from the result of `compare_calibration`",
    "display.NullDistributionDisplay": "is drawn from the result of `check_calibration`",
    "inference.GivenDraws": "holds draws that the user has made",
    "inference.check_calibration": "has a row for each statistic",
    "metrics.get_scorer": "finds a scorer by its name",
    "metrics.get_scorer_names": "lists the scorers",
    "metrics.make_calibration_scorer": "is in the property `scorer` of every metric",
}


def is_answer(value):
    """Return whether a public name is what others answer, whose rows compare all its fields."""
    return inspect.isclass(value) and issubclass(value, Result | tuple)


def test_every_public_callable_is_in_the_table():
    public = {
        name
        for name, value in public_names().items()
        if not is_answer(value) and not isinstance(value, _CalibrationScorer)
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
