"""Warn the user: where in the user's code a warning belongs, and who else may take it."""

import contextlib
import sys
import warnings
from contextvars import ContextVar
from pathlib import Path

from sklearn import base

# Files of the package, and those that run its functions inside context managers.
_OWN = (str(Path(__file__).parents[1]), contextlib.__file__, base.__file__)


def _stacklevel_of_user():
    """Return the `stacklevel` with which the caller's warning points outside of the package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        level, frame = level + 1, frame.f_back
    return level


_taken_by = ContextVar("taken_by", default=None)


def warn(message, category=UserWarning):
    """Warn the user, or tell whoever takes the warnings of this package in this context.

    The warning points to the line of the user's code that called this package.
    """
    take = _taken_by.get()
    if take is not None:
        take(message)
        return
    warnings.warn(message, category, stacklevel=_stacklevel_of_user())


@contextlib.contextmanager
def warnings_taken_by(take):
    """Hand the warnings of this package to a function of one text, in this context alone.

    The filters of :mod:`warnings` belong to all threads, so that changing them for a while would
    take the warnings of others, and could leave the filters changed.
    """
    token = _taken_by.set(take)
    try:
        yield
    finally:
        _taken_by.reset(token)
