"""How far rows of probabilities may be from one, given how precisely they were written down."""

from typing import Any

import numpy as np

ROW_SUM_TOLERANCE = 1e-6
# Whatever the precision: a row further off has lost a class or was never normalised.
_MOST_BY_ROUNDING, _MOST_BY_DECIMALS = 0.02, 0.1
# Coarser decimals than these are not taken for rounding unless the caller says so.
_FEWEST_DECIMALS, _MOST_DECIMALS = 3, 10
_BFLOAT16_EPS = 2.0**-7
# Fractions of so few binary digits are exact in every precision.
_SIMPLE_BITS = 8
_FIRST_ROWS = 100


def declared_eps(values):
    """Return the machine epsilon of the least precise floating-point dtype of the input.

    Parameters
    ----------
    values : object
        An array, a table or a list, as it was passed.
    """
    dtypes: Any = getattr(values, "dtypes", None)
    if not hasattr(dtypes, "__iter__"):
        dtypes = [getattr(values, "dtype", None)]
    return max(map(_eps_of, dtypes), default=_eps_of(None))


def _eps_of(dtype):
    name = str(getattr(dtype, "name", dtype)).lower()
    if "bfloat16" in name:
        return _BFLOAT16_EPS
    for width in (16, 32):
        if f"float{width}" in name:
            return float(np.finfo(f"float{width}").eps)
    return float(np.finfo(np.float64).eps)


def rounding_eps(values, came_as=None):
    """Return the machine epsilon of the numbers: what their dtype says, or what they are.

    The dtype is that of the numbers as they were passed. Numbers in float64 that are all exact in
    half or single precision have been rounded to it, unless they are simple fractions such as 0.25,
    exact in any.
    """
    eps = declared_eps(came_as)
    mantissa = np.frexp(values)[0] * 2.0**_SIMPLE_BITS
    if np.array_equal(mantissa, np.round(mantissa)):
        return eps
    for dtype in (np.float16, np.float32):
        own = float(np.finfo(dtype).eps)
        if own > eps and np.array_equal(_rounded(values, dtype), values):
            return own
    return eps


def _rounded(values, dtype):
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(dtype)


def _written_eps(values):
    """Return the machine epsilon of the precision that all numbers were written in as text, or 0.

    A text file shows the shortest decimals that tell a number of half or single precision, which
    float64 does not hold exactly. Three decimals or fewer could be of any precision.
    """
    if _shows_decimals(values, _FEWEST_DECIMALS, float(np.finfo(np.float64).eps)):
        return 0.0
    for dtype in (np.float16, np.float32):
        parts = (values[:_FIRST_ROWS], values)  # the first rows tell most tables apart
        if all(np.array_equal(_rounded(p, dtype).astype(str).astype(float), p) for p in parts):
            return float(np.finfo(dtype).eps)
    return 0.0


def _shows_decimals(values, decimals, eps):
    """Tell whether all values are rounded to so many decimals."""
    return np.all(np.abs(values - np.round(values, decimals)) <= 2.0 * eps * np.abs(values))


def visible_decimals(values, eps):
    """Return the number of decimals to which all values are rounded, or None beyond ten.

    Fewer than three are never found: coarse numbers are more often typed wrongly than rounded.
    """
    for decimals in range(_FEWEST_DECIMALS - 1, _MOST_DECIMALS + 1):
        if _shows_decimals(values, decimals, eps):
            return None if decimals < _FEWEST_DECIMALS else decimals
    return None


def row_sum_tolerance(proba, came_as=None, decimals=None):
    """Return how far the sums of rows may be from one.

    That is 1e-6, or what the precision of the numbers allows if that is more: the root of the
    machine epsilon of the dtype in which they came (`came_as`), at most 0.02, or half a unit of the
    last decimal for each column, at most 0.1. A model that computes logarithms of probabilities in
    single precision is off by the epsilon times their size; 3.5e-4 is what the log loss of
    scikit-learn allows it. `decimals` are those that a text file shows; None finds out from the
    numbers.
    """
    n_columns = proba.shape[1]
    eps = rounding_eps(proba, came_as)
    tolerance = _by_rounding(eps, n_columns)
    if decimals is None:
        decimals = visible_decimals(proba, eps)
    if decimals is not None:
        tolerance += min(0.5 * n_columns * 10.0**-decimals, _MOST_BY_DECIMALS)
    written = _written_eps(proba)
    # Few decimals show how the numbers were rounded, and not how they were computed.
    computed = eps if decimals is not None else max(eps, written)
    tolerance = max(
        tolerance, _by_rounding(written, n_columns), min(np.sqrt(computed), _MOST_BY_ROUNDING)
    )
    return max(ROW_SUM_TOLERANCE, tolerance * (1.0 + 1e-9))


def _by_rounding(eps, n_columns):
    """Return how far the sum of so many rounded numbers may be off."""
    return min(4.0 * eps * np.sqrt(n_columns), _MOST_BY_ROUNDING)
