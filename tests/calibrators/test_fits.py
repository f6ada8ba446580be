"""The fitted maps against slow, obvious computations of the same definition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import GridSearchCV

from sklearn_calib._data.bins import uniform_edges
from sklearn_calib.calibrators import (
    BetaCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
)


def sample(seed, n_samples=60, power=1.5, ends=False):
    """Return probabilities with ties, labels that follow a distorted version, and weights."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.uniform(size=n_samples), 2)
    p = p if ends else np.clip(p, 0.01, 0.99)
    y = (rng.uniform(size=n_samples) < p**power).astype(int)
    y[:2] = [0, 1]
    return p, y, rng.uniform(0.1, 2.0, size=n_samples)


def mean_gradient(features, target, weight, coef):
    """Return the gradient of the mean log loss, summed row by row."""
    total = np.zeros(len(coef))
    for row, t, w in zip(features, target, weight):
        total += w * (1 / (1 + np.exp(-sum(c * x for c, x in zip(coef, row)))) - t) * row
    return total / sum(weight)


@pytest.mark.parametrize("seed", range(10))
def test_platt_is_stationary_for_weighted_smoothed_targets(seed):
    p, y, weight = sample(seed)
    score = logit(p)
    calibrator = PlattCalibrator().fit(score, y, weight)
    n_positive, n_negative = weight[y == 1].sum(), weight[y == 0].sum()
    target = [(n_positive + 1) / (n_positive + 2) if t else 1 / (n_negative + 2) for t in y]
    features = np.column_stack([score, np.ones(y.size)])
    coef = [calibrator.slope_, calibrator.intercept_]
    assert_allclose(mean_gradient(features, target, weight, coef), 0, atol=1e-11)


def beta_features(p, parameters, eps=1e-15):
    """Return the features whose coefficients the variant of beta calibration fits freely."""
    p = np.clip(p, eps, 1 - eps)
    columns = {
        "abm": [np.log(p), -np.log(1 - p), np.ones(p.size)],
        "am": [logit(p), np.ones(p.size)],
        "ab": [np.log(2 * p), -np.log(2 * (1 - p))],
    }
    return np.column_stack(columns[parameters])


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("power", [0.3, 1.5, 4.0])
@pytest.mark.parametrize("parameters", ["abm", "am", "ab"])
@pytest.mark.parametrize("monotone", [True, False])
def test_beta_satisfies_the_optimality_conditions(seed, power, parameters, monotone):
    p, y, weight = sample(seed, power=power)
    if seed % 3 == 0:
        y = 1 - y
    calibrator = BetaCalibrator(parameters=parameters, monotone=monotone).fit(p, y, weight)
    a, b, c = calibrator.a_, calibrator.b_, calibrator.c_
    coef = {"abm": [a, b, c], "am": [a, c], "ab": [a, b]}[parameters]
    gradient = mean_gradient(beta_features(p, parameters), y, weight, coef)
    signed = {"abm": 2, "am": 1, "ab": 2}[parameters] if monotone else 0
    for k, (value, slope) in enumerate(zip(coef, gradient)):
        if k < signed and value == 0.0:
            assert slope >= -1e-11  # the loss would only fall on the forbidden side
        else:
            assert k >= signed or value > 0
            assert abs(slope) <= 1e-11
    if parameters == "am":
        assert a == b
    if parameters == "ab":
        assert_allclose(c, (a - b) * np.log(2), rtol=1e-14)
        assert_allclose(calibrator.predict_proba([0.5])[0, 1], 0.5, rtol=0, atol=1e-15)
    q = np.linspace(0.01, 0.99, 9)
    expected = expit(a * np.log(q) - b * np.log(1 - q) + c)
    assert_allclose(calibrator.predict_proba(q)[:, 1], expected, rtol=0, atol=1e-14)


def test_beta_leaves_a_calibrated_model_as_it_is():
    p = np.repeat(np.linspace(0.1, 0.9, 9), 100)
    y = np.concatenate([np.arange(100) < 100 * q for q in np.round(np.linspace(0.1, 0.9, 9), 1)])
    calibrator = BetaCalibrator().fit(p, y)
    assert_allclose([calibrator.a_, calibrator.b_, calibrator.c_], [1, 1, 0], atol=1e-9)


