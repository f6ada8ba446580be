"""Metrics that are evaluated together, because they need the same sums of the same labels."""

from typing import Any, NamedTuple

import numpy as np

from ..metrics._binned.binned_error import BinnedError
from ..metrics._kernel.pair_error import PairError


class Together(NamedTuple):
    """Metrics on the same rows, with how to evaluate all of them for one set of labels.

    Attributes
    ----------
    errors : list of RowsError
        The metrics.
    evaluate : callable
        ``evaluate(prepared, codes)`` -> list of values, one per metric.
    """

    errors: list
    evaluate: Any

    def __call__(self, codes):
        """Return the values, shape (n_errors, n_draws), for label codes of all rows."""
        rows = self.errors[0].rows
        codes = codes if rows is None else codes[rows]
        return np.stack(self.evaluate([one.error for one in self.errors], codes))


def put_together(errors):
    """Return the `Together` of metrics that share sums, and of each other metric alone.

    Parameters
    ----------
    errors : list of RowsError
        The metrics, prepared with the same options for bins.
    """
    found: dict[tuple, Together] = {}
    for number, one in enumerate(errors):
        key, evaluate = _sums(one.error)
        key = (number,) if key is None else (*key, id(one.rows))
        found.setdefault(key, Together([], evaluate)).errors.append(one)
    return list(found.values())


def _sums(error):
    """Return what sums an error shares with others, None for nothing, and how to evaluate them."""
    if isinstance(error, BinnedError):
        return ("bins", error.target), _binned
    if isinstance(error, PairError) and error.forms is not None:
        local = error.feature_bandwidth is not None
        return ("pairs", error.target, local), _pairs
    return None, _alone


def _alone(errors, codes):
    return [error(codes) for error in errors]


def _binned(errors, codes):
    """Return binned errors from one table of rates."""
    bins = errors[0].bins(codes)
    return [error.of_bins(bins) for error in errors]


def _pairs(errors, codes):
    """Return kernel errors from one sum for each kernel."""
    sums: dict[tuple, list] = {}
    kernels = [(error.kernel, *map(str, error.bandwidths)) for error in errors]
    # Only the biased errors need the diagonal.
    biased = {kernel for kernel, one in zip(kernels, errors) if one.estimator == "biased"}
    for kernel, error in zip(kernels, errors):
        if kernel not in sums:
            each = range(len(error.reductions))
            sums[kernel] = [error.sums_of_labels(k, codes, diagonal=kernel in biased) for k in each]
    return [error.of_sums(sums[kernel]) for kernel, error in zip(kernels, errors)]
