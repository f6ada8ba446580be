"""`check_calibration`: exact p-values, options, seeds, ties, and what must be refused."""

import dataclasses
from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import brier_score_loss, log_loss

from sklearn_calib._utils.random_streams import check_generator
from sklearn_calib.inference import CalibrationTestResult, check_calibration
from sklearn_calib.inference._nulls import batches
from sklearn_calib.inference._nulls.simulation import draw_labels
from sklearn_calib.inference._result import monte_carlo_pvalue
from sklearn_calib.inference._statistics import prepare as _statistics
from sklearn_calib.metrics import average_calibration_error, ece, kce, klce, mce, mmce, skce

GLOBAL = (skce, kce, mmce, ece, mce, average_calibration_error)


def _binary(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X, p = rng.normal(size=(n, 2)), rng.uniform(0.05, 0.95, size=n)
    return (rng.random(n) < p).astype(int), p, X


def _multiclass(n=60, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X, proba = rng.normal(size=(n, 2)), rng.dirichlet(np.ones(n_classes), size=n)
    return np.array([rng.choice(n_classes, p=row) for row in proba]), proba, X


# -- Known answers ---------------------------------------------------------------------------------


def _exact_pvalue(metric, y, proba, **options):
    """Enumerate all label vectors with their probabilities under the predictions."""
    matrix = np.column_stack([1 - proba, proba]) if proba.ndim == 1 else proba
    n, n_classes = matrix.shape
    observed, total = metric(y, proba, labels=np.arange(n_classes), **options), 0.0
    for labels in product(range(n_classes), repeat=n):
        value = metric(np.array(labels), proba, labels=np.arange(n_classes), **options)
        if value >= observed - 1e-12:
            total += np.prod(matrix[np.arange(n), labels])
    return total


@pytest.mark.parametrize("metric", GLOBAL)
def test_simulated_pvalue_tends_to_the_enumerated_one(metric):
    y, p, _ = _binary(6, seed=3)
    exact = _exact_pvalue(metric, y, p)
    n_draws = 20_000
    result = check_calibration(
        y, p, statistic=metric.__name__, n_resamples=n_draws, labels=[0, 1], random_state=0
    )
    assert 0.02 < exact < 0.98
    assert_allclose(result.pvalue, exact, rtol=0, atol=4 * np.sqrt(exact / n_draws))


@pytest.mark.parametrize("target", ["confidence", "classwise", "canonical"])
def test_simulated_pvalue_of_three_classes(target):
    y, proba, X = _multiclass(4, seed=1)
    n_draws = 20_000
    options = {"labels": [0, 1, 2], "n_resamples": n_draws, "target": target, "random_state": 0}
    for statistic, features in ((skce, None), (klce, X)):
        result = check_calibration(y, proba, features, **options)
        if statistic is skce:
            exact = _exact_pvalue(skce, y, proba, target=target)
        elif target == "canonical":
            exact = _exact_pvalue(klce, y, proba, X=X)
        else:
            continue
        assert_allclose(result.pvalue, exact, rtol=0, atol=4 * np.sqrt(exact / n_draws))


@pytest.mark.parametrize("metric", GLOBAL)
@pytest.mark.parametrize("make", [_binary, _multiclass])
def test_statistic_is_the_metric(metric, make):
    y, proba, _ = make()
    by_name = check_calibration(y, proba, statistic=metric.__name__, n_resamples=5, random_state=0)
    by_function = check_calibration(y, proba, statistic=metric, n_resamples=5, random_state=0)
    assert_allclose(by_name.statistic, metric(y, proba), rtol=1e-10, atol=1e-14)
    assert_array_equal(by_name.null_distribution, by_function.null_distribution)
    assert by_name.statistic_name == by_function.statistic_name == metric.__name__


def test_defaults_without_and_with_features():
    y, p, X = _binary()
    without, local = (check_calibration(y, p, x, n_resamples=5) for x in (None, X))
    assert_allclose(without.statistic, skce(y, p), rtol=1e-12)
    assert_allclose(local.statistic, klce(y, p, X), rtol=1e-12)
    assert (without.statistic_name, local.statistic_name) == ("skce", "klce")
    assert without.prob_bandwidth == 0.2
    assert without.feature_bandwidth is None
    assert local.feature_bandwidth.shape == (2,)
    assert (without.target, check_calibration(*_multiclass()[:2]).target) == ("binary", "canonical")


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        (skce, {"estimator": "ul", "kernel": "rbf", "bandwidth": "median"}),
        (skce, {"estimator": "block", "block_size": 7, "target": "confidence"}),
        (kce, {"squared": False, "bandwidth": 0.1}),
        (mmce, {"bandwidth": 0.4}),
        (ece, {"n_bins": 4, "strategy": "quantile", "norm": "l2"}),
        (mce, {"n_bins": 4, "closed": "right"}),
        (average_calibration_error, {"n_bins": 4, "target": "classwise"}),
    ],
)
def test_options_of_the_metric(metric, params):
    y, proba, _ = _multiclass()
    result = check_calibration(
        y, proba, statistic=metric.__name__, statistic_params=params, n_resamples=5
    )
    assert_allclose(result.statistic, metric(y, proba, **params), rtol=1e-10, atol=1e-14)


