"""The binned error with the largest number of bins that leaves the observed rates monotone."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..._data.bins import sort_blocks, starts
from ..._utils.docs import fill_doc
from ..._utils.options import check_option
from ..._utils.types import Label
from .._event_errors import EventErrors
from .._metric import evaluate, metric

# Rates that differ by less are equal up to the rounding of their sums.
_EQUAL = 1e-12
# Bins with a smaller share of the weight are summed up on their own: a difference of cumulative
# sums would lose their digits.
_SMALL = 1e-4
# The least share of a row, so that a bin of rows of hardly any weight still has a rate.
_LEAST = 1e-200


class BlockSums:
    """Sums over blocks of equal probabilities, from which those of bins follow.

    Parameters
    ----------
    blocks : ndarray of shape (n_blocks,) or (n_blocks, n_draws)
        The sum of each block.
    """

    def __init__(self, blocks):
        self.blocks = blocks
        self.before = np.concatenate([np.zeros_like(blocks[:1]), np.cumsum(blocks, axis=0)])

    def of_bins(self, ends, apart=(), draws=None):
        """Return the sums of bins.

        Parameters
        ----------
        ends : ndarray of shape (n_bins + 1,)
            The first block of each bin, and the number of blocks.
        apart : sequence of int, default=()
            The bins that are summed up on their own.
        draws : slice or ndarray of int, default=None
            Which columns; None if there are none.
        """
        columns = () if draws is None else (draws,)
        if ends.size == len(self.before):  # each block is a bin
            return self.blocks[(slice(None), *columns)]
        before = self.before[ends][(slice(None), *columns)]
        sums = before[1:] - before[:-1]
        for one in apart:
            sums[one] = self.blocks[ends[one] : ends[one + 1]].sum(axis=0)[columns]
        return sums


class Sweep:
    """The sweep over numbers of bins for one event, for many sets of labels at once.

    `share` are the weights divided by their sum; quantile bins need the weights themselves.
    """

    def __init__(self, reduction, share, weight):
        self.reduction = reduction
        self.blocks = sort_blocks(reduction.proba[:, 0], weight)
        self.share = np.maximum(share[self.blocks.order], _LEAST)
        self.mass = self._sum_blocks(np.ones(share.size))
        self.proba = self._sum_blocks(reduction.proba[:, 0])

    def _sum_blocks(self, values):
        """Return the weighted sums of the rows of each block, along axis 0."""
        weighted = (values[self.blocks.order].T * self.share).T
        return BlockSums(np.add.reduceat(weighted, self.blocks.first, axis=0))

    def errors(self, codes, norm):
        """Return the error of each column of label codes."""
        residuals = self._sum_blocks(self.reduction.residuals(codes)[:, 0])
        values = np.empty(residuals.blocks.shape[1])
        n_blocks = self.mass.blocks.size
        # Monotone blocks stay monotone however they are put together.
        monotone = self._bins(residuals, np.arange(n_blocks), norm, slice(None))[0]
        start = self._starts(n_blocks)
        values[monotone] = self._bins(residuals, start, norm, np.flatnonzero(monotone))[1]
        draws = np.flatnonzero(~monotone)
        for n_bins in range(1, n_blocks + 1):
            kept, error = self._bins(residuals, self._starts(n_bins), norm, draws)
            draws = draws[kept]
            if not draws.size:
                break
            values[draws] = error[kept]
        return values

    def _starts(self, n_bins):
        """Return the first block of each bin."""
        return starts(self.blocks.quantile_bins(n_bins))

    def _bins(self, residuals, start, norm, draws):
        """Return for each draw whether the rates of the bins are monotone, and the error."""
        ends = np.append(start, self.mass.blocks.size)
        mass = self.mass.of_bins(ends)[:, np.newaxis]
        apart = np.flatnonzero(mass < _SMALL)
        if apart.size:
            mass = self.mass.of_bins(ends, apart)[:, np.newaxis]
        gaps = residuals.of_bins(ends, apart, draws)
        rates = (gaps + self.proba.of_bins(ends, apart)[:, np.newaxis]) / mass
        sums = np.abs(gaps).sum(axis=0) if norm == "l1" else (gaps**2 / mass).sum(axis=0)
        return _is_monotone(rates), sums if norm == "l1" else np.sqrt(sums)


def _is_monotone(rates):
    return (rates[1:] - rates[:-1] >= -_EQUAL).all(axis=0)


class SweepError(EventErrors):
    """The error of the sweep, prepared."""

    def __init__(self, predictions, *, norm, target):
        self.norm = check_option(norm, "norm", ("l1", "l2"))
        super().__init__(predictions, target)
        self.sweeps = [Sweep(one, self.weight, predictions.weight) for one in self.reductions]

    def __call__(self, codes):
        codes = codes.reshape(codes.shape[0], -1)
        return np.mean([one.errors(codes, self.norm) for one in self.sweeps], axis=0)


@metric(
    prepare=SweepError,
    label="ECE sweep",
    meaning="mean gap over the largest number of bins with monotone observed rates",
    rank=31,
)
@fill_doc()
def ece_sweep(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    norm: str = "l1",
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the expected calibration error with as many bins as stay monotone.

    The rows are cut into 1, 2, 3, ... bins of equal weight until, for the first time, the observed
    rates no longer increase from bin to bin. The error is that of the last number of bins before:

    .. math:: \Big( \sum_b s_b |\bar y_b - \bar p_b|^q \Big)^{1/q},

    with the share of the weight :math:`s_b`, mean probability :math:`\bar p_b` and observed rate
    :math:`\bar y_b` of bin b, and q = 1 or 2. So the data choose the number of bins: a true
    calibration curve increases as a rule, and bins that are too narrow show it by rates that fall.
    Zero means no gap in these bins; the largest value is one. Rates that fall because the model is
    wrong stop the bins as well: a model that is right on average and ranks the rows in the wrong
    order gets a single bin and an error near zero. So do not use it where that can happen.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    norm : {"l1", "l2"}, default="l1"
        Whether gaps or their squares are averaged; of the mean square the root is taken.
    <<target_binned>>
        The "classwise" error is the mean over the classes, each with its own number of bins.
    <<weights_as_copies>>

    <<returns_error_up_to_one>>

    See Also
    --------
    ece : The error with a given number of bins.
    smooth_ece : An error that chooses the width of a kernel.

    Notes
    -----
    <<not_proper>>

    The error is biased upwards for a calibrated model, though less than that of a fixed number of
    many bins (:ref:`perfect_models`). Bins are the quantile bins of :func:`ece`, in which equal
    probabilities stay together, and there are at most as many as distinct probabilities. Where a
    model is better than its probabilities say and separates the classes, all rows get bins of
    their own. Time is O(n log n + b n) for b bins, usually some dozens, and memory is O(n).

    References
    ----------
    .. [1] R. Roelofs, N. Cain, J. Shlens, M. C. Mozer, "Mitigating Bias in Calibration Error
       Estimation", AISTATS 2022, arXiv:2012.08668.

    Examples
    --------
    >>> from sklearn_calib.metrics import ece_sweep
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(ece_sweep(y_true, y_proba), 4)
    0.0617
    """
    return evaluate(ece_sweep, locals())
