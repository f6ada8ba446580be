"""The core computes the same whatever settings of JAX the process has."""

import jax
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_calib import check_calibration, local_bias_band
from sklearn_calib._core import local_means, pair_form
from sklearn_calib.calibrators import KernelRecalibrator

RNG = np.random.default_rng(0)
P = RNG.random(150)
X = RNG.normal(size=(150, 2))
Y = (RNG.random(150) < P**2).astype(int)

SETTINGS = {
    "transfer guard": lambda: jax.transfer_guard("disallow"),
    "strict dtypes": lambda: jax.numpy_dtype_promotion("strict"),
    "strict ranks": lambda: jax.numpy_rank_promotion("raise"),
    "no NaN": lambda: jax.debug_nans(True),
    "no infinity": lambda: jax.debug_infs(True),
    "no compilation": lambda: jax.disable_jit(True),
    "coarse products": lambda: jax.default_matmul_precision("bfloat16"),
    "single precision": lambda: jax.enable_x64(False),
}


def _form(kernel, dimension, algorithm):
    points = np.column_stack([P, X])[:, :dimension]
    form = pair_form(points, kernel=kernel, bandwidth=0.3, algorithm=algorithm)
    return form(Y - P)


def _many_tiles():
    """Enough rows for several threads, which do not inherit the settings of this one."""
    points = np.tile(X, (20, 1)) + np.linspace(0, 1, 3000)[:, np.newaxis]
    form = pair_form(points, kernel="rbf", bandwidth=0.5, algorithm="tiles")
    return form(np.tile(Y - P, 20))


def _recalibrated():
    calibrator = KernelRecalibrator(max_iter=3, early_stopping=False, n_networks=2, random_state=0)
    S = np.column_stack([P, X])
    return calibrator.set_params(proba_columns=[0]).fit(S, Y).predict_proba(S)


COMPUTATIONS = {
    "line": lambda: _form("laplacian", 1, "line"),
    "fourier": lambda: _form("rbf", 1, "fourier"),
    "windows": lambda: _form("rbf", 1, "windows"),
    "tiles": lambda: _form("rbf", 3, "tiles"),
    "many tiles": _many_tiles,
    "low rank": lambda: _form("rbf", 3, "low_rank"),
    "means": lambda: local_means(X, X[:9], Y - P, bandwidth=0.5, variances=P).variance,
    "test": lambda: check_calibration(Y, P, X, n_resamples=9, random_state=0).null_distribution,
    "band": lambda: local_bias_band(Y, P, X, n_resamples=19, random_state=0).bias,
    "networks": _recalibrated,
}


@pytest.mark.parametrize("computation", COMPUTATIONS)
def test_no_setting_changes_a_number(computation):
    compute = COMPUTATIONS[computation]
    expected = compute()
    for setting in SETTINGS.values():
        with setting():
            assert_array_equal(compute(), expected)


def test_the_settings_of_the_user_are_back_afterwards():
    with jax.numpy_rank_promotion("raise"):
        _form("laplacian", 1, "line")
        with pytest.raises(ValueError, match="rank"):
            jax.numpy.ones((2, 2)) + jax.numpy.ones(2)
    assert jax.numpy.ones(1).dtype == np.float32


def test_no_held_out_score_is_printed_without_held_out_rows(capfd):
    calibrator = KernelRecalibrator(max_iter=40, n_networks=1, random_state=0, verbose=1)
    S = np.column_stack([1 - P, P, X])
    calibrator.set_params(early_stopping=False).fit(S, Y)
    printed = capfd.readouterr().err
    assert "step 40: training loss" in printed
    assert "held-out" not in printed
    assert "inf" not in printed
