"""Problems that users of other tools met, each as a small input with the right answer.

The test ids are those of the project's list of known problems (M: metrics, S: scorers).
"""

import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    check_cv,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import sklearn_calib
from sklearn_calib import metrics
from sklearn_calib.metrics import (
    average_calibration_error,
    calibration_bins,
    ece,
    get_scorer,
    get_scorer_names,
    kce,
    klce,
    make_calibration_scorer,
    mce,
    mmce,
    skce,
)
from tests.metrics._registry import METRICS, binary_data

P4 = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.5, 0.25, 0.25]]
Y4 = [0, 1, 1, 2]
Y6, P6 = [0, 0, 1, 1, 1, 0], [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]

KNOWN = {}


def known(test):
    """Register a check under its id, the name of the function in capitals."""
    KNOWN[test.__name__.upper()] = test
    return test


def close(value, expected):
    assert_allclose(value, expected, rtol=0, atol=1e-12)


@known
def m01():
    y, P = [0] * 4, [[0, 1]] * 4
    for target in ("binary", "confidence"):
        close(ece(y, P, target=target), 1.0)
        close(mce(y, P, target=target), 1.0)
    close(ece(y, [1, 1, 1, 1]), 1.0)


@known
def m02():
    close(ece([1, 0, 1], [0.92, 1.0, 0.98], n_bins=10), 0.3)
    close(ece([1, 0, 1], [0.92, 1.0, 0.98], n_bins=10, closed="right"), 0.3)


@known
def m03():
    for closed in ("left", "right"):
        options = {"n_bins": 10, "closed": closed}
        close(ece([1, 1, 0], [0, 0, 0.04], **options), 2 / 3 - 0.04 / 3)
        close(mce([1, 1, 0], [0, 0, 0.04], **options), 2 / 3 - 0.04 / 3)
    assert ece([0, 1], np.array([0, 1])) == 0.0


@known
def m05():
    both = np.column_stack([1 - np.array(P6), P6])
    for metric in METRICS.values():
        close(metric(Y6, both), metric(Y6, P6))
    for target in ("binary", "confidence", "classwise", "canonical"):
        close(skce(Y6, both, target=target), skce(Y6, P6, target=target))


@known
def m06():
    close(ece(Y6, P6, n_bins=5), 0.345)
    close(ece(Y6, P6, n_bins=5, target="confidence"), 0.635 / 3)
    close(ece(Y6, P6, n_bins=2), 0.37 / 6)
    close(ece(Y6, P6, n_bins=2, target="confidence"), 0.37 / 6)
    for function in (ece, mce, average_calibration_error, calibration_bins, skce, kce, mmce, klce):
        text = " ".join(function.__doc__.split())
        assert "A 1-D array or a single column holds the probability of the positive class" in text


@known
def m07():
    close(ece([0, 0], [[0.9, 0.1], [0.8, 0.2]], target="confidence", n_bins=10), 0.15)
    P = [[0.9, 0.1, 0.0], [0.8, 0.2, 0.0]]
    close(ece([0, 0], P, labels=[0, 1, 2], n_bins=10), 0.15)
    close(ece([0, 0], P, labels=[0, 1, 2], target="classwise", n_bins=1), (0.15 + 0.15 + 0) / 3)


@known
def m08():
    y, P = ["dog", "cat"], [[0.9, 0.1], [0.2, 0.8]]
    for metric in METRICS.values():
        with pytest.raises(ValueError, match=r"labels=\['dog', 'cat'\].*sorted order.*columns"):
            metric(y, P, labels=["dog", "cat"])
    close(ece(y, [[0.1, 0.9], [0.8, 0.2]], target="confidence"), 0.15)


@known
def m09():
    y, p = ["spam", "eggs", "spam"], [0.9, 0.1, 0.8]
    for metric in METRICS.values():
        with pytest.raises(ValueError, match=r"'eggs', 'spam'.*pos_label"):
            metric(y, p)
    close(ece(y, p, pos_label="spam", n_bins=10), (0.1 + 0.1 + 0.2) / 3)
    close(ece(y, p, pos_label="spam", norm="l2", n_bins=10) ** 2, 0.02)


@known
def m10():
    for metric in METRICS.values():
        close(metric([1, 1, 1], [1, 1, 1], X=[0, 0, 0]), 0)
        close(metric([1, 1, 1], [0, 0, 0], X=[0, 0, 0]), 1)
        close(metric([0, 0, 0], [0, 0, 0], X=[0, 0, 0]), 0)


