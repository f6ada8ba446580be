"""Null distributions: reference values from given draws, and how draws are made."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib.inference import GivenDraws, check_calibration
from sklearn_calib.inference._nulls.simulation import draw_labels
from sklearn_calib.metrics import skce
from tests._reference import parametrize_cases

CLOSE = {"rtol": 1e-10, "atol": 1e-14}


@parametrize_cases("klce", keep=lambda case: "permutations" in case["inputs"])
def test_permutation_test_of_the_reference(case):
    params, inputs, expected = case["params"], case["inputs"], case["expected"]
    width, feature_width = params["prob_kernel_width"], params["x_kernel_width"]
    options = {
        "null": GivenDraws("permutation", inputs["permutations"]),
        "prob_bandwidth": width,
        "feature_bandwidth": width if feature_width is None else feature_width,
    }
    result = check_calibration(inputs["y"], inputs["p"], inputs["X"], **options)
    assert_allclose(result.statistic, expected["statistic"], **CLOSE)
    assert_allclose(result.null_distribution, expected["null_distribution"], **CLOSE)
    assert result.pvalue == pytest.approx(expected["pvalue"], rel=1e-14)
    assert (result.n_resamples, result.null) == (params["iterations"], "permutation")
    plain = check_calibration(inputs["y"], inputs["p"], inputs["X"], add_one=False, **options)
    assert plain.pvalue == pytest.approx(expected["pvalue_plain"], rel=1e-14)


def _skce_options(case):
    """Return data and options of a case; class code k belongs to column k - 1."""
    target, p = case["params"]["type"], np.array(case["inputs"]["p"])
    options = {"statistic_params": {"bandwidth": case["params"]["bandwidth"]}}
    if target is not None:
        options |= {"target": target, "labels": np.arange(1, p.shape[1] + 1)}
    return (case["inputs"]["y"], p), options


def _starts(word):
    return lambda case: case["name"].startswith(word)


@parametrize_cases("cal_test", keep=_starts("wild_given_signs"))
def test_wild_bootstrap_from_given_signs(case):
    data, options = _skce_options(case)
    result = check_calibration(*data, null=GivenDraws("wild", case["inputs"]["signs"]), **options)
    expected = case["expected"]
    assert_allclose(result.statistic, expected["estimate_uq"], **CLOSE)
    assert_allclose(result.null_distribution, expected["replicates"], **CLOSE)
    assert result.pvalue == pytest.approx(expected["p_plus_one"], rel=1e-14)
    assert_allclose(result.prob_bandwidth, expected["bandwidth_used"], **CLOSE)


@parametrize_cases("cal_test", keep=_starts("centred_resample_given_indices"))
def test_centred_bootstrap_from_given_indices(case):
    """The source multiplies estimate and replicates by n."""
    data, options = _skce_options(case)
    null = GivenDraws("centred", case["inputs"]["indices"])
    result = check_calibration(*data, null=null, **options)
    expected, n = case["expected"], len(data[0])
    assert_allclose(n * result.statistic, expected["statistic"], **CLOSE)
    assert_allclose(n * result.null_distribution, expected["replicates"], rtol=1e-10, atol=1e-13)
    assert result.pvalue == pytest.approx(expected["p_plus_one"], rel=1e-14)


@parametrize_cases("cal_test", keep=_starts("wild_all_signs"))
def test_wild_bootstrap_over_all_signs(case):
    data, options = _skce_options(case)
    null = GivenDraws("wild", list(product([1, -1], repeat=len(data[0]))))
    result = check_calibration(*data, null=null, **options)
    n_at_least = case["expected"]["n_at_least"]
    assert result.n_resamples == case["expected"]["n_sign_vectors"]
    assert result.pvalue == (1 + n_at_least) / (1 + result.n_resamples)
    sampled = check_calibration(*data, null="wild", n_resamples=20_000, random_state=0, **options)
    assert_allclose(sampled.pvalue, case["expected"]["p_exact"], rtol=0, atol=0.015)


@parametrize_cases("cal_test", keep=_starts("centred_resample_all"))
def test_centred_bootstrap_over_all_indices(case):
    data, options = _skce_options(case)
    n = len(data[0])
    null = GivenDraws("centred", list(product(range(n), repeat=n)))
    result = check_calibration(*data, null=null, **options)
    assert result.n_resamples == case["expected"]["n_index_vectors"]
    assert result.pvalue == (1 + case["expected"]["n_at_least"]) / (1 + result.n_resamples)


@parametrize_cases("cal_test", keep=_starts("asymptotic"))
def test_pair_estimate_of_the_asymptotic_test(case):
    (y, p), options = _skce_options(case)
    options |= options.pop("statistic_params")
    assert_allclose(skce(y, p, estimator="ul", **options), case["expected"]["estimate_ul"], **CLOSE)


def test_draws_do_not_depend_on_how_they_are_split():
    proba = np.random.default_rng(0).dirichlet(np.ones(4), size=30)
    whole = draw_labels(np.random.default_rng(1), proba, 20)
    rng = np.random.default_rng(1)
    parts = np.hstack([draw_labels(rng, proba, k) for k in (1, 12, 7)])
    assert_array_equal(whole, parts)


def test_drawn_labels_follow_the_probabilities():
    proba = np.array([[0.2, 0.5, 0.3], [0.0, 1.0, 0.0], [0.05, 0.0, 0.95]])
    n_draws = 200_000
    codes = draw_labels(np.random.default_rng(0), proba, n_draws)
    share = np.stack([(codes == k).mean(axis=1) for k in range(3)], axis=1)
    assert_allclose(share, proba, rtol=0, atol=4 * 0.5 / np.sqrt(n_draws))
    assert (share[proba == 0] == 0).all()


def test_a_class_of_probability_zero_is_never_drawn():
    """Float32 rows do not sum to one exactly; what is missing belongs to no class."""

    class Highest:
        def random(self, shape):
            return np.full(shape, np.nextafter(1.0, 0.0))

    assert draw_labels(Highest(), np.array([[0.0, 0.4, 0.6 - 1e-7]]), 1)[0, 0] == 1


def test_two_columns_draw_the_labels_of_one():
    p = np.random.default_rng(0).random(50).astype(np.float32).astype(np.float64)
    one = draw_labels(np.random.default_rng(1), np.column_stack([1 - p, p]), 500)
    two = draw_labels(np.random.default_rng(1), np.column_stack([1 - p - 4e-7, p]), 500)
    assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("null", "message"),
    [
        (GivenDraws("bootstrap", [[0, 1, 2]]), "kind must be one of 'permutation', 'wild'"),
        (
            GivenDraws("wild", [[1, -1]]),
            r"one column per row of positive weight, shape \(n_draws, 3\), got \(1, 2\)",
        ),
        (GivenDraws("wild", [[1, -1, 0]]), "signs 1 and -1, got 0"),
        (GivenDraws("permutation", [[0, 1, 3]]), "row numbers from 0 to 2, got 3"),
        (GivenDraws("permutation", [[0, 1, 1]]), "each row number once"),
        (GivenDraws("centred", [[0, 1, 0.5]]), "row numbers from 0 to 2, got 0.5"),
    ],
)
def test_malformed_draws(null, message):
    with pytest.raises(ValueError, match=message):
        check_calibration([0, 1, 1], [0.2, 0.4, 0.7], null=null)


@pytest.mark.parametrize(
    "options",
    [
        {"statistic_params": {"estimator": "biased"}},
        {"statistic": "kce", "statistic_params": {"squared": False}},
        {"sample_weight": [1.0, 2.0, 1.0]},
    ],
)
def test_centred_draws_are_for_unbiased_unweighted_errors(options):
    with pytest.raises(ValueError, match="is defined for the unbiased skce"):
        check_calibration(
            [0, 1, 1], [0.2, 0.4, 0.7], null=GivenDraws("centred", [[0, 0, 1]]), **options
        )
