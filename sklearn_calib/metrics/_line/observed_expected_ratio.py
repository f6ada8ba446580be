"""The ratio of observed to expected events."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ..._core import ResidualBlocks
from ..._data.sums import Mergeable
from ..._data.targets import resolve_event
from ..._utils.docs import fill_doc
from ..._utils.types import Label
from .._binned.bin_table import bin_table
from .._metric import evaluate, metric
from .event_line import EventStatistic


class ObservedExpectedRatio(EventStatistic):
    """The ratio, prepared."""

    def __init__(self, predictions, *, target):
        super().__init__(predictions, target)
        weight = np.ones(self.proba.size) if self.weight is None else self.weight
        self.share = weight / weight.max()
        self.expected = self.share @ self.proba

    def __call__(self, codes):
        observed = ResidualBlocks(None).products(self.share[np.newaxis], self.events(codes))[0]
        return _ratio(observed, self.expected)


def _ratio(observed, expected):
    """Return observed over expected events; one if there are none of both."""
    if expected == 0.0:
        return np.where(observed > 0.0, np.inf, 1.0)
    with np.errstate(over="ignore"):  # infinite where the ratio is no number of float64
        return observed / expected


def _mergeable(n_classes, *, target):
    table = bin_table(n_classes, n_bins=1, target=resolve_event(target, n_classes))
    return Mergeable(table, partial(_of_totals, table))


def _of_totals(table, totals):
    columns = table.columns(totals)
    return float(_ratio(columns.events[0, 0], columns.proba[0, 0]))


@metric(
    prepare=ObservedExpectedRatio,
    mergeable=_mergeable,
    label="O/E ratio",
    meaning="observed over expected events: below one the predictions are too high, above too low",
    interval="ratio",
    effect=None,
    ideal=1.0,
    alternative="two-sided",
    ratio=True,
    shown_in=("report",),
    rank=90,
)
@fill_doc()
def observed_expected_ratio(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the ratio of observed to expected events.

    With the events :math:`y_i`, their probabilities :math:`p_i` and weights :math:`w_i`,

    .. math:: O/E = \frac{\sum_i w_i y_i}{\sum_i w_i p_i} .

    One is ideal; below one the predictions are too high on average, above one too low.

    Parameters
    ----------
    <<y_true_or_dask>>
    <<y_proba>>
    <<target_event>>
    <<weights_as_copies>>

    Returns
    -------
    ratio : float
        A number of at least zero; infinity if there are events and none is expected, one if there
        are none and none is expected.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    calibration_intercept : The same in log-odds.
    sklearn_calib.inference.calibration_line : The ratio with its interval.

    Notes
    -----
    The ratio is not symmetric in the two classes: exchanging them gives the ratio of non-events.
    The scorer gives minus the size of its logarithm. The ratio has no bias: its mean for a
    calibrated model is exactly one for any n. Time and memory are O(n).

    References
    ----------
    .. [1] T. P. A. Debray et al., "A guide to systematic review and meta-analysis of prediction
       model performance", BMJ 356 (2017), doi:10.1136/bmj.i6460.

    Examples
    --------
    >>> from sklearn_calib.metrics import observed_expected_ratio
    >>> round(observed_expected_ratio([0, 0, 1, 1, 1], [0.1, 0.3, 0.4, 0.5, 0.7]), 4)
    1.5
    """
    return evaluate(observed_expected_ratio, locals())