@known
def m11():
    for y in ([-1, 1], [False, True], [0.0, 1.0], [-1.0, 1.0]):
        close(ece(y, [0.2, 0.9], n_bins=10), 0.15)
        close(ece(y, [0.2, 0.9], norm="l2", n_bins=10) ** 2, 0.025)
        for metric in METRICS.values():
            close(metric(y, [0.2, 0.9]), metric([0, 1], [0.2, 0.9]))


@known
def m12():
    """The Brier score is scikit-learn's; ours keep the scale of (n,) for two classes."""
    assert not [name for name in metrics.__all__ if "brier" in name]
    close(brier_score_loss(Y4, P4, labels=[0, 1, 2]), 0.66375)
    for y_proba in ([0.8], [[0.2, 0.8]]):
        close(skce([1], y_proba, estimator="biased"), 0.04)
        close(skce([1], y_proba, estimator="biased", target="canonical"), 0.08)


@known
def m13():
    y, p = [1] * 6 + [0] * 2, [0.25] * 8
    for n_bins in (1, 2, 5, 8, 15, 100):
        for function in (ece, mce, average_calibration_error):
            close(function(y, p, n_bins=n_bins, strategy="quantile"), 0.5)


@known
def m15():
    y, p = [0, 0, 0, 0, 1], [0.1, 0.1, 0.1, 0.1, 0.6]
    close(ece(y, p, n_bins=2), 0.16)
    close(mce(y, p, n_bins=2), 0.4)
    close(average_calibration_error(y, p, n_bins=2), 0.25)


@known
def m16():
    for strategy in ("uniform", "quantile"):
        close(ece([0, 1, 0, 1], [0.1, 0.2, 0.6, 0.9], n_bins=100, strategy=strategy), 0.4)
    for n_bins in (0, -1):
        with pytest.raises(ValueError, match="n_bins must be a whole number of at least 1"):
            ece([0, 1], [0.1, 0.9], n_bins=n_bins)


@known
def m17():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        close(ece([0, 1], [0.05, 0.95], n_bins=10), 0.05)
        close(mce([0, 1], [0.05, 0.95], n_bins=10), 0.05)
        close(calibration_bins([0, 1], [0.05, 0.95], n_bins=10).prob_pred[[0, 9]], [0.05, 0.95])


@known
def m18():
    y, p = [0, 0, 0, 1], [0.05, 0.05, 0.05, 0.85]
    close(ece(y, p, n_bins=10), 0.075)
    close(average_calibration_error(y, p, n_bins=10), 0.10)
    assert not hasattr(metrics, "ace")
    text = " ".join(average_calibration_error.__doc__.split())
    assert "adaptive calibration error" in text
    assert "Neumann" in text


@known
def m20():
    P = [[1, 0], [0, 1]]
    canonical = {"target": "canonical", "kernel": "rbf", "bandwidth": math.sqrt(2)}
    close(skce([1, 0], P, **canonical), -2 * math.exp(-1))
    close(skce([0, 1], P, **canonical), 0)
    close(skce([0, 0], P, labels=[0, 1], **canonical), 0)
    close(skce([1, 1], P, labels=[0, 1], **canonical), 0)
    for y_proba in (P, [0, 1]):
        close(skce([1, 0], y_proba, kernel="rbf", bandwidth=1.0), -math.exp(-1))
    assert "twice the binary" in " ".join(skce.__doc__.split())


@known
def m22():
    for value in (
        lambda: skce([1], [0.4]),
        lambda: skce([1], [0.4], estimator="ul"),
        lambda: skce([1], [0.4], estimator="block", block_size=2),
        lambda: kce([1], [0.4]),
        lambda: klce([1], [0.4], [0.0]),
    ):
        with pytest.raises(ValueError, match=r"n too small.*needs at least 2 samples"):
            value()
    close(skce([1], [0.4], estimator="biased"), 0.36)
    close(kce([1], [0.4], squared=False), 0.6)


@known
def m23():
    y, p = [0, 1, 0], [0.2, 0.4, 0.6]
    for options, unbiased, biased in [
        ({"bandwidth": 1.0}, -0.104184118651, 0.014988365344),
        ({"kernel": "rbf", "bandwidth": 0.2 * math.sqrt(2)}, -0.091631494224, 0.023356781628),
        ({"kernel": "rbf", "bandwidth": 0.2}, -0.058128085032, 0.045692387757),
    ]:
        close(skce(y, p, **options), unbiased)
        close(skce(y, p, estimator="biased", **options), biased)
    for function in (skce, kce):
        assert "no factor 2" in function.__doc__
        assert "negative" in function.__doc__