def test_beta_clips_at_eps():
    p, y, _ = sample(0, ends=True)
    calibrator = BetaCalibrator(eps=0.05).fit(np.clip(p, 0.05, 0.95), y)
    expected = calibrator.predict_proba([0.05, 0.95])
    calibrator.fit(p, y)
    assert_allclose(calibrator.predict_proba([0.0, 1.0]), expected, rtol=1e-12)
    assert_array_equal(calibrator.predict_proba([0.0]), calibrator.predict_proba([0.05]))


@pytest.mark.parametrize("calibrator", [PlattCalibrator(), BetaCalibrator()], ids=repr)
def test_convergence(calibrator):
    p, y, _ = sample(0)
    calibrator.set_params(max_iter=1)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 .* Increase max_iter"):
        calibrator.fit(p, y)
    assert calibrator.n_iter_ == 1
    calibrator.set_params(max_iter=100).fit(p, y)
    assert 1 < calibrator.n_iter_ < 20


@pytest.mark.parametrize("spread", ["normal", "cauchy"])
def test_beta_and_platt_converge_on_separable_data(spread):
    rng = np.random.default_rng(0)
    z = rng.normal(size=1000) if spread == "normal" else rng.standard_cauchy(size=1000)
    y = z > 0.1
    platt = PlattCalibrator().fit(z, y)
    beta = BetaCalibrator().fit(expit(z), y)
    assert np.isfinite([platt.slope_, platt.intercept_, beta.a_, beta.b_, beta.c_]).all()
    assert_array_equal(beta.predict(expit(z)), y)
    assert_allclose(beta.predict_proba(expit(z))[:, 1], y, rtol=0, atol=1e-6)


@pytest.mark.parametrize("value", [0.1, 1e5 / 3, -1e-3])
def test_platt_of_a_constant_is_the_smoothed_rate(value):
    rng = np.random.default_rng(0)
    y, weight = rng.integers(2, size=100_000), rng.uniform(size=100_000)
    calibrator = PlattCalibrator().fit(np.full(y.size, value), y, weight)
    n_positive, n_negative = weight[y == 1].sum(), weight[y == 0].sum()
    rate = n_positive * (n_positive + 1) / (n_positive + 2) + n_negative / (n_negative + 2)
    assert calibrator.slope_ == 0.0
    assert_allclose(calibrator.predict_proba([0.0])[0, 1], rate / weight.sum(), rtol=1e-9)


def test_platt_is_equivariant_under_affine_maps():
    p, y, weight = sample(0)
    score = logit(p)
    expected = PlattCalibrator().fit(score, y, weight).predict_proba(score)
    for scale, shift in [(1e-8, 0.0), (1e8, 0.0), (-3.0, 7.0), (1.0, 1e6), (1e-150, 0), (1e150, 0)]:
        other = scale * score + shift
        result = PlattCalibrator().fit(other, y, weight).predict_proba(other)
        assert_allclose(result, expected, rtol=0, atol=1e-9)


