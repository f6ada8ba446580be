"""Sentences of comparisons."""

from types import SimpleNamespace

from sklearn_calib.inference._comparison.verdict import _lower


def test_an_interval_that_ends_at_zero_shows_no_minus_zero():
    one = SimpleNamespace(difference=-0.02, low=-0.0353, high=0.0, adjusted_pvalue=0.06)
    assert _lower(one, "95 %") == "lower by 0.02 (95 % interval 0 to 0.0353, p = 0.06)"


def test_no_difference_beside_an_interval_is_no_minus_zero():
    one = SimpleNamespace(difference=0.0, low=-0.1, high=0.2, adjusted_pvalue=0.6)
    assert _lower(one, "90 %") == "lower by 0 (90 % interval -0.2 to 0.1, p = 0.6)"
