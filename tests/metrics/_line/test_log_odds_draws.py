"""Sums of the logistic line for many columns of labels at once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib._data.sums import Sums
from sklearn_calib.metrics._line.log_odds_sums import LogOddsSums


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_many_columns_are_those_of_one_column_each(weighted, n_classes):
    rng = np.random.default_rng(0)
    n = 200
    proba = rng.dirichlet(np.full(n_classes, 0.3), n)
    if n_classes == 2:
        proba[:5], proba[5:9] = [1.0, 0.0], [0.0, 1.0]
    weight = rng.random(n) if weighted else None
    predictions = check_predictions(np.arange(n) % n_classes, proba, sample_weight=weight)
    codes = rng.integers(0, n_classes, (n, 6))
    codes[:, 1], codes[:, 2], codes[:, 3] = 0, 1, proba[:, 1] > 0.5
    sums = LogOddsSums("binary" if n_classes == 2 else "confidence")
    many, each = sums.of_draws(predictions, codes), Sums.of_draws(sums, predictions, codes)
    assert_allclose(many.values, each.values, rtol=1e-13, atol=1e-11)
    assert_array_equal(many.least, each.least)