def test_options_of_klce_in_either_place():
    y, p, X = _binary()
    options = {"prob_bandwidth": 0.3, "feature_bandwidth": [0.5, 2.0]}
    value = klce(y, p, X, **options)
    for given in (options, {"statistic_params": options}):
        result = check_calibration(y, p, X, n_resamples=5, **given)
        assert_allclose(result.statistic, value, rtol=1e-10)
        assert_array_equal(result.feature_bandwidth, [0.5, 2.0])
    scaled = check_calibration(y, p, X, n_resamples=5, feature_bandwidth="scaled")
    assert_allclose(scaled.statistic, klce(y, p, X, feature_bandwidth="scaled"), rtol=1e-10)


@pytest.mark.parametrize("null", ["simulation", "permutation", "wild"])
@pytest.mark.parametrize("target", ["confidence", "classwise", "canonical"])
def test_every_draw_is_the_metric_of_changed_data(null, target):
    """The draws of each null agree with the metric on what the null stands for."""
    y, proba, _ = _multiclass(12)
    result = check_calibration(
        y, proba, null=null, target=target, n_resamples=4, labels=[0, 1, 2], random_state=0
    )
    if null == "simulation":
        codes = draw_labels(check_generator(0), proba, 4)
        values = [skce(c, proba, target=target, labels=[0, 1, 2]) for c in codes.T]
    else:
        values = _oracle_residual_draws(y, proba, null, target)
    assert_allclose(result.null_distribution, values, rtol=1e-10, atol=1e-14)


def _oracle_residual_draws(y, proba, null, target):
    """Change residuals row by row with loops, for the first four draws of seed 0."""
    rng, n = check_generator(0), len(y)
    if null == "permutation":
        rows = [rng.permuted(np.arange(n)[np.newaxis], axis=1)[0] for _ in range(4)]
        changed = [lambda e, q=q: e[q] for q in rows]
    else:
        signs = [np.where(rng.random(n) < 0.5, 1.0, -1.0) for _ in range(4)]
        changed = [lambda e, s=s: e * s[:, np.newaxis] for s in signs]
    onehot = np.eye(3)[y]
    if target == "canonical":
        reductions = [(proba, onehot - proba)]
    elif target == "confidence":
        top = proba.argmax(axis=1)[:, np.newaxis]
        r = np.take_along_axis(proba, top, 1)
        reductions = [(r, np.take_along_axis(onehot, top, 1) - r)]
    else:
        reductions = [(proba[:, [k]], onehot[:, [k]] - proba[:, [k]]) for k in range(3)]
    values = []
    for change in changed:
        each = []
        for points, e in reductions:
            e = change(e)
            total = 0.0
            for i, j in product(range(n), repeat=2):
                if i != j:
                    distance = np.linalg.norm(points[i] - points[j])
                    total += np.exp(-distance / 0.2) * (e[i] @ e[j])
            each.append(total / (n * (n - 1)))
        values.append(np.mean(each))
    return values


# -- Draws and seeds -------------------------------------------------------------------------------


@pytest.mark.parametrize("null", ["simulation", "permutation", "wild"])
def test_batches_and_number_of_draws_do_not_change_a_draw(null, monkeypatch):
    y, proba, X = _multiclass()
    options = {"null": null, "random_state": 7}
    whole = check_calibration(y, proba, X, n_resamples=50, **options)
    monkeypatch.setattr(batches, "_BATCH_CELLS", 60 * 3 * 8)
    split = check_calibration(y, proba, X, n_resamples=50, **options)
    fewer = check_calibration(y, proba, X, n_resamples=19, **options)
    monkeypatch.setattr(batches, "_BATCH_CELLS", 1)
    single = check_calibration(y, proba, X, n_resamples=50, **options)
    for other in (split, single):
        assert other.pvalue == whole.pvalue
        assert_allclose(other.statistic, whole.statistic, rtol=1e-12)
        assert_allclose(other.null_distribution, whole.null_distribution, rtol=1e-10, atol=1e-15)
    assert_allclose(fewer.null_distribution, whole.null_distribution[:19], rtol=1e-10, atol=1e-15)


