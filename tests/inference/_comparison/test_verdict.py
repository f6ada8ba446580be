"""Sentences of comparisons."""

from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_calib.inference import CalibrationComparison
from sklearn_calib.inference._comparison.result import ModelDifference
from sklearn_calib.inference._comparison.verdict import _lower, deciding_measure

NAMES = {"log_loss": "log loss", "brier": "Brier score", "ece": "ECE"}


def test_an_interval_that_ends_at_zero_shows_no_minus_zero():
    one = SimpleNamespace(difference=-0.02, low=-0.0353, high=0.0, adjusted_pvalue=0.06)
    assert _lower(one, "95 %") == "lower by 0.02 (95 % interval 0 to 0.0353, p = 0.06)"


def test_no_difference_beside_an_interval_is_no_minus_zero():
    one = SimpleNamespace(difference=0.0, low=-0.1, high=0.2, adjusted_pvalue=0.6)
    assert _lower(one, "90 %") == "lower by 0 (90 % interval -0.2 to 0.1, p = 0.6)"


def made(differences, *, pvalues=(), impossible=(0, 0), confidence_level=0.95):
    """Return a comparison of "new", the best one, with "old"; differences are new minus old."""
    found = {
        name: ModelDifference(
            *(name, NAMES[name], "old", "new", 1.0, 1.0 + difference, difference),
            *(difference - 0.01, difference + 0.01, pvalue, pvalue),
        )
        if difference
        else ModelDifference(
            name, NAMES[name], "old", "new", 1.0, 1.0, 0.0, -width, width, pvalue, pvalue
        )
        for name, (difference, pvalue, width) in differences.items()
    }
    values = {
        model: {name: getattr(one, f"{place}_value") for name, one in found.items()}
        for model, place in (("new", "second"), ("old", "first"))
    }
    return CalibrationComparison(
        *(("new", "old"), "new", values, tuple(found.values())),
        dict(zip(("new", "old"), pvalues)),
        dict(zip(("new", "old"), impossible)),
        *(confidence_level, "holm", 100, 999),
    )


LOWER = "lower by 0.1 (95 % interval 0.09 to 0.11, p = {})"
WORDS = {
    "below the level": (
        {"log_loss": (-0.1, 0.049, 0)},
        f"new is better than old: its log loss is {LOWER.format(0.049)}.",
    ),
    "at the level": (
        {"log_loss": (-0.1, 0.05, 0)},
        f"new is better than old: its log loss is {LOWER.format(0.05)}.",
    ),
    "above the level": (
        {"log_loss": (-0.1, 0.0501, 0)},
        f"new and old cannot be told apart by the log loss: that of new is {LOWER.format(0.05)}.",
    ),
    "a metric decides": (
        {"ece": (-0.1, 0.01, 0)},
        f"new is better calibrated than old: its ECE is {LOWER.format(0.01)}.",
    ),
    "another score speaks against it": (
        {"log_loss": (-0.1, 0.01, 0), "brier": (0.2, 0.3, 0), "ece": (0.0, 1.0, 0.1)},
        f"new is better than old: its log loss is {LOWER.format(0.01)}, although its Brier score "
        "is higher by 0.2 (p = 0.3).",
    ),
    "no difference is known": (
        {"ece": (np.nan, np.nan, 0)},
        "new and old cannot be compared by the ECE, which is not finite for both.",
    ),
    "the same": ({"log_loss": (0.0, 1.0, 0.0)}, "new and old have the same log loss."),
    "an infinite difference": (
        {"log_loss": (-np.inf, np.nan, 0), "brier": (-0.1, 0.01, 0), "ece": (-0.1, 0.01, 0)},
        "By the log loss, new is better than old on these rows, without a p-value; its Brier "
        f"score is {LOWER.format(0.01)}.",
    ),
    "an infinite difference against another": (
        {"log_loss": (-np.inf, np.nan, 0), "brier": (0.5, 0.04, 0)},
        "By the log loss, new is better than old on these rows, without a p-value, although its "
        "Brier score is higher by 0.5 (p = 0.04).",
    ),
}


@pytest.mark.parametrize("case", WORDS)
def test_the_words_follow_from_the_differences(case):
    differences, expected = WORDS[case]
    assert made(differences).verdict == expected


def test_an_equal_score_does_not_speak_against_an_infinite_difference():
    words = made({"log_loss": (-np.inf, np.nan, 0), "brier": (0.0, 1.0, 0.1)}).verdict
    assert "without a p-value; its Brier score is lower by " in words
    assert "although" not in words


@pytest.mark.parametrize(
    ("pvalues", "expected"),
    [
        ((0.051, 0.001), ""),
        ((0.05, 0.2), " A test finds new miscalibrated (p = 0.05), but not old."),
        ((0.01, 0.05), " A test finds new miscalibrated (p = 0.01)."),
        ((0.01, 0.051), " A test finds new miscalibrated (p = 0.01), but not old."),
    ],
)
def test_a_test_of_the_better_model_is_mentioned_where_it_rejects(pvalues, expected):
    plain = made({"log_loss": (-0.1, 0.01, 0)}).verdict
    if expected:
        expected += " That is a reason to recalibrate new, not to give it up."
    assert made({"log_loss": (-0.1, 0.01, 0)}, pvalues=pvalues).verdict == plain + expected


@pytest.mark.parametrize(
    ("impossible", "expected"),
    [((1, 0), "new is infinite: in 1 row it"), ((0, 2), "old is infinite: in 2 rows it")],
)
def test_rows_of_probability_zero_are_counted(impossible, expected):
    words = made({"log_loss": (-0.1, 0.01, 0)}, impossible=impossible).verdict
    assert words.startswith(
        f"The log loss of {expected} gave probability zero to what happened. new is better"
    )


@pytest.mark.parametrize(
    ("of_new", "of_old", "expected"),
    [
        ({"log_loss": 0.3, "brier": 0.2}, {"log_loss": np.inf, "brier": 0.1}, "log_loss"),
        ({"log_loss": np.inf, "brier": 0.2}, {"log_loss": np.inf, "brier": 0.1}, "brier"),
        ({"log_loss": np.inf, "ece": 0.2}, {"log_loss": np.inf, "ece": 0.1}, "log_loss"),
        ({"ece": 0.2, "brier": 0.1}, {"ece": 0.1, "brier": 0.2}, "brier"),
        ({"klce": np.nan, "ece": 0.2}, {"klce": np.nan, "ece": 0.1}, "klce"),
    ],
)
def test_the_first_finite_score_decides_and_without_scores_the_first_metric(
    of_new, of_old, expected
):
    assert deciding_measure({"new": of_new, "old": of_old}) == expected


def test_a_pvalue_of_a_tenth_is_small_enough_at_90_percent():
    """In floating point 1 - 0.9 is less than 0.1, which is the p-value of 100 in 1000 draws."""
    words = made({"log_loss": (-0.1, 100 / 1000, 0)}, confidence_level=0.9).verdict
    assert words.startswith("new is better than old: its log loss is lower by 0.1 (90 % interval")
