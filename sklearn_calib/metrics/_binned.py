"""Binned calibration errors and the table behind them."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Bunch

from .._utils._binning import quantile_bin_index, uniform_bin_index, uniform_edges
from .._utils._docs import fill_doc
from .._utils._targets import TARGETS, reduce_target, resolve_target
from .._utils._types import Label
from .._utils._validation import check_integer, check_option, check_predictions

_TARGETS = tuple(name for name in TARGETS if name != "canonical")
_NORMS = ("l1", "l2", "max", "mean")


class BinnedCurve:
    """Bins of one event's probabilities; the observed rates follow for any labels.

    Attributes
    ----------
    index : ndarray of shape (n_samples,)
        Bin of each row.
    count : ndarray of shape (n_bins,)
        Rows, or weight, in each bin.
    prob_pred : ndarray of shape (n_bins,)
        Mean probability in each bin, NaN where it is empty.
    """

    def __init__(self, reduction, weight, *, n_bins, strategy, closed):
        p = reduction.proba[:, 0]
        self.reduction = reduction
        self.weight = weight
        self.n_bins = n_bins
        if strategy == "uniform":
            self.index = uniform_bin_index(p, n_bins, closed)
            self.edges = uniform_edges(n_bins)
        else:
            self.index = quantile_bin_index(p, n_bins, weight)
            self.edges = _lower_ends(p, self.index, n_bins)
        self.count = np.bincount(self.index, weight, minlength=n_bins)
        self.prob_pred = self._mean(p)

    def _mean(self, values):
        weighted = values if self.weight is None else values * self.weight
        total = np.bincount(self.index, weighted, minlength=self.n_bins)
        return np.divide(total, self.count, out=np.full(self.n_bins, np.nan), where=self.count > 0)

    def prob_true(self, codes):
        """Return the observed rates, shape (n_bins, n_draws), for columns of label codes."""
        hits = codes.reshape(codes.shape[0], -1) == self.reduction.event
        return np.stack([self._mean(column) for column in hits.T], axis=1)


def _lower_ends(p, index, n_bins):
    """Return edges such that bin b holds the values from edge b up to edge b + 1."""
    lowest = np.full(n_bins, np.inf)
    np.minimum.at(lowest, index, p)
    lowest = np.minimum.accumulate(lowest[::-1])[::-1]
    return np.concatenate([[0.0], np.minimum(lowest[1:], 1.0), [1.0]])


class BinnedError:
    """A binned error with everything that depends on the probabilities computed once.

    Call it with label codes of shape (n_samples,) or (n_samples, n_draws) for one value per draw.
    """

    def __init__(self, predictions, *, n_bins, strategy, closed, target, norm):
        self.norm = check_option(norm, "norm", _NORMS)
        self.curves = bin_predictions(
            predictions, n_bins=n_bins, strategy=strategy, closed=closed, target=target
        )

    def __call__(self, codes):
        errors = np.stack([self._error(curve, codes) for curve in self.curves])
        return errors.max(axis=0) if self.norm == "max" else errors.mean(axis=0)

    def _error(self, curve, codes):
        filled = curve.count > 0
        gaps = np.abs(curve.prob_true(codes) - curve.prob_pred[:, np.newaxis])[filled]
        if self.norm == "max":
            return gaps.max(axis=0)
        if self.norm == "mean":
            return gaps.mean(axis=0)
        share = curve.count[filled] / curve.count.sum()
        return share @ gaps if self.norm == "l1" else np.sqrt(share @ gaps**2)


def bin_predictions(predictions, *, n_bins, strategy, closed, target):
    """Validate the binning options and return one `BinnedCurve` per measured event."""
    n_bins = check_integer(n_bins, "n_bins", 1)
    check_option(strategy, "strategy", ("uniform", "quantile"))
    check_option(closed, "closed", ("left", "right"))
    target = resolve_target(
        target, predictions.n_classes, multiclass="confidence", allowed=_TARGETS
    )
    return [
        BinnedCurve(reduction, predictions.weight, n_bins=n_bins, strategy=strategy, closed=closed)
        for reduction in reduce_target(predictions.proba, target)
    ]


@fill_doc()
def ece(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: str = "uniform",
    norm: str = "l1",
    closed: str = "left",
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the expected calibration error; a 1-D `y_proba` is the positive class's probability.

    With the bins b, their share of the weight :math:`s_b`, mean probability :math:`\bar p_b` and
    observed rate :math:`\bar y_b`,

    .. math:: \mathrm{ECE}_1 = \sum_b s_b |\bar y_b - \bar p_b|, \qquad
              \mathrm{ECE}_2 = \Big(\sum_b s_b (\bar y_b - \bar p_b)^2\Big)^{1/2}, \qquad
              \mathrm{ECE}_\infty = \max_b |\bar y_b - \bar p_b|

    over the bins that are not empty. Zero means that every bin's observed rate equals its mean
    probability; the largest value is one. For binary data the gap compares the probability of the
    positive class with its rate; confidence against accuracy is ``target="confidence"``.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<n_bins>>
    <<strategy>>
    norm : {"l1", "l2", "max"}, default="l1"
        How the gaps are put together, as above.
    <<closed>>
    <<target_binned>>
        The "classwise" error is the mean over the classes (the maximum for ``norm="max"``).
    <<sample_weight>>
        A weight equals that many copies of the row.
    <<pos_label>>
    <<labels>>

    Returns
    -------
    error : float
        A number in [0, 1]; lower is better.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    mce : The largest gap.
    average_calibration_error : The unweighted mean of the gaps.
    calibration_bins : The table behind the number.
    skce : A calibration error without bins.

    Notes
    -----
    Not a proper score and not a mean of per-row terms: a constant prediction at the base rate has
    error zero. The estimate depends on the bins; for a calibrated model it is biased upwards, the
    more so with more bins and fewer rows. Time is O(n log n) and memory O(n).

    References
    ----------
    .. [1] M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining Well Calibrated Probabilities
       Using Bayesian Binning", AAAI 2015, doi:10.1609/aaai.v29i1.9602.
    .. [2] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, "On Calibration of Modern Neural
       Networks", ICML 2017, arXiv:1706.04599.
    .. [3] M. Kull et al., "Beyond temperature scaling: Obtaining well-calibrated multi-class
       probabilities with Dirichlet calibration", NeurIPS 2019, arXiv:1910.12656 (classwise).

    Examples
    --------
    >>> from sklearn_calib.metrics import ece
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(ece(y_true, y_proba, n_bins=5), 4)
    0.345
    >>> round(ece(y_true, y_proba, n_bins=5, target="confidence"), 4)
    0.2117
    """
    check_option(norm, "norm", ("l1", "l2", "max"))
    return _binned_error(
        y_true,
        y_proba,
        n_bins=n_bins,
        strategy=strategy,
        closed=closed,
        target=target,
        norm=norm,
        sample_weight=sample_weight,
        pos_label=pos_label,
        labels=labels,
    )


