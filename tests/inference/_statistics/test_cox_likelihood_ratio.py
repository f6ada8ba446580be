"""Cox's likelihood ratio: maximum likelihood elsewhere, separation, certain rows and speed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logit, xlogy
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression

from sklearn_calib import check_calibration
from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.inference._statistics.cox_likelihood_ratio import (
    prepare_cox_likelihood_ratio,
)
from tests.inference import _formulas
from tests.inference._data import binary_data, multiclass_data


def run(y, p, **options):
    options = {"null": "asymptotic", "labels": None if np.ndim(p) == 2 else [0, 1], **options}
    return check_calibration(y, p, statistic="cox_likelihood_ratio", **options)


def log_likelihood(score, y):
    return -np.logaddexp(0, np.where(y == 1, -score, score)).sum()


@pytest.mark.parametrize("slope", [1.0, 3.0, 0.2, -1.0])
@pytest.mark.parametrize("scale", [0.1, 1.0, 8.0])
def test_maximum_likelihood_of_scikit_learn(slope, scale):
    """For predictions near one half and near 0 and 1, from right to reversed."""
    rng = np.random.default_rng(int(10 * scale))
    x = rng.normal(scale=scale, size=400)
    y = (rng.random(400) < 1 / (1 + np.exp(-slope * x - 0.3))).astype(int)
    p = 1 / (1 + np.exp(-x))
    model = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000, solver="newton-cholesky")
    design = (x / scale)[:, np.newaxis]
    fitted = log_likelihood(model.fit(design, y).decision_function(design), y)
    right = log_likelihood(logit(p), y)
    assert_allclose(run(y, p).statistic, 2 * (fitted - right), rtol=1e-7, atol=1e-8)


def test_chi_square_limit():
    y, p, _ = binary_data(500)
    result = run(y, p)
    assert_allclose(result.pvalue, chi2(2).sf(result.statistic), rtol=1e-12)
    # With one prediction there is only an intercept.
    y = np.arange(40) < 15
    result = run(y, np.full(40, 0.25))
    best = xlogy(15, 15 / 40) + xlogy(25, 25 / 40)
    assert_allclose(result.statistic, 2 * (best - 15 * np.log(0.25) - 25 * np.log(0.75)))
    assert_allclose(result.pvalue, chi2(1).sf(result.statistic), rtol=1e-12)


def test_separated_labels_have_the_supremum():
    """The best likelihood is one, so the statistic is -2 times the log-likelihood of p."""
    p = np.array([0.1, 0.3, 0.6, 0.8])
    for y in ([0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]):
        expected = -2 * _formulas.log_likelihood(np.array(y), p)
        assert_allclose(run(y, p).statistic, expected, rtol=1e-12)


def test_labels_that_are_separated_but_for_one_value():
    """At the common value 0.5 one event in three occurs, and the rest is certain."""
    p, y = np.array([0.2, 0.5, 0.5, 0.5, 0.9]), np.array([0, 0, 1, 0, 1])
    best = xlogy(1, 1 / 3) + xlogy(2, 2 / 3)
    for labels in (y, np.array([1, 0, 1, 0, 0])):
        expected = 2 * (best - _formulas.log_likelihood(labels, p))
        assert_allclose(run(labels, p).statistic, expected, rtol=1e-12)
    weight = np.array([1.0, 1.0, 4.0, 1.0, 1.0])
    best = xlogy(4, 4 / 6) + xlogy(2, 2 / 6)
    result = run(y, p, sample_weight=weight, null="simulation", n_resamples=1)
    expected = 2 * (best - _formulas.log_likelihood(y, p, weight)) / 4
    assert_allclose(result.statistic, expected, rtol=1e-12)


def test_every_set_of_labels_of_few_rows():
    """Against a direct search, whose supremum under separation is approached from below."""
    p = np.array([0.05, 0.3, 0.3, 0.55, 0.8, 0.97])
    codes = np.array([[number >> bit & 1 for number in range(64)] for bit in range(6)])
    predictions = check_predictions(codes[:, 0], p, labels=[0, 1])
    values = prepare_cox_likelihood_ratio(predictions)(codes)
    for column in range(64):
        searched = _formulas.cox_likelihood_ratio(codes[:, column], p)
        assert_allclose(values[column], searched, rtol=1e-5, atol=1e-3)


def test_certain_rows():
    """They count nothing if right; one that is wrong makes calibration impossible."""
    y, p = np.array([0, 1, 0, 1, 1, 0]), np.array([0.2, 0.4, 0.6, 0.7, 1.0, 0.0])
    assert_allclose(run(y, p).statistic, run(y[:4], p[:4]).statistic, rtol=1e-12)
    y[4] = 0
    assert (run(y, p).statistic, run(y, p).pvalue) == (np.inf, 0.0)
    assert run([0, 1], [0.0, 1.0]).statistic == 0.0


def test_extreme_predictions():
    y, p = np.array([0, 1, 0, 1, 0]), np.array([5e-324, 1e-300, 0.5, 0.5, 1 - 1e-16])
    assert np.isfinite(run(y, p).statistic)
    assert run(y, p).statistic > 1000


def test_only_ratios_of_weights_matter():
    y, p, _ = binary_data()
    weight = np.random.default_rng(0).uniform(0.5, 2.0, size=y.size)
    options = {"null": "simulation", "n_resamples": 1}
    value = run(y, p, sample_weight=weight, **options).statistic
    expected = _formulas.cox_likelihood_ratio(y, p, weight / weight.max())
    assert_allclose(value, expected, rtol=1e-9)
    assert_allclose(run(y, p, sample_weight=1e200 * weight, **options).statistic, value)
    with pytest.raises(
        ValueError, match=r"null='asymptotic' is not available.*weights that differ"
    ):
        run(y, p, sample_weight=weight)
    assert run(y, p, sample_weight=np.full(y.size, 3.0)).pvalue == run(y, p).pvalue


def test_columns_do_not_depend_on_each_other():
    """A draw has the same value alone and in a batch, so that ties are ties."""
    y, p, _ = binary_data(300)
    codes = (np.random.default_rng(0).random((300, 900)) < p[:, np.newaxis]).astype(np.int8)
    prepared = prepare_cox_likelihood_ratio(check_predictions(y, p))
    together = prepared(codes)
    alone = np.concatenate([prepared(codes[:, k]) for k in range(0, 900, 50)])
    assert_allclose(together[::50], alone, rtol=1e-11, atol=1e-12)


def test_the_top_label_of_several_classes():
    y, proba, _ = multiclass_data(200)
    top, hit = proba.max(axis=1), (proba.argmax(axis=1) == y).astype(int)
    assert_allclose(run(y, proba).statistic, run(hit, top).statistic, rtol=1e-10)


def test_a_wrong_slope_is_found():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, size=500)
    y = rng.random(500) < 1 / (1 + np.exp(-0.5 * logit(p)))
    assert run(y.astype(int), p).pvalue < 1e-3