@known
def m24():
    for P, words in [
        ([[0.2, 0.3]], "sum to one"),
        ([[1.2, -0.2]], r"probabilities in \[0, 1\]"),
        ([[np.nan, 1]], "finite"),
    ]:
        for metric in METRICS.values():
            with pytest.raises(ValueError, match=words):
                metric([1], P)
    row = np.array([[0.5, 0.5 + 2.4e-7]], dtype=np.float32)
    assert abs(row.astype(float).sum() - 1) > 1e-7
    close(ece([1], row), 0.5 - 2.4e-7 // 2**-24 * 2**-24)


@known
def m25():
    rng = np.random.default_rng(0)
    p32 = rng.random(50).astype(np.float32)
    y = (rng.random(50) < p32).astype(int)
    for metric in METRICS.values():
        assert np.isfinite(metric([0, 1], np.array([0, 1], dtype=np.float32)))
        p64 = rng.random(50)
        assert_allclose(metric(y, p64.astype(np.float32)), metric(y, p64), rtol=0, atol=1e-6)
        close(metric(y, p32), metric(y, p32.astype(float)))


@known
def m26():
    y = pd.Series([0, 1, 1], index=[5, 3, 1])
    p = pd.Series([0.1, 0.9, 0.8], index=[0, 1, 2])
    w = pd.Series([1.0, 2.0, 3.0], index=[2, 1, 0])
    X = pd.DataFrame({"x": [3.0, 1.0, 2.0]}, index=[1, 2, 0])
    close(ece(y, p, norm="l2", n_bins=10) ** 2, 0.02)
    for metric in METRICS.values():
        value = metric(y, p, X=X, sample_weight=w)
        arrays = [data.to_numpy() for data in (y, p, X, w)]
        assert value == metric(*arrays[:2], X=arrays[2], sample_weight=arrays[3])


@known
def m28():
    y, p, w = [0, 1, 1], [0.2, 0.2, 0.9], [1, 3, 0]
    close(ece(y, p, sample_weight=w, n_bins=10), 0.55)
    close(ece([0, 1, 1, 1], [0.2] * 4, n_bins=10), 0.55)
    for metric in METRICS.values():
        if not metric.unbiased:
            close(metric(y, p, sample_weight=w), metric([0, 1, 1, 1], [0.2] * 4))
        for bad, words in [([0, 0, 0], "zero for every row"), ([1, -1, 1], "not be negative")]:
            with pytest.raises(ValueError, match=words):
                metric(y, p, sample_weight=bad)


@known
def m29():
    """No debiased error is offered; the root mean square one is finite with one row a bin."""
    close(ece([0, 1], [0.1, 0.9], n_bins=10, norm="l2"), 0.1)
    with pytest.raises(ValueError, match="norm must be one of"):
        ece([0, 1], [0.1, 0.9], norm="debiased")


@known
def m30():
    for k, expected in enumerate([0.1, 0.4625, 0.3125]):
        close(ece(np.array(Y4) == k, np.array(P4)[:, k], n_bins=5, closed="right"), expected)
    close(ece(Y4, P4, n_bins=5, closed="right", target="classwise"), 0.875 / 3)
    close(ece(Y4, P4, n_bins=5, closed="right"), 0.275)
    assert "mean over the classes" in ece.__doc__


@known
def m31():
    for n_bins in (1, 10, 15):
        for strategy in ("uniform", "quantile"):
            assert ece([1, 1, 0], [1, 1, 0], n_bins=n_bins, strategy=strategy) == 0
    bins = calibration_bins([1, 1, 0], [1, 1, 0], n_bins=10)
    assert (bins.prob_pred[0], bins.prob_pred[9]) == (0, 1)


@known
def m32():
    y, p = np.array([0, 1, 0, 1]), np.array([0.2, 0.2, 0.4, 0.6])
    close(ece(y, p, n_bins=5), 0.35)
    close(ece(1 - y, 1 - p, n_bins=5), 0.35)
    y, p = binary_data(seed=3)
    for name in ("skce", "skce_biased", "skce_ul", "skce_rbf", "kce", "kce_root", "mmce", "klce"):
        close(METRICS[name](1 - y, 1 - p), METRICS[name](y, p))


# Scorers.


@known
def s01():
    X_all, y_all = load_iris(return_X_y=True)
    scoring = {name: get_scorer(name) for name in get_scorer_names()}
    options = {
        "neg_kce": {"squared": False, "bandwidth": 0.2},
        "neg_klce": {"prob_bandwidth": 0.2},
    }
    for X, y in ((X_all[50:], y_all[50:]), (X_all, y_all)):
        model = LogisticRegression(max_iter=1000)
        result = cross_validate(
            model, X, y, cv=3, scoring=scoring, return_estimator=True, return_indices=True
        )
        for fold, test in enumerate(result["indices"]["test"]):
            P = result["estimator"][fold].predict_proba(X[test])
            for name in scoring:
                features = {"X": X[test]} if name == "neg_klce" else {}
                metric = getattr(metrics, name.removeprefix("neg_"))
                value = metric(y[test], P, **features, **options.get(name, {}))
                assert_allclose(result[f"test_{name}"][fold], -value, rtol=1e-10, atol=1e-14)


class _Constant(ClassifierMixin, BaseEstimator):
    """Predict one probability for the second class."""

    def __init__(self, p=0.5, classes=(0, 1)):
        self.p = p
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def predict_proba(self, X):
        return np.tile([1 - self.p, self.p], (len(X), 1))


@known
def s03():
    X = np.zeros((3, 1))
    model = _Constant().fit(X, None)
    for name in get_scorer_names():
        with pytest.raises(ValueError, match=r"y_true contains \[2\].*labels=\[0, 1\]"):
            get_scorer(name)(model, X, [0, 1, 2])


@known
def s04():
    y = np.tile([0, 1], 30)
    X = np.random.default_rng(0).normal(size=(60, 1))
    for name in get_scorer_names():
        assert name.startswith("neg_")
        search = GridSearchCV(_Constant(), {"p": [0.9, 0.5]}, scoring=get_scorer(name), cv=3)
        assert search.fit(X, y).best_params_ == {"p": 0.5}
        if name not in ("neg_skce", "neg_klce"):
            assert (search.cv_results_["mean_test_score"] <= 1e-15).all()


@known
def s05():
    """A model below zero by luck scores above a perfect one: say so, and offer other scorers."""
    y, p = [0, 1] * 10, [0.5] * 20
    assert skce(y, p) < 0
    model = _Constant().fit(None, None)
    X = np.zeros((20, 1))
    assert get_scorer("neg_skce")(model, X, y) > 0
    for name in ("neg_kce", "neg_mmce"):
        assert_allclose(get_scorer(name)(model, X, y), 0, rtol=0, atol=1e-8)
        assert get_scorer(name)(_Constant(0.6).fit(X, y), X, y) < -0.09
    assert "unfit for choosing" in " ".join(get_scorer.__doc__.split())


@known
def s06():
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.max(axis=0)
    for name in get_scorer_names():
        with pytest.raises((AttributeError, ValueError), match="predict_proba"):
            cross_val_score(LinearSVC(), X, y, cv=2, scoring=get_scorer(name), error_score="raise")


@known
def s07():
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X, y)
    for name in get_scorer_names():
        for scorer in (get_scorer(name), getattr(metrics, f"{name}_scorer")):
            assert pickle.loads(pickle.dumps(scorer))(model, X, y) == scorer(model, X, y)


