"""`check_calibration`: seeds, forms of data, weights, and what must be refused."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.inference import check_calibration
from sklearn_calib.metrics import klce
from tests.inference._data import binary_data, multiclass_data


def test_kinds_of_seeds():
    y, p, _ = binary_data()

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
    y, p, X = binary_data()
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
    y, p, X = binary_data()
    order = np.random.default_rng(1).permutation(60)
    value = check_calibration(y, p, X, n_resamples=1).statistic
    for data in ((y[order], p[order], X[order]), (y, p, X[:, ::-1])):
        assert check_calibration(*data, n_resamples=1).statistic == pytest.approx(value, rel=1e-12)


def test_certain_and_right_predictions_are_calibrated():
    """Every draw equals the data, so everything ties."""
    y = np.array([0, 1, 1, 0])
    for X in (None, [[0.0], [1.0], [1.0], [3.0]]):
        result = check_calibration(y, y.astype(float), X, n_resamples=99)
        assert (result.statistic, result.pvalue) == (0.0, 1.0)


def test_weights():
    y, proba, X = multiclass_data()
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
    y, p, X = binary_data(40)
    X = np.round(X * 1024) / 1024
    options = {"prob_bandwidth": 0.2, "feature_bandwidth": 1.0, "n_resamples": 1}
    plain = check_calibration(y, p, X, **options).statistic
    assert check_calibration(y, p, X + 10_000, **options).statistic == pytest.approx(plain, 1e-10)


def test_a_feature_that_carries_all_the_distance_is_named():
    y, p, X = binary_data()
    X = X * [1.0, 1000.0]
    with pytest.warns(UserWarning, match=r"Column 1 of X carries 100\.00% of the squared distance"):
        check_calibration(y, p, X, n_resamples=1)
    check_calibration(y, p, X, n_resamples=1, feature_bandwidth="scaled")
    check_calibration(y, p, X, n_resamples=1, feature_bandwidth=[1.0, 1000.0])
    check_calibration(y, p, X[:, [1]], n_resamples=1)
    check_calibration(y, p, X * [0.0, 1.0], n_resamples=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_resamples": 0}, "n_resamples must be a whole number of at least 1, got 0"),
        ({"null": "bootstrap"}, "null must be one of 'simulation', 'permutation', 'wild'"),
        ({"algorithm": "fast"}, "algorithm must be one of 'auto', 'exact', 'low_rank'"),
        (
            {"statistic": "brier"},
            "statistic must be one of 'auto', 'ece', .*'skce', .* or a callable, got 'brier'",
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
    y, p, X = binary_data()
    features = X if options.pop("X", False) else None
    with pytest.raises(ValueError, match=message):
        check_calibration(y, p, features, **options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y, p, X: (y, p, np.where(X > 1, np.inf, X)), "X must be finite"),
        (lambda y, p, X: (y, np.where(p > 0.5, np.nan, p), X), "y_proba must be finite"),
        (lambda y, p, X: (y, p + 1, X), r"y_proba must hold probabilities in \[0, 1\]"),
        (lambda y, p, X: (y[1:], p, X), "same number of rows, got 59 and 60"),
        (lambda y, p, X: (y, p, X[1:]), "same number of rows, got 60 and 59"),
    ],
)
def test_bad_data_raise_and_never_give_a_pvalue(change, message):
    with pytest.raises(ValueError, match=message):
        check_calibration(*change(*binary_data()))
