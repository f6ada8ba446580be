"""Scorers: names, options, and the metric that each of them negates."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.metrics import get_scorer as sklearn_get_scorer
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneGroupOut,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_calib import metrics
from sklearn_calib.metrics import (
    ece,
    get_scorer,
    get_scorer_names,
    klce,
    make_calibration_scorer,
    neg_klce_scorer,
    skce,
)
from tests.metrics._scoring import (
    PLAIN,
    TWO_SIDED,
    WITH_FEATURES,
    every,
    score_by_hand,
    scorer_data,
)


class CountingNB(GaussianNB):
    """Naive Bayes that counts how often it predicts."""

    calls = 0

    def predict_proba(self, X):
        type(self).calls += 1
        return super().predict_proba(X)


def test_names_constants_and_metrics_match():
    assert get_scorer_names() == sorted({*PLAIN, *TWO_SIDED})
    for name in get_scorer_names():
        assert repr(get_scorer(name)) == repr(getattr(metrics, f"{name}_scorer"))


@every
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["int", "str"])
def test_a_score_is_the_negative_plain_metric(name, n_classes, kind):
    X, y = scorer_data(n_classes, kind)
    cv = StratifiedKFold(3)
    scores = cross_val_score(GaussianNB(), X, y, cv=cv, scoring=get_scorer(name))
    expected = [
        score_by_hand(name, GaussianNB().fit(X[train], y[train]), X[test], y[test])
        for train, test in cv.split(X, y)
    ]
    assert_allclose(scores, expected, rtol=1e-10, atol=1e-14)
    assert np.isfinite(scores).all()


@every
def test_a_fold_may_lack_a_class(name):
    X, y = scorer_data(3, "str")
    model = GaussianNB().fit(X, y)
    for keep in (y != "c", y != "a", y == "b"):
        score = get_scorer(name)(model, X[keep], y[keep])
        assert_allclose(score, score_by_hand(name, model, X[keep], y[keep]), rtol=1e-10, atol=1e-14)
    X, y = scorer_data(2, "str")
    model = GaussianNB().fit(X, y)
    score = get_scorer(name)(model, X[y == "a"], y[y == "a"])
    assert_allclose(
        score, score_by_hand(name, model, X[y == "a"], y[y == "a"]), rtol=1e-10, atol=1e-14
    )
    order = np.argsort(y, kind="stable")
    groups = np.digitize(np.arange(120), [20, 40, 80, 100])
    scores = cross_val_score(
        GaussianNB(),
        X[order],
        y[order],
        groups=groups,
        cv=LeaveOneGroupOut(),
        scoring=get_scorer(name),
        error_score="raise",
    )
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_several_scorers_predict_once_a_fold(n_classes):
    """Once for all of this package, and once for all of scikit-learn beside them."""
    X, y = scorer_data(n_classes)
    scoring = {name: get_scorer(name) for name in PLAIN}
    CountingNB.calls = 0
    cross_validate(CountingNB(), X, y, cv=3, scoring=scoring)
    assert CountingNB.calls == 3
    scoring = {**scoring, "neg_log_loss": get_scorer("neg_log_loss")}
    CountingNB.calls = 0
    result = cross_validate(CountingNB(), X, y, cv=3, scoring=scoring)
    assert CountingNB.calls == 6
    for name, scorer in scoring.items():
        alone = cross_val_score(CountingNB(), X, y, cv=3, scoring=scorer)
        assert_array_equal(result[f"test_{name}"], alone)


@pytest.mark.slow
def test_two_processes_give_the_scores_of_one():
    X, y = scorer_data(3, "str")
    scoring = {name: get_scorer(name) for name in PLAIN}
    one = cross_validate(GaussianNB(), X, y, cv=4, scoring=scoring)
    two = cross_validate(GaussianNB(), X, y, cv=4, scoring=scoring, n_jobs=2)
    for name in PLAIN:
        assert_array_equal(one[f"test_{name}"], two[f"test_{name}"])


@every
def test_pickle_clone_and_repr(name):
    X, y = scorer_data(2)
    model = GaussianNB().fit(X, y)
    scorer = get_scorer(name)
    restored = pickle.loads(pickle.dumps(scorer))
    assert repr(restored) == repr(scorer)
    assert restored(model, X, y) == scorer(model, X, y) == clone(scorer, safe=False)(model, X, y)
    start = f"make_scorer({name.removeprefix('neg_')}, greater_is_better=False, "
    assert repr(scorer).startswith(start + "response_method='predict_proba'")
    search = clone(GridSearchCV(GaussianNB(), {}, scoring=scorer))
    assert repr(search.scoring) == repr(scorer)


def test_options_are_shown():
    scorer = make_calibration_scorer(ece, n_bins=7, strategy="quantile")
    assert repr(scorer) == (
        "make_scorer(ece, greater_is_better=False, response_method='predict_proba', n_bins=7, "
        "strategy=quantile)"
    )


def test_options_reach_the_metric():
    X, y = scorer_data(3)
    model = GaussianNB().fit(X, y)
    for function, options in [
        (ece, {"n_bins": 4, "target": "classwise", "norm": "l2"}),
        (skce, {"estimator": "biased", "target": "confidence", "bandwidth": 0.5}),
    ]:
        score = make_calibration_scorer(function, **options)(model, X, y)
        assert score == -function(y, model.predict_proba(X), **options)


@every
def test_pandas_input_and_pipelines(name):
    X, y = scorer_data(2, "str")
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.random.default_rng(0).permutation(120))
    labels = pd.Series(y, index=np.arange(120) + 7, dtype="category")
    model = make_pipeline(StandardScaler(), GaussianNB())
    scores = cross_val_score(model, frame, labels, cv=3, scoring=get_scorer(name))
    expected = cross_val_score(model, X, y, cv=3, scoring=get_scorer(name))
    assert_allclose(scores, expected, rtol=1e-10, atol=1e-14)


@every
def test_positive_class_option(name):
    """`pos_label` says whose probability a binary metric looks at, in `predict_proba` too."""
    X, y = scorer_data(2, "str")
    model = GaussianNB().fit(X, y)
    features = (X,) if name in WITH_FEATURES else ()
    function = PLAIN[name]
    function, options = getattr(function, "func", function), getattr(function, "keywords", {})
    for k, pos_label in enumerate(["a", "b"]):
        scorer = make_calibration_scorer(function, pos_label=pos_label, **options)
        p = model.predict_proba(X)[:, k]
        expected = -function(y, p, *features, pos_label=pos_label, **options)
        assert_allclose(scorer(model, X, y), expected, rtol=1e-10, atol=1e-14)


def test_klce_reads_the_input_of_the_estimator_or_what_a_callable_makes_of_it():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = GaussianNB().fit(X, y)
    P = model.predict_proba(X)
    assert neg_klce_scorer(model, X, y) == -klce(y, P, X, prob_bandwidth=0.2)
    scorer = make_calibration_scorer(klce, features=_first_two, feature_bandwidth=0.7)
    expected = -klce(y, P, X.iloc[:, :2], feature_bandwidth=0.7)
    assert scorer(model, X, y) == expected
    restored = pickle.loads(pickle.dumps(scorer))
    assert restored(model, X, y) == expected


def _first_two(X):
    return X.iloc[:, :2]


def test_text_columns_are_categories_unless_a_callable_leaves_them_out():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X.assign(kind=np.where(np.arange(150) % 2, "odd", "even"))
    model = make_pipeline(_DropText(), GaussianNB()).fit(X, y)
    P = model.predict_proba(X)
    assert neg_klce_scorer(model, X, y) == -klce(y, P, X, prob_bandwidth=0.2)
    scorer = make_calibration_scorer(klce, features=_first_two)
    assert scorer(model, X, y) == -klce(y, P, X.iloc[:, :2])


class _DropText(BaseEstimator):
    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return X.drop(columns="kind")


def test_an_unknown_name_goes_on_to_scikit_learn():
    assert repr(get_scorer("accuracy")) == repr(sklearn_get_scorer("accuracy"))
    assert repr(get_scorer("neg_log_loss")) == repr(sklearn_get_scorer("neg_log_loss"))
    scorer = make_scorer(ece, response_method="predict_proba")
    assert get_scorer(scorer) is scorer
    with pytest.raises(ValueError, match=r"'neg_ec' is not a scorer.*'neg_ece'.*get_scorer_names"):
        get_scorer("neg_ec")


def test_making_a_scorer_checks_its_options():
    with pytest.raises(ValueError, match=r"ece has no parameter \['bin'\].*'n_bins'"):
        make_calibration_scorer(ece, bin=10)
    with pytest.raises(ValueError, match=r"ece has no parameter \['features'\]"):
        make_calibration_scorer(ece, features=None)
    with pytest.raises(ValueError, match=r"has no parameter \['foo'\]"):
        make_calibration_scorer(partial(ece, n_bins=3), foo=1)
    with pytest.raises(ValueError, match=r"metric must be a function.*got 'ece'.*get_scorer"):
        make_calibration_scorer("ece")


def test_a_metric_of_the_user_may_be_scored():
    X, y = scorer_data(3, "str")
    model = GaussianNB().fit(X, y)
    scorer = make_calibration_scorer(_share_of_wrong_rows)
    assert_allclose(scorer(model, X, y), model.score(X, y) - 1, rtol=1e-12)
    scorer = make_calibration_scorer(partial(ece, n_bins=4))
    assert scorer(model, X, y) == -ece(y, model.predict_proba(X), n_bins=4)


def _share_of_wrong_rows(y_true, y_proba, *, labels):
    return np.mean(np.asarray(labels)[y_proba.argmax(axis=1)] != y_true)


def test_names_stay_unknown_to_scikit_learn():
    """The package does not write into scikit-learn's private table of scorers."""
    with pytest.raises(ValueError, match="'neg_ece' is not a valid scoring value"):
        sklearn_get_scorer("neg_ece")
