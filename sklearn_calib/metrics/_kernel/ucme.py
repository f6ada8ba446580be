"""The unnormalised calibration mean embedding."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ..._data.arrays import check_numeric
from ..._data.bandwidths import resolve_prob_bandwidth
from ..._data.predictions import check_unit_interval
from ..._data.sums import Mergeable, NotMergeableError, Totals
from ..._utils.docs import fill_doc
from ..._utils.options import check_bandwidth
from ..._utils.types import Label
from .._event_errors import EventErrors, EventSums, resolve_events
from .._metric import evaluate, metric

# Entries of the matrix of kernel values that is held at once.
_CELLS = 2**22


class MeanEmbedding(EventErrors):
    """The root mean square of the embedded residuals at locations, prepared."""

    def __init__(self, predictions, *, locations, bandwidth, target):
        super().__init__(predictions, target)
        self.locations = None if locations is None else _check_locations(locations)
        self.prob_bandwidths = [
            resolve_prob_bandwidth(one.proba, bandwidth, "bandwidth", weight=predictions.weight)
            for one in self.reductions
        ]

    def details(self):
        """Return the bandwidths, as fields of the result of a test."""
        widths = self.prob_bandwidths
        return {"prob_bandwidth": widths[0] if len(widths) == 1 else tuple(widths)}

    def __call__(self, codes):
        values = []
        for reduction, width in zip(self.reductions, self.prob_bandwidths):
            residuals = self.weight[:, np.newaxis] * reduction.residuals(codes)[:, 0]
            p = reduction.proba[:, 0]
            if self.locations is None:
                squares = self._at_the_rows(p, width, residuals)
            else:
                squares = np.mean(_embed(p, width, residuals, self.locations) ** 2, axis=0)
            values.append(np.sqrt(squares))
        return np.mean(values, axis=0)

    def _at_the_rows(self, p, width, residuals):
        """Return the mean squares over the rows, by one pass upwards and one downwards."""
        order = np.argsort(p, kind="stable")
        ordered = p[order]
        start = np.flatnonzero(np.r_[True, np.diff(ordered) > 0.0])
        level = ordered[start]
        share = np.add.reduceat(self.weight[order], start)
        sums = np.add.reduceat(residuals[order], start, axis=0)
        decay = np.append(0.0, np.exp(-np.diff(level) / width))
        below = np.zeros_like(sums)  # of the lower levels
        for k in range(1, level.size):
            below[k] = decay[k] * (below[k - 1] + sums[k - 1])
        squares, above = np.zeros(sums.shape[1]), np.zeros(sums.shape[1])
        for k in range(level.size - 1, -1, -1):
            squares += share[k] * (below[k] + sums[k] + above) ** 2
            above = decay[k] * (above + sums[k])
        return squares


def _check_locations(locations):
    """Return locations as a vector of probabilities."""
    values = check_numeric(locations, "locations")
    if values.ndim != 1 or not values.size:
        raise ValueError(
            f"locations must be a list of probabilities, got an array of shape {values.shape}. Use "
            "for example np.linspace(0, 1, 11), or None for the predictions themselves."
        )
    return check_unit_interval(values[:, np.newaxis], "locations")[:, 0]


def _embed(p, width, residuals, locations):
    """Return the sum of the residuals times the kernel at each location."""
    step = max(1, _CELLS // locations.size)
    total = np.zeros((locations.size, residuals.shape[1]))
    for first in range(0, p.size, step):
        part = slice(first, first + step)
        distance = np.abs(locations[:, np.newaxis] - p[part])
        total += np.exp(-distance / width) @ residuals[part]
    return total


@dataclass(frozen=True)
class EmbeddingSums(EventSums):
    """The embedded residuals of each event at fixed locations.

    Attributes
    ----------
    locations : tuple of float
        The locations.
    bandwidth : float
        Bandwidth of the kernel.
    """

    locations: tuple[float, ...]
    bandwidth: float

    @property
    def size_of_event(self) -> int:
        """Number of locations."""
        return len(self.locations)

    def of_event(self, p, residuals):
        """Return the totals of an event."""
        locations = np.array(self.locations)
        return Totals.of(_embed(p, self.bandwidth, residuals[:, np.newaxis], locations)[:, 0])


def _mergeable(n_classes, *, locations, bandwidth, target):
    bandwidth = check_bandwidth(bandwidth)
    if locations is None:
        raise NotMergeableError(
            "locations=None are the probabilities of all rows. Give locations, such as "
            "numpy.linspace(0, 1, 11)."
        )
    if isinstance(bandwidth, str):
        raise NotMergeableError(
            "bandwidth='median' depends on all rows. Pass a number, such as 0.2."
        )
    places = tuple(_check_locations(locations).tolist())
    sums = EmbeddingSums(resolve_events(target, n_classes), n_classes, places, bandwidth)
    return Mergeable(sums, partial(_of_totals, sums))


def _of_totals(sums, totals):
    return float(np.sqrt(np.mean(sums.shares(totals) ** 2, axis=1)).mean())


@metric(
    prepare=MeanEmbedding,
    mergeable=_mergeable,
    label="UCME",
    meaning="root mean square of the smoothed residuals at the predictions",
    interval="norm",
    rank=62,
)
@fill_doc(default="0.2")
def ucme(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    locations: ArrayLike | None = None,
    bandwidth: float | str = 0.2,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the error of the unnormalised calibration mean embedding.

    With residuals :math:`e_i` (indicator minus probability), weights :math:`w_i` that sum to one
    and locations :math:`t_j` with weights :math:`v_j`,

    .. math:: \mathrm{UCME} = \Big( \sum_j v_j \Big( \sum_i w_i e_i \, e^{-|p_i - t_j| / h} \Big)^2
              \Big)^{1/2} .

    Zero means that no smoothed residual differs from zero at a location; the largest value is one.

    Parameters
    ----------
    <<y_true_or_dask>>
    <<y_proba>>
    locations : array-like of shape (n_locations,), default=None
        Probabilities at which the smoothed residuals are looked at, all with the same weight. None
        takes those of the data, with their weights.
    <<bandwidth>>
    <<target_binned>>
        The "classwise" error is the mean over the classes.
    <<weights_as_copies>>

    <<returns_error_up_to_one>>

    See Also
    --------
    mmce : The largest mean product with a function of the kernel's space.
    skce : Its square, without bias.

    Notes
    -----
    <<not_proper>>

    The test locations of [1]_ come with an outcome each; for a single event both outcomes give the
    same square. The value is biased upwards: a calibrated model with predictions spread evenly over
    [0, 1] has about 0.016 at n = 100 and 0.005 at n = 1000. Time is O(n log n) and memory O(n), or
    O(n m) time for m given locations.

    References
    ----------
    .. [1] D. Widmann, F. Lindsten, D. Zachariah, "Calibration tests beyond classification", ICLR
       2021, arXiv:2210.13355.

    Examples
    --------
    >>> from sklearn_calib.metrics import ucme
    >>> round(ucme([0, 1, 0], [0.2, 0.4, 0.6], bandwidth=1.0), 4)
    0.0525
    """
    return evaluate(ucme, locals())
