"""Kernel errors from sums over sorted ranges, against a loop over all pairs of rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._data.partitions import EventRows
from sklearn_calib.metrics._kernel.line_sums import LineSums, line_value

BANDWIDTH = 0.3


def loop(p, happened, weight):
    """Return the unbiased and the biased mean over pairs."""
    residual, size = weight * (happened - p), range(len(p))
    products = [
        (i, j, np.exp(-abs(p[i] - p[j]) / BANDWIDTH) * residual[i] * residual[j])
        for i in size
        for j in size
    ]
    different = sum(weight[i] * weight[j] for i, j, _ in products if i != j)
    unbiased = sum(value for i, j, value in products if i != j) / different
    return unbiased, sum(value for _, _, value in products) / weight.sum() ** 2


@pytest.mark.parametrize("weighted", [False, True])
def test_ranges_of_rows_add_up_to_the_errors_of_each_column(weighted):
    rng = np.random.default_rng(0)
    p = np.sort(rng.random(30))
    happened = rng.random((30, 3)) < p[:, np.newaxis] ** 2
    weight = rng.uniform(0.5, 2.0, 30) if weighted else np.ones(30)
    rows = EventRows(p, happened[:, 0], weight if weighted else None)
    sums = LineSums(BANDWIDTH, "binary")
    parts = [slice(0, 7), slice(7, 8), slice(8, 30)]
    first, *others = [sums.of_draws(rows.take(part), happened[part]) for part in parts]
    totals = sum(others, start=first)
    assert (totals.n_samples, totals.weight) == (30, pytest.approx(weight.sum()))
    expected = np.array([loop(p, column, weight) for column in happened.T])
    assert_allclose(totals.unbiased(), expected[:, 0], rtol=1e-10, atol=1e-15)
    assert_allclose(totals.biased(), expected[:, 1], rtol=1e-10)
    for b in range(3):
        one = totals.column(b)
        assert_allclose(line_value("uq", False, one), expected[b, 0], rtol=1e-10, atol=1e-15)
        assert_allclose(line_value("biased", False, one), expected[b, 1], rtol=1e-10)
        assert_allclose(line_value("biased", True, one) ** 2, expected[b, 1], rtol=1e-10)
    own = sums.of_batch(rows)
    assert_allclose(line_value("uq", False, own), expected[0, 0], rtol=1e-10, atol=1e-15)


def test_a_single_row_has_no_pair_of_different_rows():
    totals = LineSums(BANDWIDTH, "binary").of_batch(EventRows(np.array([0.4]), np.array([True])))
    assert line_value("biased", True, totals) == pytest.approx(0.6)
    with pytest.raises(ValueError, match="needs at least 2 samples"):
        line_value("uq", False, totals)
