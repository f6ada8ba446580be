"""The smooth basis: what its docstring says of curvature, orthogonality, knots and ends."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import CubicSpline

from sklearn_calib.calibrators._solvers.spline import SmoothBasis


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    score, weight = rng.normal(2.0, 3.0, size=400), rng.uniform(0.2, 2.0, size=400)
    return SmoothBasis(score, weight, 8), score, weight


def test_the_integrals_of_products_of_second_derivatives_are_one_and_zero(made):
    """Each function is a cubic between knots: the spline through fine points gives it back."""
    basis, score, _ = made
    x = np.linspace(score.min(), score.max(), 20_001)
    second = CubicSpline(x, basis(x), axis=1).derivative(2)(x)
    product = second[:, np.newaxis] * second[np.newaxis]
    found = np.trapezoid(product, x, axis=2)
    assert_allclose(found, np.eye(8), atol=1e-4)


def test_the_functions_are_orthogonal_to_a_constant_and_to_the_score(made):
    basis, score, weight = made
    size = np.sqrt(basis(score) ** 2 @ weight * weight.sum())
    assert basis.size == 8
    assert_allclose(basis(score) @ weight / size, 0.0, atol=1e-12)
    assert_allclose(basis(score) @ (weight * (score - 2.0)) / size, 0.0, atol=1e-11)


def test_the_knots_are_quantiles_of_the_distinct_scores(made):
    basis, score, weight = made
    assert_allclose(basis.knots, np.quantile(score, np.arange(8) / 7), rtol=1e-12)
    again = SmoothBasis(np.r_[score, [score[0]] * 50], np.r_[weight, np.ones(50)], 8)
    assert_array_equal(again.knots, basis.knots)


def test_the_functions_are_constant_beyond_the_outer_scores(made):
    basis, score, _ = made
    ends = basis(np.array([score.min(), score.max()]))
    assert_array_equal(basis(np.array([-1e3, 1e3])), ends)


def test_the_score_itself_has_the_linear_coefficients(made):
    basis, score, _ = made
    splines, inside = basis._splines(score)
    assert_allclose(splines @ basis.linear_coef(), inside, rtol=1e-12)


def test_few_and_close_scores():
    one = np.ones(4)
    for score in ([0.0, 0.0, 1.0, 1.0], [5.0, 5.0, 5.0 + 2e-9, 5.0 + 4e-9]):
        basis = SmoothBasis(np.array(score), one, 5)
        assert basis.size == 0
        assert basis(np.zeros(3)).shape == (0, 3)
    assert_array_equal(SmoothBasis(np.array([1.0, 2.0, 4.0, 2.0]), one, 5).knots, [1, 2, 4])
    assert SmoothBasis(np.array([5.0, 5.0, 5.0 + 3e-9, 5.0 + 6e-9]), one, 5).size == 3
    # A gap of a thousandth of the range is wide enough for a knot, a smaller one is not.
    assert_array_equal(SmoothBasis(np.array([0.0, 0.5, 1.0, 512.0]), one, 4).knots, [0, 1, 512])
    assert_array_equal(
        SmoothBasis(np.array([0.0, 300.0, 511.7, 512.0]), one, 4).knots, [0, 300, 512]
    )
