"""From sums of likelihood ratios to e-values: a mixture over alternatives and starts."""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from .alternatives import WEIGHTS

# Share of the segments of the first period, if they have not been declared.
_FIRST_SHARE = 0.8
# The sum of 1 / (m log(m) ** 2) over m = 2, 3, ...
_START_TOTAL = 2.10974280123689197
_BLOCK = 64


def start_weights(n_periods):
    """Return the prior weight of a start in period 1, 2, ..., which sum to less than one.

    They fall slowly, as ``1 / (m log(m) ** 2)`` with m = k + 1, so that a change after hundreds of
    periods is found almost as quickly as one after ten.
    """
    m = np.arange(2, n_periods + 2)
    return 1.0 / (_START_TOTAL * m * np.log(m) ** 2)


def log_e_values(log_ratios, present):
    """Return the logarithm of the e-value of each series after each of its periods.

    A series starts to be wrong in period k, in the way of alternative j, with the prior weight
    ``start_weights[k] * WEIGHTS[j]``; with the rest it does not start yet. Its e-value is the
    mixture of the likelihood ratios.

    Parameters
    ----------
    log_ratios : ndarray of shape (n_series, n_periods, n_alternatives)
        Sums of the logarithms of the likelihood ratios.
    present : ndarray of bool of shape (n_series, n_periods)
        Which periods are part of the series. Others are skipped; they do not count as periods.

    Returns
    -------
    log_e : ndarray of shape (n_series, n_periods)
        Zero before the first period.
    """
    n_series, n_periods, _ = log_ratios.shape
    prior = start_weights(n_periods)
    log_prior = np.log(prior)
    with np.errstate(divide="ignore"):
        log_rest = np.log1p(-np.cumsum(prior))
    number = np.cumsum(present, axis=1) - 1
    mixture = np.full((n_series, WEIGHTS.size), -np.inf)
    log_e = np.zeros((n_series, n_periods))
    for period in range(n_periods):
        rows = np.flatnonzero(present[:, period])
        start = number[rows, period]
        fresh = log_prior[start][:, np.newaxis] + np.log(WEIGHTS)
        mixture[rows] = np.logaddexp(mixture[rows], fresh) + log_ratios[rows, period]
        if period:
            log_e[:, period] = log_e[:, period - 1]
        log_e[rows, period] = np.logaddexp(logsumexp(mixture[rows], axis=1), log_rest[start])
    return log_e


def start_log_weights(log_ratios):
    """Return the logarithm of the mixture's mass for each start and alternative of a series.

    Parameters
    ----------
    log_ratios : ndarray of shape (n_periods, n_alternatives)
        Sums of the logarithms of the likelihood ratios in the periods of the series.

    Returns
    -------
    mass : ndarray of shape (n_periods, n_alternatives)
    """
    since = np.cumsum(log_ratios[::-1], axis=0)[::-1]
    return since + np.log(start_weights(len(log_ratios)))[:, np.newaxis] + np.log(WEIGHTS)


def segment_shares(first, declared):
    """Return the share of each segment in the overall e-value.

    Parameters
    ----------
    first : dict of str or None to int
        The number of the period in which each segment was seen first.
    declared : tuple of str or None
        The segments that the user has named, which have equal shares.

    Returns
    -------
    shares : dict of str or None to float
        They sum to at most one. Without declared segments, those of the first period share 0.8,
        or have all if there are none but rows without a segment; those of the r-th period with new
        segments share ``0.2 / (r (r - 1))``.
    """
    if declared is not None:
        return dict.fromkeys(declared, 1.0 / len(declared))
    if set(first) == {None}:
        return {None: 1.0}
    shares: dict[str | None, float] = {}
    for rank, period in enumerate(sorted(set(first.values())), start=1):
        together = [name for name in first if first[name] == period]
        mass = _FIRST_SHARE if rank == 1 else (1.0 - _FIRST_SHARE) / (rank * (rank - 1))
        shares |= dict.fromkeys(together, mass / len(together))
    return shares


@dataclass(frozen=True, eq=False)
class Evidence:
    """E-values of all series after each period.

    Attributes
    ----------
    log_series : ndarray of shape (n_series, n_periods)
        Logarithm of the e-value of each series times its share.
    log_overall : ndarray of shape (n_periods,)
        Logarithm of the overall e-value.
    """

    log_series: np.ndarray
    log_overall: np.ndarray

    @classmethod
    def of(cls, cells, shares):
        """Return the evidence of a table of cells.

        Parameters
        ----------
        cells : CellTable
            The sums.
        shares : ndarray of shape (n_series,)
            The share of each series of the table. What is left to one belongs to segments that are
            not known yet, whose e-value is one.
        """
        log_e = np.zeros((len(cells.series), len(cells.periods)))
        for start in range(0, len(log_e), _BLOCK):
            block = slice(start, start + _BLOCK)
            sums, present = cells.arrays(cells.series[block])
            log_e[block] = log_e_values(sums.log_ratios, present)
            log_e[block][np.cumsum(sums.impossible, axis=1) > 0] = np.inf
        log_series = log_e + np.log(shares)[:, np.newaxis]
        with np.errstate(divide="ignore"):
            log_rest = np.log(max(1.0 - shares.sum(), 0.0))
        return cls(log_series, np.logaddexp(logsumexp(log_series, axis=0), log_rest))


def running_pvalue(log_e):
    """Return p-values that hold at all times: one over the largest e-value so far."""
    return np.exp(np.minimum(-np.maximum.accumulate(log_e, axis=-1), 0.0))