def test_probabilities_are_turned_into_log_odds():
    p, y, weight = sample(0, ends=True)
    assert p.min() == 0.0
    assert np.minimum(p, 1 - p)[(p > 0) & (p < 1)].min() == 0.02
    z = logit(np.clip(p, 0.01, 0.99))  # exact 0 and 1 are half the smallest distance away
    for kind in (PlattCalibrator, TemperatureCalibrator):
        expected = kind().fit(z, y, weight).predict_proba(z)
        assert kind().input_scale in ("score", "log_probability")
        for S in (p, np.column_stack([1 - p, p])):
            calibrator = kind(input="probability").fit(S, y, weight)
            assert calibrator.input_scale == "probability"
            assert_allclose(calibrator.predict_proba(S), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("scale", [0.01, 0.3, 1.0, 4.0, 300.0])
def test_temperature_is_stationary(seed, scale):
    p, y, weight = sample(seed)
    z = scale * logit(p)
    temperature = TemperatureCalibrator().fit(z, y, weight).temperature_
    reference = TemperatureCalibrator().fit(logit(p), y, weight).temperature_
    assert 0.001 < temperature < 1000
    assert_allclose(
        mean_gradient(z[:, np.newaxis], y, weight, [1 / temperature]), 0, atol=1e-12 * scale
    )
    assert_allclose(temperature, scale * reference, rtol=1e-10)


@pytest.mark.parametrize("factor", [1e-7, 1e7])
def test_temperature_stops_at_its_bounds(factor):
    p, y, _ = sample(0)
    calibrator = TemperatureCalibrator().fit(logit(p) * factor, y)
    assert calibrator.temperature_ == np.clip(factor, 0.001, 1000)


def test_two_columns_of_logits_are_a_softmax():
    p, y, _ = sample(0)
    z = logit(p)
    shift = np.random.default_rng(0).normal(size=z.size)
    S = np.column_stack([shift, z + shift])
    calibrator = TemperatureCalibrator().fit(S, y)
    odds = np.exp(S / calibrator.temperature_)
    assert_allclose(calibrator.predict_proba(S), odds / odds.sum(axis=1, keepdims=True), rtol=1e-12)
    assert_allclose(calibrator.temperature_, TemperatureCalibrator().fit(z, y).temperature_)


def isotonic_by_minimax(p, y, weight):
    """Return the isotonic fit at the distinct points, by the minimax formula."""
    points = np.unique(p)
    rates, totals = [], []
    for point in points:
        here = p == point
        totals.append(weight[here].sum())
        rates.append((weight * y)[here].sum() / totals[-1])

    def pooled(j, k):
        total = sum(totals[j : k + 1])
        return sum(r * t for r, t in zip(rates[j : k + 1], totals[j : k + 1])) / total

    m = len(points)
    return points, [
        max(min(pooled(j, k) for k in range(i, m)) for j in range(i + 1)) for i in range(m)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_isotonic_is_the_minimax_fit(seed):
    p, y, weight = sample(seed, n_samples=35, ends=True)
    calibrator = IsotonicCalibrator().fit(p, y, weight)
    points, value = isotonic_by_minimax(p, y, weight)
    assert_allclose(calibrator.predict_proba(points)[:, 1], value, rtol=0, atol=1e-12)
    between = np.linspace(0, 1, 501)
    expected = np.interp(between, points, value)
    assert_allclose(calibrator.predict_proba(between)[:, 1], expected, rtol=0, atol=1e-12)
    assert (np.diff(calibrator.X_thresholds_) > 0).all()
    assert (np.diff(calibrator.y_thresholds_) >= 0).all()


def test_isotonic_agrees_with_isotonic_regression():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=5000)
    y = rng.uniform(size=5000) < p
    weight = rng.uniform(size=5000)
    expected = IsotonicRegression(out_of_bounds="clip").fit(p, y, weight)
    queries = np.linspace(0, 1, 1001)
    result = IsotonicCalibrator().fit(p, y, weight).predict_proba(queries)[:, 1]
    assert_allclose(result, expected.predict(queries), rtol=0, atol=1e-12)


def histogram_by_hand(p, y, weight, edges, query):
    """Return the calibrated value of one query by the definition."""

    def number(value):
        inside = [k for k in range(len(edges) - 1) if edges[k] <= value < edges[k + 1]]
        return inside[0] if inside else len(edges) - 2

    numbers = np.array([number(value) for value in p])
    filled = sorted(set(numbers))
    nearest = min(filled, key=lambda k: (abs(k - number(query)), k))
    here = numbers == nearest
    return (weight * y)[here].sum() / weight[here].sum()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_bins", [1, 2, 7, 10, 30])
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_histogram_is_the_rate_of_the_bin(seed, n_bins, strategy):
    p, y, weight = sample(seed, n_samples=25, ends=True)
    calibrator = HistogramCalibrator(n_bins=n_bins, strategy=strategy).fit(p, y, weight)
    queries = np.r_[p, np.linspace(0, 1, 21), calibrator.bin_edges_]
    expected = [histogram_by_hand(p, y, weight, calibrator.bin_edges_, q) for q in queries]
    assert_allclose(calibrator.predict_proba(queries)[:, 1], expected, rtol=0, atol=1e-14)


def test_histogram_edges():
    p, y, _ = sample(0, n_samples=53, ends=True)
    uniform = HistogramCalibrator(n_bins=10).fit(p, y)
    assert_array_equal(uniform.bin_edges_, uniform_edges(10))
    assert uniform.bin_edges_[3] == 0.3
    p = np.random.default_rng(0).uniform(size=53)
    quantile = HistogramCalibrator(n_bins=10, strategy="quantile").fit(p, y)
    expected = np.quantile(p, np.arange(1, 10) / 10, method="median_unbiased")
    assert_allclose(quantile.bin_edges_, np.r_[0, expected, 1], rtol=0, atol=1e-14)


def test_quantile_edges_do_not_depend_on_the_unit_of_small_weights():
    p = np.random.default_rng(0).uniform(size=53)
    y = np.arange(53) % 2
    calibrator = HistogramCalibrator(strategy="quantile")
    expected = calibrator.fit(p, y).bin_edges_
    for weight in (1 / 53, 1e-9):
        edges = calibrator.fit(p, y, np.full(53, weight)).bin_edges_
        assert_allclose(edges, expected, rtol=0, atol=1e-9)


def test_one_vs_rest_by_name_and_instance():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=200)
    y = np.array([rng.choice(3, p=row) for row in P])
    for name, instance in [
        ("platt", PlattCalibrator()),
        ("beta", BetaCalibrator()),
        ("isotonic", IsotonicCalibrator()),
        ("histogram", HistogramCalibrator()),
        ("temperature", TemperatureCalibrator()),
    ]:
        for given in ("native", "probability"):
            S = logit(P) if given == "native" and name == "temperature" else P
            by_name = OneVsRestCalibrator(name, input=given).fit(S, y)
            by_instance = OneVsRestCalibrator(instance, input=given).fit(S, y)
            assert_array_equal(by_name.predict_proba(S), by_instance.predict_proba(S))
            assert [type(c) for c in by_name.calibrators_] == 3 * [type(instance)]
            native = "logit" if name == "temperature" else instance.input_scale
            expected = "probability" if given == "probability" else native
            assert by_name.input_scale == by_instance.input_scale == expected
        on_logits = OneVsRestCalibrator(name, input="probability").fit(P, y).predict_proba(P)
        if name in ("platt", "temperature"):
            native = OneVsRestCalibrator(name).fit(logit(P), y).predict_proba(logit(P))
            assert_allclose(on_logits, native, rtol=0, atol=1e-12)


