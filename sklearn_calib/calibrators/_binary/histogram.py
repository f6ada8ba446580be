"""Histogram binning."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np

from ..._data.bins import automatic_count, bin_index, uniform_edges
from ..._utils.arguments.constraints import Interval
from ..._utils.compat import StrOptions
from ..._utils.docs import fill_doc
from ..._utils.fitting_context import resolve
from ..._utils.types import Bins
from ...base import BaseBinaryCalibrator


@fill_doc(part="bin that has rows")
class HistogramCalibrator(BaseBinaryCalibrator):
    """Calibrate probabilities by the observed rate of their bin (histogram binning).

    [0, 1] is cut into bins, closed on the left (the last one on both sides), and every probability
    becomes the (weighted) share of positive labels among the calibration rows of its bin [1]_. A
    bin without calibration rows takes the value of the nearest bin that has some, by bin number,
    and of two equally near ones that of the lower.

    Take it where a table is wanted that can be read and checked, with at least some dozens of rows
    a bin. The map need not be increasing, and it merges all probabilities of a bin.

    Parameters
    ----------
    n_bins : int or "auto", default=10
        Number of bins, at least 1. "auto" is the cube root of the number of rows (the sum of the
        weights), rounded up. Quantile bins whose edges coincide are merged.
    strategy : {"uniform", "quantile"}, default="uniform"
        "uniform": edges ``k / n_bins``, those of :func:`~sklearn_calib.metrics.ece`. "quantile":
        edges at the quantiles of the calibration probabilities, by the median-unbiased rule
        (type 8 of Hyndman and Fan [2]_), the outer two at 0 and 1.
    <<pseudo_count>>

    Attributes
    ----------
    bin_edges_ : ndarray of shape (n_bins_used + 1,)
        Increasing edges from 0 to 1.
    bin_values_ : ndarray of shape (n_bins_used,)
        Calibrated probability of each bin.
    <<binary_classes_>>
    <<n_features_in_>>

    See Also
    --------
    IsotonicCalibrator : Chooses the bins itself and keeps the order.
    sklearn_calib.metrics.calibration_bins : The table of a model's bins.

    Notes
    -----
    Quantiles of weighted rows are those of the sample in which a row of weight w occurs w times;
    for fractional weights the k-th smallest probability is the first one up to which the weights
    add up to k. Weights that add up to less than the number of distinct probabilities are scaled
    up to that number first. Fitting costs one sort for "quantile" and none for "uniform".

    References
    ----------
    .. [1] Zadrozny, B. and Elkan, C. (2001). Obtaining calibrated probability estimates from
       decision trees and naive Bayesian classifiers. Proceedings of the 18th International
       Conference on Machine Learning, 609-616.

    .. [2] Hyndman, R. J. and Fan, Y. (1996). Sample quantiles in statistical packages. The
       American Statistician 50, 361-365. https://doi.org/10.1080/00031305.1996.10473566

    Examples
    --------
    >>> from sklearn_calib.calibrators import HistogramCalibrator
    >>> calibrator = HistogramCalibrator(n_bins=5)
    >>> calibrator.fit([0.05, 0.12, 0.18, 0.45, 0.47, 0.49], [0, 0, 1, 1, 0, 1])
    HistogramCalibrator(n_bins=5)
    >>> calibrator.bin_values_.round(3)
    array([0.333, 0.333, 0.667, 0.667, 0.667])
    """

    method_names = ("histogram",)
    reads_scores = True
    _parameter_constraints: dict = {
        "n_bins": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "strategy": [StrOptions({"uniform", "quantile"})],
        "pseudo_count": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        n_bins: Bins = 10,
        strategy: str = "uniform",
        pseudo_count: float | str = "auto",
    ) -> None:
        self.n_bins = n_bins
        self.strategy = strategy
        self.pseudo_count = pseudo_count

    def _fit_map(self, score, target, weight):
        n_bins = automatic_count(weight.sum()) if self.n_bins == "auto" else self.n_bins
        if self.strategy == "uniform":
            self.bin_edges_ = uniform_edges(n_bins)
        else:
            self.bin_edges_ = _quantile_edges(score, weight, n_bins)
        n_bins = self.bin_edges_.size - 1
        index = bin_index(score, self.bin_edges_)
        total = np.bincount(index, weights=weight, minlength=n_bins)
        positive = np.bincount(index, weights=weight * target, minlength=n_bins)
        nearest = _nearest(np.arange(n_bins), np.flatnonzero(total))
        pseudo_count = resolve(self.pseudo_count, alone=0.0, behind_classifier=0.5)
        rate = positive.sum() / total.sum()
        self.bin_values_ = (positive + pseudo_count * rate)[nearest] / (total + pseudo_count)[
            nearest
        ]

    def _map(self, score):
        return self.bin_values_[bin_index(score, self.bin_edges_)]


def _nearest(numbers, candidates):
    """Return the nearest of increasing candidates for each number, the lower one on ties."""
    position = np.searchsorted(candidates, numbers)
    above = candidates[np.minimum(position, candidates.size - 1)]
    below = candidates[np.maximum(position - 1, 0)]
    return np.where(numbers - below <= above - numbers, below, above)


def _quantile_edges(score, weight, n_bins):
    """Return the distinct type-8 quantiles at ``j / n_bins``, the outer ones set to 0 and 1.

    The arithmetic is that of R's ``quantile``: other orders of the same operations move
    observations that sit on an edge. Its tolerance of four rounding steps is relative here, so
    that a quantile that is an observation is exactly that one, however many rows there are.
    """
    distinct, group = np.unique(score, return_inverse=True)
    group_weight = np.bincount(group, weights=weight)
    cumulative = np.cumsum(group_weight * max(1.0, distinct.size / group_weight.sum()))
    n = cumulative[-1]

    def order_statistic(k):
        # The factor keeps sums of fractional weights that round below k on the right side.
        position = np.searchsorted(cumulative * (1.0 + 1e-12), k)
        return distinct[np.minimum(position, distinct.size - 1)]

    position = 1 / 3 + (np.arange(n_bins + 1) * (1 / n_bins)) * (n + 1 - 1 / 3 - 1 / 3)
    fuzz = 4 * np.finfo(np.float64).eps * np.maximum(position, 1.0)
    k = np.floor(position + fuzz)
    fraction = position - k
    fraction[np.abs(fraction) < fuzz] = 0.0
    lower, upper = order_statistic(k), order_statistic(k + 1)
    quantile = np.where(lower == upper, lower, (1 - fraction) * lower + fraction * upper)
    quantile[0], quantile[-1] = 0.0, 1.0
    return np.unique(quantile)
