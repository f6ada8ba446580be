"""Intervals of binned errors: by hand, exact binomial bounds, coverage, and no dependence on n."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import binom, binomtest

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.inference import calibration_ci
from sklearn_calib.inference._intervals.choose import _of_gaps
from sklearn_calib.inference._intervals.filled_bins import FilledBins
from sklearn_calib.inference._intervals.gaps import LargestGap, SumOfGaps
from sklearn_calib.metrics._metric import METRICS


def _prepare(y, p, metric="ece", weight=None, labels=None, **options):
    predictions = check_predictions(y, p, labels=labels, sample_weight=weight)
    error = METRICS[metric].prepare(predictions, **{**METRICS[metric].options, **options})
    return error, predictions


def _one_bin(n, hits, p):
    y = np.arange(n) < hits
    return _prepare(y.astype(int), np.full(n, p), labels=[0, 1])


@pytest.mark.parametrize(("n", "hits", "p"), [(40, 9, 0.2), (500, 400, 0.7), (30, 0, 0.1)])
def test_the_largest_gap_of_one_bin_has_the_bounds_of_clopper_and_pearson(n, hits, p):
    made = LargestGap(FilledBins(*_one_bin(n, hits, p)))
    low, high = binomtest(hits, n).proportion_ci(0.95, method="exact")
    assert made.upper(0.025) == pytest.approx(max(high - p, p - low), rel=1e-9)


def test_the_pvalue_of_the_largest_gap_is_a_binomial_tail():
    made = LargestGap(FilledBins(*_one_bin(50, 20, 0.2)))
    # Observed gap 0.2. At a true rate of 0.3 gaps of at least 0.2 are 20 or more, or 0 events;
    # at a true rate of 0.1 they have a smaller probability.
    expected = binom.sf(19, 50, 0.3) + binom.cdf(0, 50, 0.3)
    assert made.pvalue_at_most(0.1) == pytest.approx(expected, rel=1e-9)


def test_a_bin_of_few_weighted_rows_can_have_any_rate():
    """Three events in three rows are no evidence against 0.7, however the rows are weighted."""
    for weight in ([1, 1, 1], [10, 1, 1], [3, 2, 1]):
        error, predictions = _prepare([1, 1, 1], [0.7] * 3, weight=weight, labels=[0, 1])
        made = LargestGap(FilledBins(error, predictions))
        assert made.pvalue_at_most(0.0) >= 0.7**3
        assert made.lower(0.025) == 0.0


def test_no_events_where_few_are_expected_leave_room_above():
    """Rates of which no event in n rows is not too rare lie within the interval."""
    for n, p, alpha in [(60, 0.02, 0.025), (20, 0.05, 0.025), (1, 0.05, 0.025), (200, 0.004, 0.05)]:
        for flip in (False, True):
            error, predictions = _one_bin(n, n * flip, 1 - p if flip else p)
            cells, rng = FilledBins(error, predictions), np.random.default_rng(0)
            made = SumOfGaps(cells, "l1", rng, 4999, estimate=p)
            largest = 1.0 - (2.0 * alpha) ** (1.0 / n)  # its probability of no event is 2 alpha
            assert made.upper(alpha) >= largest - p
            assert made.corrected <= p * (1 + 1e-12)


def test_drawn_rates_are_binomial():
    cells = FilledBins(*_one_bin(12, 3, 0.25))
    normals = cells.normals(np.random.default_rng(0), 20_000)
    drawn = np.rint((cells.deviations(np.array([0.4]), normals)[:, 0] + 0.4) * 12)
    share = np.bincount(drawn.astype(int), minlength=13) / 20_000
    assert np.abs(share - binom.pmf(np.arange(13), 12, 0.4)).max() < 4 * np.sqrt(0.25 / 20_000)


def test_spread_rates_are_ends_of_wilsons_interval():
    cells = FilledBins(*_one_bin(80, 40, 0.2))
    expected = binomtest(16, 80).proportion_ci(0.95, method="wilson").high
    assert_allclose(cells.rates_at(1.959963984540054), [expected], rtol=1e-9)


def test_equal_weights_change_nothing_and_unequal_ones_count_fewer_rows():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    y = (rng.random(300) < p).astype(int)
    plain = FilledBins(*_prepare(y, p))
    weighted = FilledBins(*_prepare(y, p, weight=np.full(300, 2.5)))
    for name in ("share", "count", "proba", "rate", "thinning"):
        assert_allclose(getattr(weighted, name), getattr(plain, name), rtol=1e-12)
    unequal = FilledBins(*_prepare(y, p, weight=rng.exponential(size=300)))
    assert (unequal.count < plain.count + 1e-9).all()


def test_events_of_one_row_depend_on_each_other():
    """A row that is not of the first class is more probably of the second one."""
    rng = np.random.default_rng(0)
    proba = np.tile([0.5, 0.3, 0.2], (200, 1))
    y = rng.integers(3, size=200)
    cells = FilledBins(*_prepare(y, proba, target="classwise"))
    normals = cells.normals(rng, 40_000)
    expected = -np.sqrt(0.5 * 0.3 / (0.5 * 0.7))
    assert np.corrcoef(normals.T)[0, 1] == pytest.approx(expected, abs=0.02)


def test_the_lower_end_and_the_pvalue_agree():
    rng = np.random.default_rng(3)
    p = rng.uniform(0.1, 0.9, 2000)
    y = (rng.random(2000) < p + 0.08).astype(int)
    for options in ({}, {"norm": "l2"}, {"squared": True}):
        error, predictions = _prepare(y, p, **options)
        made = SumOfGaps(
            FilledBins(error, predictions), error.norm, np.random.default_rng(0), 399,
            estimate=float(error(predictions.codes)[0]), squared=error.squared,
        )  # fmt: skip
        low = made.lower(0.05)
        assert 0.0 < low < made.estimate
        assert made.pvalue_at_most(low * 1.001) > 0.05 >= made.pvalue_at_most(low * 0.999)


TRUTHS = {
    0.0: lambda p: p,
    0.030: lambda p: np.clip(p + 0.03, 0, 1),
    0.082: lambda p: expit(0.5 * logit(p)),
    0.099: lambda p: np.clip(p + 0.1, 0, 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("true", TRUTHS)
def test_intervals_cover_the_error_of_the_population(true):
    """The percentile interval covers the first two in no sample and the third one in 60 %."""
    covered = 0
    for seed in range(80):
        rng = np.random.default_rng(seed)
        p = rng.beta(2, 2, size=500)
        y = rng.random(500) < TRUTHS[true](p)
        low, high = calibration_ci(y, p, metric="ece", n_resamples=199, random_state=seed)
        covered += low <= true + 0.0005 and true - 0.0005 <= high
        assert high - low < 0.14
    assert covered >= binom.ppf(1e-4, 80, 0.95)


def test_a_calibrated_model_reaches_zero_and_a_wrong_one_does_not():
    rng = np.random.default_rng(0)
    p = rng.beta(2, 2, size=500)
    low, _ = calibration_ci(rng.random(500) < p, p, metric="ece", random_state=0)
    assert low == 0.0
    wrong = rng.random(500) < np.clip(p + 0.15, 0, 1)
    low, _ = calibration_ci(wrong, p, metric="ece", random_state=0)
    assert low > 0.05


@pytest.mark.filterwarnings("ignore:All values of y_proba are exactly 0 or 1")
def test_predictions_that_are_certain_have_an_interval():
    """Labels drawn from the predictions show no noise here, but the error is not known exactly."""
    p = np.repeat([0.0, 1.0], 50)
    y = (p == 1.0).astype(int)
    y[:3] = 1
    low, high = calibration_ci(y, p, metric="ece", random_state=0)
    assert low < 0.03 < high < 0.15


def test_the_pvalue_of_squared_gaps_is_bonferronis_of_two_tests():
    """Of the size of the error, and of its gaps with signs; both on the draws that were made."""
    rng = np.random.default_rng(5)
    p = rng.uniform(0.1, 0.9, 600)
    y = (rng.random(600) < p + 0.05).astype(int)
    cells = FilledBins(*_prepare(y, p, norm="l2"))
    made = SumOfGaps(cells, "l2", np.random.default_rng(0), 199, estimate=0.0)

    def error(gaps):
        return np.sqrt(gaps**2 @ cells.share)

    def signed(gaps):
        """The largest sum over all places where the sign may change once."""
        signs = np.tril(np.full((gaps.shape[-1] + 1, gaps.shape[-1]), 2.0), -1) - 1.0
        return np.abs((gaps * cells.share) @ signs.T).max(axis=-1)

    def pvalue(draws, value):
        return (1 + np.count_nonzero(draws >= value)) / 200

    size = 0.04
    noise = cells.deviations(cells.noisy_rates(), made.normals)
    of_signs = pvalue(signed(noise), signed(cells.gap) - size)
    spread = brentq(lambda d: error(cells.rates_at(d) - cells.proba) - size, 1e-6, 50.0)
    rates = cells.rates_at(spread)
    drawn = rates - cells.proba + cells.deviations(rates, made.normals)
    of_size = pvalue(error(drawn), error(cells.gap))
    assert abs(of_signs - of_size) > 0.05
    expected = min(1.0, 2 * min(of_signs, of_size))
    assert 0.0 < expected < 1.0
    # The size is found up to rounding, which one draw of the 199 may notice.
    assert made.pvalue_at_most(size) == pytest.approx(expected, abs=0.0101)


@pytest.mark.parametrize(
    ("options", "of_classes"),
    [
        ({"norm": "l2"}, lambda squares: np.mean(np.sqrt(squares))),
        ({"debiased": True}, lambda squares: np.sqrt(np.mean(squares))),
        ({"squared": True}, np.mean),
    ],
)
def test_a_root_is_taken_of_the_mean_over_classes_where_the_metric_does_so(options, of_classes):
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 2, 3], size=300)
    y = (rng.random((300, 1)) > P[:, ::-1].cumsum(axis=1)).sum(axis=1)
    error, predictions = _prepare(y, P, labels=[0, 1, 2], target="classwise", n_bins=4, **options)
    squares = []
    for k in range(3):
        number = np.minimum((4 * P[:, k]).astype(int), 3)
        gaps = [np.sum((y == k)[number == b] - P[number == b, k]) for b in range(4)]
        rows = np.bincount(number, minlength=4)
        squares.append(sum(gap**2 / n for gap, n in zip(gaps, rows) if n) / 300)
    made = _of_gaps(error, predictions, rng, 19, None)
    assert made.observed == pytest.approx(of_classes(squares), rel=1e-10)


@pytest.mark.parametrize("alpha", [0.0199, 0.1])
def test_the_upper_end_is_where_errors_as_small_become_rare(alpha):
    """The share of draws is counted with the data themselves, as a Monte Carlo p-value."""
    rng = np.random.default_rng(2)
    p = rng.uniform(0.1, 0.9, 400)
    y = (rng.random(400) < p + 0.1).astype(int)
    cells = FilledBins(*_prepare(y, p))
    made = SumOfGaps(cells, "l1", np.random.default_rng(0), 99, estimate=0.0)

    def share(distance):
        rates = cells.rates_at(distance)
        drawn = np.abs(rates - cells.proba + cells.deviations(rates, made.normals)) @ cells.share
        return (1 + np.count_nonzero(drawn <= np.abs(cells.gap) @ cells.share)) / 100

    def size(distance):
        return np.abs(cells.rates_at(distance) - cells.proba) @ cells.share

    end = made.upper(alpha)
    found = brentq(lambda d: size(d) - end, 1e-9, 50.0)
    assert share(found * 0.9998) > alpha >= share(found * 1.0002)


def _missed(bins, options, truths):
    """Return how often the ends of 90 % intervals miss the true error, by adding up probabilities.

    `bins` holds the rows and the probability of one bin or two, `truths` their true rates.
    """
    sizes, proba = zip(*bins)
    p = np.repeat(proba, sizes)
    hits = list(np.ndindex(*(n + 1 for n in sizes)))
    ends = []
    for number, one in enumerate(hits):
        y = np.concatenate([np.arange(n) < h for n, h in zip(sizes, one)]).astype(int)
        data = {"labels": [0, 1], "confidence_level": 0.9, "random_state": number}
        ends.append(tuple(calibration_ci(y, p, metric="ece", metric_params=options, **data)))
    low, high = np.array(ends).T
    missed = []
    for rates in truths:
        share = np.prod(
            [binom.pmf([h[j] for h in hits], n, rates[j]) for j, n in enumerate(sizes)], 0
        )
        error = np.abs(np.subtract(rates, proba)) @ np.array(sizes) / sum(sizes)
        missed.append((share[low > error + 1e-9].sum(), share[high < error - 1e-9].sum()))
    return np.array(missed)


@pytest.mark.parametrize("options", [{}, {"norm": "l2"}, {"debiased": True}])
@pytest.mark.parametrize(("n", "p"), [(20, 0.9), (10, 0.05), (25, 0.02)])
def test_each_end_of_one_bin_is_missed_as_rarely_as_promised(n, p, options):
    """Also where the true rate is on the other side of one half, and varies more than both."""
    truths = np.linspace(0.01, 0.99, 99)[:, np.newaxis]
    assert _missed([(n, p)], options, truths).max() <= 0.05


def test_lower_ends_of_two_bins_of_large_errors_are_missed_as_rarely_as_promised():
    truths = [(a, b) for a in (0.1, 0.38, 0.66, 0.9) for b in (0.1, 0.38, 0.62, 0.9)]
    # Without the rates between the predicted and the observed ones: 0.09.
    assert _missed([(5, 0.1), (5, 0.9)], {}, truths)[:, 0].max() <= 0.05


def test_an_excess_that_the_noise_equals_up_to_rounding_is_not_larger():
    y = [1, 1, 0, 0, 0, 1, 1, 1, 0, 0]
    error, predictions = _prepare(y, [0.2] * 5 + [0.4] * 5)
    made = SumOfGaps(
        FilledBins(error, predictions), "l1", np.random.default_rng(0), 999, estimate=0.2
    )
    *noise, smallest = made._noise(made.cells.noisy_rates())
    for value in np.unique(np.round(noise[0], 9))[1:]:
        if value > made.plain:
            break
        shares = [(1 + np.sum(one > value - 1e-6)) / 1000 for one in noise]
        expected = (1 + np.sum(smallest <= min(shares) + 1e-12)) / 1000
        for rounding in (-1e-12, 1e-12):
            size = made.plain - value * (1 + rounding)
            assert made.pvalue_at_most(size) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("norm", "expected"), [("l1", 0.15), ("l2", np.sqrt(0.03)), ("mean", 0.2)])
def test_gaps_are_weighted_by_rows_or_are_all_alike(norm, expected):
    """The gaps are 0.1 in six rows and 0.3 in two."""
    p = np.array([0.1] * 6 + [0.3] * 2)
    error, predictions = _prepare([0] * 8, p, n_bins=10, labels=[0, 1])
    made = SumOfGaps(FilledBins(error, predictions), norm, np.random.default_rng(0), 19, estimate=0)
    assert made.plain == pytest.approx(expected, rel=1e-12)
