"""`local_bias_band`: the formulas by loops, the critical value, and who can be significant."""

import dataclasses
import math
from contextlib import nullcontext
from inspect import signature

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.inference import local_bias_band, local_calibration_bias
from sklearn_calib.inference._nulls import batches
from sklearn_calib.inference._nulls.simulation import draw_labels
from tests.inference._local._data import local_data


def _loop(y, proba, X, *, widths, min_effective_size):
    """Return bias, null_std, effective size and the maximum, in plain loops over queries."""
    n, n_classes = proba.shape
    columns = [1] if n_classes == 2 else range(n_classes)
    bias, std, sizes = [], [], []
    for q in range(n):
        compared = columns if n_classes > 2 else [1]
        w = [
            math.exp(
                -sum((proba[i][k] - proba[q][k]) ** 2 for k in compared) / widths[0] ** 2
                - sum((a - b) ** 2 for a, b in zip(X[i], X[q])) / widths[1] ** 2
            )
            for i in range(n)
        ]
        total = math.fsum(w)
        sizes.append(total**2 / math.fsum(v * v for v in w))
        bias.append(
            [
                math.fsum(w[i] * ((y[i] == k) - proba[i][k]) for i in range(n)) / total
                for k in columns
            ]
        )
        std.append(
            [
                math.sqrt(math.fsum(w[i] ** 2 * proba[i][k] * (1 - proba[i][k]) for i in range(n)))
                / total
                for k in columns
            ]
        )
    bias, std, sizes = np.array(bias), np.array(std), np.array(sizes)
    tested = sizes >= min_effective_size
    return bias, std, sizes, np.max(np.abs(bias / std)[tested])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_against_loops(n_classes):
    y, proba, X = local_data(n_classes=n_classes)
    matrix = np.column_stack([1 - proba, proba]) if n_classes == 2 else proba
    options = {"widths": (0.4, 1.5), "min_effective_size": 6}
    band = local_bias_band(
        y,
        proba,
        X,
        prob_bandwidth=0.4,
        feature_bandwidth=1.5,
        min_effective_size=6,
        n_resamples=19,
        alpha=0.2,
        random_state=3,
    )
    bias, std, sizes, _ = _loop(y, matrix, X, **options)
    assert_allclose(band.bias.reshape(40, -1), bias, rtol=1e-10, atol=1e-14)
    assert_allclose(band.null_std.reshape(40, -1), std, rtol=1e-10)
    assert_allclose(band.effective_size, sizes, rtol=1e-10)
    assert 0 < np.count_nonzero(~band.tested) < 40
    assert_array_equal(band.tested, sizes >= 6)
    codes = draw_labels(check_generator(3), matrix, 19)
    maxima = sorted(_loop(c, matrix, X, **options)[3] for c in codes.T)
    assert band.critical_value == pytest.approx(maxima[16 - 1], rel=1e-10)
    exceeds = (np.abs(bias) > band.critical_value * std) & band.tested[:, np.newaxis]
    assert_array_equal(band.significant.reshape(40, -1), exceeds)


def _wrong(n=300):
    rng = np.random.default_rng(0)
    X, p = rng.uniform(-2, 2, size=(n, 1)), rng.uniform(0.3, 0.7, size=n)
    return (rng.random(n) < p + 0.3 * (X[:, 0] > 0)).astype(int), p, X


def test_a_wrong_region_is_found_and_the_rest_is_not():
    y, p, X = _wrong()
    band = local_bias_band(y, p, X, feature_bandwidth=0.3, random_state=0)
    assert band.significant[X[:, 0] > 0.5].mean() > 0.5
    assert not band.significant[X[:, 0] < -0.5].any()
    assert (band.bias[band.significant] > 0).all()
    assert_allclose(
        band.bias, local_calibration_bias(y, p, X, feature_bandwidth=0.3), rtol=1e-12, atol=1e-14
    )


def test_result():
    y, p, X = _wrong()
    band = local_bias_band(y, p, X, prob_bandwidth=0.2, feature_bandwidth=[0.3], n_resamples=99)
    assert (band.alpha, band.n_resamples, band.min_effective_size) == (0.05, 99, 10)
    assert (band.prob_bandwidth, band.feature_bandwidth.tolist()) == (0.2, [0.3])
    with pytest.raises(dataclasses.FrozenInstanceError):
        band.alpha = 0.1
    assert " ".join(repr(band).split()) == (
        f"LocalBiasBand( n_significant={band.significant.sum()}, n_tested={band.tested.sum()}, "
        f"n_queries=300, alpha=0.05, critical_value={band.critical_value:.4g}, n_resamples=99, "
        "min_effective_size=10, prob_bandwidth=0.2, feature_bandwidth=[0.3], )"
    )


def test_batches_do_not_matter(monkeypatch):
    y, proba, X = local_data(n_classes=3)
    options = {"min_effective_size": 3, "n_resamples": 50, "random_state": 0}
    whole = local_bias_band(y, proba, X, **options)
    monkeypatch.setattr(batches, "_BATCH_CELLS", 40 * 3 * 7)
    assert local_bias_band(y, proba, X, **options).critical_value == pytest.approx(
        whole.critical_value, rel=1e-12
    )


def test_queries():
    y, p, X = _wrong()
    band = local_bias_band(
        y,
        p,
        X,
        X_query=[1.0, -1.0, 99.0],
        proba_query=[0.5] * 3,
        feature_bandwidth=0.3,
        random_state=0,
    )
    assert band.bias.shape == band.null_std.shape == band.effective_size.shape == (3,)
    assert band.significant.tolist() == [True, False, False]
    assert band.tested.tolist() == [True, True, False]


