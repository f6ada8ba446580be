"""Newton's method under inequalities against conditions that hold at the constrained minimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import logit

from sklearn_calib.calibrators import AdaptiveCalibrator
from sklearn_calib.calibrators._solvers.monotone import _quadratic_program, minimise_constrained
from sklearn_calib.calibrators._solvers.multinomial import MultinomialProblem


def _problem(features, y):
    """Return a binary problem with shared features of shape (n_features, n_samples)."""
    return MultinomialProblem(
        np.zeros((y.size, 1)),
        y[:, np.newaxis].astype(float),
        np.ones(y.size),
        shared=features[:, :, np.newaxis],
        reference=True,
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_step_fulfils_the_conditions_of_karush_kuhn_and_tucker(seed):
    """The gradient there is a sum of active constraints with factors that are not negative."""
    rng = np.random.default_rng(seed)
    root, matrix = rng.normal(size=(5, 5)), rng.normal(size=(4, 5))
    hessian = root @ root.T + 0.1 * np.eye(5)
    gradient, slack = 3.0 * rng.normal(size=5), rng.uniform(0.0, 1.0, size=4)
    step = _quadratic_program(hessian, gradient, matrix, slack)
    room = matrix @ step + slack
    assert room.min() >= -1e-12
    active = room < 1e-10
    rest = hessian @ step + gradient
    factors = np.linalg.lstsq(matrix[active].T, rest, rcond=None)[0]
    assert_allclose(matrix[active].T @ factors, rest, atol=1e-9)
    assert (factors >= -1e-9).all()


def test_a_step_by_hand():
    """The nearest point to (2, -1) in the first quadrant is (2, 0), and (1, 1) is in it."""
    for wanted, nearest in (([2.0, -1.0], [2.0, 0.0]), ([1.0, 1.0], [1.0, 1.0])):
        step = _quadratic_program(np.eye(2), -np.array(wanted), np.eye(2), np.zeros(2))
        assert_allclose(step, nearest, atol=1e-14)


def test_the_minimum_is_that_of_a_general_optimiser():
    rng = np.random.default_rng(0)
    features = np.vstack([np.ones(60), rng.normal(size=(2, 60))])
    y = rng.uniform(size=60) < 1 / (1 + np.exp(1.5 * features[1] - 0.5 * features[2]))
    ridge, matrix, offset = np.array([0.1, 0.02, 0.05]), np.eye(3)[1:], np.array([0.3, -0.1])
    found = minimise_constrained(_problem(features, y), ridge, np.ones(3), matrix, offset)

    def loss(coef):
        eta = coef @ features
        return np.mean(np.logaddexp(0.0, eta) - y * eta) + 0.5 * ridge @ coef**2

    general = minimize(
        loss,
        np.ones(3),
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda coef: matrix @ coef + offset},
        options={"ftol": 1e-15, "maxiter": 500},
    )
    assert_allclose(found, general.x, atol=1e-6)
    assert found[1] == pytest.approx(-0.3, abs=1e-9)
    assert found[2] > 0.1 + 1e-3


@pytest.mark.parametrize("start", [0.0, 6.0, -12.0])
def test_steps_that_go_too_far_are_halved(start):
    """Far from the minimum a full Newton step overshoots by hundreds."""
    y = np.arange(10) < 3
    problem = _problem(np.ones((1, 10)), y)
    no_bound = np.ones((1, 1)), np.array([1e6])
    found = minimise_constrained(problem, np.array([1e-12]), np.array([start]), *no_bound)
    assert_allclose(found, logit(0.3), rtol=1e-7)


def test_a_map_that_would_fall_is_flat_and_one_that_rises_stays_as_it_is():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, size=2000)
    grid = np.linspace(0.05, 0.95, 50)
    falling = AdaptiveCalibrator(monotone=True).fit(p, rng.uniform(size=2000) < 1 - p)
    new = falling.predict_proba(grid)[:, 1]
    assert (np.diff(new) >= 0.0).all()
    assert_allclose(new, falling.predict_proba(p)[:, 1].mean(), atol=1e-3)
    rising = rng.uniform(size=2000) < p**2
    free, bound = (AdaptiveCalibrator(monotone=one).fit(p, rising) for one in (False, True))
    assert (np.diff(free.predict_proba(grid)[:, 1]) > 0.0).all()
    assert_allclose(bound.predict_proba(grid), free.predict_proba(grid), rtol=1e-12)


def test_where_the_rate_falls_in_the_middle_the_map_takes_its_mean_there():
    """As isotonic regression does, but smooth."""
    p = np.tile(np.arange(0.05, 1.0, 0.1), 400)
    rate = np.select([p < 0.3, p < 0.5, p < 0.7], [0.1, 0.7, 0.3], 0.9)
    y = (np.arange(4000) // 10 + 0.5) / 400 < rate
    fitted = AdaptiveCalibrator(monotone=True).fit(p, y)
    new = fitted.predict_proba(p[:10])[:, 1]
    assert (np.diff(new) >= 0.0).all()
    assert_allclose(new[4:6], 0.5, atol=1e-4)
    assert_allclose(new + new[::-1], 1.0, atol=1e-4)
    assert 0.4 < new[3] < 0.45
