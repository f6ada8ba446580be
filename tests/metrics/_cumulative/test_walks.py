"""Cumulative sums of many rows and draws, walked in blocks, against the sums of all rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.metrics._cumulative.cumulative_error import CumulativeError


def extremes(y, p, weight=None):
    """Return the smallest and the largest sum of one set of labels, read off between ties."""
    order = np.argsort(p, kind="stable")
    weight = np.ones(p.size) if weight is None else weight
    sums = np.cumsum((weight / weight.sum() * (y - p))[order])
    sums = np.append(0.0, sums[np.append(np.diff(p[order]) > 0.0, True)])
    return sums.min(), sums.max()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_draws", [1, 3, 40])
@pytest.mark.parametrize("decimals", [1, 2, 4, 17])
@pytest.mark.parametrize("n", [1, 127, 129, 5000])
def test_extremes_are_those_of_all_sums(n, decimals, n_draws, weighted):
    """Ties within a block of rows, over several blocks, and of all rows; exact 0 and 1."""
    rng = np.random.default_rng(n + decimals)
    p = np.round(rng.beta(0.7, 1.5, size=n), decimals)
    codes = (rng.random((n, n_draws)) < 0.9 * p[:, np.newaxis] + 0.02).astype(np.int8)
    weight = rng.exponential(size=n) if weighted else None
    data = check_predictions(codes[:, 0], p, sample_weight=weight, labels=[0, 1])
    error = CumulativeError(data, target="auto", summary=lambda low, high: np.stack([low, high]))
    expected = np.transpose([extremes(y, p, weight) for y in codes.T])
    assert_allclose(error(codes), expected, rtol=0, atol=1e-13)
