"""Sentences of comparisons."""

from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_calib.inference._comparison.verdict import _lower, deciding_measure, write_verdict


def test_an_interval_that_ends_at_zero_shows_no_minus_zero():
    one = SimpleNamespace(difference=-0.02, low=-0.0353, high=0.0, adjusted_pvalue=0.06)
    assert _lower(one, "95 %") == "lower by 0.02 (95 % interval 0 to 0.0353, p = 0.06)"


def _difference(measure, difference, low, high, adjusted_pvalue):
    label = measure.replace("_", " ")
    return SimpleNamespace(
        measure=measure,
        label=label,
        difference=difference,
        low=low,
        high=high,
        adjusted_pvalue=adjusted_pvalue,
    )


def _result(*differences, level=0.95, tests=None, impossible=None):
    names = [one.measure for one in differences]
    return SimpleNamespace(
        best="fine",
        models=["coarse", "fine"],
        values={one: dict.fromkeys(names, 0.5) for one in ("coarse", "fine")},
        between=lambda other, best: list(differences),
        confidence_level=level,
        n_impossible=impossible or {},
        calibration_pvalues=tests or {},
    )


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        (
            [("log_loss", -0.2, -0.3, -0.1, 0.01), ("brier", -0.1, -0.2, 0.1, 0.4)],
            "fine is better than coarse: its log loss is lower by 0.2 (95 % interval 0.1 to 0.3, "
            "p = 0.01).",
        ),
        # A p-value of exactly one minus the confidence level is small enough.
        (
            [("log_loss", -0.2, -0.3, -0.1, 1.0 - 0.95), ("ece", 0.25, 0.1, 0.4, 0.02)],
            "fine is better than coarse: its log loss is lower by 0.2 (95 % interval 0.1 to 0.3, "
            "p = 0.05), although its ece is higher by 0.25 (p = 0.02).",
        ),
        (
            [("log_loss", -0.2, -0.5, 0.1, 0.06), ("brier", 0.0, 0.0, 0.0, 1.0)],
            "fine and coarse cannot be told apart by the log loss: that of fine is lower by 0.2 "
            "(95 % interval -0.1 to 0.5, p = 0.06).",
        ),
        (
            [("brier", 0.0, 0.0, 0.0, 1.0), ("ece", 0.1, 0.0, 0.2, 0.3)],
            "fine and coarse have the same brier, although its ece is higher by 0.1 (p = 0.3).",
        ),
        (
            [("log_loss", -np.inf, np.nan, np.nan, np.nan), ("brier", -0.02, -0.1, 0.1, 0.8)],
            "By the log loss, fine is better than coarse on these rows, without a p-value; its "
            "brier is lower by 0.02 (95 % interval -0.1 to 0.1, p = 0.8).",
        ),
        (
            [("log_loss", -np.inf, np.nan, np.nan, np.nan), ("brier", 0.1, -0.1, 0.3, 0.2)],
            "By the log loss, fine is better than coarse on these rows, without a p-value, "
            "although its brier is higher by 0.1 (p = 0.2).",
        ),
        (
            [("ece", np.nan, np.nan, np.nan, np.nan)],
            "fine and coarse cannot be compared by the ece, which is not finite for both.",
        ),
        (
            [("ece", -0.1, -0.2, -0.05, 0.05)],
            "fine is better calibrated than coarse: its ece is lower by 0.1 (95 % interval 0.05 to "
            "0.2, p = 0.05).",
        ),
    ],
)
def test_the_sentence_on_two_models(differences, expected):
    assert write_verdict(_result(*(_difference(*one) for one in differences))) == expected


def test_an_interval_around_zero_is_shown_although_the_difference_is_zero():
    same = _difference("brier", 0.0, -0.1, 0.1, 1.0)
    assert "cannot be told apart by the brier" in write_verdict(_result(same))
    endless = _difference("log_loss", -np.inf, np.nan, np.nan, np.nan)
    assert "its brier is lower by" in write_verdict(_result(endless, same))


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ({"fine": 0.051, "coarse": 0.2}, ""),
        ({"fine": 0.03, "coarse": 0.2}, " (p = 0.03), but not coarse."),
        ({"fine": 0.03, "coarse": 0.04}, " (p = 0.03)."),
        # Both are exactly one minus the confidence level, which is small enough.
        ({"fine": 1.0 - 0.95, "coarse": 1.0 - 0.95}, " (p = 0.05)."),
    ],
)
def test_the_sentence_on_tests_of_calibration(tests, expected):
    same = _difference("brier", 0.0, 0.0, 0.0, 1.0)
    text = write_verdict(_result(same, tests=tests))
    rest = text.removeprefix("fine and coarse have the same brier.")
    start, end = " A test finds fine miscalibrated", " That is a reason to recalibrate fine, not "
    assert rest == (f"{start}{expected}{end}to give it up." if expected else "")


def test_rows_of_probability_zero_are_counted_by_model():
    same = _difference("brier", 0.0, 0.0, 0.0, 1.0)
    text = write_verdict(_result(same, impossible={"a": 0, "b": 1, "c": 2}))
    rest = "it gave probability zero to what happened."
    assert text == (
        f"The log loss of b is infinite: in 1 row {rest} "
        f"The log loss of c is infinite: in 2 rows {rest} fine and coarse have the same brier."
    )


def test_the_first_score_that_is_finite_for_a_model_decides():
    nothing, one = np.inf, 0.4
    assert deciding_measure({"a": {"ece": one, "log_loss": one, "brier": one}}) == "log_loss"
    assert deciding_measure({"a": {"log_loss": nothing, "brier": one}}) == "brier"
    assert deciding_measure({"a": {"log_loss": nothing}, "b": {"log_loss": one}}) == "log_loss"
    half = {"a": {"log_loss": nothing, "brier": one}, "b": {"log_loss": one, "brier": one}}
    assert deciding_measure(half) == "log_loss"
    assert deciding_measure({"a": {"ece": one, "skce": one}}) == "ece"
    assert deciding_measure({"a": {"ece": np.nan, "skce": one}}) == "ece"
    assert deciding_measure({"a": {"log_loss": nothing}}) == "log_loss"
