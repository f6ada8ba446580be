"""The kernel statistic along ranks of features against plain loops over pairs."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from sklearn_calib import check_calibration
from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.inference._statistics.feature_rank_skce import FeatureRankError

N, BANDWIDTH = 24, 0.2


def _data():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.1, 0.9, size=N)
    age = rng.normal(size=N).round(1)
    age[::5] = np.nan
    table = pd.DataFrame({"age": age, "site": np.array(["x", "y", "z"])[np.arange(N) % 3]})
    return (rng.random(N) < p).astype(int), p, table


def _sum_over_pairs(y, p, kernel):
    total = square = 0.0
    residual = (y - p) / np.sqrt(p * (1 - p))
    for i in range(N):
        for j in range(N):
            if i != j:
                total += residual[i] * residual[j] * kernel(i, j)
                square += kernel(i, j) ** 2
    return total / np.sqrt(2 * square)


def test_each_feature_and_the_largest_of_them():
    y, p, table = _data()
    known = ~np.isnan(table.age.to_numpy())
    rank = np.full(N, np.nan)
    rank[known] = (rankdata(table.age[known]) - 0.5) / known.sum()

    def of_age(i, j):
        if known[i] != known[j]:
            return 0.0
        return np.exp(-abs(rank[i] - rank[j]) / BANDWIDTH) if known[i] else 1.0

    expected = [
        _sum_over_pairs(y, p, of_age),
        _sum_over_pairs(y, p, lambda i, j: float(table.site[i] == table.site[j])),
    ]
    error = FeatureRankError(check_predictions(y, p, table), "binary", BANDWIDTH, "auto")
    assert error.of_features(y[:, np.newaxis])[:, 0] == pytest.approx(expected, rel=1e-9)
    assert error(y[:, np.newaxis])[0] == pytest.approx(max(expected), rel=1e-9)
    result = check_calibration(
        y,
        p,
        table,
        statistic="feature_rank_skce",
        statistic_params={"bandwidth": BANDWIDTH},
        n_resamples=1,
    )
    assert result.statistic == pytest.approx(max(expected), rel=1e-9)
