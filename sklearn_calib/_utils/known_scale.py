"""Tell a calibrator that the scale of its input is right, because this package made it."""

from contextlib import contextmanager
from contextvars import ContextVar

_known = ContextVar("known", default=False)


@contextmanager
def scale_known():
    """Silence the warning that scores look like probabilities."""
    token = _known.set(True)
    try:
        yield
    finally:
        _known.reset(token)


def scale_is_known():
    """Return whether the code runs inside `scale_known`."""
    return _known.get()
