"""The smooth calibration error of Blasiok and Nakkiran."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.fft import dct, dst, rfft
from scipy.special import jv

from ..._utils.docs import fill_doc
from ..._utils.types import Label
from .._event_errors import EventErrors
from .._metric import evaluate, metric

# Cosines of the expansion, and the bandwidth below which they no longer suffice: there the last
# one still has the factor exp(-(pi * sigma * m) ** 2 / 2) = 1e-16.
_N_COSINES = 4096
_SMALLEST = np.sqrt(2.0 * np.log(1e16)) / (np.pi * _N_COSINES)
# Cells of the angles from 0 to pi, and the degree of the polynomials in each of them.
_N_CELLS = _N_COSINES
_DEGREE = 15
_N_STEPS = 100


class SmoothError(EventErrors):
    r"""The smooth calibration error, prepared.

    The reflected Gaussian kernel of width :math:`\sigma` on [0, 1] is
    :math:`1 + 2 \sum_m e^{-(\pi \sigma m)^2 / 2} \cos(\pi m t) \cos(\pi m p)`, so that the smoothed
    residual at every t and every width follows from the sums
    :math:`c_m = \sum_i w_i e_i \cos(\pi m p_i)`.
    """

    def __init__(self, predictions, target):
        super().__init__(predictions, target)
        self.orders = [np.argsort(one.proba[:, 0], kind="stable") for one in self.reductions]
        self.reductions = [one.take(rows) for one, rows in zip(self.reductions, self.orders)]
        self.sums = [CosineSums(np.pi * one.proba[:, 0]) for one in self.reductions]

    def __call__(self, codes):
        values = []
        for reduction, order, sums in zip(self.reductions, self.orders, self.sums):
            residuals = reduction.residuals(codes[order])[:, 0]
            residuals *= self.weight[order, np.newaxis]
            values.append(self._solve(sums(residuals)))
        return np.mean(values, axis=0)

    def _solve(self, sums):
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


class CosineSums:
    r"""The sums :math:`\sum_i v_i \cos(m \theta_i)` for m = 0, 1, ..., of any values.

    The angles are divided into cells of half width h. In the cell with centre c, the Jacobi-Anger
    expansion :math:`e^{i m (c + h x)} = e^{i m c} \sum_k (2 - \delta_{k0}) i^k J_k(m h) T_k(x)`
    separates frequencies from angles, so that the sums follow from those of :math:`v_i T_k(x_i)`
    in each cell and one Fourier transform for each k; what is left out is below 1e-13 of the sum
    of the sizes.

    Parameters
    ----------
    angle : ndarray of shape (n_samples,)
        Between 0 and pi, increasing.
    """

    def __init__(self, angle):
        step = np.pi / _N_CELLS
        cell = np.minimum((angle / step).astype(np.int32), _N_CELLS - 1)
        x = np.clip(2.0 * (angle / step - cell) - 1.0, -1.0, 1.0)
        terms = np.empty((angle.size, _DEGREE + 1))
        terms[:, 0], terms[:, 1] = 1.0, x
        for k in range(2, _DEGREE + 1):
            terms[:, k] = 2.0 * x * terms[:, k - 1] - terms[:, k - 2]
        place = cell[:, np.newaxis] + _N_CELLS * np.arange(_DEGREE + 1, dtype=np.int32)
        ends = np.arange(angle.size + 1) * (_DEGREE + 1)
        shape = ((_DEGREE + 1) * _N_CELLS, angle.size)
        self.moments = sparse.csc_array((terms.ravel(), place.ravel(), ends), shape=shape)
        frequency = 0.5 * step * np.arange(_N_COSINES)
        turn = np.exp(1j * frequency)
        self.factors = [
            turn * (1.0 if k == 0 else 2.0) * 1j**k * jv(k, frequency) for k in range(_DEGREE + 1)
        ]

    def __call__(self, values):
        """Return the sums of columns of values, shape (n_columns, _N_COSINES)."""
        moments = (self.moments @ values).T
        total = np.zeros((values.shape[1], _N_COSINES))
        for k, factor in enumerate(self.factors):
            part = moments[:, k * _N_CELLS : (k + 1) * _N_CELLS]
            total += (rfft(part, 2 * _N_CELLS, axis=1)[:, :_N_COSINES].conj() * factor).real
        return total


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


@metric(
    prepare=SmoothError,
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
