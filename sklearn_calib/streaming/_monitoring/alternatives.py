"""What could be wrong: a fixed grid of alternatives to the predicted probabilities.

Each alternative moves the log-odds ``l = log(p / (1 - p))`` of every prediction: by a constant, by
a slope about one of several pivots, or by a slope on one side of one half only. For a row with the
outcome y, the likelihood ratio of the moved to the predicted probability has the expectation one if
the prediction is right, so products of these ratios over rows are evidence against calibration.
"""

from typing import NamedTuple

import numpy as np

_SHIFTS = 0.05 * 2.0 ** np.arange(6)
_SLOPES = 0.1 * 2.0 ** np.arange(4)  # sizes of the logarithm of the slope
_PIVOTS = {-5.0: 0.1, -2.5: 0.2, 0.0: 0.4, 2.5: 0.2, 5.0: 0.1}
_ONE_SIDED = (0.25, 0.7)
_MASS = {"shift": 0.40, "slope": 0.45, "upper": 0.075, "lower": 0.075}


class Alternative(NamedTuple):
    """Log-odds that are moved by ``shift + slope * part``.

    Attributes
    ----------
    part : {"whole", "upper", "lower"}
        The log-odds themselves, their positive part or their negative part.
    shift : float
        What is added to all log-odds.
    slope : float
        What is added per unit of the part; zero for a pure shift.
    """

    part: str
    shift: float
    slope: float


def _grid():
    """Return the alternatives and their weights, which sum to one."""
    found, mass = [], []
    for size in _SHIFTS:
        found += [Alternative("whole", sign * size, 0.0) for sign in (1.0, -1.0)]
    mass += [_MASS["shift"] / len(found)] * len(found)
    slopes = [sign * size for size in _SLOPES for sign in (1.0, -1.0)]
    for slope in np.expm1(slopes):
        found += [Alternative("whole", -slope * pivot, slope) for pivot in _PIVOTS]
        mass += [_MASS["slope"] * share / len(slopes) for share in _PIVOTS.values()]
    slopes = [sign * size for size in _ONE_SIDED for sign in (1.0, -1.0)]
    for part in ("upper", "lower"):
        found += [Alternative(part, 0.0, slope) for slope in np.expm1(slopes)]
        mass += [_MASS[part] / len(slopes)] * len(slopes)
    return tuple(found), np.array(mass) / sum(mass)


ALTERNATIVES, WEIGHTS = _grid()


def log_ratios(log_odds, happened):
    """Return the logarithm of the likelihood ratio of each alternative, one column per row.

    `log_odds` are finite, and `happened` says whether the event of each row happened.
    """
    # The probability of what happened is the logistic function of minus this.
    away = np.where(happened, -1.0, 1.0)
    predicted = _softplus(away * log_odds)
    parts = {
        "whole": log_odds,
        "upper": np.maximum(log_odds, 0.0),
        "lower": np.minimum(log_odds, 0.0),
    }
    ratios = np.empty((len(ALTERNATIVES), log_odds.size))
    for row, (part, shift, slope) in zip(ratios, ALTERNATIVES):
        moved = log_odds + (shift + slope * parts[part])
        np.subtract(predicted, _softplus(away * moved), out=row)
    return ratios


def _softplus(values):
    """Return ``log(1 + exp(values))`` with an absolute error of one rounding."""
    small = np.exp(-np.abs(values))
    np.log(np.add(small, 1.0, out=small), out=small)
    return np.add(small, np.maximum(values, 0.0), out=small)
