"""The integrated calibration index against loess of other software, and known values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.metrics import integrated_calibration_index
from sklearn_calib.metrics._smooth.local_quadratic import group_probabilities, smoothing_matrix
from tests._reference import parametrize_cases
from tests.metrics._cases import close

SUMMARIES = ("mean", "median", "q90", "max")


def all_four(y, p, **options):
    return [integrated_calibration_index(y, p, summary=one, **options) for one in SUMMARIES]


@parametrize_cases("loess")
def test_other_software(case):
    y, p = case["inputs"]["y"], case["inputs"]["p"]
    options = {"span": case["params"]["span"]}
    mean, median, _, largest = all_four(y, p, **options)
    assert_allclose(mean, case["expected"]["ici"], rtol=1e-10)
    assert_allclose(median, case["expected"]["e50"], rtol=1e-10)
    assert_allclose(largest, case["expected"]["emax"], rtol=1e-10)


@parametrize_cases("loess")
def test_the_curve_of_other_software(case):
    y, p = np.array(case["inputs"]["y"]), np.array(case["inputs"]["p"])
    values, index, count = np.unique(p, return_inverse=True, return_counts=True)
    S = smoothing_matrix(values, count / p.size, case["params"]["span"])
    curve = S @ (np.bincount(index, y) / count)
    assert_allclose(curve[index], case["expected"]["curve"], rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((2, 2), [0.08761977434248, 0.0910013071042, 0.11500712238597, 0.1168487365893]),
        ((0.3, 3), [0.03118816619839, 0.0170741744755, 0.07774159146585, 0.1018560785836]),
    ],
)
def test_many_rows_are_put_together(shape, expected):
    """The values are those of the exact fit by scikit-misc 0.5.3."""
    rng = np.random.default_rng(7)
    p = rng.beta(*shape, size=4000)
    y = rng.random(4000) < p**1.3
    assert_allclose(all_four(y, p), expected, rtol=0, atol=3e-4)


def test_a_quadratic_is_fitted_exactly():
    rng = np.random.default_rng(0)
    center, share = np.sort(rng.random(30)), rng.dirichlet(np.ones(30))
    for span in (0.3, 0.75, 1.0):
        S = smoothing_matrix(center, share, span)
        for power in range(3):
            assert_allclose(S @ center**power, center**power, rtol=0, atol=1e-11)
        assert np.abs(S @ center**3 - center**3).max() > 1e-5


def test_a_constant_prediction_has_the_plain_error():
    y = np.repeat([0, 1], [3, 7])
    assert_allclose(all_four(y, np.full(10, 0.4)), 0.3, rtol=1e-12)


def test_a_value_that_has_the_span_keeps_its_own_rate():
    """Eight of ten rows lie at 0.5; two rows near zero do not change their rate."""
    y, p = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0], [0.5] * 8 + [0.1, 0.2]
    close(integrated_calibration_index(y, p, summary="median"), 0.25)


def test_the_curve_stays_between_zero_and_one():
    p = np.array([0.02, 0.5, 0.52, 0.54, 0.56, 0.98])
    y = np.array([0, 0, 0, 1, 1, 1])
    for span in (0.5, 0.75, 1.0):
        for value in all_four(y, p, span=span):
            assert 0.0 <= value <= 0.56


def test_quantiles_by_hand():
    """Four constant groups far apart keep their rates: distances .1, .2, .3 and .4."""
    p = np.repeat([0.1, 0.2, 0.7, 0.6], 10)
    hits = [2, 4, 4, 10]
    y = np.concatenate([np.repeat([1, 0], [k, 10 - k]) for k in hits])
    options = {"span": 0.2}
    mean, median, q90, largest = all_four(y, p, **options)
    close([mean, median, q90, largest], [0.25, 0.25, 0.4, 0.4])
    weight = np.repeat([1, 1, 1, 7.0], 10)
    mean, median, q90, largest = all_four(y, p, sample_weight=weight, **options)
    close([mean, median, q90, largest], [(0.1 + 0.2 + 0.3 + 2.8) / 10, 0.4, 0.4, 0.4])
    weight = np.repeat([6, 3, 0.5, 0.5], 10)
    close(all_four(y, p, sample_weight=weight, **options)[1:3], [0.1, 0.25])


def test_exchanging_the_classes_changes_nothing():
    rng = np.random.default_rng(1)
    p = rng.beta(0.5, 1.5, size=150)
    y = (rng.random(150) < p**2).astype(int)
    assert_allclose(all_four(1 - y, 1 - p), all_four(y, p), rtol=1e-9)


def test_groups_are_small_and_in_order():
    rng = np.random.default_rng(2)
    p = rng.beta(0.3, 3.0, size=5000)
    share = rng.dirichlet(np.ones(5000))
    group = group_probabilities(p, share)
    order = np.argsort(p)
    assert np.all(np.diff(group[order]) >= 0)
    assert group.max() < 512
    mass = np.bincount(group, share)
    for g in range(group.max() + 1):
        inside = p[group == g]
        assert np.ptp(inside) <= 1 / 256
        assert mass[g] <= 1 / 256 + share.max()
    few = np.round(p, 2)
    assert_allclose(np.unique(few)[group_probabilities(few, share)], few)


@pytest.mark.parametrize("span", [0, -0.5, 1.5, "0.5", None, True, np.nan])
def test_bad_spans_are_refused(span):
    with pytest.raises(ValueError, match="span must be a number above 0 and at most 1, got"):
        integrated_calibration_index([0, 1], [0.2, 0.7], span=span)


def test_unknown_summaries_are_refused():
    with pytest.raises(ValueError, match=r"summary must be one of 'mean', 'median', 'q90', 'max'"):
        integrated_calibration_index([0, 1], [0.2, 0.7], summary="e90")


def test_predictions_that_differ_by_the_smallest_number():
    """The neighbours at the end of each span have no weight, so that each value is on its own."""
    close(integrated_calibration_index([1, 0, 1, 1], [0.25, 0.0, 0.0, 5e-324]), 0.6875)