def test_kinds_of_seeds():
    y, p, _ = _binary()

    def draws(seed):
        return check_calibration(y, p, n_resamples=20, random_state=seed).null_distribution

    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert_array_equal(draws(3), draws(np.int64(3)))
    assert_array_equal(draws(3), draws(check_generator(3)))
    state, generator = np.random.RandomState(3), np.random.default_rng(3)
    assert_array_equal(draws(state), draws(np.random.RandomState(3)))
    assert (draws(generator) != draws(generator)).any()
    assert (draws(state) != draws(state)).any()
    assert (draws(3) != draws(4)).any()
    assert (draws(None) != draws(None)).any()
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize("seed", [-1, 0.5, "0", True, np.random])
def test_bad_seed(seed):
    with pytest.raises(ValueError, match="random_state must be None, a non-negative int"):
        check_calibration([0, 1], [0.2, 0.6], random_state=seed)


def test_all_forms_of_binary_data_give_the_same_draws():
    y, p, X = _binary()
    reference = check_calibration(y, p, X, n_resamples=50, random_state=0)
    text = np.array(["no", "yes"])[y]
    two = np.column_stack([1 - p, p])
    for labels, proba, options in (
        (y, p[:, np.newaxis], {}),
        (y, two, {}),
        (y.astype(bool), pd.Series(p, index=np.arange(60)[::-1]), {}),
        (2 * y - 1, two, {}),
        (text, p, {"pos_label": "yes"}),
        (text, two, {}),
        (text, two, {"labels": ["no", "yes"]}),
    ):
        result = check_calibration(labels, proba, X, n_resamples=50, random_state=0, **options)
        assert_allclose(result.null_distribution, reference.null_distribution, rtol=1e-10)
        assert result.pvalue == reference.pvalue


def test_row_order_and_feature_order_do_not_matter():
    y, p, X = _binary()
    order = np.random.default_rng(1).permutation(60)
    value = check_calibration(y, p, X, n_resamples=1).statistic
    for data in ((y[order], p[order], X[order]), (y, p, X[:, ::-1])):
        assert check_calibration(*data, n_resamples=1).statistic == pytest.approx(value, rel=1e-12)


# -- P-values --------------------------------------------------------------------------------------


def test_pvalue_formulas():
    values = np.array([1.0, 2.0, 3.0, 4.0])
    assert monte_carlo_pvalue(3.0, values) == 3 / 5
    assert monte_carlo_pvalue(3.0, values, add_one=False) == 1 / 4
    assert monte_carlo_pvalue(9.0, values) == 1 / 5
    assert monte_carlo_pvalue(9.0, values, add_one=False) == 1 / 4
    assert monte_carlo_pvalue(0.0, values) == 1.0


def test_ties_up_to_rounding_count_as_at_least_as_large():
    near = 3.0 * (1 - 4e-13)
    assert monte_carlo_pvalue(3.0, np.array([near, 1.0])) == 2 / 3
    assert monte_carlo_pvalue(near, np.array([3.0, 1.0]), add_one=False) == 1 / 2
    assert monte_carlo_pvalue(3.0, np.array([3.0 * (1 - 1e-11), 1.0])) == 1 / 3
    # The tolerance goes with the largest value in size.
    assert monte_carlo_pvalue(1e-14, np.array([0.0, -1.0])) == 2 / 3


def test_nan_and_infinity_never_make_a_small_pvalue_by_accident():
    assert monte_carlo_pvalue(1.0, np.array([np.nan, np.nan, 0.0])) == 3 / 4
    assert monte_carlo_pvalue(np.inf, np.array([1.0, 2.0, np.inf])) == 2 / 4
    assert monte_carlo_pvalue(1.0, np.array([-np.inf, np.inf, 0.0])) == 2 / 4


