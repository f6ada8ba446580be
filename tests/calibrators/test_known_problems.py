"""Small inputs on which other calibration tools went wrong, with the right answers.

The names of the tests carry the number of the problem.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from sklearn_calib.calibrators import (
    BetaCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
)

PROBABILITY_CALIBRATORS = {
    "platt": PlattCalibrator(input="probability"),
    "beta": BetaCalibrator(),
    "isotonic": IsotonicCalibrator(),
    "histogram": HistogramCalibrator(),
    "temperature": TemperatureCalibrator(input="probability"),
}
each_method = pytest.mark.parametrize("method", PROBABILITY_CALIBRATORS)


@each_method
def test_c02_class_absent(method):
    P = np.random.default_rng(0).dirichlet([1, 1, 1], size=20)
    calibrator = OneVsRestCalibrator(method, input="probability")
    with pytest.raises(ValueError, match=r"S has 3 columns, y has 2 classes \[0, 1\]"):
        calibrator.fit(P, np.arange(20) % 2)
    with pytest.raises(ValueError, match=r"S has 2 columns, y has 3 classes \[0, 1, 2\]"):
        calibrator.fit(P[:, :2], np.arange(20) % 3)
    with pytest.raises(ValueError, match=r"S has 1 column, y has 3 classes \[0, 1, 2\]"):
        calibrator.fit(P[:, 0], np.arange(20) % 3)


@pytest.mark.parametrize("scale", [1e5, 1e10, 1e100])
def test_c05_huge_scores(scale):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [50, 100])
    scores = np.where(y == 1, scale, -scale) + rng.normal(size=150)
    calibrator = PlattCalibrator().fit(scores, y)
    proba = calibrator.predict_proba(scores)[:, 1]
    assert proba[y == 1].min() > proba[y == 0].max()
    assert roc_auc_score(y, proba) == 1.0
    # Two groups without overlap are fitted by their smoothed targets.
    assert_allclose(proba[y == 0], 1 / 52, rtol=1e-3)
    assert_allclose(proba[y == 1], 101 / 102, rtol=1e-3)


@each_method
def test_c06_float32(method):
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
def test_c07_constant_scores(method):
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


@each_method
@pytest.mark.parametrize("y", [[0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 0, 0]])
def test_c07_exact_zero_and_one(method, y):
    p = np.array([0.0, 0.0, 1.0, 1.0])
    calibrator = clone(PROBABILITY_CALIBRATORS[method]).fit(p, y)
    proba = calibrator.predict_proba([0.0, 0.5, 1.0])
    assert np.isfinite(proba).all()
    assert proba.min() >= 0.0
    assert proba.max() <= 1.0
    if method == "beta":
        rates = [np.mean(y[:2]), np.mean(y[2:])] if y != [1, 1, 0, 0] else [0.5, 0.5]
        assert_allclose(proba[[0, 2], 1], rates, rtol=0, atol=1e-9)


def test_c07_two_distinct_probabilities_are_fitted_by_their_rates():
    p, y = [0.2, 0.2, 0.2, 0.7, 0.7, 0.7], [0, 0, 1, 1, 1, 0]
    for monotone in (True, False):
        calibrator = BetaCalibrator(monotone=monotone).fit(p, y)
        proba = calibrator.predict_proba([0.2, 0.5, 0.7])[:, 1]
        assert_allclose(proba[[0, 2]], [1 / 3, 2 / 3], rtol=0, atol=1e-9)
        assert 1 / 3 < proba[1] < 2 / 3


def test_c09_temperature_is_exact_and_bounded():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.02, 0.98, size=300)
    y = rng.uniform(size=300) < p
    calibrator = TemperatureCalibrator(input="probability")
    assert calibrator.fit(p, ~y).temperature_ == 1000.0
    assert_array_equal(calibrator.predict(p), p > 0.5)
    assert calibrator.fit(p, p > 0.5).temperature_ == 0.001
    assert calibrator.fit(np.full(4, 0.5), [0, 1, 1, 1]).temperature_ == 1000.0
    first = calibrator.fit(p, y).temperature_
    order = rng.permutation(300)
    assert_allclose(calibrator.fit(p[order], y[order]).temperature_, first, rtol=1e-12)


@pytest.mark.parametrize("method", ["platt", "temperature", "beta"])
def test_c10_probabilities_on_the_log_odds_scale(method):
    p = np.repeat([0.9, 0.1], 10_000)
    y = np.concatenate([np.arange(10_000) % 10 != 0, np.arange(10_000) % 10 == 0])
    calibrator = clone(PROBABILITY_CALIBRATORS[method]).fit(p, y)
    assert_allclose(calibrator.predict_proba([0.9, 0.1])[:, 1], [0.9, 0.1], rtol=0, atol=1e-3)


def test_c10_temperature_warns_of_probabilities():
    p, y = np.array([0.1, 0.4, 0.6, 0.9]), [0, 1, 0, 1]
    with pytest.warns(UserWarning, match=r"lie in \[0, 1\].*input='probability'"):
        TemperatureCalibrator().fit(p, y)
    with pytest.warns(UserWarning, match=r"lie in \[0, 1\].*input='probability'"):
        TemperatureCalibrator().fit(np.column_stack([1 - p, p]), y)
    as_logits = TemperatureCalibrator().fit(logit(p), y)
    assert_allclose(
        TemperatureCalibrator(input="probability").fit(p, y).temperature_,
        as_logits.temperature_,
        rtol=1e-12,
    )


def test_c11_isotonic_outside_the_range():
    calibrator = IsotonicCalibrator().fit([0.2, 0.4, 0.6, 0.8], [0, 0, 1, 1])
    assert_allclose(calibrator.predict_proba([0.05, 0.5, 0.95])[:, 1], [0, 0.5, 1], atol=1e-15)


def test_c12_isotonic_adds_the_weights_of_ties():
    calibrator = IsotonicCalibrator().fit([0.1, 0.5, 0.5, 0.5, 0.7, 0.9], [0, 1, 0, 1, 0, 1])
    assert_allclose(calibrator.predict_proba([0.5, 0.7])[:, 1], 0.5, rtol=1e-15)


def test_c13_isotonic_over_denormal_gaps():
    p = np.array([0, 1e-320, 1e-314, 1])
    calibrator = IsotonicCalibrator().fit(p, [0, 1, 0, 1])
    queries = np.r_[0, 5e-324 * np.arange(1, 10), 1e-322, p, 1e-318, 1e-300, 0.5]
    value = calibrator.predict_proba(np.sort(queries))[:, 1]
    assert np.isfinite(value).all()
    assert value[0] == 0.0
    assert value[-1] == 1.0
    assert (np.diff(value) >= 0).all()


def test_c13_isotonic_keeps_tiny_probabilities_apart():
    p = [1e-30, 1e-20, 1e-17, 1e-16, 1e-3]
    calibrator = IsotonicCalibrator().fit(p, [0, 0, 1, 1, 1])
    assert_allclose(calibrator.predict_proba(p)[:, 1], [0, 0, 1, 1, 1], rtol=0, atol=1e-15)


def test_c14_isotonic_with_zero_weights():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=60)
    y = rng.uniform(size=60) < p
    weight = np.ones(60)
    weight[[3, 30, 59]] = 0.0
    kept = weight > 0
    expected = IsotonicCalibrator().fit(p[kept], y[kept]).predict_proba(p)
    assert_array_equal(IsotonicCalibrator().fit(p, y, weight).predict_proba(p), expected)


@pytest.mark.parametrize("method", ["platt", "beta", "isotonic", "temperature"])
def test_c15_order_is_never_reversed(method):
    rng = np.random.default_rng(0)
    p = rng.uniform(size=500)
    y = rng.uniform(size=500) < 0.4 + 0.3 * np.sin(5 * p - 2)
    calibrator = clone(PROBABILITY_CALIBRATORS[method]).fit(p, y)
    queries = np.sort(np.r_[p, np.linspace(0, 1, 10_001)])
    steps = np.diff(calibrator.predict_proba(queries)[:, 1])
    assert (steps >= 0).all()
    if method in ("platt", "temperature"):
        assert (steps[(np.diff(queries) > 1e-9)] > 0).all()


def test_c22_empty_bins():
    p, y = [0.05, 0.12, 0.18, 0.45, 0.47, 0.49], [0, 0, 1, 1, 0, 1]
    calibrator = HistogramCalibrator(n_bins=5).fit(p, y)
    value = calibrator.predict_proba([0.1, 0.45, 0.3, 0.95])[:, 1]
    # The bin [0.2, 0.4) lies between two filled ones and takes the lower one's value.
    assert_allclose(value, [1 / 3, 2 / 3, 1 / 3, 2 / 3], rtol=1e-15)


@each_method
@pytest.mark.parametrize(
    "names", [["no", "yes"], [False, True], [0.0, 1.0], [3, 7], [-1, 1]], ids=str
)
def test_c23_labels(method, names):
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


def test_c24_predict_follows_the_calibrated_probabilities():
    S = np.tile([[0.6, 0.4], [0.4, 0.6]], (10, 1))
    y = np.tile([1, 0], 10)
    y[:4] = [0, 0, 0, 1]
    calibrator = OneVsRestCalibrator("histogram").fit(S, y)
    proba = calibrator.predict_proba([[0.6, 0.4]])
    assert proba[0, 1] > 0.5
    assert_array_equal(calibrator.predict([[0.6, 0.4]]), [1])
    tie = HistogramCalibrator(n_bins=1).fit([0.2, 0.8], ["a", "b"])
    assert_array_equal(tie.predict([0.3]), ["a"])


@each_method
def test_c25_rows_sum_to_one(method):
    rng = np.random.default_rng(0)
    P = rng.dirichlet([0.2, 0.2, 0.2], size=300)
    y = np.array([rng.choice(3, p=row) for row in P])
    proba = OneVsRestCalibrator(method, input="probability").fit(P, y).predict_proba(P)
    assert proba.dtype == np.float64
    assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert proba.min() >= 0
    assert proba.max() <= 1


@each_method
def test_c25_a_row_of_zeros_becomes_uniform(method):
    # Isotonic and histogram give exact zeros for low scores of every class.
    P = np.repeat(np.array([[0.9, 0.2, 0.2], [0.2, 0.9, 0.2], [0.2, 0.2, 0.9]]), 4, axis=0)
    y = np.repeat([0, 1, 2], 4)
    calibrator = OneVsRestCalibrator(method, input="probability").fit(P, y)
    proba = calibrator.predict_proba([[0.1, 0.1, 0.1], [0.2, 0.2, 0.2], [0.9, 0.1, 0.1]])
    assert_allclose(proba[:2], 1 / 3, rtol=1e-9)
    assert proba[2, 0] > 0.9


@pytest.mark.filterwarnings("ignore:All values of S lie in")
@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_c26_binary_data_are_one_problem(method):
    p, y = np.array([0.2, 0.3, 0.4, 0.6, 0.8, 0.9]), [0, 1, 0, 1, 1, 0]
    for S in (p, p[:, np.newaxis]):
        calibrator = OneVsRestCalibrator(method).fit(S, y)
        binary = {"isotonic": IsotonicCalibrator(), "platt": PlattCalibrator()}[method]
        proba = calibrator.predict_proba(S)
        assert len(calibrator.calibrators_) == 1
        assert_array_equal(proba[:, 0], 1 - proba[:, 1])
        assert_array_equal(proba, binary.fit(p, y).predict_proba(p))
    two_columns = OneVsRestCalibrator(method).fit(np.column_stack([1 - p, p]), y)
    assert len(two_columns.calibrators_) == 2


@each_method
def test_c37_the_prior_comes_back(method):
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
    ("scores", "y", "slope", "intercept"),
    [
        ([-2, -1, 1, 2], [0, 0, 1, 1], 0.673996394, 0.0),
        ([-1, 0, 0.5, 2], [0, 0, 0, 1], 0.7942974, -1.18643454),
    ],
)
def test_c38_platt_on_separable_data(scores, y, slope, intercept):
    calibrator = PlattCalibrator().fit(scores, y)
    assert_allclose([calibrator.slope_, calibrator.intercept_], [slope, intercept], atol=1e-7)
    expected = expit(slope * np.array(scores) + intercept)
    assert_allclose(calibrator.predict_proba(scores)[:, 1], expected, rtol=0, atol=1e-7)


def test_c39_beta_never_decreases():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=300)
    y = rng.uniform(size=300) > p
    calibrator = BetaCalibrator().fit(p, y)
    assert (calibrator.a_, calibrator.b_) == (0.0, 0.0)
    assert_allclose(calibrator.predict_proba(p)[:, 1], y.mean(), rtol=1e-9)
    free = BetaCalibrator(monotone=False).fit(p, y)
    assert (np.diff(free.predict_proba(np.sort(p))[:, 1]) < 0).all()


@each_method
def test_c40_few_rows(method):
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=15)
    y = np.r_[0, np.repeat([1, 2], 7)]
    calibrator = OneVsRestCalibrator(method, input="probability").fit(P, y)
    proba = calibrator.predict_proba(P)
    assert np.isfinite(proba).all()
    assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)
