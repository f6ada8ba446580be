"""Assign probabilities to bins; shared by the binned metrics and the histogram calibrator."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from .._utils.options import check_integer, check_option
from .arrays import check_numeric

STRATEGIES = ("uniform", "quantile")
# With more edges than this, a binary search is faster than comparisons with each.
_MOST_COMPARED = 64
# More are a typing error, and would take the memory of the machine.
_MOST_BINS = 10**6


class Binning(NamedTuple):
    """How probabilities are put into bins.

    Attributes
    ----------
    n_bins : int
        Number of bins.
    strategy : {"uniform", "quantile"} or None
        How the edges are chosen; None for given edges.
    closed : {"left", "right"}
        The side on which bins with given or uniform edges are closed.
    edges : ndarray of shape (n_bins + 1,) or None
        Edges from 0 to 1; None for quantile bins, whose edges depend on the data.
    """

    n_bins: int
    strategy: str | None
    closed: Literal["left", "right"]
    edges: np.ndarray | None

    def assign(self, p, weight=None):
        """Return the bin number of each probability."""
        if self.edges is None:
            return quantile_bin_index(p, self.n_bins, weight)
        return bin_index(p, self.edges, self.closed)


def check_binning(n_bins, strategy, closed, bins, n_samples, weight=None):
    """Validate the binning options and return a `Binning`.

    Parameters
    ----------
    n_bins : int or "auto"
        Number of bins; "auto" is that of `automatic_count`.
    strategy, closed, bins : object
        As documented in `ece`.
    n_samples : int
        Number of rows.
    weight : ndarray of shape (n_samples,), default=None
        Positive weights; None stands for ones.
    """
    closed = check_option(closed, "closed", ("left", "right"))
    strategy = check_option(strategy, "strategy", STRATEGIES)
    n_bins = check_n_bins(n_bins)
    if bins is not None:
        if strategy != "uniform":
            raise ValueError(
                f"strategy={strategy!r} chooses the edges of the bins, and bins gives them. Pass "
                "one of the two."
            )
        edges = check_edges(bins)
        return Binning(edges.size - 1, None, closed, edges)
    if n_bins == "auto":
        n_bins = automatic_count(n_samples if weight is None else effective_size(weight))
    edges = uniform_edges(n_bins) if strategy == "uniform" else None
    return Binning(n_bins, strategy, closed, edges)


def check_n_bins(n_bins):
    """Return a number of bins as int, or "auto"."""
    if isinstance(n_bins, str) and n_bins == "auto":
        return n_bins
    try:
        n_bins = check_integer(n_bins, "n_bins", 1)
    except ValueError as error:
        raise ValueError(str(error).replace(", got", ' or "auto", got')) from None
    if n_bins > _MOST_BINS:
        raise ValueError(f"n_bins must be at most {_MOST_BINS:,}, got {n_bins:,}.")
    return n_bins


def check_edges(bins):
    """Return increasing edges from 0 to 1 as an array, or raise."""
    hint = "Pass edges such as bins=[0, 0.1, 0.5, 1], or a number of bins as n_bins."
    if np.isscalar(bins):
        raise ValueError(f"bins must be a list of edges, got {bins!r}. {hint}")
    edges = check_numeric(bins, "bins")
    if edges.ndim != 1:
        raise ValueError(f"bins must have one dimension, got shape {edges.shape}. {hint}")
    if edges.size < 2 or edges[0] != 0.0 or edges[-1] != 1.0 or np.any(np.diff(edges) <= 0.0):
        raise ValueError(f"bins must increase from 0 to 1, got {edges.tolist()}. {hint}")
    return edges


def automatic_count(size):
    """Return the cube root of a number of rows, rounded up."""
    # A size that was computed from weights may be a rounding step above a cube, and far beyond any
    # number of rows.
    return max(1, int(np.ceil(np.cbrt(min(size, 2.0**53)) * (1.0 - 1e-12))))


def effective_size(weight):
    """Return ``(sum w)^2 / sum w^2``, the number of equal weights that weigh as much."""
    share = weight / weight.max()  # squares of the weights themselves may overflow
    return float(share.sum() ** 2 / (share**2).sum())


def uniform_edges(n_bins):
    """Return the ``n_bins + 1`` edges ``k / n_bins`` of equal-width bins on [0, 1].

    Dividing integers gives the double nearest to each decimal edge, so the score 0.3 opens the
    fourth of ten bins. (``numpy.linspace`` puts that edge at 0.30000000000000004.)
    """
    return np.arange(n_bins + 1) / n_bins


def bin_index(p, edges, closed="left"):
    """Return the bin number of each probability, for increasing edges from 0 to 1.

    The bin at the end of [0, 1] other than that on which bins are `closed` is closed on both sides,
    so every probability has a bin.
    """
    return count_below(p, edges[1:-1], closed)


def count_below(p, edges, closed="left"):
    """Return how many of increasing edges each value has reached, or passed for "right".

    A few edges are compared with all values, which is faster than to search for each value.
    """
    if edges.size > _MOST_COMPARED:
        side: Literal["left", "right"] = "right" if closed == "left" else "left"
        return np.searchsorted(edges, p, side=side)
    reached = np.greater_equal if closed == "left" else np.greater
    count, above = np.zeros(p.shape, dtype=np.uint8), np.empty(p.shape, dtype=bool)
    for edge in edges:
        reached(p, edge, out=above)
        count += above.view(np.uint8)
    return count.astype(np.intp)


class Blocks(NamedTuple):
    """Equal probabilities as blocks in increasing order, with the weight below each.

    The order of the rows has no influence, not even through rounding: weights are added up in the
    order of (p, weight), and a quotient that misses a whole number by no more than the rounding of
    that sum counts as the whole number.

    Attributes
    ----------
    order : ndarray of shape (n_samples,)
        Rows in increasing order.
    first : ndarray of shape (n_blocks,)
        Where each block begins in this order.
    below : ndarray of shape (n_blocks,)
        Weight strictly below each block.
    total : float
        Weight of all rows.
    rounding : float
        Relative error of the sums.
    """

    order: np.ndarray
    first: np.ndarray
    below: np.ndarray
    total: float
    rounding: float

    def quantile_bins(self, n_bins):
        """Return the bin number ``floor(n_bins * below / total)`` of each block."""
        number = np.floor(n_bins * self.below / self.total * (1.0 + self.rounding))
        return np.minimum(number, n_bins - 1).astype(np.intp)


def starts(ordered):
    """Return where each run of equal values begins."""
    new = np.empty(ordered.size, dtype=bool)
    new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return np.flatnonzero(new)


def sort_blocks(p, weight=None):
    """Return the `Blocks` of probabilities, with positive weights or None for ones."""
    if weight is None:
        order, rounding = np.argsort(p), 0.0
        cumulative = np.arange(p.size + 1.0)
    else:
        order, rounding = np.lexsort((weight, p)), 8 * np.finfo(float).eps * np.sqrt(p.size)
        cumulative = np.concatenate([[0.0], np.cumsum(weight[order])])
    first = starts(p[order])
    return Blocks(order, first, cumulative[first], cumulative[-1], rounding)


def quantile_bin_index(p, n_bins, weight=None):
    """Return the bin number ``floor(n_bins * (weight strictly below p) / total weight)``.

    Equal probabilities share a bin and the order of the rows has no influence, see `Blocks`. Some
    bins may not occur.
    """
    if weight is None:  # sorted values are enough, and faster to have than their order
        ordered = np.sort(p)
        first = starts(ordered)
        number = Blocks(ordered, first, first, p.size, 0.0).quantile_bins(n_bins)
        opens = starts(number)
        return number[opens][count_below(p, ordered[first[opens[1:]]])]
    blocks = sort_blocks(p, weight)
    index = np.empty(p.size, dtype=np.intp)
    sizes = np.diff(blocks.first, append=p.size)
    index[blocks.order] = np.repeat(blocks.quantile_bins(n_bins), sizes)
    return index