def test_certain_and_right_predictions_are_calibrated():
    """Every draw equals the data, so everything ties."""
    y = np.array([0, 1, 1, 0])
    for X in (None, [[0.0], [1.0], [1.0], [3.0]]):
        result = check_calibration(y, y.astype(float), X, n_resamples=99)
        assert (result.statistic, result.pvalue) == (0.0, 1.0)


def test_strong_evidence_has_the_smallest_pvalue_and_not_zero():
    y, p = np.repeat([0, 1], 50), np.repeat([0.9, 0.1], 50)
    assert check_calibration(y, p, n_resamples=99).pvalue == 0.01
    assert check_calibration(y, p, n_resamples=99, add_one=False).pvalue == 1 / 99


# -- Callables -------------------------------------------------------------------------------------


def test_callable_sees_the_data_as_they_were_passed():
    y, p, X = _binary()
    text, table = np.array(["no", "yes"])[y], pd.DataFrame({"a": X[:, 0], "b": "text"})
    seen = []

    def statistic(y_true, y_proba, X, *, power):
        seen.append((set(y_true), y_proba, X))
        return np.abs(np.mean((y_true == "yes") - y_proba)) ** power

    series = pd.Series(p)
    result = check_calibration(
        text,
        series,
        table,
        statistic=statistic,
        statistic_params={"power": 2},
        pos_label="yes",
        n_resamples=9,
    )
    assert result.statistic == pytest.approx(np.mean(y - p) ** 2)
    assert (result.statistic_name, result.target, result.algorithm) == ("statistic", None, None)
    assert len(seen) == 10
    assert all(labels <= {"no", "yes"} and a is series and b is table for labels, a, b in seen)


def test_callable_of_another_package():
    y, proba, _ = _multiclass()
    text = np.array(["a", "b", "c"])[y]
    result = check_calibration(text, proba, statistic=log_loss, n_resamples=30, random_state=0)
    assert result.statistic == pytest.approx(log_loss(text, proba))
    codes = draw_labels(check_generator(0), proba, 30)
    values = [log_loss(c, proba, labels=[0, 1, 2]) for c in codes.T]
    assert_allclose(result.null_distribution, values, rtol=1e-12)


def test_callable_gets_weights_and_rows_of_weight_zero_are_left_out():
    y, p, _ = _binary()
    weight = np.arange(60) % 3.0
    result = check_calibration(
        y, p, statistic=brier_score_loss, sample_weight=weight, n_resamples=9, random_state=0
    )
    assert result.statistic == pytest.approx(brier_score_loss(y, p, sample_weight=weight))
    kept = weight > 0
    fewer = check_calibration(
        y[kept],
        p[kept],
        statistic=brier_score_loss,
        sample_weight=weight[kept],
        n_resamples=9,
        random_state=0,
    )
    assert_array_equal(result.null_distribution, fewer.null_distribution)
    assert result.n_samples == 40


def test_nan_of_a_callable():
    y, p, _ = _binary()
    with pytest.raises(ValueError, match="The statistic broken is NaN on the data"):
        check_calibration(y, p, statistic=_named("broken", lambda y, p: np.nan))

    def sometimes(y_true, y_proba):
        return 5.0 if np.array_equal(y_true, y) else np.nan

    with pytest.warns(UserWarning, match="NaN for 19 of 19 draws"):
        result = check_calibration(y, p, statistic=sometimes, n_resamples=19)
    assert result.pvalue == 1.0


def _named(name, function):
    function.__name__ = name
    return function


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": lambda y, p: 0.0, "X": True}, "X is passed exactly if it is given"),
        (
            {"statistic": lambda y, p, sample_weight=None: 0.0, "X": True},
            "does not use X: its third argument is 'sample_weight'",
        ),
        ({"statistic": lambda y, p, X: 0.0}, "X is passed exactly if it is given"),
        ({"statistic": lambda y, p: None}, "must return one number, got None"),
        ({"statistic": lambda y, p: p}, "must return one number, got array"),
        ({"statistic": lambda y, p: 0.0, "target": "binary"}, r"sets \['target'\], which a callab"),
        ({"statistic": lambda y, p: 0.0, "null": "wild"}, "changes residuals, which the statistic"),
        ({"statistic": lambda y, p: 0.0, "algorithm": "exact"}, "algorithm='exact' is a way to"),
        ({"statistic": lambda y, p: 0.0, "weighted": True}, "has no parameter sample_weight"),
        ({"statistic": lambda y, p: 0.0, "statistic_params": {"a": 1}}, "which does not fit"),
    ],
)
def test_bad_callable(options, message):
    y, p, X = _binary()
    features = X if options.pop("X", False) else None
    if options.pop("weighted", False):
        options["sample_weight"] = np.ones(60)
    with pytest.raises(ValueError, match=message):
        check_calibration(y, p, features, n_resamples=3, **options)


