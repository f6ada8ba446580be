"""The smooth calibration error of Blasiok and Nakkiran."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.fft import dct, dst, rfft

from ..._data.sums import Mergeable, Sums, Totals, add_up, joined
from ..._data.targets import reduce_target
from ..._utils.docs import fill_doc
from ..._utils.types import Label
from .._event_errors import EventErrors, resolve_events
from .._metric import evaluate, metric

# Cosines of the expansion, and the bandwidth below which they no longer suffice: there the last
# one still has the factor exp(-(pi * sigma * m) ** 2 / 2) = 1e-16.
_N_COSINES = 4096
_SMALLEST = np.sqrt(2.0 * np.log(1e16)) / (np.pi * _N_COSINES)
# Angles of the grid on which the points are spread, and how many on each side of a point.
_GRID = 4 * _N_COSINES
_REACH = 14
_N_STEPS = 100


class SmoothError(EventErrors):
    r"""The smooth calibration error, prepared.

    The reflected Gaussian kernel of width :math:`\sigma` on [0, 1] is
    :math:`1 + 2 \sum_m e^{-(\pi \sigma m)^2 / 2} \cos(\pi m t) \cos(\pi m p)`, so that the smoothed
    residual at every t and every width follows from the sums
    :math:`c_m = \sum_i w_i e_i \cos(\pi m p_i)`.
    """

    def __call__(self, codes):
        return np.mean([smooth_width(self._sums(one, codes)) for one in self.reductions], axis=0)

    def _sums(self, reduction, codes):
        """Return the cosine sums of the residuals, shape (n_draws, _N_COSINES)."""
        residuals = self.weight[:, np.newaxis] * reduction.residuals(codes)[:, 0]
        return cosine_sums(np.pi * reduction.proba[:, 0], residuals)


def cosine_sums(angle, columns):
    r"""Return :math:`\sum_i v_i \cos(m \theta_i)` for m = 0, 1, ..., for each column.

    Points are spread by a Gaussian over a grid of angles, whose Fourier transform is divided by
    that of the Gaussian; what is left out is about 1e-12 of the sum of the sizes [1]_.

    Parameters
    ----------
    angle : ndarray of shape (n_samples,)
        Between 0 and pi.
    columns : ndarray of shape (n_samples, n_columns)
        The values to add up.

    Returns
    -------
    sums : ndarray of shape (n_columns, _N_COSINES)

    References
    ----------
    .. [1] L. Greengard, J.-Y. Lee, "Accelerating the Nonuniform Fast Fourier Transform", SIAM
       Review 46 (2004), doi:10.1137/S003614450343200X.
    """
    step = 2.0 * np.pi / _GRID
    spread = np.pi * _REACH / ((2 * _N_COSINES) ** 2 * 3.0)  # for a grid of twice the frequencies
    nearest = np.rint(angle / step).astype(np.intp)
    offset = angle - nearest * step
    central = np.exp(-(offset**2) / (4.0 * spread))
    ratio = np.exp(offset * step / (2.0 * spread))
    grid = np.zeros((columns.shape[1], _GRID))
    above = below = central
    for k in range(_REACH + 1):
        height = np.exp(-((k * step) ** 2) / (4.0 * spread))
        for shift, share in {k: above, -k: below}.items():
            cell = (nearest + shift) % _GRID
            for row, column in zip(grid, columns.T):
                row += np.bincount(cell, height * share * column, minlength=_GRID)
        above, below = above * ratio, below / ratio
    order = np.arange(_N_COSINES)
    transform = rfft(grid, axis=1)[:, :_N_COSINES].real / _GRID
    return transform * np.sqrt(np.pi / spread) * np.exp(order**2 * spread)


def smooth_width(sums):
    """Return, for each draw, the width that equals the error at this width.

    The error minus the width falls with the width, so its zero is enclosed by secants whose
    idle end loses half its value at each step (the Illinois rule).
    """
    low, high = np.full(len(sums), _SMALLEST), np.ones(len(sums))
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
        if np.all(found | (at_smallest <= _SMALLEST) | (high - low <= 1e-13 * high)):
            break
    return np.where(at_smallest > _SMALLEST, width, at_smallest)


def _absolute_integral(sums, width):
    """Return the integral over [0, 1] of the smoothed residual's size, one width per draw.

    Between the points of a grid the integral is a difference of the antiderivative, which the same
    sums give as sines; where the sign changes, the root splits the interval.
    """
    order = np.arange(_N_COSINES)
    decayed = sums * np.exp(-0.5 * (np.pi * width[:, np.newaxis] * order) ** 2)
    n_intervals = 2 * _N_COSINES
    step = 1.0 / n_intervals
    cosines = np.zeros((len(sums), n_intervals + 1))
    cosines[:, :_N_COSINES] = decayed
    value = dct(cosines, type=1)
    sines = np.zeros((len(sums), n_intervals - 1))
    sines[:, : _N_COSINES - 1] = decayed[:, 1:] / (np.pi * order[1:])
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
class CosineSums(Sums):
    """The sum of the weights, and the cosine sums of the weighted residuals of each event.

    Attributes
    ----------
    target : str
        "binary", "confidence" or "classwise".
    n_classes : int
        Number of classes.
    """

    target: str
    n_classes: int

    @property
    def n_events(self) -> int:
        """Number of events whose errors are averaged."""
        return self.n_classes if self.target == "classwise" else 1

    @property
    def size(self) -> int:
        """Number of sums."""
        return 1 + self.n_events * _N_COSINES

    def of_batch(self, predictions):
        """Return the totals of a batch of `Predictions`."""
        n = predictions.n_samples
        weight = np.ones(n) if predictions.weight is None else predictions.weight
        parts = [add_up(weight)]
        for reduction in reduce_target(predictions.proba, self.target):
            residuals = weight[:, np.newaxis] * reduction.residuals(predictions.codes)[:, 0]
            parts.append(Totals.of(cosine_sums(np.pi * reduction.proba[:, 0], residuals)[0]))
        return joined(parts)


def _mergeable(n_classes, *, target):
    sums = CosineSums(resolve_events(target, n_classes), n_classes)
    return Mergeable(sums, partial(_of_totals, sums))


def _of_totals(sums, totals):
    weight, events = totals.values[0], totals.values[1:].reshape(sums.n_events, -1)
    return float(smooth_width(events / weight).mean())


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
    :math:`\mathrm{smECE}_\sigma = \sigma`. Zero means calibrated; the largest value is below one.
    Unlike the binned error it has no bins to choose, and it changes little when the predictions
    change little.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<target_binned>>
        The "classwise" error is the mean over the classes.
    <<weights_as_copies>>

    Returns
    -------
    error : float
        A number in [0, 1); lower is better.

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
