"""Correction for other class prevalences."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

from sklearn_calib.calibrators import PriorShiftCalibrator, TemperatureCalibrator


def population(prevalence, n_samples, seed):
    """Draw labels by prevalence and normal features; return the true odds under a uniform prior."""
    rng = np.random.default_rng(seed)
    y = rng.choice(len(prevalence), p=prevalence, size=n_samples)
    x = rng.normal(loc=y, size=n_samples)
    return y, np.exp(-((x[:, np.newaxis] - np.arange(len(prevalence))) ** 2) / 2)


def posterior(likelihood, prevalence):
    joint = likelihood * prevalence
    return joint / joint.sum(axis=1, keepdims=True)


def test_given_prevalences_give_the_posterior_of_bayes():
    source, target = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.2, 0.7])
    y, likelihood = population(source, 1000, seed=0)
    P = posterior(likelihood, np.bincount(y) / 1000)
    for given in (target, 10 * target, {0: 0.1, 1: 0.2, 2: 0.7}):
        calibrator = PriorShiftCalibrator(prevalence=given).fit(P, y)
        assert_allclose(calibrator.predict_proba(P), posterior(likelihood, target), rtol=1e-12)
    assert_allclose(calibrator.source_prevalence_, np.bincount(y) / 1000, rtol=1e-15)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_estimated_prevalences_have_the_largest_likelihood(n_classes):
    source = np.array([0.5, 0.3, 0.2])[:n_classes] / np.array([0.5, 0.3, 0.2])[:n_classes].sum()
    target = np.array([0.2, 0.6, 0.2])[:n_classes] / np.array([0.2, 0.6, 0.2])[:n_classes].sum()
    y, likelihood = population(source, 2000, seed=1)
    source = np.bincount(y) / 2000
    calibrator = PriorShiftCalibrator().fit(posterior(likelihood, source), y)
    assert_array_equal(calibrator.prevalence_, calibrator.source_prevalence_)
    _, elsewhere = population(target, 5000, seed=2)
    P = posterior(elsewhere, source)
    calibrator.estimate_prevalence(P)

    def loss(theta):
        weight = np.exp(np.r_[0.0, theta])
        return -np.log((P / source) @ (weight / weight.sum())).mean()

    best = minimize(loss, np.zeros(n_classes - 1), method="BFGS", options={"gtol": 1e-10}).x
    best = np.exp(np.r_[0.0, best])
    assert_allclose(calibrator.prevalence_, best / best.sum(), rtol=0, atol=1e-6)
    assert_allclose(calibrator.prevalence_, target, rtol=0, atol=0.05)
    assert_allclose(
        calibrator.predict_proba(P), posterior(elsewhere, calibrator.prevalence_), rtol=1e-10
    )


def test_in_a_pipeline_behind_a_calibrator():
    y, likelihood = population(np.array([0.6, 0.4]), 500, seed=3)
    P = posterior(likelihood, [0.6, 0.4])
    pipeline = make_pipeline(
        TemperatureCalibrator(input="probability"), PriorShiftCalibrator(prevalence=[0.9, 0.1])
    ).fit(P, y)
    assert pipeline.predict_proba(P)[:, 1].mean() < 0.25
    pipeline[-1].estimate_prevalence(pipeline[:-1].transform(P))
    assert abs(pipeline[-1].prevalence_[1] - 0.4) < 0.1


def test_weights_count_in_the_source():
    calibrator = PriorShiftCalibrator().fit([0.2, 0.5, 0.8], [0, 1, 1], [2.0, 1.0, 5.0])
    assert_allclose(calibrator.source_prevalence_, [0.25, 0.75], rtol=1e-15)


@pytest.mark.parametrize(
    ("prevalence", "message"),
    [
        ([0.2, 0.3, 0.5], "one number for each of the classes"),
        ([0.0, 1.0], "above zero"),
        ([np.nan, 1.0], "prevalence must be finite"),
        ({0: 0.5}, "as keys"),
    ],
)
def test_wrong_prevalences(prevalence, message):
    with pytest.raises(ValueError, match=message):
        PriorShiftCalibrator(prevalence=prevalence).fit([0.2, 0.8], [0, 1])


@pytest.mark.parametrize(
    ("labels", "index", "expected"),
    [
        (["n", "n", "p", "p"], ["p", "n"], [0.75, 0.25]),
        (["n", "n", "p", "p"], ["n", "p"], [0.25, 0.75]),
        ([0, 0, 1, 1], [1, 0], [0.75, 0.25]),
        ([False, False, True, True], [True, False], [0.75, 0.25]),
        ([0, 0, 1, 1], pd.CategoricalIndex([1, 0]), [0.75, 0.25]),
    ],
)
def test_a_series_is_matched_with_the_labels_by_its_index(labels, index, expected):
    prevalence = pd.Series([1.0, 3.0], index=index)
    calibrator = PriorShiftCalibrator(prevalence=prevalence).fit([0.2, 0.4, 0.6, 0.8], labels)
    assert_array_equal(calibrator.prevalence_, expected)
    counts = prevalence.repeat([1, 3]).index.to_series().value_counts()  # most frequent first
    calibrator = PriorShiftCalibrator(prevalence=counts).fit([0.2, 0.4, 0.6, 0.8], labels)
    assert_array_equal(calibrator.prevalence_, expected)


@pytest.mark.parametrize("index", [[0, 1], ["n", "q"], ["n", "n"], ["n", "p", "q"], ["n"]])
def test_a_series_whose_index_is_not_the_labels_is_refused(index):
    calibrator = PriorShiftCalibrator(prevalence=pd.Series(1.0, index=index))
    message = r"prevalence is a Series, whose index must be the classes \['n', 'p'\], got "
    with pytest.raises(ValueError, match=message + re.escape(str(index))):
        calibrator.fit([0.2, 0.8], ["n", "p"])


def _weak_scores(target):
    """Scores that tell little, for which plain EM steps would need tens of thousands."""
    rng = np.random.default_rng(0)
    p = expit(0.03 * rng.normal(size=20_000))
    happened = rng.random(p.size) < p
    return p[rng.random(p.size) < np.where(happened, target, 1 - target)]


@pytest.mark.parametrize("target", [0.05, 0.5, 0.95])
def test_scores_that_tell_little_have_the_largest_likelihood_as_well(target):
    p = _weak_scores(target)
    calibrator = PriorShiftCalibrator(max_iter=1000).fit([0.2, 0.8], [0, 1])
    found = calibrator.estimate_prevalence(p).prevalence_

    def loss(share):
        return -np.log(p * share / 0.5 + (1 - p) * (1 - share) / 0.5).sum()

    best = minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    assert found.sum() == pytest.approx(1.0, rel=1e-14)
    assert loss(found[1]) <= best.fun + 1e-5


@pytest.mark.filterwarnings("ignore:The estimated prevalences")
def test_every_number_of_steps_is_at_least_as_likely_as_fewer():
    p = _weak_scores(0.05)
    calibrator = PriorShiftCalibrator().fit([0.2, 0.8], [0, 1])
    losses = []
    for steps in range(1, 12):
        found = calibrator.set_params(max_iter=steps).estimate_prevalence(p).prevalence_
        assert calibrator.n_iter_ <= steps
        losses.append(-np.log(p * found[1] + (1 - p) * found[0]).sum())
    assert (np.diff(losses) <= 1e-9).all()


def test_too_few_steps():
    y, likelihood = population(np.array([0.5, 0.5]), 100, seed=0)
    P = posterior(likelihood, [0.5, 0.5])
    calibrator = PriorShiftCalibrator(max_iter=1).fit(P, y)
    with pytest.warns(
        ConvergenceWarning,
        match="max_iter=1 steps, and may be far",
    ):
        calibrator.estimate_prevalence(posterior(likelihood, [0.9, 0.1]))


def test_a_row_without_a_possible_class_stays_and_all_such_rows_are_refused():
    calibrator = PriorShiftCalibrator(prevalence=[0.9, 0.1]).fit([0.2, 0.8], [0, 1])
    assert_allclose(calibrator.predict_proba([0.0, 1.0]), [[1, 0], [0, 1]], rtol=1e-15)
