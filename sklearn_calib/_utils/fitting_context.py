"""Tell a calibrator who fits it: a user, or a part of this package that made its input.

Warnings about the scale of the input are for users. Defaults that are "auto" are those of the
literature for users who fit a calibrator on its own, and those that predict best behind a
classifier.
"""

from contextlib import contextmanager
from contextvars import ContextVar

_caller = ContextVar("caller", default="user")


@contextmanager
def fitted_by(caller):
    """Set who fits the calibrators inside: "user", "one-vs-rest" or "classifier"."""
    token = _caller.set(caller)
    try:
        yield
    finally:
        _caller.reset(token)


def current_caller():
    """Return who fits."""
    return _caller.get()


def resolve(value, alone, behind_classifier):
    """Return a parameter, or what "auto" stands for on its own and behind a classifier."""
    if not isinstance(value, str):
        return value
    return behind_classifier if current_caller() == "classifier" else alone
