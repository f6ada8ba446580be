"""Sums with residuals are made uncorrelated, and collinear columns are left out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.inference._statistics.scores.score_form import whiten


def test_the_covariance_of_the_sums_is_the_identity():
    rng = np.random.default_rng(0)
    design = rng.normal(size=(3, 50)) * [[1.0], [1e6], [1e-6]]
    variance = rng.uniform(0.1, 0.25, 50)
    whitened = whiten(design, variance)
    assert_allclose((whitened * variance) @ whitened.T, np.eye(3), atol=1e-10)


@pytest.mark.parametrize(("share", "rank"), [(1.5e-10, 2), (1.05e-10, 2), (0.95e-10, 1)])
def test_a_direction_with_less_than_a_share_of_the_variance_is_left_out(share, rank):
    """Two rows at a small angle t: the variances along and across them are 1 +- cos t."""
    x, z = np.eye(4)[:2]
    t = 2.0 * np.arctan(np.sqrt(share))
    design = np.stack([x, np.cos(t) * x + np.sin(t) * z])
    assert whiten(design, np.ones(4)).shape == (rank, 4)


def test_rows_without_variance_are_left_out():
    design = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    variance = np.array([0.0, 0.0, 0.25, 0.25])
    whitened = whiten(design, variance)
    assert whitened.shape == (1, 4)
    assert_allclose(np.abs(whitened[0]), np.sqrt(2.0), rtol=1e-12)
    assert whiten(design, np.zeros(4)).shape == (0, 4)
