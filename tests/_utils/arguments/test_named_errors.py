"""Errors of other software get the name of the argument that they are about."""

import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from sklearn_calib._utils.arguments.named_errors import calling, naming, renaming


def test_the_name_comes_in_front():
    with (
        pytest.raises(ValueError, match=r"^S cannot be used\. Found array with 0 sample"),
        naming("S"),
    ):
        raise ValueError("Found array with 0 sample(s)")


@pytest.mark.parametrize("text", ["S is wrong", "y is wrong", "of S."])
def test_errors_with_a_name_pass_unchanged(text):
    with pytest.raises(ValueError) as caught, naming("S", "y"):
        raise ValueError(text)
    assert str(caught.value) == text


def test_a_part_of_a_word_is_no_name():
    with pytest.raises(ValueError, match=r"^y cannot be used\. many y_true"), naming("y"):
        raise ValueError("many y_true")


@pytest.mark.parametrize(
    ("raised", "kind"),
    [(AttributeError, TypeError), (OverflowError, ValueError), (TypeError, TypeError)],
)
def test_look_ups_and_conversions_become_errors_of_types_and_values(raised, kind):
    with pytest.raises(kind, match=r"^X cannot be used\. wrong"), naming("X"):
        raise raised("wrong")


def test_other_errors_mean_what_they_mean():
    with pytest.raises(NotFittedError, match=r"^not fitted$"), naming("calibrator"):
        raise NotFittedError("not fitted")
    with pytest.raises(NotFittedError, match=r"^not fitted$"), calling(None, "fit(X, y)"):
        raise NotFittedError("not fitted")
    with pytest.raises(KeyError), naming("X"):
        raise KeyError("X")


def test_a_call_of_the_user_is_told_once():
    model = LogisticRegression()
    told = r"^LogisticRegression\.fit\(X, y\) raised ValueError: wrong$"
    with (
        pytest.raises(ValueError, match=told),
        calling(model, "fit(X, y)"),
        calling(model, "fit(X, y)"),
    ):
        raise ValueError("wrong")


def test_arguments_are_called_what_the_caller_calls_them():
    text = "^y and predict_proba\\(X\\) differ, y_true_ does not$"
    with pytest.raises(ValueError, match=text), renaming(y_true="y", y_proba="predict_proba(X)"):
        raise ValueError("y_true and y_proba differ, y_true_ does not")
