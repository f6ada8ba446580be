"""From sums of likelihood ratios to e-values: a mixture over alternatives and starts."""

from dataclasses import dataclass

import numpy as np

from .alternatives import WEIGHTS

# Share of all rows together, where there are segments.
_TOGETHER = 0.5
# Of the rest, the share of the segments of the first period, if they have not been declared.
_FIRST_SHARE = 0.8
_HORIZON = 1000
_SOON_TOTAL = (1.0 / np.arange(2, _HORIZON + 2)).sum()
# The sum of 1 / (m log(m) ** 2) over m = 2, 3, ...
_EVER_TOTAL = 2.10974280123689197
_BLOCK = 64


def start_weights(n_periods):
    """Return the prior weight of a start in period 1, 2, ..., which sum to less than one.

    One half falls as ``1 / m``, with m = k + 1, over the first thousand periods, where most errors
    begin. The other half falls as ``1 / (m log(m) ** 2)`` for ever.
    """
    m = np.arange(2, n_periods + 2)
    soon = np.where(m <= _HORIZON + 1, 1.0 / (_SOON_TOTAL * m), 0.0)
    return 0.5 * (soon + 1.0 / (_EVER_TOTAL * m * np.log(m) ** 2))


def log_e_values(log_ratios, present):
    """Return the logarithm of the e-value of each series after each of its periods.

    A series starts to be wrong in period k, in the way of alternative j, with the prior weight
    ``start_weights[k] * WEIGHTS[j]``; with the rest it does not start yet. Its e-value is the
    mixture of the likelihood ratios, whose logarithms have the shape (n_series, n_periods,
    n_alternatives). Periods that are not `present` are skipped; they do not count as periods.
    Before its first period the result is zero.
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
        log_e[rows, period] = np.logaddexp(
            np.logaddexp.reduce(mixture[rows], axis=1), log_rest[start]
        )
    return log_e


def start_log_weights(log_ratios):
    """Return the logarithm of the mixture's mass for each start and alternative of one series."""
    since = np.cumsum(log_ratios[::-1], axis=0)[::-1]
    return since + np.log(start_weights(len(log_ratios)))[:, np.newaxis] + np.log(WEIGHTS)


def series_shares(cells, declared):
    """Return the share of each series that is followed in the overall e-value.

    The shares sum to at most one. With segments, one half belongs to all rows together, in which an
    error of the whole model is found much sooner than in any segment. Events share equally, and so
    do segments that the user has `declared`.
    """
    n_events = len({one.event for one in cells.series})
    of_segment = {None: 1.0}
    if cells.segmented:
        each = segment_shares(cells.first_periods, declared)
        of_segment = {name: (1.0 - _TOGETHER) * share for name, share in each.items()}
        of_segment[None] = _TOGETHER
    return np.array([of_segment[one.segment] / n_events for one in cells.followed])


def segment_shares(first, declared):
    """Return the share of each segment in what belongs to the segments, by name.

    The shares sum to at most one, and those of `declared` segments are equal. Without these, the
    segments that were `first` seen in the first period share 0.8, and those of the r-th period with
    new segments share ``0.2 / (r (r - 1))``.
    """
    if declared is not None:
        return dict.fromkeys(declared, 1.0 / len(declared))
    shares: dict[str, float] = {}
    for rank, period in enumerate(sorted(set(first.values())), start=1):
        together = [name for name in first if first[name] == period]
        mass = _FIRST_SHARE if rank == 1 else (1.0 - _FIRST_SHARE) / (rank * (rank - 1))
        shares |= dict.fromkeys(together, mass / len(together))
    return shares


@dataclass(frozen=True, eq=False)
class EValues:
    """E-values of all series after each period.

    Attributes
    ----------
    log_series : ndarray of shape (n_series, n_periods)
        Logarithm of the e-value of each series that is followed, times its share.
    log_overall : ndarray of shape (n_periods,)
        Logarithm of the overall e-value.
    """

    log_series: np.ndarray
    log_overall: np.ndarray

    @classmethod
    def of(cls, cells, shares):
        """Return the e-values of a table of cells.

        What the `shares` of the series leave to one belongs to segments that are not known yet,
        whose e-value is one.
        """
        log_e = np.zeros((len(cells.followed), len(cells.periods)))
        for start in range(0, len(log_e), _BLOCK):
            block = slice(start, start + _BLOCK)
            sums, present = cells.arrays(cells.followed[block])
            log_e[block] = log_e_values(sums.log_ratios, present)
            log_e[block][np.cumsum(sums.impossible, axis=1) > 0] = np.inf
        log_series = log_e + np.log(shares)[:, np.newaxis]
        with np.errstate(divide="ignore"):
            log_rest = np.log(max(1.0 - shares.sum(), 0.0))
        return cls(log_series, np.logaddexp(np.logaddexp.reduce(log_series, axis=0), log_rest))


def running_pvalue(log_e):
    """Return p-values that hold at all times: one over the largest e-value so far."""
    return np.exp(np.minimum(-np.maximum.accumulate(log_e, axis=-1), 0.0))
