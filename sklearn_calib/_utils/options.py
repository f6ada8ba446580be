"""Validate options: names, whole numbers, positive numbers."""

from functools import wraps
from numbers import Integral, Real

import numpy as np


class Default(str):
    """A default that can be told from the same text passed by the caller: it is this object."""

    __slots__ = ()


def check_option(value, name, allowed):
    """Raise unless `value` is one of the strings in `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        options = ", ".join(repr(option) for option in allowed)
        raise ValueError(f"{name} must be one of {options}, got {value!r}.")
    return value


def check_flag(value, name):
    """Return True or False; text and numbers, which Python counts as true or false, are refused."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def check_integer(value, name, minimum):
    """Return a whole number of at least `minimum` as int."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or value < minimum:
        raise ValueError(f"{name} must be a whole number of at least {minimum}, got {value!r}.")
    return int(value)


def check_real(value, name, *, below=np.inf):
    """Return a number above zero and below a limit as float."""
    real = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not real or not 0 < value < below:
        limit = "" if below == np.inf else f" and below {below:g}"
        raise ValueError(f"{name} must be a finite number above 0{limit}, got {value!r}.")
    return float(value)


def check_bandwidth(value, name="bandwidth"):
    """Return "median" or a positive float."""
    if isinstance(value, str) and value == "median":
        return value
    real = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    # Division by a subnormal number overflows.
    smallest = np.finfo(np.float64).tiny
    if not real or not np.isfinite(value) or value < smallest:
        limit = f" It must be at least {smallest:.3g}." if real and 0 < value < smallest else ""
        raise ValueError(f'{name} must be a positive number or "median", got {value!r}.{limit}')
    return float(value)


def refuse_arguments(**explanations):
    """Make a function explain why it has no argument of a name that users know from elsewhere."""

    def decorate(function):
        @wraps(function)
        def wrapper(*args, **kwargs):
            for name in explanations.keys() & kwargs.keys():
                raise TypeError(f"There is no argument {name}=; {explanations[name]}.")
            return function(*args, **kwargs)

        return wrapper

    return decorate
