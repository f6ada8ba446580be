"""The sentences of the omnibus test name the planted error and its direction."""

import numpy as np
import pandas as pd
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
    assert "too high where feature 1 is at least 0." in sentence
    assert "too low where feature 1 is at most -0." in sentence


def test_an_error_in_a_range_of_a_feature_names_it():
    X = np.random.default_rng(2).normal(size=(3000, 3))
    y = draw(np.clip(P + 0.4 * (np.abs(X[:, 2]) < 0.2) - 0.1 * (np.abs(X[:, 2]) > 1), 0, 1))
    assert "the predictions fit worst where feature 2 is between " in finding(y, P, X)


def test_an_error_of_the_predictions_is_not_blamed_on_a_feature():
    """Which shows along a feature that goes with the predictions."""
    X = np.column_stack([logit(P), np.random.default_rng(2).normal(size=3000)])
    y = draw(expit(0.5 * logit(P) - 0.3))
    result = check_calibration(y, P, X, statistic="omnibus", n_resamples=99, random_state=0)
    assert result.part_pvalues["feature_rank_skce"] <= 0.05
    assert "feature" not in result.finding
    assert "too extreme (the calibration slope is 0." in result.finding


def test_several_classes():
    rng = np.random.default_rng(4)
    proba = rng.dirichlet(np.ones(4), size=1500)
    flat = np.sqrt(proba) / np.sqrt(proba).sum(axis=1, keepdims=True)
    sentence = finding(draw(flat), proba)
    assert "the predictions are too extreme (the fitted temperature is " in sentence
    more = proba * [1.0, 1.0, 2.5, 1.0]
    more /= more.sum(axis=1, keepdims=True)
    assert "class 2 fits worst: its probabilities are too low on average (" in finding(
        draw(more), proba
    )


def test_separated_labels_have_no_finite_slope():
    p = np.linspace(0.3, 0.7, 60)
    y = (p > 0.5).astype(int)
    assert "are not extreme enough (they separate the labels, so that" in finding(y, p)
    assert "are in the wrong order (they separate the labels, so that" in finding(1 - y, p)


def test_one_label_tells_nothing_about_the_slope():
    p = np.linspace(0.3, 0.7, 60)
    told = finding(np.zeros(60, dtype=int), p, labels=[0, 1])
    assert "are too high on average (0.500 predicted, 0.000 observed)" in told
    assert "slope" not in told


@pytest.mark.parametrize("spread", [1.0, 0.2])
def test_predictions_of_the_other_class_are_in_the_wrong_order(spread):
    """However extreme they are: with a negative slope that is not what is wrong."""
    rng = np.random.default_rng(0)
    p = rng.random(200)
    y = (rng.random(200) < p).astype(int)
    told = finding(y, 0.5 + spread * (0.5 - p))
    assert "the predictions are in the wrong order (the calibration slope is -" in told
    assert "extreme" not in told


def test_different_numbers_never_look_equal():
    from sklearn_calib._utils.results import tell_apart

    assert tell_apart(0.0014, 0.0013) == ["0.0014", "0.0013"]
    assert tell_apart(0.131, 0.049) == ["0.131", "0.049"]
    assert tell_apart(0.12345, 0.12346) == ["0.12345", "0.12346"]
    assert tell_apart(0.00002, 0.0) == ["0.000020", "0.000000"]
    assert tell_apart(0.00284, 0.00214) == ["0.0028", "0.0021"]  # 25 % less, not a third
    assert tell_apart(0.5, 0.5) == ["0.500", "0.500"]