@known
def s09():
    """Every estimator of the package is a classifier, so splits are stratified."""
    y = [0, 1] * 6
    calibrators = [sklearn_calib.OneVsRestCalibrator(), sklearn_calib.OneVsRestCalibrator("platt")]
    wrappers = [sklearn_calib.CalibratedClassifier(GaussianNB(), c) for c in calibrators]
    for estimator in calibrators + wrappers:
        assert is_classifier(estimator)
        splitter = check_cv(3, y, classifier=is_classifier(estimator))
        assert isinstance(splitter, StratifiedKFold)


class _OneColumn(_Constant):
    def predict_proba(self, X):
        return np.ones((len(X), 1))


@known
def s10():
    X = np.zeros((2, 1))
    model = _OneColumn(classes=[1]).fit(X, None)
    for name in get_scorer_names():
        for y in ([1, 1], [0, 1]):
            with pytest.raises(ValueError, match="only one class"):
                get_scorer(name)(model, X, y)


@known
def s11():
    """Isotonic regression says 0 for a class that occurs: every score stays finite."""
    x, y = np.arange(30.0), np.array([0] * 10 + [0, 1] * 5 + [1] * 10)
    p = IsotonicRegression(out_of_bounds="clip").fit(x, y).predict(x)
    assert {0.0, 1.0} < set(p)
    y = y[::-1]
    for metric in METRICS.values():
        assert np.isfinite(metric(y, p))
    scorer = make_calibration_scorer(ece)
    assert scorer(_Constant(0.0).fit(None, None), np.zeros((4, 1)), [0, 1, 1, 1]) == -0.75


@pytest.mark.parametrize("entry", KNOWN)
def test_known_problem(entry):
    KNOWN[entry]()
