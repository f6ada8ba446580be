"""The part of an axis that is shown, when a few rows lie far from all others."""

import numpy as np

# Quantiles of a feature outside which its axis may end, and the length of a tail, as a share of
# the distance between them, from which it does.
_QUANTILE, _LONG_TAIL = 0.02, 0.75
_MARGIN = 0.03
# Quantiles of the bias and of the limit that a picture shows at least; the room for the latter.
_MOST_BIAS, _MOST_LIMIT, _LIMIT_ROOM = 0.98, 0.8, 1.4
_TOLERATED = 1.25


def feature_view(position):
    """Return the limits of the axis of a feature of numbers.

    An axis shows all rows, except that it ends at the 2 % and the 98 % quantile where the tail
    outside is longer than three quarters of the distance between these two.
    """
    ends = np.array([position.min(), position.max()])
    inner = np.quantile(position, [_QUANTILE, 1 - _QUANTILE])
    length = inner[1] - inner[0]
    tail = np.abs(ends - inner)
    shown = np.where((length > 0) & (tail > _LONG_TAIL * length), inner, ends)
    margin = _MARGIN * (shown[1] - shown[0]) or 0.5
    return shown[0] - margin, shown[1] + margin


def largest_shown(points, *values):
    """Return the bias at the end of an axis or of a colour scale.

    It shows all given values but NaN, nearly all rows, and most of the band.
    """
    _, bias, limit = points.fair
    bias = np.abs(bias)
    largest = 1e-6
    for one in values:
        largest = np.nanmax(np.abs(one), initial=largest)
    if bias.size:
        largest = max(largest, np.quantile(bias, _MOST_BIAS))
        if bias.max() <= _TOLERATED * largest:
            largest = max(largest, bias.max())
    if limit is not None and limit.size:
        largest = max(largest, _LIMIT_ROOM * np.quantile(limit, _MOST_LIMIT))
    return float(largest)
