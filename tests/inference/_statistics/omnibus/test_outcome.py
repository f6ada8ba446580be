"""Which parts of the omnibus test speak, in which order, and how often."""

import pytest

from sklearn_calib.inference._statistics.omnibus.outcome import (
    IMPOSSIBLE,
    LOCAL,
    OmnibusPart,
    impossible_events,
    say_what_is_wrong,
    without_repetition,
)


def _part(name, aspect, pvalue, local=False, finding=None):
    return OmnibusPart(name, name, aspect, local, 0.0, pvalue, pvalue, finding or f"{name} is off")


LINE, SHAPE, SLOPE = (_part(*one) for one in (("a", "x", 0.01), ("b", "y", 0.02), ("c", "z", 0.03)))
KERNEL = _part("k", LOCAL, 0.001, local=True)
TREND = _part("t", "trend", 0.01, local=True)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([], ""),
        ([LINE], "a is off"),
        # The first two of three speak.
        ([LINE, SHAPE, SLOPE], "a is off; b is off"),
        # A p-value of exactly alpha is small enough, a larger one is not.
        ([_part("d", "x", 0.05)], "d is off"),
        ([_part("d", "x", 0.051)], ""),
        # One part speaks for each kind of error: the smallest p-value, and the first of equal ones.
        ([LINE, _part("d", "x", 0.001)], "d is off"),
        ([_part("d", "x", 0.04), LINE], "a is off"),
        ([_part("d", "x", 0.01), LINE], "d is off"),
        # A kernel on all features speaks only where all that is found depends on the features.
        ([KERNEL], "k is off"),
        ([KERNEL, LINE], "a is off"),
        ([LINE, TREND, KERNEL], "a is off; t is off"),
        ([TREND, KERNEL], "t is off; k is off"),
        ([_part("d", "x", 0.2), TREND, KERNEL], "t is off; k is off"),
        # The same sentence is said once, and leaves room for another.
        ([LINE, _part("d", "y", 0.01, finding="a is off"), SLOPE], "a is off; c is off"),
    ],
)
def test_who_speaks(parts, expected):
    assert say_what_is_wrong(parts, 0.05) == expected


def test_rows_of_probability_zero_are_named_last_and_in_any_case():
    (certain,) = impossible_events(1, 99)
    text = "in 1 row probability zero was given to what happened"
    assert say_what_is_wrong([certain, LINE, SHAPE], 0.05) == f"a is off; b is off; {text}"
    assert say_what_is_wrong([certain], 1e-9) == text
    assert certain == (IMPOSSIBLE, "probability zero", "certainty", False, 1.0, 0.01, 0.01, text)
    assert impossible_events(0, 99) == []
    (several,) = impossible_events(1200, 999)
    assert several.finding == "in 1,200 rows probability zero was given to what happened"
    assert (several.statistic, several.pvalue) == (1200.0, 0.001)


def test_each_sentence_is_said_once():
    assert without_repetition(["a; b", "", "b; c", "a"]) == "a; b; c"
    assert without_repetition([]) == ""
