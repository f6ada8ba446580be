"""The integrated calibration index, and E50, E90 and Emax."""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from ..._core import ResidualBlocks
from ..._utils.docs import fill_doc
from ..._utils.options import check_option
from ..._utils.types import Label
from .._event_errors import EventErrors
from .._metric import evaluate, metric
from .local_quadratic import group_probabilities, smoothing_matrix

_SUMMARIES = ("mean", "median", "q90", "max")
_ROUNDING = 1e-12


class SmoothCurve:
    """A smooth calibration curve of one event; its distances follow for any labels.

    Attributes
    ----------
    center, share : ndarray of shape (n_groups,)
        Increasing probabilities and their weights, which sum to one.
    """

    def __init__(self, reduction, share, span):
        p = reduction.proba[:, 0]
        group = group_probabilities(p, share)
        order = np.argsort(p)  # groups increase with the probability
        self.reduction = reduction
        self.rows = ResidualBlocks(p, order)
        self.first = np.flatnonzero(np.diff(group[order], prepend=-1))
        self.row_share, p = share[order], p[order]
        self.share = np.add.reduceat(self.row_share, self.first)
        mean = np.add.reduceat(self.row_share * p, self.first) / self.share
        # Rounding must not move a mean out of its group.
        self.center = np.clip(
            mean, np.minimum.reduceat(p, self.first), np.maximum.reduceat(p, self.first)
        )
        self.smoothing = smoothing_matrix(self.center, self.share, span)

    def distances(self, codes):
        """Return the distances of the curve from the diagonal, shape (n_groups, n_draws).

        The fit of the residuals is the fit of the labels minus the probability, since a straight
        line is fitted exactly.
        """
        happened = self.reduction.happened(codes)[:, 0]
        sums = self.rows.group_sums(self.first, happened, self.row_share)
        mean = sums / self.share[:, np.newaxis]
        bias = self.smoothing @ mean
        center = self.center[:, np.newaxis]
        return np.abs(np.clip(center + bias, 0.0, 1.0) - center)


class CalibrationIndex(EventErrors):
    """The integrated calibration index, prepared."""

    def __init__(self, predictions, *, summary, span, target):
        self.summary = check_option(summary, "summary", _SUMMARIES)
        real = isinstance(span, Real) and not isinstance(span, bool | np.bool_)
        if not real or not 0 < span <= 1:
            raise ValueError(f"span must be a number above 0 and at most 1, got {span!r}.")
        super().__init__(predictions, target)
        self.curves = [SmoothCurve(one, self.weight, float(span)) for one in self.reductions]

    def __call__(self, codes):
        return np.mean([self._summarise(curve, codes) for curve in self.curves], axis=0)

    def _summarise(self, curve, codes):
        distances = curve.distances(codes)
        if self.summary == "mean":
            return curve.share @ distances
        if self.summary == "max":
            return distances.max(axis=0)
        return _quantile(distances, curve.share, 0.5 if self.summary == "median" else 0.9)


def _quantile(values, share, q):
    """Return the weighted quantiles of columns; half way where exactly q lies below a value."""
    order = np.argsort(values, axis=0)
    ordered = np.take_along_axis(values, order, axis=0)
    reached = np.cumsum(share[order], axis=0)
    low = (reached >= q * (1.0 - _ROUNDING)).argmax(axis=0)
    high = np.where(
        reached[-1] > q * (1.0 + _ROUNDING), (reached > q * (1.0 + _ROUNDING)).argmax(axis=0), -1
    )
    column = np.arange(values.shape[1])
    return 0.5 * (ordered[low, column] + ordered[high, column])


@metric(
    prepare=CalibrationIndex,
    label="ICI",
    meaning="mean distance of a smooth calibration curve from the diagonal",
    shown_in=("report",),
    rank=39,
)
@fill_doc()
def integrated_calibration_index(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    summary: str = "mean",
    span: float = 0.75,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the integrated calibration index (ICI), or E50, E90 or Emax.

    A smooth curve :math:`\hat c` of the labels over the probabilities is fitted, and its distances
    from the diagonal, :math:`|\hat c(p_i) - p_i|`, are summarised over the rows: their mean is the
    ICI, their median E50, their 90 % quantile E90, and their maximum Emax. Zero means that the
    curve is the diagonal; the largest value is one. These are the numbers behind a smooth
    calibration plot, and common in clinical prediction.

    The curve is loess [2]_ with the settings of the paper: at each probability, a quadratic
    function is fitted to the share `span` of the rows that is nearest, with tricube weights. It is
    clipped to [0, 1].

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    summary : {"mean", "median", "q90", "max"}, default="mean"
        How the distances are put together: ICI, E50, E90 or Emax.
    span : float, default=0.75
        Share of the rows, or of their weight, that each local fit uses; above 0, at most 1. A
        smaller one follows the data more closely and is noisier.
    <<target_binned>>
        The "classwise" error is the mean over the classes.
    <<weights_as_copies>>

    <<returns_error_up_to_one>>

    See Also
    --------
    ece : The mean distance over bins.
    mce : The largest distance over bins.
    smooth_ece : A smooth error without a width to choose.

    Notes
    -----
    <<not_proper>>

    It is biased upwards: the curve of a calibrated model is not quite the diagonal, and Emax is the
    most biased (:ref:`perfect_models`). Errors that change along the probabilities faster than the
    span are smoothed away.

    The fit is computed at every probability, from at least the share `span` of the rows. R's
    ``loess`` computes it at some of them and interpolates, which changes the index by 1 % to 4 %,
    and takes ``floor(span * n)`` rows. Quantiles are half way between two values
    where exactly that share of the rows lies below.

    With more than 512 distinct probabilities, neighbours within 1/256 that together hold at most
    1/256 of the rows count as one, which changes the index by about 0.0001. Time is
    O(n log n + m^2) and memory O(n + m^2), for m <= 512 probabilities.

    References
    ----------
    .. [1] P. C. Austin, E. W. Steyerberg, "The Integrated Calibration Index (ICI) and related
       metrics for quantifying the calibration of logistic regression models", Statistics in
       Medicine 38(21), 2019, doi:10.1002/sim.8281.
    .. [2] W. S. Cleveland, S. J. Devlin, "Locally Weighted Regression: An Approach to Regression
       Analysis by Local Fitting", Journal of the American Statistical Association 83(403), 1988,
       doi:10.1080/01621459.1988.10478639.

    Examples
    --------
    >>> from sklearn_calib.metrics import integrated_calibration_index
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(integrated_calibration_index(y_true, y_proba), 4)
    0.3317
    >>> round(integrated_calibration_index(y_true, y_proba, summary="max"), 4)
    0.8982
    """
    return evaluate(integrated_calibration_index, locals())