def test_callable_needs_to_know_both_labels():
    with pytest.raises(ValueError, match=r"y_true holds only 'spam'\. Pass labels="):
        check_calibration(["spam"] * 3, [0.5] * 3, statistic=brier_score_loss, pos_label="spam")
    result = check_calibration(
        ["spam"] * 3,
        [0.5] * 3,
        statistic=lambda y, p: np.mean(y == "spam"),
        labels=["eggs", "spam"],
        n_resamples=199,
    )
    assert result.pvalue == pytest.approx(1 / 8, abs=0.1)


# -- Weights, degenerate data, warnings ------------------------------------------------------------


def test_weights():
    y, proba, X = _multiclass()
    weight = np.random.default_rng(5).integers(0, 3, size=60).astype(float)
    options = {"n_resamples": 20, "random_state": 0}
    result = check_calibration(y, proba, X, sample_weight=weight, **options)
    assert result.statistic == pytest.approx(klce(y, proba, X, sample_weight=weight), rel=1e-10)
    kept = weight > 0
    for data, w in (((y, proba, X), 7 * weight), ((y[kept], proba[kept], X[kept]), weight[kept])):
        other = check_calibration(*data, sample_weight=w, **options)
        assert_allclose(other.null_distribution, result.null_distribution, rtol=1e-10)
        assert other.n_samples == kept.sum()


def test_two_rows_are_enough_and_one_is_not():
    assert 0 < check_calibration([0, 1], [0.2, 0.6], [[0.0], [1.0]], n_resamples=9).pvalue <= 1
    for X in (None, [[0.0]]):
        with pytest.raises(ValueError, match=r"n too small.*at least 2"):
            check_calibration([1], [0.5], X)
    assert check_calibration([1], [0.5], statistic="mmce", n_resamples=9).pvalue == 1.0


def test_equal_predictions_and_few_distinct_features():
    y, X = np.tile([0, 1], 20), np.repeat([[0.0], [1.0]], [30, 10], axis=0)
    result = check_calibration(y, np.full(40, 0.5), X, n_resamples=99, random_state=0)
    assert (result.prob_bandwidth, result.feature_bandwidth.tolist()) == (1.0, [1.0])
    assert np.isfinite(result.statistic)
    assert 0.5 < result.pvalue <= 1
    constant = check_calibration(y, np.full(40, 0.5), np.zeros((40, 2)), n_resamples=99)
    assert np.isfinite(constant.null_distribution).all()


def test_large_offset_of_features_is_harmless():
    y, p, X = _binary(40)
    X = np.round(X * 1024) / 1024
    options = {"prob_bandwidth": 0.2, "feature_bandwidth": 1.0, "n_resamples": 1}
    plain = check_calibration(y, p, X, **options).statistic
    assert check_calibration(y, p, X + 10_000, **options).statistic == pytest.approx(plain, 1e-10)


def test_a_feature_that_carries_all_the_distance_is_named():
    y, p, X = _binary()
    X = X * [1.0, 1000.0]
    with pytest.warns(UserWarning, match=r"Column 1 of X carries 100\.00% of the squared distance"):
        check_calibration(y, p, X, n_resamples=1)
    check_calibration(y, p, X, n_resamples=1, feature_bandwidth="scaled")
    check_calibration(y, p, X, n_resamples=1, feature_bandwidth=[1.0, 1000.0])
    check_calibration(y, p, X[:, [1]], n_resamples=1)
    check_calibration(y, p, X * [0.0, 1.0], n_resamples=1)


