"""Scorers stay right beside those of scikit-learn, and leave those right."""

import pickle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    LearningCurveDisplay,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from sklearn_calib.metrics import (
    ece,
    get_scorer,
    get_scorer_names,
    klce,
    make_calibration_scorer,
    skce,
)

X, Y = make_classification(200, 5, weights=[0.7], random_state=0)
MODEL = LogisticRegression()
FIRST_CLASS = make_scorer(
    brier_score_loss, greater_is_better=False, response_method="predict_proba", pos_label=0
)
orders = pytest.mark.parametrize(
    "order", [["first", "ours", "skce"], ["ours", "first", "skce"], ["ours", "skce", "first"]]
)


def _scoring(order):
    all_scorers = {
        "first": FIRST_CLASS,
        "ours": get_scorer("neg_ece"),
        "skce": get_scorer("neg_skce"),
    }
    return {name: all_scorers[name] for name in order}


@orders
@pytest.mark.parametrize("text", [False, True])
def test_cross_validation(order, text):
    y = np.where(Y == 1, "yes", "no") if text else Y
    scoring = _scoring(order)
    if text:
        scoring["first"] = make_scorer(
            brier_score_loss,
            greater_is_better=False,
            response_method="predict_proba",
            pos_label="no",
        )
    together = cross_validate(MODEL, X, y, scoring=scoring, cv=3)
    for name, scorer in scoring.items():
        alone = cross_val_score(MODEL, X, y, scoring=scorer, cv=3)
        assert_array_equal(together[f"test_{name}"], alone)


@orders
def test_grid_search(order):
    search = GridSearchCV(MODEL, {"C": [0.1, 1.0]}, scoring=_scoring(order), refit="ours", cv=3)
    search.fit(X, Y)
    for k, C in enumerate([0.1, 1.0]):
        alone = cross_val_score(LogisticRegression(C=C), X, Y, scoring=FIRST_CLASS, cv=3).mean()
        assert_allclose(search.cv_results_["mean_test_first"][k], alone, rtol=1e-12)
        alone = cross_val_score(LogisticRegression(C=C), X, Y, scoring=get_scorer("neg_ece"), cv=3)
        assert_allclose(search.cv_results_["mean_test_ours"][k], alone.mean(), rtol=1e-12)


@orders
def test_permutation_importance(order):
    model = LogisticRegression().fit(X, Y)
    options = {"n_repeats": 2, "random_state": 0}
    together = permutation_importance(model, X, Y, scoring=_scoring(order), **options)
    for name, scorer in _scoring(order).items():
        alone = permutation_importance(model, X, Y, scoring=scorer, **options)
        assert_array_equal(together[name].importances, alone.importances)


def test_names_of_scorers():
    for name in [*get_scorer_names(), "neg_log_loss", "neg_brier_score"]:
        scorer = get_scorer(name)
        assert scorer.__name__ == name
        assert pickle.loads(pickle.dumps(scorer)).__name__ == name
    assert make_calibration_scorer(skce, bandwidth=0.1).__name__ == "neg_skce"


def test_learning_curves_show_the_name():
    display = LearningCurveDisplay.from_estimator(
        MODEL, X, Y, scoring=get_scorer("neg_ece"), train_sizes=[0.5, 1.0], negate_score=True
    )
    assert display.score_name == "Ece"
    plt.close("all")


def test_the_brier_score_takes_text_labels():
    text = cross_val_score(MODEL, X, np.where(Y == 1, "yes", "no"), scoring=_brier(), cv=3)
    assert_allclose(text, cross_val_score(MODEL, X, Y, scoring="neg_brier_score", cv=3), rtol=1e-12)
    y3 = np.array(["c", "a", "b"])[np.arange(200) % 3]
    scores = cross_val_score(MODEL, X, y3, scoring=_brier(), cv=3)
    model = LogisticRegression().fit(X, y3)
    own = np.mean(np.sum((model.predict_proba(X) - (y3[:, None] == model.classes_)) ** 2, axis=1))
    assert_allclose(_brier()(model, X, y3), -own, rtol=1e-12)
    assert np.isfinite(scores).all()


def _brier():
    return get_scorer("neg_brier_score")


def test_columns_that_cannot_be_read_lead_to_the_option_features():
    day = pd.Timestamp("2024-01-01")
    table = pd.DataFrame({"colour": np.where(X[:, 0] > 0, "red", "blue"), "size": X[:, 1]})
    table["day"] = day
    to_numbers = FunctionTransformer(lambda t: t[["colour"]])
    model = make_pipeline(to_numbers, OneHotEncoder(), LogisticRegression()).fit(table, Y)
    with pytest.raises(ValueError, match=r"neg_klce needs features.*day.*features=function"):
        get_scorer("neg_klce")(model, table, Y)
    scorer = make_calibration_scorer(klce, features=lambda t: t[["size"]])
    assert scorer(model, table, Y) == -klce(Y, model.predict_proba(table), table[["size"]])


def test_other_errors_of_a_metric_with_features_stay_as_they_are():
    scorer = make_calibration_scorer(klce, prob_bandwidth=-1.0)
    with pytest.raises(ValueError, match=r"^prob_bandwidth must be"):
        scorer(LogisticRegression().fit(X, Y), X, Y)


def test_a_scorer_of_hard_probabilities_gives_no_warning():
    class Hard(LogisticRegression):
        def predict_proba(self, X):
            return super().predict_proba(X).round()

    model = Hard().fit(X, Y)
    proba = model.predict_proba(X)
    with pytest.warns(UserWarning, match="as if predict had been used"):
        expected = ece(Y, proba)
    assert get_scorer("neg_ece")(model, X, Y) == -expected
