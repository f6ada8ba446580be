"""Check what a display has stored, and the styles with which it is drawn."""

from collections.abc import Mapping
from functools import wraps

import numpy as np

from ..._utils.named_errors import naming
from ..._utils.options import shorten


def stored_numbers(values, name, shape=None):
    """Return a stored array of numbers or booleans; NaN and infinity are allowed.

    Parameters
    ----------
    values : array-like
        What is stored.
    name : str
        The attribute.
    shape : tuple of int, default=None
        The shape that it must have.
    """
    with naming(name):
        array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold numbers, got {shorten(values)}.")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, got {array.shape}.")
    return array


def check_one_shape(**arrays):
    """Raise unless all arrays have the same shape."""
    shapes = [array.shape for array in arrays.values()]
    if len(set(shapes)) > 1:
        raise ValueError(f"{', '.join(arrays)} must have one shape, got {shapes}.")


def checks_styles(plot):
    """Make a method that draws check its arguments that end in "_kwargs", and name them."""

    @wraps(plot)
    def wrapper(*args, **kwargs):
        styles = {k: v for k, v in kwargs.items() if k.endswith("_kwargs") and v is not None}
        for name, style in styles.items():
            named = isinstance(style, Mapping) and all(isinstance(key, str) for key in style)
            if not named:
                raise TypeError(
                    f"{name} must be None or a dict of Matplotlib's options, such as "
                    f"{{'color': 'red'}}, got {shorten(style)}."
                )
        try:
            return plot(*args, **kwargs)
        except (AttributeError, TypeError, ValueError) as error:
            for name, style in styles.items():
                if any(key in str(error) for key in style):
                    raise ValueError(f"{name} cannot be used. {error}") from error
            raise

    return wrapper
