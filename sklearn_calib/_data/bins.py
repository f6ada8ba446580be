"""Assign probabilities to bins; shared by the binned metrics and the histogram calibrator."""

from typing import Literal

import numpy as np


def uniform_edges(n_bins):
    """Return the ``n_bins + 1`` edges ``k / n_bins`` of equal-width bins on [0, 1].

    Dividing integers gives the double nearest to each decimal edge, so the score 0.3 opens the
    fourth of ten bins. (``numpy.linspace`` puts that edge at 0.30000000000000004.)
    """
    return np.arange(n_bins + 1) / n_bins


def uniform_bin_index(p, n_bins, closed="left"):
    """Return the bin number of each probability for equal-width bins.

    Parameters
    ----------
    p : ndarray of shape (n_samples,)
        Probabilities in [0, 1].
    n_bins : int
        Number of bins.
    closed : {"left", "right"}, default="left"
        The side on which the bins are closed. The bin at the other end of [0, 1] is closed on
        both sides, so every probability has a bin.

    Returns
    -------
    index : ndarray of shape (n_samples,)
        Integers from 0 to ``n_bins - 1``.
    """
    return bin_index(p, uniform_edges(n_bins), closed)


def bin_index(p, edges, closed="left"):
    """Return the bin number of each probability, for increasing edges from 0 to 1.

    The bin at the end that `closed` leaves open is closed on both sides.
    """
    side: Literal["left", "right"] = "right" if closed == "left" else "left"
    return np.clip(np.searchsorted(edges, p, side=side) - 1, 0, edges.size - 2)


def quantile_bin_index(p, n_bins, weight=None):
    """Return the bin number ``floor(n_bins * (weight strictly below p) / total weight)``.

    Equal probabilities share a bin and the order of the rows has no influence, not even through
    rounding: weights are added up in the order of (p, weight), and a quotient that misses a whole
    number by no more than the rounding of that sum counts as the whole number.

    Parameters
    ----------
    p : ndarray of shape (n_samples,)
        Probabilities.
    n_bins : int
        Number of bins.
    weight : ndarray of shape (n_samples,), default=None
        Positive weights; None stands for ones.

    Returns
    -------
    index : ndarray of shape (n_samples,)
        Integers from 0 to ``n_bins - 1``; some may not occur.
    """
    if weight is None:
        order = np.argsort(p)
        cumulative = np.arange(1.0, p.size + 1.0)
    else:
        order = np.lexsort((weight, p))
        cumulative = np.cumsum(weight[order])
    ordered = p[order]
    first = np.searchsorted(ordered, ordered, side="left")
    below = np.concatenate([[0.0], cumulative])[first]
    rounding = 0.0 if weight is None else 8 * np.finfo(float).eps * np.sqrt(p.size)
    number = np.floor(n_bins * below / cumulative[-1] * (1.0 + rounding))
    index = np.empty(p.size, dtype=np.intp)
    index[order] = np.minimum(number, n_bins - 1)
    return index