@fill_doc()
def mce(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: str = "uniform",
    closed: str = "left",
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the maximum calibration error; a 1-D `y_proba` is the positive class's probability.

    The largest gap :math:`\max_b |\bar y_b - \bar p_b|` between observed rate and mean probability
    over the bins that are not empty, that is :func:`ece` with ``norm="max"``.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<n_bins>>
    <<strategy>>
    <<closed>>
    <<target_binned>>
        The "classwise" error is the maximum over the classes.
    <<sample_weight>>
        A weight equals that many copies of the row.
    <<pos_label>>
    <<labels>>

    Returns
    -------
    error : float
        A number in [0, 1]; lower is better.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    ece : The weighted mean of the gaps.

    Notes
    -----
    Not a proper score and not a mean of per-row terms. One bin with a single row can set the
    value; use few bins or ``strategy="quantile"``. Time is O(n log n) and memory O(n).

    References
    ----------
    .. [1] M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining Well Calibrated Probabilities
       Using Bayesian Binning", AAAI 2015, doi:10.1609/aaai.v29i1.9602.

    Examples
    --------
    >>> from sklearn_calib.metrics import mce
    >>> round(mce([0, 0, 0, 0, 1], [0.1, 0.1, 0.1, 0.1, 0.6], n_bins=2), 4)
    0.4
    """
    return _binned_error(
        y_true,
        y_proba,
        n_bins=n_bins,
        strategy=strategy,
        closed=closed,
        target=target,
        norm="max",
        sample_weight=sample_weight,
        pos_label=pos_label,
        labels=labels,
    )


@fill_doc()
def average_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: str = "uniform",
    closed: str = "left",
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the average calibration error; a 1-D `y_proba` is the positive class's probability.

    The plain mean of the gaps :math:`|\bar y_b - \bar p_b|` between observed rate and mean
    probability over the bins that are not empty, whatever their weight. ("ACE" also stands for the
    adaptive calibration error of other authors; that one is :func:`ece` with
    ``strategy="quantile"``.)

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<n_bins>>
    <<strategy>>
    <<closed>>
    <<target_binned>>
        The "classwise" error is the mean over the classes.
    <<sample_weight>>
        A weight equals that many copies of the row.
    <<pos_label>>
    <<labels>>

    Returns
    -------
    error : float
        A number in [0, 1]; lower is better.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    ece : The weighted mean of the gaps.

    Notes
    -----
    Not a proper score and not a mean of per-row terms. Rare regions count as much as dense ones,
    so the value is noisy where bins hold few rows. Time is O(n log n) and memory O(n).

    References
    ----------
    .. [1] L. Neumann, A. Zisserman, A. Vedaldi, "Relaxed Softmax: Efficient Confidence
       Auto-Calibration for Safe Pedestrian Detection", NeurIPS Workshop 2018,
       https://openreview.net/forum?id=S1lG7aTnqQ.

    Examples
    --------
    >>> from sklearn_calib.metrics import average_calibration_error
    >>> round(average_calibration_error([0, 0, 0, 1], [0.05, 0.05, 0.05, 0.85], n_bins=10), 4)
    0.1
    """
    return _binned_error(
        y_true,
        y_proba,
        n_bins=n_bins,
        strategy=strategy,
        closed=closed,
        target=target,
        norm="mean",
        sample_weight=sample_weight,
        pos_label=pos_label,
        labels=labels,
    )


def _binned_error(y_true, y_proba, *, sample_weight, pos_label, labels, **options):
    predictions = check_predictions(
        y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels
    )
    return float(BinnedError(predictions, **options)(predictions.codes)[0])


@fill_doc()
def calibration_bins(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: str = "uniform",
    closed: str = "left",
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> Bunch:
    """Tabulate the bins behind the binned errors; a 1-D `y_proba` is the positive class's.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<n_bins>>
    <<strategy>>
    <<closed>>
    <<target_binned>>
        With "classwise" and more than two classes every array gets a leading axis of classes.
    <<sample_weight>>
        A weight equals that many copies of the row.
    <<pos_label>>
    <<labels>>

    Returns
    -------
    bins : :class:`~sklearn.utils.Bunch`
        Arrays over all bins, empty ones included:

        edges : ndarray of shape (n_bins + 1,)
            From 0 to 1. For quantile bins an inner edge is the smallest probability above it.
        count : ndarray of shape (n_bins,)
            Number of rows, or their weight if `sample_weight` is given; 0 in an empty bin.
        prob_pred : ndarray of shape (n_bins,)
            Mean probability, NaN in an empty bin.
        prob_true : ndarray of shape (n_bins,)
            Observed rate, NaN in an empty bin.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    ece, mce, average_calibration_error : Numbers computed from this table.
    sklearn.calibration.calibration_curve : The non-empty bins of binary data, closed on the right.

    Notes
    -----
    A rate is an estimate: with ``count`` rows its standard error is about
    ``sqrt(prob_true * (1 - prob_true) / count)``, so bins of a few rows show little. Time is
    O(n log n) and memory O(n).

    References
    ----------
    .. [1] A. Niculescu-Mizil, R. Caruana, "Predicting Good Probabilities with Supervised
       Learning", ICML 2005, doi:10.1145/1102351.1102430.

    Examples
    --------
    >>> from sklearn_calib.metrics import calibration_bins
    >>> bins = calibration_bins([0, 1, 0, 1], [0.1, 0.2, 0.6, 0.9], n_bins=4)
    >>> bins.count
    array([2, 0, 1, 1])
    >>> bins.prob_true
    array([0.5, nan, 0. , 1. ])
    """
    predictions = check_predictions(
        y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels
    )
    curves = bin_predictions(
        predictions, n_bins=n_bins, strategy=strategy, closed=closed, target=target
    )
    tables = [
        {
            "edges": curve.edges,
            "count": curve.count,
            "prob_pred": curve.prob_pred,
            "prob_true": curve.prob_true(predictions.codes)[:, 0],
        }
        for curve in curves
    ]
    if len(tables) == 1:
        return Bunch(**tables[0])
    return Bunch(**{name: np.stack([table[name] for table in tables]) for name in tables[0]})
