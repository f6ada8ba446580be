"""Nulls of permuted, signed and resampled residuals: reference values and plain loops."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.inference import GivenDraws, check_calibration
from sklearn_calib.inference._nulls.simulation import draw_labels
from sklearn_calib.metrics import skce
from tests._reference import parametrize_cases
from tests.inference._data import multiclass_data
from tests.inference._nulls._cases import name_starts, skce_options


@pytest.mark.parametrize("null", ["simulation", "permutation", "wild"])
@pytest.mark.parametrize("target", ["confidence", "classwise", "canonical"])
def test_every_draw_is_the_metric_of_changed_data(null, target):
    """The draws of each null agree with the metric on what the null stands for."""
    y, proba, _ = multiclass_data(12)
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


def test_a_permutation_does_not_see_a_uniform_shift():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.2, 0.8, size=400)
    y = (rng.random(400) < p + 0.15).astype(int)
    assert check_calibration(y, p, random_state=0).pvalue < 0.01
    assert check_calibration(y, p, null="permutation", random_state=0).pvalue > 0.1


CLOSE = {"rtol": 1e-10, "atol": 1e-14}


@parametrize_cases("cal_test", keep=name_starts("wild_given_signs"))
def test_wild_bootstrap_from_given_signs(case):
    data, options = skce_options(case)
    result = check_calibration(*data, null=GivenDraws("wild", case["inputs"]["signs"]), **options)
    expected = case["expected"]
    assert_allclose(result.statistic, expected["estimate_uq"], **CLOSE)
    assert_allclose(result.null_distribution, expected["replicates"], **CLOSE)
    assert result.pvalue == pytest.approx(expected["p_plus_one"], rel=1e-14)
    assert_allclose(result.prob_bandwidth, expected["bandwidth_used"], **CLOSE)


@parametrize_cases("cal_test", keep=name_starts("centred_resample_given_indices"))
def test_centred_bootstrap_from_given_indices(case):
    """The source multiplies estimate and replicates by n."""
    data, options = skce_options(case)
    null = GivenDraws("centred", case["inputs"]["indices"])
    result = check_calibration(*data, null=null, **options)
    expected, n = case["expected"], len(data[0])
    assert_allclose(n * result.statistic, expected["statistic"], **CLOSE)
    assert_allclose(n * result.null_distribution, expected["replicates"], rtol=1e-10, atol=1e-13)
    assert result.pvalue == pytest.approx(expected["p_plus_one"], rel=1e-14)


@parametrize_cases("cal_test", keep=name_starts("wild_all_signs"))
def test_wild_bootstrap_over_all_signs(case):
    data, options = skce_options(case)
    null = GivenDraws("wild", list(product([1, -1], repeat=len(data[0]))))
    result = check_calibration(*data, null=null, **options)
    n_at_least = case["expected"]["n_at_least"]
    assert result.n_resamples == case["expected"]["n_sign_vectors"]
    assert result.pvalue == (1 + n_at_least) / (1 + result.n_resamples)
    sampled = check_calibration(*data, null="wild", n_resamples=20_000, random_state=0, **options)
    assert_allclose(sampled.pvalue, case["expected"]["p_exact"], rtol=0, atol=0.015)


@parametrize_cases("cal_test", keep=name_starts("centred_resample_all"))
def test_centred_bootstrap_over_all_indices(case):
    data, options = skce_options(case)
    n = len(data[0])
    null = GivenDraws("centred", list(product(range(n), repeat=n)))
    result = check_calibration(*data, null=null, **options)
    assert result.n_resamples == case["expected"]["n_index_vectors"]
    assert result.pvalue == (1 + case["expected"]["n_at_least"]) / (1 + result.n_resamples)


@parametrize_cases("cal_test", keep=name_starts("asymptotic"))
def test_pair_estimate_of_the_asymptotic_test(case):
    (y, p), options = skce_options(case)
    options |= options.pop("statistic_params")
    assert_allclose(skce(y, p, estimator="ul", **options), case["expected"]["estimate_ul"], **CLOSE)


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
