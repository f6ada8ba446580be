"""Weights around query points that are far from all rows, in NumPy."""

import numpy as np

_NO_DISTANCE = -100_000  # exponent of zero


def far_log_weights(points, query, bandwidth, log_weights):
    """Return logarithms of RBF weights around a point, however far away it is.

    Only differences between squared distances count. With the nearest row r, and the vectors ``v =
    x - r`` and ``u = q - r`` in bandwidths, the difference is ``|q - r|^2 - |q - x|^2 = 2 v u -
    |v|^2``, which keeps its digits when ``|u|`` is large. A common power of two keeps the numbers
    in range.

    Logarithms of row weights are minus infinity for rows that do not count. The result is relative
    to the largest weight, whose logarithm follows; it is minus infinity if it is beyond all
    numbers.
    """
    counts = log_weights > -np.inf
    differences = _over_bandwidth(query, points, bandwidth)
    reach = max(int(differences[1][counts].max(axis=1).min()), 0)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        from_query = _scaled(differences, reach)
        squared = np.einsum("ik,ik->i", from_query, from_query)
        nearest = int(np.where(counts, squared, np.inf).argmin())
        v = _scaled(_over_bandwidth(points, points[nearest], bandwidth), reach)
        gain = 2.0 * v @ from_query[nearest] - np.einsum("ik,ik->i", v, v)
        gain = np.where(counts & np.isfinite(gain), gain, -np.inf)
        best = gain.max()
        logs = np.ldexp(gain - best, 2 * reach) + log_weights
        largest = logs.max()
        return logs - largest, float(largest - np.ldexp(squared[nearest] - best, 2 * reach))


def _over_bandwidth(a, b, bandwidth):
    """Return ``(a - b) / bandwidth`` as mantissas and exponents, which cannot overflow."""
    mantissa, exponent = np.frexp(a / 2 - b / 2)
    width, width_exponent = np.frexp(bandwidth)
    exponent = np.where(mantissa == 0, _NO_DISTANCE, exponent - width_exponent + 1)
    return mantissa / width, exponent


def _scaled(number, reach):
    """Return mantissas and exponents as numbers, divided by two to the power of `reach`."""
    mantissa, exponent = number
    return np.ldexp(mantissa, np.clip(exponent - reach, -3000, 3000))
