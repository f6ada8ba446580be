"""Intervals of kernel errors, norms, means and lines against theory and simulation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom, binomtest, chi2, norm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss

from sklearn_calib import check_calibration
from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.inference import calibration_ci
from sklearn_calib.inference._intervals.means import MeanOfRows
from sklearn_calib.metrics import skce


def _data(n=300, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.1, 0.8, n)
    return (rng.random(n) < p + shift).astype(int), p


def test_a_mean_without_skewness_has_the_normal_interval():
    terms = np.tile([1.0, 3.0], 50)
    made = MeanOfRows(terms, None)
    half = norm.ppf(0.975) * terms.std(ddof=1) / 10
    assert_allclose([made.lower(0.025), made.upper(0.025)], [2 - half, 2 + half], rtol=1e-12)
    assert made.pvalue_at_most(2 - half) == pytest.approx(0.025, rel=1e-9)


def test_the_interval_of_a_skewed_mean_is_longer_on_the_long_side():
    made = MeanOfRows(np.random.default_rng(0).exponential(size=60), None)
    assert made.upper(0.025) - made.estimate > 1.1 * (made.estimate - made.lower(0.025))
    low = made.lower(0.05)
    assert made.pvalue_at_most(low) == pytest.approx(0.05, rel=1e-6)


def test_scores_are_those_of_scikit_learn():
    y, p = _data()
    assert calibration_ci(y, p, metric="log_loss").estimate == pytest.approx(log_loss(y, p))
    assert calibration_ci(y, p, metric="brier").estimate == pytest.approx(brier_score_loss(y, p))


def test_an_infinite_log_loss_is_refused_with_its_row():
    message = "probability of the observed label is 0 in 1 row, first in row 2"
    with pytest.raises(ValueError, match=message):
        calibration_ci([0, 1, 1, 0], [0.2, 0.7, 0.0, 0.4], metric="log_loss")


def test_what_has_no_valid_interval_is_refused_with_the_reason_by_every_method():
    for method in ("auto", "percentile", "basic"):
        with pytest.raises(ValueError, match="kde_ece is known, by any method: noise alone makes"):
            calibration_ci([0, 1, 1], [0.2, 0.7, 0.4], metric="kde_ece", method=method)


def test_percentiles_of_a_proper_score():
    y, p = _data()
    options = {"metric": "brier", "n_resamples": 49, "random_state": 3}
    result = calibration_ci(y, p, method="percentile", **options)
    rng = check_generator(3)
    drawn = [np.mean((y[k] - p[k]) ** 2) for k in rng.integers(y.size, size=(49, y.size))]
    assert_allclose(tuple(result), np.quantile(drawn, [0.025, 0.975]), rtol=1e-9)


def test_a_group_without_an_interval_is_named():
    with pytest.raises(ValueError, match="The group 'b': n too small"):
        calibration_ci([0, 1, 1], [0.2, 0.7, 0.4], metric="brier", groups=["a", "a", "b"])


def test_no_row_is_paired_with_a_copy_of_itself():
    """Two rows: every resample with both of them has their one pair, and the others have none."""
    y, p = [1, 0], [0.4, 0.5]
    made = calibration_ci(y, p, metric="skce", n_resamples=50, random_state=0)
    value = skce(y, p)
    assert made.estimate == pytest.approx(value)
    pairs = np.isclose(made.replicates, value)
    assert pairs.any()
    assert not pairs.all()
    assert made.replicates.min() >= value * (1 + 1e-9)


def test_forms_of_one_error_have_one_interval():
    y, p = _data(shift=0.1)
    options = {"n_resamples": 99, "random_state": 0}
    square = calibration_ci(y, p, metric="skce", **options)
    biased = calibration_ci(y, p, metric="skce", metric_params={"estimator": "biased"}, **options)
    root = calibration_ci(y, p, metric="mmce", **options)
    assert_allclose(tuple(biased), np.maximum(tuple(square), 0), rtol=1e-9, atol=1e-15)
    assert_allclose(tuple(root), np.sqrt(np.maximum(tuple(square), 0)), rtol=1e-9, atol=1e-9)
    assert root.corrected == pytest.approx(max(square.estimate, 0) ** 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("bandwidth", [0.2, 0.02])
def test_intervals_of_skce_cover_zero(bandwidth):
    covered = 0
    for seed in range(100):
        y, p = _data(150, seed)
        low, high = calibration_ci(
            y, p, metric_params={"bandwidth": bandwidth}, n_resamples=199, random_state=seed
        )
        covered += low <= 0.0 <= high
    assert covered >= binom.ppf(1e-4, 100, 0.95)


def test_a_norm_has_the_bounds_of_the_noise():
    y, p = _data(400, shift=0.1)
    made = calibration_ci(y, p, metric="ks_calibration_error", random_state=0)
    noise = check_calibration(y, p, statistic="ks_calibration_error", random_state=0)
    inflation = max(1.0, np.sqrt(np.sum((y - p) ** 2) / np.sum(p * (1 - p))))
    threshold = np.quantile(noise.null_distribution, 0.975, method="higher")
    assert made.low == pytest.approx(made.estimate - inflation * threshold, abs=0.003)
    spread = np.sqrt(max(np.sum((y - p) ** 2), np.sum(p * (1 - p)))) / 400
    assert made.high == pytest.approx(made.estimate + norm.ppf(0.975) * spread)


@pytest.mark.filterwarnings("ignore:Setting penalty=None")  # scikit-learn 1.8, of its own default
def test_the_slope_has_the_profile_likelihood_interval():
    """At the ends, twice the log-likelihood is the chi-square quantile below its maximum."""
    y, p = _data(250)
    made = calibration_ci(y, p, metric="calibration_slope")
    x = np.log(p / (1 - p))

    def deviance(slope):
        fits = []
        for offset in (slope * x, None):
            if offset is None:
                model = LogisticRegression(C=np.inf, tol=1e-10).fit(x[:, None], y)
                eta = model.decision_function(x[:, None])
            else:
                a = 0.0
                for _ in range(50):
                    q = 1 / (1 + np.exp(-(a + offset)))
                    a += np.sum(y - q) / np.sum(q * (1 - q))
                eta = a + offset
            fits.append(np.sum(y * eta - np.logaddexp(0, eta)))
        return 2 * (fits[1] - fits[0])

    # The sandwich variance may exceed the promised one, which divides the deviance.
    low, high = deviance(made.low), deviance(made.high)
    assert low == pytest.approx(high, rel=1e-3)
    assert chi2.ppf(0.95, 1) * 0.999 <= low <= 1.3 * chi2.ppf(0.95, 1)


def test_the_ratio_of_events_solves_the_score_equation():
    p = np.full(100, 0.2)
    y = (np.arange(100) < 30).astype(int)
    made = calibration_ci(y, p, metric="observed_expected_ratio")
    wilson = binomtest(30, 100).proportion_ci(0.95, method="wilson")
    assert made.high * 0.2 == pytest.approx(wilson.high, rel=1e-6)
    # Below the estimate the squared residuals are larger than the binomial variance.
    assert wilson.low - 0.02 < made.low * 0.2 < wilson.low
    assert made.estimate == pytest.approx(1.5)


def test_events_that_a_ratio_makes_certain_have_no_variance():
    """Twice 0.9 is more than one; such a row varies no more, rather than by less than nothing."""
    p = np.append(np.full(40, 0.3), np.full(5, 0.9))
    y = np.append(np.arange(40) < 12, np.ones(5)).astype(int)
    made = calibration_ci(y, p, metric="observed_expected_ratio")

    def distance(ratio):
        variance = 0.0
        for one in ratio * p:
            variance += one * (1 - one) if one < 1 else 0.0
        squares = sum((y - ratio * p) ** 2)
        return (sum(y) - ratio * sum(p)) / np.sqrt(max(variance, squares))

    assert distance(made.low) == pytest.approx(norm.ppf(0.975), rel=1e-6)
    assert distance(made.high) == pytest.approx(-norm.ppf(0.975), rel=1e-6)
    assert made.high * 0.9 > 1.1


def test_an_error_as_callable_is_refused_but_a_mean_is_not():
    y, p = _data(500)

    def binned(y_true, y_proba):
        parts = np.minimum((10 * y_proba).astype(int), 9)
        return sum(abs(np.sum((y_true - y_proba)[parts == b])) for b in range(10)) / len(y_true)

    with pytest.raises(ValueError, match="no smooth statistic"):
        calibration_ci(y, p, metric=binned, n_resamples=199, random_state=0)
    made = calibration_ci(y, p, metric=lambda y, p: np.mean((y - p) ** 2), n_resamples=199)
    assert made.method == "percentile"


def test_groups_have_the_intervals_of_their_rows():
    y, p = _data(200)
    group = np.where(np.arange(200) % 3 == 0, "b", "a")
    result = calibration_ci(y, p, metric="brier", groups=group)
    for name in ("a", "b"):
        alone = calibration_ci(y[group == name], p[group == name], metric="brier")
        assert_allclose(tuple(result[name]), tuple(alone), rtol=1e-12)
    assert result.to_frame()["n_samples"].tolist() == [133, 67]
    assert result.simultaneous_level == pytest.approx(0.9)
    assert len(result) == 2
    assert [one.n_samples for one in result] == [133, 67]


def test_progress_is_told():
    y, p = _data(50)
    said = []
    calibration_ci(y, p, n_resamples=39, random_state=0, verbose=said.append)
    assert said == ["39 of 39 resamples"]
