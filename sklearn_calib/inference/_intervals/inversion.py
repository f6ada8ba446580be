"""The values that a test does not reject, found from the distance of each value from the data."""

import numpy as np
from scipy.optimize import brentq

# Doublings of a step after which an interval counts as open at this end.
_N_DOUBLINGS = 40
_PRECISION = 1e-12


def end_of_interval(distance, estimate, side, quantile, step):
    """Return how far one goes from an estimate until values are too far from the data.

    ``distance(value)``, in standard errors, grows on either side of the estimate, which may be
    infinite; then the other end is finite. `side` is -1 or 1, `quantile` the distance that is not
    reached inside the interval, and `step` says about how far away the end is; any number that is
    not positive and finite stands for one. The result is infinite if no value on this side is too
    far away.
    """
    if estimate == side * np.inf:
        return float(estimate)
    step = step if np.isfinite(step) and step > 0.0 else 1.0
    steps = step * 2.0 ** np.arange(_N_DOUBLINGS)
    inside = estimate
    if np.isinf(estimate):
        inside = next((v for v in np.sign(estimate) * steps if distance(v) < quantile), None)
        if inside is None:
            return side * np.inf
    elif distance(estimate) >= quantile:
        return float(estimate)  # the rounding of the distance is more than the quantile
    last = inside
    for point in inside + side * steps:
        excess = distance(point) - quantile
        if excess >= 0.0 and np.isfinite(excess):
            return float(
                brentq(
                    lambda value: distance(value) - quantile,
                    *(last, point),
                    xtol=_PRECISION,
                    rtol=_PRECISION,
                )
            )
        if excess >= 0.0:
            return _bisect(distance, last, point, quantile)
        last = point
    return side * np.inf


def _bisect(distance, inside, outside, quantile):
    """Return the end between a value inside and one that is infinitely far from the data."""
    while abs(outside - inside) > _PRECISION * max(1.0, abs(outside)):
        middle = 0.5 * (inside + outside)
        if distance(middle) < quantile:
            inside = middle
        else:
            outside = middle
    return float(outside)
