"""The smooth calibration error of Blasiok and Nakkiran."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.fft import dct, dst

from ..._core import WaveSums
from ..._data.sums import Mergeable, Totals
from ..._utils.docs import fill_doc
from ..._utils.types import Label
from .._event_errors import EventErrors, EventSums, resolve_events
from .._metric import evaluate, metric

# Cosines of the expansion: as many as the error of a calibrated model of so many rows needs, about
# 21 * n ** (1/3), and for smaller errors the largest number.
_FEWEST, _MOST = 256, 4096
_PER_ROOT = 21.0
# A width this many times the smallest that the cosines resolve is found to ten digits.
_SAFE = 1.5
# Points of the unit interval per cosine at which the smoothed residual is computed, and at least.
_POINTS, _FEWEST_POINTS = 2, 8192
_N_STEPS = 100
# Draws whose widths are looked for together: few enough that their curves stay in the cache.
_DRAWS = 8


class SmoothError(EventErrors):
    r"""The smooth calibration error, prepared.

    The reflected Gaussian kernel of width :math:`\sigma` on [0, 1] is
    :math:`1 + 2 \sum_m e^{-(\pi \sigma m)^2 / 2} \cos(\pi m t) \cos(\pi m p)`, so that the smoothed
    residual at every t and every width follows from the sums
    :math:`c_m = \sum_i w_i e_i \cos(\pi m p_i)`.
    """

    def __init__(self, predictions, target):
        super().__init__(predictions, target)
        self._waves: dict[tuple[int, int], WaveSums] = {}

    def __call__(self, codes):
        return np.mean([self._error(k, codes) for k in range(self.n_columns)], axis=0)

    def _error(self, k, codes):
        """Return the error of one event for each draw."""
        p, happened = self.reductions[k].proba[:, 0], self.reductions[k].happened(codes)[:, 0]

        def sums(draws, n_cosines):
            if (k, n_cosines) not in self._waves:
                self._waves[k, n_cosines] = WaveSums(n_cosines * p, n_cosines)
            return self._waves[k, n_cosines](happened[:, draws], p, self.weight).real.T

        return smooth_errors(sums, p.size)


def smooth_errors(sums, n_samples):
    """Return the error of each draw, with as many cosines as it needs.

    Parameters
    ----------
    sums : callable
        ``sums(draws, n_cosines)`` -> cosine sums of some draws, shape (n, n_cosines).
    n_samples : int
        Number of rows.
    """
    n_cosines = n_cosines_for(n_samples)
    error = smooth_width(sums(slice(None), n_cosines))
    small = error < _SAFE * smallest_width(n_cosines)
    if n_cosines < _MOST and small.any():
        error[small] = smooth_width(sums(small, _MOST))
    return error


def n_cosines_for(n_samples):
    """Return with how many cosines the error of so many rows is looked for first."""
    wanted = _PER_ROOT * np.cbrt(n_samples)
    return int(np.clip(2.0 ** np.ceil(np.log2(wanted)), _FEWEST, _MOST))


def smallest_width(n_cosines):
    """Return the width at which the last cosine still has the factor 1e-16."""
    return np.sqrt(2.0 * np.log(1e16)) / (np.pi * n_cosines)


def smooth_width(sums):
    """Return, for each draw, the width that equals the error at this width.

    The error minus the width falls with the width, so its zero is enclosed by secants whose
    idle end loses half its value at each step (the Illinois rule). Below the smallest width that
    the cosines resolve, it is the error at that width.
    """
    parts = [sums[first : first + _DRAWS] for first in range(0, len(sums), _DRAWS)]
    return np.concatenate([_widths(part) for part in parts])


def _widths(sums):
    """Return the widths of a few draws."""
    smallest = smallest_width(sums.shape[1])
    low, high = np.full(len(sums), smallest), np.ones(len(sums))
    at_smallest = _absolute_integral(sums, low)
    at_low, at_high = at_smallest - low, _absolute_integral(sums, high) - high
    width, side = low, np.zeros(len(sums))
    for _ in range(_N_STEPS):
        with np.errstate(invalid="ignore"):
            width = np.clip((low * at_high - high * at_low) / (at_high - at_low), low, high)
        width = np.where(at_low > 0.0, width, low)
        value = _absolute_integral(sums, width) - width
        above = value > 0.0
        at_high = np.where(above & (side > 0.0), 0.5 * at_high, at_high)
        at_low = np.where(~above & (side < 0.0), 0.5 * at_low, at_low)
        low, at_low = np.where(above, width, low), np.where(above, value, at_low)
        high, at_high = np.where(above, high, width), np.where(above, at_high, value)
        side = np.where(above, 1.0, -1.0)
        found = np.abs(value) <= 1e-15 + 1e-13 * width
        if np.all(found | (at_smallest <= smallest) | (high - low <= 1e-13 * high)):
            break
    return np.where(at_smallest > smallest, width, at_smallest)


def _absolute_integral(sums, width):
    """Return the integral over [0, 1] of the smoothed residual's size, one width per draw.

    Between the points of a grid the integral is a difference of the antiderivative, which the same
    sums give as sines; where the sign changes, the root splits the interval.
    """
    n_cosines = sums.shape[1]
    order, n_intervals = np.arange(n_cosines), max(_POINTS * n_cosines, _FEWEST_POINTS)
    decayed = sums * np.exp(-0.5 * (np.pi * width[:, np.newaxis] * order) ** 2)
    step = 1.0 / n_intervals
    cosines = np.zeros((len(sums), n_intervals + 1))
    cosines[:, :n_cosines] = decayed
    value = dct(cosines, type=1)
    sines = np.zeros((len(sums), n_intervals - 1))
    sines[:, : n_cosines - 1] = decayed[:, 1:] / (np.pi * order[1:])
    area = decayed[:, :1] * np.linspace(0.0, 1.0, n_intervals + 1)
    area[:, 1:-1] += dst(sines, type=1)
    total = np.abs(np.diff(area)).sum(axis=1)
    draw, start = np.nonzero(value[:, :-1] * value[:, 1:] < 0.0)
    left, right = value[draw, start], value[draw, start + 1]
    before, after = area[draw, start], area[draw, start + 1]
    share = left / (left - right)
    middle = (  # the cubic with the area and the value of both ends
        before
        + share**2 * (3.0 - 2.0 * share) * (after - before)
        + step * share * (1.0 - share) * ((1.0 - share) * left - share * right)
    )
    split = np.abs(middle - before) + np.abs(after - middle) - np.abs(after - before)
    return total + np.bincount(draw, split, minlength=len(sums))


@dataclass(frozen=True)
class CosineSums(EventSums):
    """The cosine sums of the weighted residuals of each event."""

    @property
    def size_of_event(self) -> int:
        """Number of cosines."""
        return _MOST

    def of_event(self, p, residuals):
        """Return the totals of an event."""
        return Totals.of(WaveSums(_MOST * p, _MOST)(residuals[:, np.newaxis])[:, 0].real)


def _mergeable(n_classes, *, target):
    sums = CosineSums(resolve_events(target, n_classes), n_classes)
    return Mergeable(sums, partial(_of_totals, sums))


def _of_totals(sums, totals):
    shares = sums.shares(totals)

    def of_events(events, n_cosines):
        return shares[events, :n_cosines]

    return float(smooth_errors(of_events, sums.n_samples(totals)).mean())


@metric(
    prepare=SmoothError,
    mergeable=_mergeable,
    label="smooth ECE",
    meaning="mean gap after smoothing with a width equal to the error itself",
    interval="norm",
    shown_in=("report",),
    rank=35,
)
@fill_doc()
def smooth_ece(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the smooth expected calibration error.

    With weights :math:`w_i` that sum to one, residuals :math:`e_i` (indicator minus probability)
    and the Gaussian kernel :math:`K_\sigma` reflected at 0 and 1, the error at a width is

    .. math:: \mathrm{smECE}_\sigma = \int_0^1 \Big| \sum_i w_i e_i K_\sigma(t, p_i) \Big| \, dt,

    and the smooth error is the width :math:`\sigma` at which
    :math:`\mathrm{smECE}_\sigma = \sigma`. Zero means calibrated; one is the largest value.
    Unlike the binned error it has no bins to choose, and it changes little when the predictions
    change little.

    Parameters
    ----------
    <<y_true_or_dask>>
    <<y_proba>>
    <<target_binned>>
        The "classwise" error is the mean over the classes.
    <<weights_as_copies>>

    Returns
    -------
    error : float
        A number in [0, 1]; lower is better.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    ece : The error from bins.
    kce : The error from a kernel on pairs of rows.

    Notes
    -----
    <<not_proper>>
    It is biased upwards: a calibrated model with n predictions spread evenly over [0, 1] has an
    error of about ``0.32 * n ** (-1/3)``, and :func:`~sklearn_calib.check_calibration` tells
    whether a value is larger than that. A width below 0.0007 is not resolved; the error is then
    the one at that width. Time and memory are O(n), by a fast transform of unevenly spaced
    points.

    References
    ----------
    .. [1] J. Blasiok, P. Nakkiran, "Smooth ECE: Principled Reliability Diagrams via Kernel
       Smoothing", ICLR 2024, arXiv:2309.12236.

    Examples
    --------
    >>> from sklearn_calib.metrics import smooth_ece
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(smooth_ece(y_true, y_proba), 4)
    0.1866
    """
    return evaluate(smooth_ece, locals())