def test_a_single_surprise_far_out_is_too_few_data():
    y, p, X = _wrong()
    y, p, X = np.append(y, 1), np.append(p, 0.001), np.append(X, [[1000.0]], axis=0)
    band = local_bias_band(y, p, X, feature_bandwidth=0.3, random_state=0)
    assert band.bias[-1] > 5 * band.critical_value * band.null_std[-1]
    assert not band.tested[-1]
    assert not band.significant[-1]
    assert local_bias_band(
        y, p, X, feature_bandwidth=0.3, min_effective_size=1, random_state=0
    ).tested.all()


def test_too_few_draws_for_the_level():
    y, p, X = _wrong()
    for alpha, fewest in ((0.05, 19), (1 / 49, 48), (0.3, 3)):
        options = {"alpha": alpha, "random_state": 0}
        enough = local_bias_band(y, p, X, n_resamples=fewest, **options)
        assert math.isfinite(enough.critical_value)
        with pytest.warns(UserWarning, match=f"nothing can be significant: .* at least {fewest}"):
            band = local_bias_band(y, p, X, n_resamples=fewest - 1, **options)
        assert math.isinf(band.critical_value)
        assert not band.significant.any()


def test_no_point_with_enough_data():
    y, p, X = _wrong(20)
    with pytest.warns(UserWarning, match="No query point has an effective size of at least 50"):
        band = local_bias_band(y, p, X, min_effective_size=50)
    assert not band.significant.any()
    assert math.isinf(band.critical_value)


@pytest.mark.parametrize(("n", "tested"), [(9, False), (10, True)])
def test_ten_equal_rows_are_enough_by_default(n, tested):
    """Rows of one place, and one row far away, whose effective size is one."""
    x = np.append(np.zeros(n), 100.0)
    y, p = np.arange(n + 1) % 2, np.full(n + 1, 0.5)
    context = nullcontext() if tested else pytest.warns(UserWarning, match="No query point")
    with context:
        options = {"feature_bandwidth": 1.0, "categorical_features": [], "n_resamples": 19}
        band = local_bias_band(y, p, x, **options)
    assert_array_equal(band.effective_size, np.append(np.full(n, n), 1.0))
    assert_array_equal(band.tested, np.append(np.full(n, tested), False))


def test_any_bias_of_certain_predictions_is_significant():
    X = np.zeros(40)
    p = np.repeat([0.0, 1.0], 20)
    right, wrong = p.astype(int), p.astype(int)
    assert not local_bias_band(right, p, X, prob_bandwidth=0.01).significant.any()
    wrong[0] = 1
    band = local_bias_band(wrong, p, X, prob_bandwidth=0.01)
    assert_array_equal(band.null_std, 0.0)
    assert_array_equal(band.significant, p == 0)
    assert band.critical_value == 0.0


@pytest.mark.parametrize(("p", "bias"), [(1.0, -1.0), (0.0, 1.0)])
def test_a_certain_prediction_that_is_always_wrong_is_flagged_in_either_direction(p, bias):
    """Nothing varies there under calibration, so the bias has no standard deviation."""
    x = np.repeat([0.0, 100.0], 20)
    y = np.where(x == 0, 1 - p, p).astype(int)
    band = local_bias_band(y, np.full(40, p), x, feature_bandwidth=1.0, n_resamples=19)
    assert_array_equal(band.null_std, 0.0)
    assert_array_equal(band.bias, np.where(x == 0, bias, 0.0))
    assert_array_equal(band.significant, x == 0)


def test_too_few_draws_leave_a_limit_of_zero_where_nothing_varies():
    """The critical value is infinite there; times a standard deviation of zero it is no number."""
    x, p = np.repeat([0.0, 100.0], 20), np.repeat([1.0, 0.5], 20)
    y = np.append(np.zeros(20, dtype=int), np.arange(20) % 2)
    with pytest.warns(UserWarning, match="the critical value at alpha=0.05 is infinite"):
        band = local_bias_band(y, p, x, feature_bandwidth=1.0, n_resamples=9)
    assert_array_equal(band.limit, np.where(x == 0, 0.0, np.inf))
    assert not band.significant.any()


def test_the_default_number_of_draws():
    x = np.repeat([0.0, 1.0], 10)
    assert local_bias_band(x.astype(int), np.full(20, 0.5), x).n_resamples == 999
    assert signature(local_bias_band).parameters["n_resamples"].default == 999


def test_seeds_and_forms():
    y, p, X = _wrong(60)
    text = np.array(["no", "yes"])[y]
    values = {
        local_bias_band(*data, random_state=5, **options).critical_value
        for data, options in (
            ((y, p, X), {}),
            ((y, np.column_stack([1 - p, p]), X), {}),
            ((text, p, X), {"pos_label": "yes"}),
            ((text, p, X), {"labels": ["no", "yes"]}),
        )
    }
    assert len(values) == 1
    assert local_bias_band(y, p, X, random_state=6).critical_value not in values


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.0}, "alpha must be a finite number above 0 and below 1, got 0.0"),
        ({"alpha": 1}, "alpha must be a finite number above 0 and below 1, got 1"),
        ({"min_effective_size": -1}, "min_effective_size must be a finite number above 0, got -1"),
        ({"n_resamples": 0}, "n_resamples must be a whole number"),
        ({"X_query": [0.0]}, "X_query is given and proba_query is not"),
        ({"random_state": -1}, "random_state must be"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        local_bias_band(*_wrong(20), **options)