def test_one_vs_rest_with_an_instance_that_takes_probabilities():
    p, y, _ = sample(0)
    expected = PlattCalibrator(input="probability").fit(p, y).predict_proba(p)
    for given in ("native", "probability"):
        calibrator = OneVsRestCalibrator(PlattCalibrator(input="probability"), input=given)
        assert calibrator.input_scale == "probability"
        assert_array_equal(calibrator.fit(p, y).predict_proba(p), expected)


def test_one_vs_rest_in_a_grid():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=200)
    y = np.array([rng.choice(3, p=row) for row in P])
    search = GridSearchCV(
        OneVsRestCalibrator(HistogramCalibrator()),
        {"method__n_bins": [2, 100]},
        scoring="neg_brier_score",
    ).fit(P, y)
    assert search.best_params_ == {"method__n_bins": 2}


@pytest.mark.slow
def test_one_vs_rest_in_parallel():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=200)
    y = np.array([rng.choice(3, p=row) for row in P])
    assert_array_equal(
        OneVsRestCalibrator("beta", n_jobs=2).fit(P, y).predict_proba(P),
        OneVsRestCalibrator("beta").fit(P, y).predict_proba(P),
    )


@pytest.mark.parametrize("method", ["softmax", 3, OneVsRestCalibrator()], ids=repr)
def test_one_vs_rest_refuses_other_methods(method):
    calibrator = OneVsRestCalibrator(method)
    assert calibrator.input_scale == "probability"
    with pytest.raises(ValueError, match="The 'method' parameter of OneVsRestCalibrator must be"):
        calibrator.fit([[0.2, 0.8], [0.6, 0.4]], [1, 0])


@pytest.mark.parametrize(
    "calibrator",
    [
        PlattCalibrator(input="logit"),
        PlattCalibrator(max_iter=0),
        BetaCalibrator(parameters="a"),
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
