"""Scaling-binning."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from ..._utils.arguments.constraints import Interval
from ..._utils.docs import fill_doc
from ..._utils.links import expit
from ...base import INPUT_CONSTRAINT, BaseBinaryCalibrator
from .._solvers.logistic import fit_logistic, join_ties, smoothed_targets, warn_not_converged


@fill_doc(steps="iterations")
class ScalingBinningCalibrator(BaseBinaryCalibrator):
    """Calibrate by a logistic curve whose values are averaged in bins (scaling-binning).

    Platt scaling is fitted to the log-odds, its outputs are cut into bins of equal weight, and
    every score becomes the mean of the outputs in its bin [1]_. As the output takes few values,
    its calibration error can be estimated without the bias that binning a continuous output has;
    and as a bin averages outputs of a curve, not labels, it needs fewer rows than a histogram.

    Use it where the calibration error has to be certified. Otherwise the curve alone predicts
    better.

    Parameters
    ----------
    input : {"probability", "native"}, default="probability"
        What `S` holds. "probability": probabilities in [0, 1], which are turned into log-odds, with
        exact 0 and 1 moved to the distance `floor_`. "native": any finite scores.
    n_bins : int, default=10
        Number of bins, at least 1. Equal scores share a bin, so that there may be fewer.
    max_iter : int, default=100
        Largest number of iterations of the optimiser.

    Attributes
    ----------
    slope_, intercept_ : float
        The curve ``expit(slope * s + intercept)``.
    bin_edges_ : ndarray of shape (n_bins_used - 1,)
        Inner edges of the bins among the scores, increasing: half-way between two neighbours.
    bin_values_ : ndarray of shape (n_bins_used,)
        Calibrated probability of each bin.
    <<binary_classes_>>
    n_iter_ : int
        Iterations of the optimiser.
    <<floor_>>
    <<n_features_in_>>

    <<warns_not_converged>>

    See Also
    --------
    HistogramCalibrator : Averages labels in bins.
    PlattCalibrator : The curve alone.

    Notes
    -----
    A score falls in bin ``floor(n_bins * (weight strictly below it) / (total weight))``. The curve
    has Platt's smoothed targets, so that it stays finite on separable data, and the same rows serve
    for the curve, the bins and the means. Fitting costs one sort.

    References
    ----------
    .. [1] Kumar, A., Liang, P. and Ma, T. (2019). Verified uncertainty calibration. Advances in
       Neural Information Processing Systems 32. https://arxiv.org/abs/1909.10155

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib.calibrators import ScalingBinningCalibrator
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=500)
    >>> y = rng.uniform(size=500) < p**2
    >>> ScalingBinningCalibrator(n_bins=4).fit(p, y).bin_values_.round(2)
    array([0.04, 0.19, 0.43, 0.81])
    """

    native_scale = "score"
    method_names = ("scaling_binning",)
    _parameter_constraints: dict = {
        **INPUT_CONSTRAINT,
        "n_bins": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, *, input: str = "probability", n_bins: int = 10, max_iter: int = 100
    ) -> None:
        self.input = input
        self.n_bins = n_bins
        self.max_iter = max_iter

    def _fit_map(self, score, target, weight):
        smoothed = smoothed_targets(target, weight)
        score, smoothed, weight = join_ties(score, smoothed, weight)
        fit = fit_logistic(score[np.newaxis], smoothed, weight, max_iter=self.max_iter)
        self.slope_, self.intercept_ = float(fit.coef[0]), fit.intercept
        self.n_iter_ = fit.n_iter
        warn_not_converged(self, fit)
        with np.errstate(over="ignore"):  # infinite log-odds are probability 0 or 1
            output = expit(self.slope_ * score + self.intercept_)
        below = np.cumsum(weight) - weight
        # The factor keeps sums of fractional weights that round below an edge on the right side.
        number = np.floor(self.n_bins * (below / weight.sum()) * (1.0 + 1e-12))
        start = np.flatnonzero(np.r_[True, number[1:] > number[:-1]])
        total = np.add.reduceat(weight, start)
        self.bin_values_ = np.add.reduceat(weight * output, start) / total
        lower, upper = score[start[1:] - 1], score[start[1:]]
        # Half of each first: the sum of two large scores overflows.
        self.bin_edges_ = np.maximum(lower * 0.5 + upper * 0.5, np.nextafter(lower, np.inf))

    def _map(self, score):
        return self.bin_values_[np.searchsorted(self.bin_edges_, score, side="right")]
