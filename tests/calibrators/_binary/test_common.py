"""What every calibrator of the probability of the positive class does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from sklearn_calib.calibrators import (
    BetaCalibrator,
    HistogramCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
)
from tests.calibrators._registry import PROBABILITY_CALIBRATORS, each_method


@each_method
def test_single_precision_gives_the_double_precision_map(method):
    rng = np.random.default_rng(0)
    p = rng.uniform(0.01, 0.99, size=200)
    y = rng.uniform(size=200) < p
    calibrator = PROBABILITY_CALIBRATORS[method]
    expected = clone(calibrator).fit(p, y).predict_proba(p)
    single = p.astype(np.float32)
    result = clone(calibrator).fit(single, y).predict_proba(single)
    assert result.dtype == np.float64
    assert_allclose(result, expected, rtol=0, atol=1e-6)


@each_method
def test_constant_probabilities_become_the_rate(method):
    y = np.repeat([0, 1], 4)
    calibrator = clone(PROBABILITY_CALIBRATORS[method]).fit(np.full(8, 0.3), y)
    proba = calibrator.predict_proba([0.3])[0, 1]
    if method == "temperature":
        assert 0.3 <= proba <= 0.5
    else:
        assert_allclose(proba, 0.5, rtol=0, atol=1e-12)
    uneven = clone(calibrator).fit(np.full(8, 0.3), np.repeat([0, 1], [6, 2]))
    if method in ("beta", "isotonic", "histogram"):
        assert_allclose(uneven.predict_proba([0.3])[0, 1], 0.25, rtol=0, atol=1e-12)
    if method == "platt":
        assert uneven.slope_ == 0.0
        # The mean of the smoothed targets: 2 rows at 3/4, 6 rows at 1/8.
        assert_allclose(uneven.predict_proba([0.3])[0, 1], (2 * 3 / 4 + 6 / 8) / 8, rtol=1e-10)
    if method == "beta":
        assert (uneven.a_, uneven.b_) == (0.0, 0.0)


@pytest.mark.filterwarnings("ignore:The slope of PlattCalibrator is negative")
@each_method
@pytest.mark.parametrize("y", [[0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 0, 0]])
def test_probabilities_of_exactly_zero_and_one_stay_finite(method, y):
    p = np.array([0.0, 0.0, 1.0, 1.0])
    calibrator = clone(PROBABILITY_CALIBRATORS[method]).fit(p, y)
    proba = calibrator.predict_proba([0.0, 0.5, 1.0])
    assert np.isfinite(proba).all()
    assert proba.min() >= 0.0
    assert proba.max() <= 1.0
    if method == "beta":
        rates = [np.mean(y[:2]), np.mean(y[2:])] if y != [1, 1, 0, 0] else [0.5, 0.5]
        assert_allclose(proba[[0, 2], 1], rates, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", ["platt", "temperature", "beta"])
def test_calibrated_probabilities_are_left_as_they_are(method):
    p = np.repeat([0.9, 0.1], 10_000)
    y = np.concatenate([np.arange(10_000) % 10 != 0, np.arange(10_000) % 10 == 0])
    calibrator = clone(PROBABILITY_CALIBRATORS[method]).fit(p, y)
    assert_allclose(calibrator.predict_proba([0.9, 0.1])[:, 1], [0.9, 0.1], rtol=0, atol=1e-3)


@pytest.mark.parametrize("method", ["platt", "beta", "isotonic", "temperature"])
def test_order_is_never_reversed(method):
    rng = np.random.default_rng(0)
    p = rng.uniform(size=500)
    y = rng.uniform(size=500) < 0.4 + 0.3 * np.sin(5 * p - 2)
    calibrator = clone(PROBABILITY_CALIBRATORS[method]).fit(p, y)
    queries = np.sort(np.r_[p, np.linspace(0, 1, 10_001)])
    steps = np.diff(calibrator.predict_proba(queries)[:, 1])
    assert (steps >= 0).all()
    if method in ("platt", "temperature"):
        assert (steps[(np.diff(queries) > 1e-9)] > 0).all()


@each_method
@pytest.mark.parametrize(
    "names", [["no", "yes"], [False, True], [0.0, 1.0], [3, 7], [-1, 1]], ids=str
)
def test_the_type_of_the_labels_does_not_change_the_probabilities(method, names):
    rng = np.random.default_rng(0)
    p = rng.uniform(size=80)
    y = (rng.uniform(size=80) < p).astype(int)
    names = np.array(names)
    for calibrator in (
        clone(PROBABILITY_CALIBRATORS[method]),
        OneVsRestCalibrator(method, input="probability"),
    ):
        expected = clone(calibrator).fit(p, y).predict_proba(p)
        calibrator.fit(p, names[y])
        assert isinstance(calibrator.classes_, np.ndarray)
        assert_array_equal(calibrator.classes_, names)
        assert_array_equal(calibrator.predict_proba(p), expected)
        assert calibrator.predict(p).dtype == names.dtype


@each_method
def test_the_class_rate_comes_back_after_training_with_class_weights(method):
    X, y = make_classification(
        n_samples=20_000, weights=[0.95], flip_y=0.01, class_sep=0.8, random_state=0
    )
    half = slice(10_000), slice(10_000, None)
    model = LogisticRegression(class_weight="balanced").fit(X[half[0]], y[half[0]])
    p = model.predict_proba(X[half[1]])[:, 1]
    rate = y[half[1]].mean()
    assert p.mean() > rate + 0.1
    mean = clone(PROBABILITY_CALIBRATORS[method]).fit(p, y[half[1]]).predict_proba(p)[:, 1].mean()
    if method == "temperature":
        assert mean > rate + 0.05  # it has no intercept, as its documentation says
    else:
        assert abs(mean - rate) < 0.01


@pytest.mark.parametrize(
    "calibrator",
    [
        PlattCalibrator(input="logit"),
        PlattCalibrator(max_iter=0),
        BetaCalibrator(parameters="b"),
        BetaCalibrator(eps=0.0),
        BetaCalibrator(eps=0.5),
        BetaCalibrator(monotone="yes"),
        HistogramCalibrator(n_bins=0),
        HistogramCalibrator(n_bins=2.5),
        HistogramCalibrator(strategy="kmeans"),
        TemperatureCalibrator(input="score"),
        OneVsRestCalibrator(input="score"),
        OneVsRestCalibrator(n_jobs=1.5),
    ],
    ids=repr,
)
def test_parameters_are_checked_in_fit(calibrator):
    with pytest.raises(ValueError, match=f"parameter of {type(calibrator).__name__} must be"):
        calibrator.fit([0.2, 0.8], [0, 1])
