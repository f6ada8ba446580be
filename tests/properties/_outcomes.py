"""What a public callable answers, as plain arrays that can be compared."""

import warnings
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose, assert_array_equal

# What a user may be told instead of a number: too few rows, or a number that does not exist.
REFUSED = (
    "n too small",
    "too few",
    "sample_weight differs so much",
    "has no p-value",
    "has min_rows",
    "line is not determined",
    "is not available for",
    "leaves all predictions",
    "One row has nearly all the weight",
    "there is no interval",
    "there is no calibration slope",
    "No number of rows is enough",
    "more rows do not bring it to",
)
# What may be said beside a number.
WARNED = (
    "The slope of PlattCalibrator is negative",
    "All values of S lie in",
    "carries .* of the squared distance",
    "did not converge",
    "The held-out log loss still got better",
    "No query point has an effective size",
    "is NaN for .* draws",
)


class Refusal(str):
    """The reason for which there is no number."""


def outcome(evaluate, *arguments):
    """Return the plain answer, or the reason for which there is none.

    Parameters
    ----------
    evaluate : callable
        Returns numbers, text, arrays, tables, results or mappings and sequences of these.
    *arguments : object
        What it is called with.
    """
    try:
        with warnings.catch_warnings():
            for words in WARNED:
                warnings.filterwarnings("ignore", f".*{words}")
            answer = evaluate(*arguments)
    except ValueError as error:
        if not any(words in str(error) for words in REFUSED):
            raise
        return Refusal(error)
    return plain(answer)


def plain(answer):
    """Return the parts of an answer by their names."""
    return dict(_plain("", answer))


def _plain(path, value):
    """Yield the name and the value of each plain part of an answer."""
    if is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
    elif type(value).__module__.startswith("sklearn_calib.display"):
        parts = {key: part for key, part in vars(value).items() if key.strip("_") == key}
    elif isinstance(value, pd.DataFrame):
        parts = {name: value[name].to_numpy() for name in value}
    elif isinstance(value, Mapping):
        parts = value
    elif hasattr(value, "_asdict"):
        parts = value._asdict()
    elif isinstance(value, list | tuple):
        parts = dict(enumerate(value))
    else:
        infinite = isinstance(value, str) and value in ("inf", "-inf", "nan")  # as in JSON
        yield path, np.asarray(float(value) if infinite else value)
        return
    for name, part in parts.items():
        yield from _plain(f"{path}.{name}" if path else str(name), part)


def assert_same(first, second, *, rtol, atol, without=()):
    """Assert that two answers agree.

    Parameters
    ----------
    first, second : dict of str to ndarray, or Refusal
        Two outcomes.
    rtol, atol : float
        How close numbers have to be.
    without : callable or container of str
        Names of parts that may differ.
    """
    if isinstance(first, Refusal) or isinstance(second, Refusal):
        assert isinstance(first, Refusal), f"only the second one is refused: {second}"
        assert isinstance(second, Refusal), f"only the first one is refused: {first}"
        return
    assert first.keys() == second.keys()
    for name, value in first.items():
        if set(name.split(".")) & set(without):
            continue
        other = second[name]
        if value.dtype.kind in "fc":
            assert_allclose(other, value, rtol=rtol, atol=atol, err_msg=name)
        else:
            assert_array_equal(other, value, err_msg=name)
