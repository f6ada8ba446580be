"""Sums of waves for many columns of labels at once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib._data.sums import Sums
from sklearn_calib.metrics._kernel.fourier_sums import FourierSums


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("target", "n_classes"), [("binary", 2), ("confidence", 3), ("classwise", 3)]
)
def test_many_columns_are_those_of_one_column_each(weighted, target, n_classes):
    rng = np.random.default_rng(0)
    n = 60
    proba = rng.dirichlet(np.ones(n_classes), n)
    weight = rng.uniform(0.5, 3.0, n) if weighted else None
    predictions = check_predictions(np.arange(n) % n_classes, proba, sample_weight=weight)
    codes = rng.integers(0, n_classes, (n, 4))
    sums = FourierSums(target, n_classes, 0.2)
    many, each = sums.of_draws(predictions, codes), Sums.of_draws(sums, predictions, codes)
    assert many.values.shape == (sums.size, 4)
    assert_allclose(many.values, each.values, rtol=1e-12, atol=1e-12)
    assert many.least.shape == each.least.shape
