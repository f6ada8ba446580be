"""Refusals, texts and shortcuts that few data meet."""

import numpy as np
import pandas as pd
import pytest

from sklearn_calib import (
    calibration_by_group,
    calibration_ci,
    check_calibration,
    compare_calibration,
    local_bias_band,
)
from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.inference import calibration_line
from sklearn_calib.inference._local.bounds import Bound
from sklearn_calib.inference._partitioned.check import _sample
from sklearn_calib.inference._sample_size.pilot import Truth

Y, P = [0, 1, 1, 0], [0.2, 0.7, 0.6, 0.3]


def test_events_where_none_is_expected_have_every_ratio():
    result = calibration_line([0, 1], [0.0, 0.0])
    assert (result.ratio, result.ratio_interval) == (np.inf, (0.0, np.inf))


def test_all_events_have_the_limits_of_clopper_and_pearson():
    """Of n events in n rows the lower limit is the n-th root of alpha / 2."""
    result = calibration_line([1] * 20, [0.5] * 20)
    assert result.ratio_interval == pytest.approx((0.025 ** (1 / 20) / 0.5, 1.0 / 0.5))


def test_features_that_are_missing_are_asked_for():
    with pytest.raises(ValueError, match="X must hold the features of the rows, one row per label"):
        local_bias_band(Y, P, None)


def test_models_of_one_name_are_refused():
    table = pd.DataFrame([[0.1, 0.2]] * 4, columns=["a", "a"])
    with pytest.raises(ValueError, match="columns of y_probas must have different names"):
        compare_calibration(Y, table)


def test_a_group_that_does_not_exist_is_refused():
    result = calibration_by_group(Y * 20, P * 20, ["a", "b"] * 40, n_resamples=19)
    assert str(result.describe(0)) != str(result.describe(1))
    n_groups = len(result.label)
    with pytest.raises(ValueError, match=f"below the number of groups, {n_groups}, got {n_groups}"):
        result.describe(n_groups)


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (Bound("a", categories=("x", "y", "z"), others=("w",)), "a ≠ w"),
        (Bound("a", categories=("x", "y"), others=("v", "w")), "a is one of x, y"),
        (Bound("a", categories=("x", "y")), "a is one of x, y"),
        (Bound("a", categories=("v", "w", "x", "y")), "a is one of v, w, x and 1 more"),
        (Bound("a", categories=("x",), others=("w",)), "a = x"),
        (Bound("a", lower=1.0, upper=2.5), "1 < a ≤ 2.5"),
    ],
)
def test_bounds_in_words(bound, text):
    assert str(bound) == text


def test_long_lists_of_categories_are_cut():
    text = str(Bound("a", categories=tuple("bcdefghijklm")))
    shown = text.removeprefix("a is one of ").split(" and ")[0].split(", ")
    assert shown == list("bcdefghijklm")[: len(shown)]
    assert text.endswith(f" and {12 - len(shown)} more")
    whole = str(Bound("a", categories=tuple("bcdefghijklm")[: len(shown)]))
    assert "more" not in whole


def test_errors_in_words():
    assert Truth(0.1).in_words() == "a shift of 0.1"
    assert Truth(slope=0.5).in_words() == "a calibration slope of 0.5"
    assert Truth(function=np.sqrt).in_words() == "the stated error"


def test_the_rows_of_a_sample_are_drawn_anew_in_each_partition():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=1000)
    rows = check_predictions(rng.integers(0, 2, size=1000), p)
    first, again, other = (_sample(rows, 0.3, number).proba[:, 1] for number in (0, 0, 1))
    assert np.isin(first, p).all()
    assert abs(first.size - 300) < 60
    assert first.tolist() == again.tolist()
    assert abs(np.isin(first, other).sum() - 90) < 40
    assert _sample(rows, 1.0, 0) is rows
    assert _sample(rows, 1e-9, 0) is None
    assert _sample(None, 0.3, 0) is None


@pytest.mark.parametrize(("label", "word"), [(0, "No"), (1, "Every")])
def test_the_verdict_on_one_class_says_which(label, word):
    result = calibration_line([label] * 20, [0.5] * 20)
    assert result.verdict.startswith(f"{word} row has the event, so there is no slope")


def test_words_go_before_the_detectable_error():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.1, 0.9, size=200)
    result = check_calibration(rng.random(200) < p, p, statistic="ece", n_resamples=19)
    found = result.detectable_in_words("; ")
    assert found.startswith("; a shift of ")
    assert found == "; " + result.detectable_in_words()
    with pytest.raises(TypeError, match="before must be text, got 5"):
        result.detectable_in_words(5)


@pytest.mark.parametrize("weight", [None, [3.0] * 5, [1e-3] * 5, [4.0, 1.0, 1.0, 1.0, 1.0]])
def test_without_an_event_the_intercept_has_an_upper_limit(weight):
    """Where all probabilities are a half, no event has the probability ``(1 + exp(a)) ** -n``.

    With weights n is the number of equal weights that weigh as much, whatever their unit.
    """
    low, high = calibration_ci(
        [0] * 5, [0.5] * 5, metric="calibration_intercept", labels=[0, 1], sample_weight=weight
    )
    n = 5 if weight is None else sum(weight) ** 2 / np.square(weight).sum()
    assert low == -np.inf
    assert high == pytest.approx(np.log(np.expm1(-np.log(0.025) / n)), rel=1e-9)
