"""Ends of intervals and p-values where something is zero, infinite or not determined."""

import numpy as np
import pytest

from sklearn_calib.inference import calibration_ci, required_sample_size
from sklearn_calib.inference._intervals.inversion import end_of_interval
from sklearn_calib.inference._intervals.means import MeanOfRows
from sklearn_calib.inference._intervals.norms import NormOfResiduals
from sklearn_calib.inference._intervals.pairs import PairsOfRows
from sklearn_calib.inference._intervals.resampling import Resampling


def test_a_mean_without_spread_is_known():
    made = MeanOfRows(np.full(3, 2.0), None)
    assert [made.pvalue_at_most(size) for size in (1.9, 2.0, 2.1)] == [0.0, 1.0, 1.0]
    assert (made.lower(0.025), made.upper(0.025)) == (2.0, 2.0)


@pytest.mark.parametrize("method", ["percentile", "basic"])
def test_the_pvalue_of_resamples_is_the_share_whose_end_is_at_most_the_size(method):
    """With the one that counts for the data themselves; replicates are mirrored at 2.0."""
    made = Resampling.__new__(Resampling)
    made.estimate, made.replicates = 2.0, np.array([1.0, 1.5, 2.0, 2.0, 3.0, 4.0, 2.5, 2.5, 2.5])
    made.ends = made.replicates if method == "percentile" else 4.0 - made.replicates
    assert made.pvalue_at_most(1.5) == pytest.approx((3 if method == "percentile" else 6) / 10)
    assert made.pvalue_at_most(0.5) == pytest.approx((1 if method == "percentile" else 2) / 10)
    assert made.pvalue_at_most(9.0) == 1.0


def test_a_norm_that_is_not_above_the_size_has_no_evidence():
    made = NormOfResiduals.__new__(NormOfResiduals)
    made.estimate, made.inflation, made.ordered = 0.3, 2.0, np.array([0.05, 0.1, 0.15, 0.2])
    made.surprises = []
    assert made.pvalue_at_most(0.3) == made.pvalue_at_most(0.4) == 1.0
    assert made.pvalue_at_most(0.01) == pytest.approx(3 / 5)  # 0.15 and 0.2 reach 0.29 / 2
    made.inflation = np.inf
    assert made.pvalue_at_most(0.1) == 1.0


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_an_infinite_estimate_without_a_plausible_number_has_an_infinite_end(side):
    assert end_of_interval(lambda value: 9.0, np.inf, side, 1.96, 1.0) == side * np.inf


def test_no_events_have_a_ratio_of_zero_at_the_lower_end():
    made = calibration_ci([0] * 40, [0.2, 0.3, 0.4, 0.1] * 10, metric="observed_expected_ratio")
    assert made.estimate == made.low == 0.0
    assert 0.0 < made.high < np.inf


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (3, {"metric": "spiegelhalter"}, "is a statistic of check_calibration and no error"),
        (3, {"metric": "klce"}, "measures a local error and needs X, the features"),
        (3, {"metric": "ece", "X": [1, 2, 3]}, "does not use X. Leave X out"),
        (3, {"metric": "ece", "metric_params": {"k": 1}}, r"metric_params sets \['k'\], which"),
        (1, {"metric": "mmce"}, "an interval of a kernel error needs at least 2 rows, got 1"),
        (1, {"metric": "brier"}, "an interval of a mean needs at least 2 rows, got 1"),
        (2, {"metric": "calibration_slope"}, "The logistic line is not determined by these rows"),
        (0, {"metric": "observed_expected_ratio"}, "No event is expected"),
    ],
)
def test_what_has_no_interval_is_refused(rows, options, message):
    y, p = [0, 1, 1][: rows or 3], {1: [0.3], 2: [0.3, 0.3]}.get(rows, [0.2, 0.3, 0.7])
    p = p if rows else [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match=message):
        calibration_ci(y, p, n_resamples=9, **options)


def test_groups_are_text_or_numbers_a_row():
    y, p = [0, 1, 1, 0], [0.2, 0.7, 0.6, 0.3]
    for groups, message in (
        (np.array([1j, 1j, 2j, 2j]), "groups must hold text or numbers, got an array of complex"),
        ([["a"], ["a"], ["b"], ["b"]], r"a group per row, got \(4, 1\)"),
    ):
        with pytest.raises(ValueError, match=message):
            calibration_ci(y, p, metric="brier", groups=groups)


def test_rows_without_weight_define_no_group():
    y, p = [0, 1, 1, 0, 1], [0.2, 0.7, 0.6, 0.3, 0.5]
    made = calibration_ci(
        y, p, metric="brier", groups=list("aabbc"), sample_weight=[1.0, 1.0, 2.0, 1.0, 0.0]
    )
    alone = calibration_ci(y[2:4], p[2:4], metric="brier", sample_weight=[2.0, 1.0])
    assert made.groups == ("a", "b")
    assert tuple(made.intervals[1]) == pytest.approx(tuple(alone))


def test_a_width_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="slope"):
        required_sample_size([0.5], metric="calibration_slope", width=0.1)


@pytest.mark.parametrize(("root", "clipped"), [(False, False), (False, True), (True, True)])
def test_bounds_of_pairs_are_order_statistics_of_the_replicates(root, clipped):
    """Of 39 replicates the first and the last, or the second ones, are bounds at 1/40 and 2/40."""
    made = PairsOfRows.__new__(PairsOfRows)
    made.root, made.clipped, made.ordered = root, clipped, np.arange(-4.0, 35.0)
    # Both labels are frequent, and the test of calibration rejects.
    made.surprises, made._pvalue_of_zero, made.longest = [], 0.0, 1.0

    def shown(value):
        value = max(value, 0.0) if clipped else value
        return value**0.5 if root else value

    for alpha, rank in ((0.025, 1), (0.05, 2), (0.001, 1), (0.25, 10)):
        assert made.lower(alpha) == pytest.approx(shown(-5.0 + rank))
        assert made.upper(alpha) == pytest.approx(shown(35.0 - rank))
    # Three replicates are at most -2, and six at most 1; one counts for the data.
    assert made.pvalue_at_most(1.0) == pytest.approx(7 / 40)
    if not root:
        assert made.pvalue_at_most(-2.0) == pytest.approx(4 / 40)
