"""The error of the monotone sweep against a loop over bins and known values."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import check_calibration
from sklearn_calib.metrics import ece, ece_sweep
from tests._oracles import loop_bins, loop_gaps
from tests.metrics._cases import close

Y, P = [0, 0, 1, 1, 1, 0], [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]


def loop_rates(y, p, *, n_bins, strategy, weight):
    """Return the observed rate of each bin that is not empty."""
    number = loop_bins(p, n_bins, strategy, "left", weight)
    weight = [1.0] * len(y) if weight is None else weight
    rates = []
    for b in sorted(set(number)):
        rows = [i for i in range(len(y)) if number[i] == b]
        rates.append(sum(weight[i] * y[i] for i in rows) / sum(weight[i] for i in rows))
    return rates


def loop_sweep(y, p, norm="l1", weight=None):
    """Try all numbers of bins with plain loops; return the error and the number."""
    power = {"l1": 1, "l2": 2}[norm]
    chosen = None
    for n_bins in range(1, len(set(p)) + 1):
        options = {"n_bins": n_bins, "strategy": "quantile", "weight": weight}
        rates = loop_rates(y, p, **options)
        if any(after < before - 1e-9 for before, after in pairwise(rates)):
            break
        gaps = loop_gaps(p, y, **options)
        chosen = sum(share * gap**power for share, gap in gaps) ** (1 / power), n_bins
    return chosen


def test_known_values():
    """Two bins have the rates 1/3 and 2/3, three have 0, 1 and 1/2."""
    close(ece_sweep(Y, P), 0.5 * (abs(1 / 3 - 0.27) + abs(2 / 3 - 2.18 / 3)))
    close(ece_sweep(Y, P, norm="l2") ** 2, 0.5 * ((1 / 3 - 0.27) ** 2 + (2 / 3 - 2.18 / 3) ** 2))


def test_it_stops_at_the_first_number_that_is_not_monotone():
    """Two bins have the rates 1/2 and 1/4, so one bin is left."""
    p = np.arange(1, 9) / 10
    y = np.array([0, 1, 1, 0, 0, 0, 0, 1])
    assert loop_sweep(y.tolist(), p.tolist())[1] == 1
    close(ece_sweep(y, p), abs(3 / 8 - 0.45))


def test_separated_classes_get_a_bin_for_each_row():
    p = np.array([0.1, 0.2, 0.3, 0.6, 0.7])
    y = np.array([0, 0, 0, 1, 1])
    close(ece_sweep(y, p), (0.1 + 0.2 + 0.3 + 0.4 + 0.3) / 5)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_equals_loops_with_ties_and_weights(seed, norm):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    p = rng.random(n) if seed % 2 else np.round(rng.random(n), 1)
    y = (rng.random(n) < 1 / (1 + np.exp(-9 * (p - 0.5)))).astype(int)
    weight = rng.integers(1, 4, n) / 2 if seed % 3 == 0 else None
    expected, _ = loop_sweep(
        y.tolist(), p.tolist(), norm, None if weight is None else weight.tolist()
    )
    assert_allclose(ece_sweep(y, p, norm=norm, sample_weight=weight), expected, rtol=1e-10)


def test_it_is_the_binned_error_with_the_chosen_number_of_bins():
    rng = np.random.default_rng(4)
    p = rng.random(400)
    y = (rng.random(400) < p).astype(int)
    error, n_bins = loop_sweep(y.tolist(), p.tolist())
    assert n_bins > 2
    close(ece_sweep(y, p), error)
    close(ece(y, p, n_bins=n_bins, strategy="quantile"), error)


def test_every_draw_has_a_number_of_bins_of_its_own():
    """Draws that differ are evaluated together as they are one by one."""
    rng = np.random.default_rng(5)
    p = np.sort(rng.random(30))
    y = (rng.random(30) < p).astype(int)
    numbers, values = set(), []

    def one_by_one(y_true, y_proba):
        error, n_bins = loop_sweep(y_true.tolist(), y_proba.tolist())
        numbers.add(n_bins)
        values.append(error)
        return error

    options = {"n_resamples": 29, "random_state": 0}
    check_calibration(y, p, statistic=one_by_one, **options)
    together = check_calibration(y, p, statistic="ece_sweep", **options).null_distribution
    assert_allclose(np.sort(together), np.sort(values[-29:]), rtol=1e-10)
    assert len(numbers) > 3


def test_classes_are_averaged():
    rng = np.random.default_rng(6)
    P3 = rng.dirichlet(np.ones(3), size=60)
    y = rng.integers(0, 3, 60)
    each = [ece_sweep(y == k, P3[:, k]) for k in range(3)]
    close(ece_sweep(y, P3, target="classwise"), np.mean(each))
    hit = P3.argmax(axis=1) == y
    close(ece_sweep(y, P3), ece_sweep(hit, P3.max(axis=1)))


@pytest.mark.parametrize("tiny", [1e-12, 1e-20, 1e-290])
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_bins_of_rows_of_hardly_any_weight(norm, tiny):
    """The observed rates are zero in both bins, so that both remain."""
    value = ece_sweep([0, 0], [0.25, 1.0], norm=norm, sample_weight=[1e4, tiny])
    close(value, 0.25)


def test_there_are_at_most_as_many_bins_as_different_predictions():
    """Heavy rows fill several of the six bins, which are then fewer; a seventh would split them."""
    y, p = [1, 1, 0, 0, 1, 1, 0, 0], [0.7, 0.8, 0.5, 0.6, 1.0, 0.6, 0.4, 0.8]
    weight = [0.1, 1.0, 0.1, 1.0, 0.1, 0.1, 5.0, 0.1]
    value, n_bins = loop_sweep(y, p, weight=weight)
    assert n_bins == 6
    close(ece_sweep(y, p, sample_weight=weight), value)
    close(value, 0.36)
