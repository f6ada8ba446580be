"""The sentences of the omnibus test name the planted error and its direction."""

import numpy as np
import pytest
from scipy.special import expit, logit

from sklearn_calib.inference import check_calibration


def finding(y, p, X=None, **options):
    return check_calibration(
        y, p, X, statistic="omnibus", n_resamples=99, random_state=0, **options
    ).finding


def draw(truth, seed=0):
    rng = np.random.default_rng(seed)
    if truth.ndim == 1:
        return (rng.random(truth.size) < truth).astype(int)
    return np.array([rng.choice(truth.shape[1], p=row) for row in truth])


P = np.random.default_rng(1).uniform(0.05, 0.95, size=3000)


@pytest.mark.parametrize(
    ("truth", "expected"),
    [
        (expit(0.6 * logit(P)), "the predictions are too extreme (the calibration slope is 0."),
        (expit(1.6 * logit(P)), "not extreme enough (the calibration slope is 1."),
        (np.clip(P + 0.1, 0, 1), "too low on average ("),
        (np.clip(P - 0.1, 0, 1), "too high on average ("),
        (P + 0.3 * (np.abs(P - 0.5) < 0.05), "fit worst between 0."),
    ],
)
def test_slope_shift_and_shape(truth, expected):
    assert expected in finding(draw(truth), P)


def test_the_fitted_slope_is_that_of_a_logistic_regression():
    """The number in the sentence, against scikit-learn's fit without a penalty."""
    from sklearn.linear_model import LogisticRegression

    y = draw(expit(0.6 * logit(P)))
    fit = LogisticRegression(C=np.inf, tol=1e-8).fit(logit(P)[:, np.newaxis], y)
    assert f"slope is {fit.coef_[0, 0]:.2f}, where 1 is right" in finding(y, P)


def test_a_trend_names_the_feature():
    X = np.random.default_rng(2).normal(size=(3000, 3))
    y = draw(expit(logit(P) - 0.5 * X[:, 1]))
    sentence = finding(y, P, X)
    assert "too high where feature 1 is large and too low where it is small (-0." in sentence


def test_an_error_in_a_range_of_a_feature_names_it():
    X = np.random.default_rng(2).normal(size=(3000, 3))
    y = draw(np.clip(P + 0.4 * (np.abs(X[:, 2]) < 0.2) - 0.1 * (np.abs(X[:, 2]) > 1), 0, 1))
    assert "feature 2" in finding(y, P, X)


def test_several_classes():
    rng = np.random.default_rng(4)
    proba = rng.dirichlet(np.ones(4), size=2000)
    flat = np.sqrt(proba) / np.sqrt(proba).sum(axis=1, keepdims=True)
    sentence = finding(draw(flat), proba)
    assert "the predictions are too extreme (the fitted temperature is " in sentence
    more = proba * [1.0, 1.0, 2.5, 1.0]
    more /= more.sum(axis=1, keepdims=True)
    assert "the probabilities of class 2 are" in finding(draw(more), proba)


def test_separated_labels_have_no_finite_slope():
    p = np.linspace(0.3, 0.7, 60)
    y = (p > 0.5).astype(int)
    assert "the calibration slope has no finite fit" in finding(y, p)


def test_different_numbers_never_look_equal():
    from sklearn_calib._utils.results import tell_apart

    assert tell_apart(0.0014, 0.0013) == ["0.0014", "0.0013"]
    assert tell_apart(0.131, 0.049) == ["0.131", "0.049"]
    assert tell_apart(0.12345, 0.12346) == ["0.12345", "0.12346"]
    assert tell_apart(0.00002, 0.0) == ["0.00002", "0.00000"]
    assert tell_apart(0.5, 0.5) == ["0.500", "0.500"]


@pytest.mark.parametrize("value", ["same", None])
def test_a_category_that_all_rows_share_explains_nothing(value):
    """One constant or empty column of text has no trend to speak of."""
    X = np.full((P.size, 1), value, dtype=object)
    assert "too low on average" in finding(draw(np.clip(P + 0.1, 0, 1)), P, X)
