"""Rows at the overall rate added to bins and blocks, and what "auto" stands for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.isotonic import IsotonicRegression

from sklearn_calib.calibrators import (
    BetaCalibrator,
    CalibratedClassifier,
    HistogramCalibrator,
    IsotonicCalibrator,
    OneVsRestCalibrator,
)
from tests._spies import FixedScores
from tests.calibrators._samples import sample


def test_histogram_bins_by_hand():
    p, y = [0.1, 0.2, 0.7, 0.8, 0.9], [0, 0, 1, 1, 0]
    calibrator = HistogramCalibrator(n_bins=2, pseudo_count=2.0).fit(p, y)
    assert_allclose(calibrator.bin_values_, [(0 + 2 * 0.4) / 4, (2 + 2 * 0.4) / 5], rtol=1e-15)


def test_isotonic_blocks_by_hand():
    p, y = [0.1, 0.2, 0.7, 0.8, 0.9], [0, 0, 1, 0, 1]
    calibrator = IsotonicCalibrator(pseudo_count=1.0).fit(p, y)
    expected = [(0 + 0.4) / 3, (0 + 0.4) / 3, (1 + 0.4) / 3, (1 + 0.4) / 3, (1 + 0.4) / 2]
    assert_allclose(calibrator.predict_proba(p)[:, 1], expected, rtol=1e-15)


@pytest.mark.parametrize("kind", [HistogramCalibrator, IsotonicCalibrator])
def test_no_probability_is_zero_or_one_and_zero_is_the_plain_method(kind):
    for seed in range(10):
        p, y, weight = sample(seed, ends=True)
        plain = kind().fit(p, y, weight).predict_proba(p)
        assert_array_equal(kind(pseudo_count=0).fit(p, y, weight).predict_proba(p), plain)
        shrunk = kind(pseudo_count=1.0).fit(p, y, weight).predict_proba(p)
        assert shrunk.min() > 0.0
        if kind is IsotonicCalibrator:
            assert (np.diff(shrunk[np.argsort(p), 1]) >= 0).all()


@pytest.mark.parametrize(
    ("name", "instance", "reference"),
    [
        ("histogram", HistogramCalibrator(pseudo_count=0.5), HistogramCalibrator()),
        ("isotonic", IsotonicCalibrator(pseudo_count=0.5), IsotonicCalibrator()),
        ("beta", BetaCalibrator(smooth=True, eps=0.005), BetaCalibrator()),
    ],
)
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_defaults_are_of_the_literature_alone_and_the_best_behind_a_classifier(
    name, instance, reference, n_jobs
):
    p, y, _ = sample(1, n_samples=80, ends=True)
    p[p == 0.0] = 0.01
    p[3] = 0.0
    X = p[:, np.newaxis]
    expected = instance.fit(p, y).predict_proba(p)
    alone = reference.fit(p, y).predict_proba(p)
    assert np.abs(alone - expected).max() > 1e-4
    for calibrator in (OneVsRestCalibrator(name, n_jobs=n_jobs), type(reference)()):
        assert_array_equal(calibrator.fit(p, y).predict_proba(p), alone)
        splits = [(np.arange(40), np.arange(40, 80)), (np.arange(40, 80), np.arange(40))]
        behind = CalibratedClassifier(FixedScores(), calibrator, cv=splits).fit(X, y)
        assert_allclose(behind.predict_proba(X), expected, rtol=0, atol=1e-12)


def test_scores_closer_than_the_tolerance_are_one_score():
    """Scores of naive Bayes differ by less than any sensible distance; scikit-learn joins them."""
    rng = np.random.default_rng(0)
    p = np.r_[10.0 ** rng.uniform(-40, -14, size=200), rng.uniform(size=100)]
    y = rng.uniform(size=300) < np.r_[np.full(200, 0.2), p[200:]]
    queries = np.r_[0.0, p, 1e-15, 1e-16]
    expected = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(p, y)
    calibrator = IsotonicCalibrator().fit(p, y)
    result = calibrator.predict_proba(queries)[:, 1]
    assert_allclose(result, expected.predict(queries), rtol=0, atol=1e-12)
    exact = IsotonicCalibrator(tolerance=0).fit(p, y)
    assert exact.predict_proba(p)[:, 1].min() == 0.0
    assert result.min() > 0.1


def test_a_chain_of_close_scores_is_cut_where_it_gets_too_long():
    p = np.r_[np.arange(10) * 0.4, 5.0, 5.5] * 1e-3
    y = np.array([0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0])
    calibrator = IsotonicCalibrator(tolerance=1e-3).fit(p, y)
    groups = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 4])
    rate = np.bincount(groups, weights=y) / np.bincount(groups)
    assert_allclose(rate, [1 / 3, 2 / 3, 1 / 3, 1, 1 / 2])
    assert_allclose(
        calibrator.predict_proba(p[[0, 3, 6, 9, 11]])[:, 1],
        [1 / 3, 1 / 2, 1 / 2, 2 / 3, 2 / 3],
        rtol=1e-12,
    )