def people(n=3000):
    """Return sex, age with missing values, and site of some rows."""
    rng = np.random.default_rng(5)
    age = np.where(rng.random(n) < 0.15, np.nan, rng.normal(60.0, 12.0, size=n))
    site = rng.choice(list("abcde"), size=n, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    return pd.DataFrame({"sex": rng.choice(["f", "m"], size=n), "age": age, "site": site})


def rates(p, y, rows):
    return f"({p[rows].mean():.3f} predicted, {y[rows].mean():.3f} observed)"


@pytest.mark.parametrize("wrong", ["f", "m"])
@pytest.mark.parametrize(("size", "direction"), [(-0.12, "too high"), (0.12, "too low")])
def test_the_wrong_category_is_named_and_not_the_right_one(wrong, size, direction):
    """Whichever of the two is more frequent and has no column of its own in the model."""
    X = people()[["sex", "age"]]
    rows = (X["sex"] == wrong).to_numpy()
    y = draw(np.clip(P + size * rows, 0, 1), seed=8)
    sentence = finding(y, P, X)
    assert f"are {direction} where sex = {wrong} {rates(P, y, rows)}" in sentence
    assert f"with no clear error elsewhere {rates(P, y, ~rows)}" in sentence


def test_categories_that_are_wrong_in_different_directions_are_both_named():
    X = people()
    rows = (X["sex"] == "f").to_numpy()
    y = draw(np.clip(P + np.where(rows, 0.1, -0.1), 0, 1))
    sentence = finding(y, P, X)
    assert f"too low where sex = f {rates(P, y, rows)}" in sentence
    assert f"too high where sex = m {rates(P, y, ~rows)}" in sentence
    assert "elsewhere" not in sentence


def test_the_most_frequent_of_several_categories_can_be_the_wrong_one():
    X = people()
    rows = (X["site"] == "a").to_numpy()
    y = draw(np.clip(P - 0.1 * rows, 0, 1), seed=2)
    assert f"too high where site = a {rates(P, y, rows)}" in finding(y, P, X)


def test_missing_values_can_be_the_wrong_rows():
    X = people()
    rows = X["age"].isna().to_numpy()
    y = draw(np.clip(P - 0.2 * rows, 0, 1))
    sentence = finding(y, P, X)
    assert f"too high where age is missing {rates(P, y, rows)}" in sentence


def test_only_the_side_of_a_feature_that_is_wrong_is_named():
    """Where a straight line would put the other end as far off in the other direction."""
    X = people()[["sex", "age"]]
    X["age"] = np.random.default_rng(6).normal(60.0, 12.0, size=len(X))
    old = (X["age"] > np.quantile(X["age"], 0.75)).to_numpy()
    y = draw(np.clip(P + 0.15 * old, 0, 1))
    sentence = finding(y, P, X)
    assert f"too low where age is at least {X['age'][old].min():.3g} {rates(P, y, old)}" in sentence
    assert "too high" not in sentence
    assert f"no clear error elsewhere {rates(P, y, ~old)}" in sentence


def test_values_of_a_number_that_takes_two_are_named():
    x = np.random.default_rng(7).integers(0, 2, size=(3000, 1))
    y = draw(np.clip(P + 0.12 * x[:, 0], 0, 1))
    assert "too low where feature 0 = 1 (" in finding(y, P, x)


def test_the_feature_is_named_for_several_classes():
    X = people(1500)
    proba = np.random.default_rng(4).dirichlet(np.ones(3), size=1500)
    flat = proba**0.4 / (proba**0.4).sum(axis=1, keepdims=True)
    y = draw(np.where((X["sex"] == "f").to_numpy()[:, np.newaxis], flat, proba))
    assert "the largest probabilities are too high where sex = f (" in finding(y, proba, X)


def test_a_single_prediction_that_fits_worst():
    p = np.random.default_rng(9).choice([0.1, 0.5, 0.9], size=2000)
    y = draw(np.where(p == 0.5, 0.7, p), seed=1)
    assert f"fit worst at 0.5, and are too low on average {rates(p, y, p == 0.5)}" in finding(y, p)


def test_no_sentence_is_said_twice():
    """The same slope, which two parts find."""
    X = people()
    rows = (X["sex"] == "f").to_numpy()
    truth = np.clip(expit(0.7 * logit(P)) + np.where(rows, 0.12, -0.12), 0, 1)
    sentences = finding(draw(truth), P, X).split("; ")
    assert len(set(sentences)) == len(sentences) >= 2


@pytest.mark.parametrize("value", ["same", None])
def test_a_category_that_all_rows_share_explains_nothing(value):
    """One constant or empty column of text has no trend to speak of."""
    X = np.full((P.size, 1), value, dtype=object)
    assert "too low on average" in finding(draw(np.clip(P + 0.1, 0, 1)), P, X)
