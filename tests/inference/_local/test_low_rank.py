"""The band by a low rank of the kernel: the same band, and the result says so."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib.inference import local_bias_band
from sklearn_calib.inference._local import band as module
from sklearn_calib.inference._local import views
from tests.inference._data import multiclass_data

OPTIONS = {"n_resamples": 39, "random_state": 0, "alpha": 0.1}


def _rows(n=300):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 2))
    p = 1 / (1 + np.exp(-X[:, 0]))
    return (rng.random(n) < np.clip(p + 0.3 * (X[:, 1] > 0.5), 0, 1)).astype(int), p, X


def _agree(low, exact):
    scale = np.where(exact.null_std > 0, exact.null_std, 1.0)
    assert np.abs((low.bias - exact.bias) / scale).max() < 1e-3
    assert_allclose(low.null_std, exact.null_std, rtol=1e-12)
    assert_allclose(low.critical_value, exact.critical_value, rtol=1e-3)
    assert_array_equal(low.tested, exact.tested)
    assert_array_equal(low.significant, exact.significant)
    assert_allclose(low.effective_size, exact.effective_size, rtol=1e-12)


def test_the_band_is_that_of_the_kernel():
    y, p, X = _rows()
    exact = local_bias_band(y, p, X, algorithm="exact", **OPTIONS)
    low = local_bias_band(y, p, X, algorithm="low_rank", **OPTIONS)
    assert exact.significant.any()
    assert not exact.significant.all()
    _agree(low, exact)
    assert exact.approximation_error is None
    assert 0.0 < low.approximation_error <= views.LARGEST_ERROR
    assert "approximation_error" in repr(low)


def test_points_that_the_low_rank_misses_are_exact(monkeypatch):
    y, p, X = _rows()
    exact = local_bias_band(y, p, X, algorithm="exact", **OPTIONS)
    monkeypatch.setattr(views, "LARGEST_ERROR", 0.0)
    none = local_bias_band(y, p, X, algorithm="low_rank", **OPTIONS)
    assert_allclose(none.bias, exact.bias, rtol=0, atol=1e-14)
    assert none.critical_value == pytest.approx(exact.critical_value, rel=1e-12)
    assert none.approximation_error == 0.0


def test_classes_weights_categories_and_queries():
    y, proba, X = multiclass_data(200, seed=2)
    X = np.column_stack([X, np.arange(200) % 2])
    weight = np.random.default_rng(0).integers(0, 3, size=200)
    options = {
        **OPTIONS,
        "sample_weight": weight,
        "labels": [0, 1, 2],
        "categorical_features": [X.shape[1] - 1],
        "X_query": X[:50],
        "proba_query": proba[:50],
        "min_effective_size": 5,
    }
    exact = local_bias_band(y, proba, X, algorithm="exact", **options)
    low = local_bias_band(y, proba, X, algorithm="low_rank", **options)
    assert exact.tested.any()
    _agree(low, exact)
    assert low.group_critical_value == pytest.approx(exact.group_critical_value, rel=1e-12)


def test_auto_is_exact_for_little_work(monkeypatch):
    y, p, X = _rows(60)
    assert local_bias_band(y, p, X, **OPTIONS).approximation_error is None
    monkeypatch.setattr(module, "_EXACT_WORK", 0.0)
    monkeypatch.setattr(module, "_RANKS", (2, 20))
    assert local_bias_band(y, p, X, **OPTIONS).approximation_error is not None
    monkeypatch.setattr(module, "_FACTOR_BYTES", 1.0)
    assert local_bias_band(y, p, X, **OPTIONS).approximation_error is None


def test_unknown_algorithm():
    y, p, X = _rows(60)
    with pytest.raises(ValueError, match=r"algorithm must be one of 'auto', 'exact', 'low_rank'"):
        local_bias_band(y, p, X, algorithm="tiles")