def test_a_permutation_does_not_see_a_uniform_shift():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.2, 0.8, size=400)
    y = (rng.random(400) < p + 0.15).astype(int)
    assert check_calibration(y, p, random_state=0).pvalue < 0.01
    assert check_calibration(y, p, null="permutation", random_state=0).pvalue > 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_resamples": 0}, "n_resamples must be a whole number of at least 1, got 0"),
        ({"null": "bootstrap"}, "null must be one of 'simulation', 'permutation', 'wild'"),
        ({"algorithm": "fast"}, "algorithm must be one of 'auto', 'exact', 'low_rank'"),
        (
            {"statistic": "brier"},
            "statistic must be one of 'auto', 'skce', .* or a callable, got 'brier'",
        ),
        ({"statistic": 3}, "statistic must be the name of a metric or a callable, got 3"),
        ({"statistic": "klce"}, "statistic='klce' .* needs X"),
        ({"statistic": "skce", "X": True}, "statistic='skce' does not use X"),
        ({"statistic": "ece", "X": True}, "statistic='ece' does not use X"),
        ({"statistic": "ece", "null": "permutation"}, "null='permutation' changes residuals"),
        ({"statistic": "mmce", "null": "wild"}, "it exists for skce, kce, klce"),
        ({"statistic": "ece", "algorithm": "low_rank"}, "the statistic ece has none"),
        ({"statistic_params": {"n_bins": 3}}, r"statistic_params sets \['n_bins'\]"),
        ({"add_one": "x"}, "add_one must be True or False, got 'x'"),
        ({"statistic_params": [1]}, r"statistic_params must be None or a dict.*got \[1\]"),
        ({"statistic_params": "abc"}, "statistic_params must be None or a dict.*got 'abc'"),
        ({"statistic_params": {1: 2}}, "statistic_params must be None or a dict"),
        ({"prob_bandwidth": 0.3}, r"the call sets \['prob_bandwidth'\]"),
        ({"feature_bandwidth": [1.0]}, r"the call sets \['feature_bandwidth'\]"),
        (
            {"X": True, "prob_bandwidth": 0.3, "statistic_params": {"prob_bandwidth": 0.3}},
            r"\['prob_bandwidth'\] is set in the call and in statistic_params",
        ),
        ({"X": True, "feature_bandwidth": 0.0}, "feature_bandwidth must be a positive number"),
        ({"X": True, "feature_bandwidth": [1.0]}, r"shape \(2,\), got shape \(1,\)"),
        ({"X": True, "prob_bandwidth": -1}, "prob_bandwidth must be a positive number"),
        ({"target": "top"}, "target must be one of"),
        ({"statistic": "ece", "target": "canonical"}, "target must be one of"),
        ({"labels": [1, 0]}, "sorted order"),
        ({"sample_weight": np.zeros(60)}, "sample_weight is zero for every row"),
    ],
)
def test_bad_options(options, message):
    y, p, X = _binary()
    features = X if options.pop("X", False) else None
    with pytest.raises(ValueError, match=message):
        check_calibration(y, p, features, **options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y, p, X: (y, p, X.astype(str)), "X must be numeric"),
        (lambda y, p, X: (y, p, np.where(X > 1, np.nan, X)), "X must be finite"),
        (lambda y, p, X: (y, np.where(p > 0.5, np.nan, p), X), "y_proba must be finite"),
        (lambda y, p, X: (y, p + 1, X), r"y_proba must hold probabilities in \[0, 1\]"),
        (lambda y, p, X: (y[1:], p, X), "same number of rows, got 59 and 60"),
        (lambda y, p, X: (y, p, X[1:]), "same number of rows, got 60 and 59"),
    ],
)
def test_bad_data_raise_and_never_give_a_pvalue(change, message):
    with pytest.raises(ValueError, match=message):
        check_calibration(*change(*_binary()))


# -- Result ----------------------------------------------------------------------------------------


def test_result():
    y, p, X = _binary()
    result = check_calibration(y, p, X, n_resamples=99, random_state=0)
    statistic, pvalue = result
    assert (statistic, pvalue) == (result.statistic, result.pvalue)
    assert result.null_distribution.shape == (99,)
    assert result.expected == result.null_distribution.mean()
    assert result.effect_size == np.sqrt(max(statistic, 0))
    assert (result.n_samples, result.n_resamples, result.null) == (60, 99, "simulation")
    assert isinstance(result, CalibrationTestResult)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.pvalue = 0.0
    text = repr(result)
    for part in (
        f"statistic={statistic:.4g}, pvalue={pvalue:.4g}",
        f"expected={result.expected:.4g}",
        f"effect_size={result.effect_size:.4g}",
        "statistic_name='klce', target='binary', null='simulation', n_samples=60",
        "n_resamples=99",
        f"prob_bandwidth={result.prob_bandwidth:.4g}",
    ):
        assert part in text


