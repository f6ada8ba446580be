"""Normal limits of the linear and block estimators, and bounds that need no limit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from sklearn_calib import check_calibration
from sklearn_calib.metrics import skce
from tests._reference import parametrize_cases
from tests.inference._data import binary_data, multiclass_data


def linear(y, p, *, estimator="ul", null="asymptotic", **options):
    target = options.pop("target", "auto")
    params = {"estimator": estimator, **options.pop("params", {})}
    return check_calibration(
        y, p, statistic="skce", statistic_params=params, null=null, target=target, **options
    )


@parametrize_cases("cal_test", keep=lambda case: case["name"].startswith("asymptotic"))
def test_pvalues_of_the_reference(case):
    """Mean of the pair terms over their standard deviation, with divisor m - 1."""
    params, inputs, expected = case["params"], case["inputs"], case["expected"]
    proba = np.array(inputs["p"])
    options = {"labels": list(range(1, proba.shape[1] + 1))} if proba.ndim == 2 else {}
    result = linear(
        inputs["y"],
        proba,
        target=params["type"] or "binary",
        params={"bandwidth": params["bandwidth"]},
        **options,
    )
    assert_allclose(result.statistic, expected["estimate_ul"], rtol=1e-10, atol=1e-14)
    assert_allclose(result.pvalue, expected["p_value"], rtol=1e-9)
    assert (result.null, result.null_distribution) == ("asymptotic", None)


def test_block_estimator_by_its_blocks():
    y, p, _ = binary_data(62)
    values = [skce(y[k : k + 6], p[k : k + 6], labels=[0, 1]) for k in range(0, 60, 6)]
    z = np.mean(values) / (np.std(values, ddof=1) / np.sqrt(10))
    result = linear(y, p, estimator="block", params={"block_size": 6})
    assert_allclose(result.statistic, np.mean(values), rtol=1e-10)
    assert_allclose(result.pvalue, norm.sf(z), rtol=1e-9)


def test_weights_of_pairs_by_hand():
    """Two pairs of weights 2 * 1 and 3 * 3, with terms h, at bandwidth one."""
    y, p, w = np.array([1, 0, 1, 1]), np.array([0.3, 0.4, 0.8, 0.6]), np.array([2.0, 1, 3, 3])
    terms = np.exp([-0.1, -0.2]) * [0.7 * -0.4, 0.2 * 0.4]
    pair = np.array([2.0, 9.0])
    estimate = pair @ terms / 11
    spread = np.sqrt(2 * np.sum((pair * (terms - estimate)) ** 2)) / 11
    result = linear(y, p, params={"bandwidth": 1.0}, sample_weight=w)
    assert_allclose(result.statistic, estimate, rtol=1e-12)
    assert_allclose(result.pvalue, norm.sf(estimate / spread), rtol=1e-12)


def test_classwise_terms_are_averaged_over_classes():
    y, proba, _ = multiclass_data(40)
    each = [linear(y == k, proba[:, k], pos_label=True).statistic for k in range(3)]
    assert_allclose(linear(y, proba, target="classwise").statistic, np.mean(each), rtol=1e-10)


@pytest.mark.parametrize("estimator", ["uq", "biased"])
def test_estimators_of_all_pairs_have_no_normal_limit(estimator):
    y, p, _ = binary_data()
    with pytest.raises(ValueError, match=f"estimator='{estimator}' has no normal limit.*'ul'"):
        linear(y, p, estimator=estimator)


@pytest.mark.parametrize("n", [2, 3])
def test_one_pair_has_no_spread(n):
    with pytest.raises(ValueError, match="'ul' has 1 terms, of which at least 2 must differ"):
        linear([0, 1, 1][:n], [0.2, 0.4, 0.7][:n])


def test_equal_terms_have_no_spread():
    with pytest.raises(ValueError, match="at least 2 must differ"):
        linear([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5])


# Bounds.


def bound(statistic, y, p, *arguments, **params):
    return check_calibration(
        y, p, *arguments, statistic=statistic, statistic_params=params, null="bound"
    )


def test_bounds_by_hand():
    """All residuals are 0.5 and all distances zero, so every estimate is 1 / 4."""
    y, p = np.ones(20, dtype=int), np.full(20, 0.5)
    hoeffding = np.exp(-10 * 0.25**2 / 2)
    for params in ({}, {"estimator": "ul"}, {"estimator": "block", "block_size": 4}):
        result = bound("skce", y, p, **params)
        assert_allclose(result.statistic, 0.25, rtol=1e-12)
        assert_allclose(result.pvalue, hoeffding, rtol=1e-12)
    # Blocks of five rows have two disjoint pairs each.
    result = bound("skce", y, p, estimator="block", block_size=5)
    assert_allclose(result.pvalue, np.exp(-8 * 0.25**2 / 2), rtol=1e-12)
    mcdiarmid = np.exp(-((np.sqrt(20 * 0.25) - 1) ** 2) / 2)
    assert_allclose(bound("skce", y, p, estimator="biased").pvalue, mcdiarmid, rtol=1e-12)
    assert_allclose(bound("mmce", y, p).pvalue, mcdiarmid, rtol=1e-12)
    assert_allclose(bound("kce", y, p).pvalue, hoeffding, rtol=1e-12)
    assert_allclose(bound("klce", y, p, np.zeros((20, 1))).pvalue, hoeffding, rtol=1e-12)


def test_the_terms_of_canonical_calibration_are_twice_as_large():
    """Certain and wrong about one class: residual vectors of squared length two, all equal."""
    y, proba = np.zeros(8, dtype=int), np.tile([0.0, 1.0, 0.0], (8, 1))
    result = check_calibration(y, proba, null="bound", labels=[0, 1, 2])
    assert_allclose(result.statistic, 2.0, rtol=1e-12)
    assert_allclose(result.pvalue, np.exp(-4 / 2), rtol=1e-12)


def test_a_negative_estimate_is_no_evidence():
    assert bound("skce", [0, 1], [0.5, 0.5]).statistic < 0
    assert bound("skce", [0, 1], [0.5, 0.5]).pvalue == 1.0


def test_bounds_need_equal_weights_and_a_kernel_error():
    y, p, _ = binary_data()
    with pytest.raises(ValueError, match="null='bound' is a bound for rows of equal weight"):
        check_calibration(y, p, null="bound", sample_weight=1.0 + (y == 1))
    equal = check_calibration(y, p, null="bound", sample_weight=np.full(len(y), 7.0))
    assert equal.pvalue == check_calibration(y, p, null="bound").pvalue
    with pytest.raises(ValueError, match="exists for skce, kce, mmce and klce only, not for ece"):
        check_calibration(y, p, statistic="ece", null="bound")


def test_the_bound_is_above_the_exact_pvalue():
    """It bounds the tail of the null distribution, which simulation estimates."""
    y, p, _ = binary_data(40)
    exact = check_calibration(y, p, n_resamples=2000, random_state=0).null_distribution
    for value in np.quantile(exact, [0.5, 0.9, 0.99]):
        assert np.exp(-20 * max(value, 0) ** 2 / 2) >= np.mean(exact >= value)
    biased = {"estimator": "biased"}
    result = check_calibration(y, p, statistic_params=biased, n_resamples=2000, random_state=0)
    exact = result.null_distribution
    for value in np.quantile(exact, [0.5, 0.9, 0.99]):
        size = max(np.sqrt(40 * value) - 1, 0)
        assert np.exp(-(size**2) / 2) >= np.mean(exact >= value)
