"""What is wrong with Dask collections is said as for arrays."""

import dask
import numpy as np
import pytest

from sklearn_calib import (
    ReliabilityDisplay,
    calibration_by_group,
    calibration_report,
    check_calibration,
)
from sklearn_calib.metrics import calibration_bins, ece, skce
from tests.distributed._rows import as_array, as_table

Y = np.tile([0, 1, 1, 0], 250)
P = np.tile([0.2, 0.7, 0.9, 0.5], 250)

USES = {
    "sums": ece,
    "sorted sums": skce,
    "bins": calibration_bins,
    "diagram": ReliabilityDisplay.from_predictions,
    "report": calibration_report,
    "test of sums": lambda y, p, **own: check_calibration(y, p, statistic="ece", **own),
    "test of ranks": lambda y, p, **own: check_calibration(y, p, statistic="omnibus", **own),
    "groups": lambda y, p, **own: calibration_by_group(y, p, as_table(Y), **own),
}


@pytest.mark.parametrize("use", USES)
def test_weights_that_are_all_zero(use):
    nothing = as_table(np.zeros(1000))
    with pytest.raises(ValueError, match=r"^sample_weight is zero for every row"):
        USES[use](as_table(Y), as_table(P), sample_weight=nothing)


@pytest.mark.parametrize("unit", [1e-200, 1e160])
@pytest.mark.parametrize("use", USES)
def test_weights_whose_squares_cannot_be_added_up(use, unit):
    message = r"^Partition \d: sample_weight must be zero or lie between 1e-120 and 1e\+120"
    with pytest.raises(ValueError, match=message):
        USES[use](as_table(Y), as_table(P), sample_weight=as_table(np.full(1000, unit)))


def test_a_report_of_several_models():
    models = {"first": as_array(P), "second": as_array(P)}
    with pytest.raises(ValueError, match=r"y_proba of several models.*one model at a time"):
        calibration_report(as_array(Y), models)


def test_other_objects_of_dask():
    with pytest.raises(TypeError, match=r"y_true must be a Dask Array.*got Delayed"):
        ece(dask.delayed(Y), as_array(P))
