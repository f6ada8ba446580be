"""How the gaps of bins are put together."""

import numpy as np

from ..._utils.options import check_flag, check_option


class BinNorm:
    """The binned error as a function of weights, mean probabilities and observed rates.

    The norm "mean" is the plain mean over the bins that are not empty; `ece` documents "l1", "l2"
    and "max", and the other options, which are for "l2" only.
    """

    def __init__(self, norm, *, debiased=False, squared=False):
        self.norm = check_option(norm, "norm", ("l1", "l2", "max", "mean"))
        self.debiased = check_flag(debiased, "debiased")
        self.squared = check_flag(squared, "squared")

    def of_bins(self, groups):
        """Return the error of each draw.

        `groups` has one tuple per set of bins, with arrays of shape (n_bins, n_draws), or (n_bins,
        1) for what all draws have in common: the weight of each bin, its mean probability and its
        observed rate, NaN where it is empty, and its effective number of rows or None.
        """
        errors = np.stack([self.error(*bins) for bins in groups])
        if self.norm == "max":
            return errors.max(axis=0)
        if self.debiased and not self.squared:
            return np.sqrt(np.maximum(errors.mean(axis=0), 0.0))
        return errors.mean(axis=0)

    def of_sums(self, weight, events, proba, squares, n_bins):
        """Return the error of each draw from sums over the rows of each bin.

        They are the weight, the weight of the events, the weighted probability and the squared
        weight, of shape (n_bins, n_draws), for all sets of bins one below the other, with `n_bins`
        bins each.
        """
        filled = weight > 0.0

        def mean(values):
            return np.divide(values, weight, out=np.full_like(values, np.nan), where=filled)

        size = np.divide(weight**2, squares, out=np.zeros_like(weight), where=filled)
        parts = weight, np.clip(mean(proba), 0.0, 1.0), np.clip(mean(events), 0.0, 1.0), size
        ends = np.cumsum(n_bins)[:-1]
        return self.of_bins([*zip(*(np.split(part, ends) for part in parts))])

    def error(self, weight, center, rate, size):
        """Return the error of one set of bins, which `of_bins` describes."""
        filled = weight > 0.0
        gaps = np.where(filled, np.abs(rate - center), 0.0)
        share = weight / weight.sum(axis=0)
        if self.norm == "max":
            return gaps.max(axis=0)
        if self.norm == "mean":
            return gaps.sum(axis=0) / filled.sum(axis=0)
        if self.norm == "l1":
            return (share * gaps).sum(axis=0)
        if self.debiased:
            return (share * _debiased_squares(gaps, rate, size)).sum(axis=0)
        squares = (share * gaps**2).sum(axis=0)
        return squares if self.squared else np.sqrt(squares)


class OneSidedNorm(BinNorm):
    """The mean over the bins of the positive or the negative part of confidence minus accuracy.

    The sign, 1 or -1, says whether too much confidence counts or too little.
    """

    def __init__(self, sign, by_confidence):
        super().__init__("l1")
        self.sign = sign
        self.by_confidence = check_flag(by_confidence, "by_confidence")

    def error(self, weight, center, rate, size):
        """Return the error of one set of bins, as `BinNorm`."""
        gaps = np.maximum(self.sign * (center - rate), 0.0)
        if self.by_confidence:
            gaps = gaps * center
        return (weight / weight.sum(axis=0) * np.where(weight > 0.0, gaps, 0.0)).sum(axis=0)


def _debiased_squares(gaps, rate, size):
    """Return the squared gaps minus the variance of the rates; 0 where one row leaves none."""
    free = size - 1.0
    several = np.broadcast_to(free > 0.0, gaps.shape)
    variance = np.divide(rate * (1.0 - rate), free, out=np.zeros_like(gaps), where=several)
    return np.where(several, gaps**2 - variance, 0.0)