def test_effect_size_is_on_the_scale_of_probabilities():
    y, p, _ = _binary()
    for statistic, params in (("ece", {}), ("mmce", {}), ("kce", {"squared": False})):
        result = check_calibration(
            y, p, statistic=statistic, statistic_params=params, n_resamples=9
        )
        assert result.effect_size == result.statistic
    y = 1 - y
    squared = check_calibration(y, p, statistic="kce", n_resamples=9)
    assert squared.effect_size == np.sqrt(squared.statistic)


def test_expected_value_under_calibration():
    """A binned error is biased upwards; the mean over all label vectors is enumerated."""
    p = np.array([0.2, 0.5, 0.9])
    truth = sum(
        np.prod(np.where(y, p, 1 - p)) * ece(np.array(y), p) for y in product([0, 1], repeat=3)
    )
    result = check_calibration([0, 1, 1], p, statistic="ece", n_resamples=20_000, random_state=0)
    assert_allclose(result.expected, truth, rtol=0.01)


def test_progress(capsys, monkeypatch):
    y, p, _ = _binary()
    check_calibration(y, p, n_resamples=10)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(batches, "_BATCH_CELLS", 60 * 5)
    check_calibration(y, p, n_resamples=10, verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert [line.rsplit(",", 1)[0] for line in lines] == [
        "[check_calibration] 5 of 10 draws",
        "[check_calibration] 10 of 10 draws",
    ]


# -- Algorithms ------------------------------------------------------------------------------------


def test_low_rank_agrees_with_exact_within_its_certificate():
    y, p, X = _binary(400)
    exact = check_calibration(y, p, X, algorithm="exact", random_state=0)
    low = check_calibration(y, p, X, algorithm="low_rank", random_state=0)
    assert (exact.algorithm, exact.certificate) == ("tiles", None)
    assert low.algorithm == "low_rank"
    deviation = exact.null_distribution.std()
    errors = np.append(
        low.null_distribution - exact.null_distribution, low.statistic - exact.statistic
    )
    assert np.abs(errors).max() <= 6 * low.certificate.relative_std * deviation + 1e-15
    assert low.certificate.relative_std < 1e-3
    assert "certificate=LowRankCertificate(" in repr(low)


def test_auto_is_exact_up_to_the_stated_work(monkeypatch):
    y, p, X = _binary(100)
    work = 100**2 * 50
    options = {"n_resamples": 50, "random_state": 0}

    def used(features=None, y_proba=p, labels=y, **more):
        return check_calibration(labels, y_proba, features, **options, **more).algorithm

    assert _statistics.EXACT_WORK == 1e12
    monkeypatch.setattr(_statistics, "EXACT_WORK", work)
    assert used(X) == "tiles"
    monkeypatch.setattr(_statistics, "EXACT_WORK", work - 1)
    assert used(X) == "low_rank"
    assert used(X, algorithm="exact") == "tiles"
    # One dimension, the Laplacian kernel and other estimators need no approximation.
    assert used() == "line"
    assert used(statistic="kce") != "low_rank"
    assert used(statistic_params={"kernel": "rbf", "estimator": "ul"}) is None
    three = _multiclass(100)
    assert used(y_proba=three[1], labels=three[0]) == "tiles"
    assert used(y_proba=three[1], labels=three[0], statistic="kce") == "low_rank"
    assert used(three[2], three[1], three[0], target="confidence") == "low_rank"
    # Vector residuals count once per class.
    monkeypatch.setattr(_statistics, "EXACT_WORK", 3 * work - 1)
    assert used(y_proba=three[1], labels=three[0], statistic="kce") == "low_rank"
    monkeypatch.setattr(_statistics, "EXACT_WORK", 3 * work)
    assert used(y_proba=three[1], labels=three[0], statistic="kce") == "tiles"


@pytest.mark.parametrize(
    "options",
    [{}, {"statistic_params": {"kernel": "rbf", "estimator": "ul"}}, {"statistic": "mmce"}],
)
def test_low_rank_is_refused_where_nothing_is_approximated(options):
    y, p, _ = _binary()
    with pytest.raises(ValueError, match="approximates sums over all pairs with an RBF kernel"):
        check_calibration(y, p, algorithm="low_rank", **options)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_draws():
    """50,000 rows x 1000 draws would take 0.37 GiB in one piece."""
    import resource

    y, p, _ = _binary(50_000)
    check_calibration(y, p, n_resamples=240, random_state=0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    check_calibration(y, p, n_resamples=960, random_state=0)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 0.12 * 2**20
