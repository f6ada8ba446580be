"""Validate options: names, whole numbers, positive numbers, text, progress."""

import math
import reprlib
from collections.abc import Mapping
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from os import PathLike, fspath

import numpy as np

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 120
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxset = _SHORT.maxfrozenset = _SHORT.maxdict = 12


class Default(str):
    """A default that can be told from the same text passed by the caller: it is this object."""

    __slots__ = ()


def check_option(value, name, allowed):
    """Raise unless `value` is one of the strings in `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        options = ", ".join(repr(option) for option in allowed)
        raise ValueError(f"{name} must be one of {options}, got {shorten(value)}.")
    return value


def check_flag(value, name):
    """Return True or False; text and numbers, which Python counts as true or false, are refused."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {shorten(value)}.")
    return bool(value)


def check_integer(value, name, minimum):
    """Return a whole number of at least `minimum` as int."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or value < minimum:
        raise ValueError(
            f"{name} must be a whole number of at least {minimum}, got {shorten(value)}."
        )
    return int(value)


def is_finite_real(value):
    """Return whether a value is a finite number that float64 holds, and no boolean."""
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an int beyond the largest float
        return False


def check_number(value, name, *, allow_infinity=False):
    """Return a number of either sign as float."""
    infinite = allow_infinity and isinstance(value, Real) and value in (np.inf, -np.inf)
    if not infinite and not is_finite_real(value):
        kind = "a number" if allow_infinity else "a finite number"
        raise ValueError(f"{name} must be {kind}, got {shorten(value)}.")
    return float(value)


def check_real(value, name, *, below=np.inf):
    """Return a number above zero and below a limit as float."""
    if not is_finite_real(value) or not 0 < value < below:
        limit = "" if below == np.inf else f" and below {below:g}"
        raise ValueError(f"{name} must be a finite number above 0{limit}, got {shorten(value)}.")
    return float(value)


def check_bandwidth(value, name="bandwidth"):
    """Return "median" or a positive float."""
    if isinstance(value, str) and value == "median":
        return value
    real = is_finite_real(value)
    # Division by a subnormal number overflows.
    smallest = np.finfo(np.float64).tiny
    if not real or value < smallest:
        limit = f" It must be at least {smallest:.3g}." if real and 0 < value < smallest else ""
        raise ValueError(
            f'{name} must be a positive number or "median", got {shorten(value)}.{limit}'
        )
    return float(value)


def check_text(value, name):
    """Return a value that is text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, got {shorten(value)}.")
    return value


def check_names(values, name):
    """Return a list of names as texts; whole numbers, as some tables have, count as names."""
    listed = np.iterable(values) and not isinstance(values, str | bytes | Mapping)
    names = list(values) if listed else []
    if not listed or not all(isinstance(one, str | Integral) for one in names):
        raise ValueError(f"{name} must be a list of texts, got {shorten(values)}.")
    return [str(one) for one in names]


def check_path(value, name="path"):
    """Return a path as text."""
    text = fspath(value) if isinstance(value, str | PathLike) else None
    if not isinstance(text, str):
        raise TypeError(f"{name} must be text or a path, got {shorten(value)}.")
    return text


def check_progress(value):
    """Return `verbose` if it says whether, or to which function, progress is told."""
    level = isinstance(value, bool | np.bool_) or (isinstance(value, Integral) and int(value) >= 0)
    if not level and not callable(value):
        raise ValueError(
            "verbose must be True, False, a whole number from 0 or a function that is called with "
            f"each line, got {shorten(value)}."
        )
    return value


def changed_options(function, values):
    """Return the names of the arguments whose values are not the defaults of a function."""
    parameters = signature(function).parameters
    return [
        name
        for name, value in values.items()
        for default in [parameters[name].default]
        if value is not default and not (np.isscalar(value) and value == default)
    ]


def check_seed(value):
    """Return `seed` for `numpy.random.default_rng`: a whole number from 0, or None."""
    return None if value is None else check_integer(value, "seed", 0)


def check_jobs(value):
    """Return `n_jobs`: a whole number other than 0, or None."""
    if value is None:
        return value
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or value == 0:
        raise ValueError(
            "n_jobs must be None, a number of processes or -1 for all processors, got "
            f"{shorten(value)}."
        )
    return int(value)


def shorten(value):
    """Return the text of a value for a message, of bounded length."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # an int of more digits than Python prints
        return f"a value of type {type(value).__name__}"


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
