"""Scorers: weights and other metadata reach the metric."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from sklearn_calib.metrics import ece, get_scorer, make_calibration_scorer, neg_ece_scorer
from tests.metrics._scoring import PLAIN, WITH_FEATURES, every, score_by_hand, scorer_data


@every
def test_routed_weights(name):
    X, y = scorer_data(2, "str")
    w = np.random.default_rng(1).uniform(0.1, 3.0, 120)
    w[::7] = 0
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = get_scorer(name).set_score_request(sample_weight=True)
        assert "X" not in scorer._get_metadata_request().score.requests
        model = GaussianNB().set_fit_request(sample_weight=False)
        result = cross_validate(
            model,
            X,
            y,
            cv=3,
            scoring={
                "own": scorer,
                "plain": get_scorer(name).set_score_request(sample_weight=False),
            },
            params={"sample_weight": w},
            return_indices=True,
            return_estimator=True,
        )
    for fold, test in enumerate(result["indices"]["test"]):
        estimator = result["estimator"][fold]
        features = (X[test],) if name in WITH_FEATURES else ()
        expected = -PLAIN[name](
            y[test],
            estimator.predict_proba(X[test]),
            *features,
            sample_weight=w[test],
            labels=["a", "b"],
        )
        assert_allclose(result["test_own"][fold], expected, rtol=1e-10, atol=1e-14)
        unweighted = score_by_hand(name, estimator, X[test], y[test])
        assert_allclose(result["test_plain"][fold], unweighted, rtol=1e-10, atol=1e-14)


def test_routed_weights_in_a_grid_search():
    X, y = scorer_data(3)
    w = np.random.default_rng(2).uniform(0.1, 3.0, 120)
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            GaussianNB().set_fit_request(sample_weight=True),
            {"var_smoothing": [1e-9, 1.0]},
            scoring=get_scorer("neg_klce").set_score_request(sample_weight=True),
            cv=StratifiedKFold(3),
        ).fit(X, y, sample_weight=w)
    expected = []
    for train, test in StratifiedKFold(3).split(X, y):
        model = GaussianNB().fit(X[train], y[train], sample_weight=w[train])
        value = PLAIN["neg_klce"](
            y[test], model.predict_proba(X[test]), X[test], sample_weight=w[test]
        )
        expected.append(-value)
    assert_allclose(search.cv_results_["mean_test_score"][0], np.mean(expected), rtol=1e-10)


def test_weights_in_a_direct_call():
    X, y = scorer_data(2)
    model = GaussianNB().fit(X, y)
    w = np.arange(120.0)
    expected = -ece(y, model.predict_proba(X), sample_weight=w)
    assert neg_ece_scorer(model, X, y, sample_weight=w) == expected


def test_an_option_given_twice_warns_and_the_routed_one_is_used():
    X, y = scorer_data(2)
    model = GaussianNB().fit(X, y)
    scorer = make_calibration_scorer(ece, sample_weight=np.ones(120))
    with pytest.warns(UserWarning, match=r"make_calibration_scorer.*sample_weight"):
        score = scorer(model, X, y, sample_weight=np.arange(120.0))
    assert score == -ece(y, model.predict_proba(X), sample_weight=np.arange(120.0))


def test_requests_of_one_copy_do_not_change_the_constants():
    with sklearn.config_context(enable_metadata_routing=True):
        get_scorer("neg_ece").set_score_request(sample_weight=True)
        assert (
            get_scorer("neg_ece")._get_metadata_request().score.requests.get("sample_weight")
            is None
        )
        requests = neg_ece_scorer._get_metadata_request().score.requests
        assert requests.get("sample_weight") is None
