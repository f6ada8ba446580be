"""Named statistics of `check_calibration`: the metric, its options, and how it is computed."""

from inspect import signature

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib.inference import check_calibration
from sklearn_calib.inference._statistics.statistic import find_statistic, statistic_names
from sklearn_calib.metrics import average_calibration_error, ece, kce, klce, mce, mmce, skce
from sklearn_calib.metrics._kernel import pair_error
from tests.inference._data import binary_data, multiclass_data

GLOBAL = (skce, kce, mmce, ece, mce, average_calibration_error)


@pytest.mark.parametrize("metric", GLOBAL)
@pytest.mark.parametrize("make", [binary_data, multiclass_data])
def test_statistic_is_the_metric(metric, make):
    y, proba, _ = make()
    by_name = check_calibration(y, proba, statistic=metric.__name__, n_resamples=5, random_state=0)
    by_function = check_calibration(y, proba, statistic=metric, n_resamples=5, random_state=0)
    assert_allclose(by_name.statistic, metric(y, proba), rtol=1e-10, atol=1e-14)
    assert_array_equal(by_name.null_distribution, by_function.null_distribution)
    assert by_name.statistic_name == by_function.statistic_name == metric.__name__


def test_defaults_without_and_with_features():
    y, p, X = binary_data()
    without, local = (check_calibration(y, p, x, n_resamples=5) for x in (None, X))
    assert_allclose(without.statistic, skce(y, p), rtol=1e-12)
    assert_allclose(local.statistic, klce(y, p, X), rtol=1e-12)
    assert (without.statistic_name, local.statistic_name) == ("skce", "klce")
    assert without.prob_bandwidth == 0.2
    assert without.feature_bandwidth is None
    assert local.feature_bandwidth.shape == (2,)
    assert (without.target, check_calibration(*multiclass_data()[:2]).target) == (
        "binary",
        "canonical",
    )


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
    y, proba, _ = multiclass_data()
    result = check_calibration(
        y, proba, statistic=metric.__name__, statistic_params=params, n_resamples=5
    )
    assert_allclose(result.statistic, metric(y, proba, **params), rtol=1e-10, atol=1e-14)


def test_options_of_klce_in_either_place():
    y, p, X = binary_data()
    options = {"prob_bandwidth": 0.3, "feature_bandwidth": [0.5, 2.0]}
    value = klce(y, p, X, **options)
    for given in (options, {"statistic_params": options}):
        result = check_calibration(y, p, X, n_resamples=5, **given)
        assert_allclose(result.statistic, value, rtol=1e-10)
        assert_array_equal(result.feature_bandwidth, [0.5, 2.0])
    scaled = check_calibration(y, p, X, n_resamples=5, feature_bandwidth="scaled")
    assert_allclose(scaled.statistic, klce(y, p, X, feature_bandwidth="scaled"), rtol=1e-10)


def test_low_rank_agrees_with_exact_within_its_certificate():
    y, p, X = binary_data(400)
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
    y, p, X = binary_data(100)
    work = 100**2 * 50
    options = {"n_resamples": 50, "random_state": 0}

    def used(features=None, y_proba=p, labels=y, **more):
        return check_calibration(labels, y_proba, features, **options, **more).algorithm

    assert pair_error.EXACT_WORK == 1e12
    monkeypatch.setattr(pair_error, "EXACT_WORK", work)
    assert used(X) == "tiles"
    monkeypatch.setattr(pair_error, "EXACT_WORK", work - 1)
    assert used(X) == "low_rank"
    assert used(X, algorithm="exact") == "tiles"
    # One dimension, the Laplacian kernel and other estimators need no approximation.
    assert used() == "line"
    assert used(statistic="kce") != "low_rank"
    assert used(statistic_params={"kernel": "rbf", "estimator": "ul"}) is None
    three = multiclass_data(100)
    assert used(y_proba=three[1], labels=three[0]) == "tiles"
    assert used(y_proba=three[1], labels=three[0], statistic="kce") == "low_rank"
    assert used(three[2], three[1], three[0], target="confidence") == "low_rank"
    # Vector residuals count once per class.
    monkeypatch.setattr(pair_error, "EXACT_WORK", 3 * work - 1)
    assert used(y_proba=three[1], labels=three[0], statistic="kce") == "low_rank"
    monkeypatch.setattr(pair_error, "EXACT_WORK", 3 * work)
    assert used(y_proba=three[1], labels=three[0], statistic="kce") == "tiles"


@pytest.mark.parametrize(
    "options",
    [{}, {"statistic_params": {"kernel": "rbf", "estimator": "ul"}}, {"statistic": "mmce"}],
)
def test_low_rank_is_refused_where_nothing_is_approximated(options):
    y, p, _ = binary_data()
    with pytest.raises(ValueError, match="approximates sums over all pairs with an RBF kernel"):
        check_calibration(y, p, algorithm="low_rank", **options)


@pytest.mark.parametrize(
    ("statistic", "option"),
    [
        ("skce", {"prob_bandwidth": "median"}),
        ("ece", {"feature_bandwidth": "median"}),
        ("spiegelhalter", {"prob_bandwidth": 0.3}),
        (lambda y_true, y_proba: 0.0, {"target": "auto"}),
    ],
)
def test_an_option_that_equals_the_default_is_refused_where_it_means_nothing(statistic, option):
    y, p = [0, 1, 1, 0], [0.2, 0.6, 0.9, 0.4]
    with pytest.raises(ValueError, match=f"sets \\['{next(iter(option))}'\\]"):
        check_calibration(y, p, statistic=statistic, n_resamples=9, **option)


def test_defaults_look_like_plain_text():
    parameters = signature(check_calibration).parameters
    assert parameters["prob_bandwidth"].default == "median"
    assert parameters["target"].default == "auto"


def test_asymptotic_null_names_the_statistics_that_have_one():
    with pytest.raises(ValueError, match=r"ece does not have; .*'spiegelhalter'.* have one"):
        check_calibration([0, 1], [0.2, 0.6], statistic="ece", null="asymptotic")


def test_every_statistic_is_described():
    for name in statistic_names():
        one = find_statistic(name)
        assert one.name == name
        assert one.alternative in ("greater", "two-sided")
        assert one.label
        assert one.meaning
        assert f'"{name}"' in check_calibration.__doc__


@pytest.mark.parametrize("name", ["weighted_mmce", "normalized_klce", "ece", "omnibus"])
def test_the_bound_exists_only_where_terms_are_bounded(name):
    """Not where residuals are divided by rates or standard deviations, which may be small."""
    y, p, X = binary_data()
    with pytest.raises(ValueError, match="exists for skce, kce, mmce and klce only"):
        check_calibration(y, p, X if "klce" in name else None, statistic=name, null="bound")


@pytest.mark.parametrize("null", ["permutation", "wild"])
@pytest.mark.parametrize("name", ["weighted_mmce", "mmce", "normalized_klce", "ece", "omnibus"])
def test_only_sums_over_pairs_of_plain_residuals_can_be_permuted(name, null):
    y, p, X = binary_data()
    with pytest.raises(ValueError, match=f"null='{null}'.*exists? for"):
        check_calibration(y, p, X if "klce" in name else None, statistic=name, null=null)
