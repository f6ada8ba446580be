"""Validate arrays of numbers: features, weights, and what they have in common."""

import reprlib
from numbers import Number

import numpy as np
from narwhals.stable.v2.dependencies import is_polars_lazyframe
from sklearn.utils import check_array

# Options with which `check_array` refuses no dtype or shape; what is wrong is then said here.
ANY_ARRAY: dict = {
    "dtype": None,
    "ensure_2d": False,
    "allow_nd": True,
    "ensure_min_samples": 0,
    "ensure_min_features": 0,
}
# Below this, products of weights and probabilities lose digits.
SMALLEST_WEIGHT = 1e-305
# Weights beyond have squares that are no longer numbers of full precision.
WEIGHT_RANGE = (1e-120, 1e120)


def check_features(values, name="X"):
    """Return features as a float64 matrix; (n,) is one feature."""
    features = check_numeric(values, name)
    if features.ndim == 1:
        features = features[:, np.newaxis]
    if features.shape[1] == 0:
        raise ValueError(f"{name} has no column; at least one feature is needed.")
    return features


def check_numeric(values, name, *, allow_nan=False):
    """Return a non-empty, finite float64 array of one or two dimensions.

    Text and dates are refused even where NumPy could turn them into numbers; NaN is, too, unless
    it is allowed.
    """
    hint = (
        "Turn dates into numbers, such as days since a date, or into text."
        if allow_nan
        else "Encode text and dates as numbers first."
    )
    refuse_hidden(values, name)
    try:
        array = values
        if not is_plain(values):
            array = check_array(
                _without_bfloat16(values),
                ensure_all_finite=False,
                input_name=name,
                **ANY_ARRAY,
            )
        if array.dtype.kind == "O":
            array = _numbers_of_objects(array)
    except (OverflowError, TypeError, ValueError) as error:
        reason = str(error).strip().removesuffix(".")
        raise ValueError(f"{name} must be a numeric array: {reason}. {hint}") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be numeric, got an array of dtype {array.dtype}. {hint}")
    array = array.astype(np.float64, copy=False)
    if array.ndim not in (1, 2):
        raise ValueError(
            f"{name} must have one or two dimensions, got an array of shape {array.shape}."
        )
    if array.shape[0] == 0:
        raise ValueError(f"{name} is empty; at least one row is needed.")
    good = ~np.isinf(array) if allow_nan else np.isfinite(array)
    if not good.all():
        where = tuple(int(k) for k in np.argwhere(~good)[0])
        column = "" if array.ndim == 1 else f", column {where[1]}"
        remedy = (
            "Replace infinity by a number, or by NaN if the value is missing."
            if allow_nan
            else "Drop or impute NaN and infinity first."
        )
        raise ValueError(
            f"{name} must be finite; row {where[0]}{column} is {array[where]}. {remedy}"
        )
    return array


def is_plain(values):
    """Return whether values are a NumPy array of numbers or booleans, and not of a subclass."""
    return type(values) is np.ndarray and values.dtype.kind in "biuf"


def refuse_lazy(values, name):
    """Raise if values are a lazy table of polars, whose rows have not been read."""
    if is_polars_lazyframe(values):
        raise ValueError(f"{name} is of type LazyFrame; pass its rows, {name}.collect().")


def refuse_hidden(values, name):
    """Raise if values are a lazy table, or a masked array that hides some of them.

    Nothing would read the rows, and the mask would be lost.
    """
    refuse_lazy(values, name)
    # Nullable arrays of pandas have a mask, too; their missing values are refused as such.
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        n_masked = np.count_nonzero(np.ma.getmaskarray(values))
        raise ValueError(
            f"{name} is a masked array with {n_masked} masked value{'s' if n_masked > 1 else ''}, "
            "which would be used as if they were not masked. Leave out their rows from all "
            "arguments alike, for example with keep = ~numpy.ma.getmaskarray(...), or fill them."
        )


def _without_bfloat16(values):
    """Return an array of bfloat16, which NumPy and scikit-learn do not know, as float32."""
    if getattr(getattr(values, "dtype", None), "name", None) == "bfloat16":
        return np.asarray(values).astype(np.float32)
    return values


def _numbers_of_objects(array):
    """Turn an object array into float64 unless it holds anything but numbers (None is NaN)."""
    for value in array.flat:
        if value is not None and not is_number(value):
            raise TypeError(f"it holds {reprlib.repr(value)} of type {type(value).__name__}")
    return array.astype(np.float64)


def is_number(value):
    return isinstance(value, Number | np.bool_)


def check_same_length(**arrays):
    """Raise unless all arrays have as many rows as the first."""
    (first, reference), *others = arrays.items()
    for name, array in others:
        if array.shape[0] != reference.shape[0]:
            raise ValueError(
                f"{first} and {name} must have the same number of rows, got {reference.shape[0]} "
                f"and {array.shape[0]}."
            )


def check_weights(sample_weight, n_samples):
    """Return weights as a float64 vector, or None."""
    if sample_weight is None:
        return None
    weight = check_numeric(sample_weight, "sample_weight")
    if weight.ndim == 2 and weight.shape[1] == 1:
        weight = weight[:, 0]
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have shape ({n_samples},), one weight per row, got {weight.shape}."
        )
    if weight.min() < 0:
        row = int(weight.argmin())
        raise ValueError(
            f"sample_weight must not be negative; row {row} has weight {weight[row]:.10g}."
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; at least one must be positive.")
    if weight.max() < SMALLEST_WEIGHT:
        raise ValueError(
            f"sample_weight is too small to be multiplied; the largest is {weight.max():.3g}. "
            "Divide all weights by it."
        )
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not np.isfinite(total):
        raise ValueError(
            f"sample_weight is too large to be added up; the largest is {weight.max():.3g}. Divide "
            "all weights by it."
        )
    return weight


def check_scale(weight):
    """Raise if squares of positive weights, as they are, would overflow or vanish."""
    if weight is None:
        return
    low, high = WEIGHT_RANGE
    for extreme in (weight.min(), weight.max()):
        if not low <= extreme <= high:
            raise ValueError(
                f"sample_weight must be zero or lie between {low:g} and {high:g}, got "
                f"{extreme:.3g}: the weights of all batches are added up as they are. Divide them "
                "all by one number."
            )


def scale_of(weight):
    """Return the power of two next to the largest weight; dividing by it rounds nothing.

    Squares of weights that have been divided by it neither overflow nor vanish.
    """
    return float(np.ldexp(1.0, np.frexp(weight.max())[1] - 1))
