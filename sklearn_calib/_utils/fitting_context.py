"""Tell a function who calls it: a user, or a part of this package that made its input.

Warnings about input that looks like the output of another method are for users. Defaults that are
"auto" are those of the literature for users who fit a calibrator on its own, and those that predict
best behind a classifier.
"""

from contextlib import contextmanager
from contextvars import ContextVar

_caller = ContextVar("caller", default="user")


@contextmanager
def fitted_by(caller):
    """Set who calls inside: "user", "predict_proba", "one-vs-rest" or "classifier"."""
    token = _caller.set(caller)
    try:
        yield
    finally:
        _caller.reset(token)


def from_predict_proba():
    """Say that numbers come from the right method, or that they have been looked at before.

    Some classifiers, such as unpruned decision trees, give nothing but zeros and ones.
    """
    return fitted_by("predict_proba" if current_caller() == "user" else current_caller())


def current_caller():
    """Return who calls."""
    return _caller.get()


def resolve(value, alone, behind_classifier):
    """Return a parameter, or what "auto" stands for on its own and behind a classifier."""
    if not isinstance(value, str):
        return value
    return behind_classifier if current_caller() == "classifier" else alone
