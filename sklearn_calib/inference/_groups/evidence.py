"""What is known of groups of rows: sums over the rows of each group, for any labels."""

import numpy as np

from ..._data.bins import bin_index, uniform_edges
from ..._data.groups import Groups
from ..._data.predictions import Predictions
from ..._data.targets import reduce_target
from ..._utils.fitting_context import from_predict_proba
from ...metrics._metric import METRICS
from .._nulls.simulation import draw_labels
from .deviations import Deviations

N_BINS = 10
# Keeps the information of rows that are predicted with certainty above zero.
LEAST_VARIANCE = 1e-6


class RowEvidence:
    """Sums over the rows of groups, from the rows.

    Parameters
    ----------
    predictions : Predictions
        The data.
    columns : list of GroupColumn
        The columns of the same rows.
    target : str
        The events; never "auto".
    max_interaction, min_rows : int
        As documented in `calibration_by_group`.

    Attributes
    ----------
    groups : Groups
        The groups.
    measure : Deviations
        Their deviations.
    classes : ndarray of shape (n_classes,)
        The classes.
    scale : float
        What the sums of weights are to be multiplied by.
    n_entries : int
        Numbers that one set of labels takes.
    """

    def __init__(self, predictions, columns, target, *, max_interaction, min_rows):
        weight = predictions.weight
        self.predictions = predictions
        self.classes = predictions.classes
        self.groups = Groups(columns, weight, max_interaction=max_interaction, min_rows=min_rows)
        reductions = reduce_target(predictions.proba, target)
        self.reduction = reductions[0]._replace(
            proba=np.hstack([one.proba for one in reductions]),
            event=np.hstack([one.event for one in reductions]),
        )
        self.measure = Deviations.of_rows(self.groups, self.reduction)
        self.scale = 1.0 if weight is None else float(weight.max())
        self.n_entries = predictions.n_samples

    def hits(self, codes=None):
        """Return weighted sums of the indicators, shape (n_groups, n_events, n_draws)."""
        codes = self.predictions.codes if codes is None else codes
        columns = codes.reshape(codes.shape[0], -1)
        sums = [self.groups.sums((columns == one[:, np.newaxis]).astype(np.float64))
                for one in self.reduction.event.T]  # fmt: skip
        return np.stack(sums, axis=1)

    def drawing(self, rng):
        """Return a function that gives the `hits` of some draws, which are asked for in order."""

        def draw(start, stop):
            return self.hits(draw_labels(rng, self.predictions.proba, stop - start))

        return draw

    def residual_sums(self):
        """Return the sums of ``w**2``, ``w**2 e`` and ``w**2 e**2`` for residuals e.

        The first has the shape (n_groups,), the others (n_groups, n_events).
        """
        weight = self.groups.weight
        residual = self.reduction.residuals(self.predictions.codes)[:, :, 0]
        weighted = weight[:, np.newaxis]
        return (
            self.groups.sums(weight),
            self.groups.sums(weighted * residual),
            self.groups.sums(weighted * residual**2),
        )

    def scores(self, event):
        """Return what `explain_overlaps` adds up over the rows of groups.

        Returns
        -------
        residual, information, covariance : ndarray
            The residuals; and the variances of the labels times the weights, and times these again.
        """
        p, weight = self.reduction.proba[:, event], self.groups.weight
        spread = np.maximum(p * (1.0 - p), LEAST_VARIANCE)
        residual = self.reduction.residuals(self.predictions.codes)[:, event, 0]
        return residual, weight * spread, weight**2 * spread

    def log_loss(self):
        """Return the mean log loss of the whole vector of probabilities in each group."""
        p = self.predictions.proba[np.arange(self.predictions.n_samples), self.predictions.codes]
        losses = -np.log(np.maximum(p, np.finfo(np.float64).eps))
        return self.groups.sums(losses) / self.measure.total

    def errors(self, tested, metric):
        """Return a calibration error of each event within each group that is tested."""
        predictions, reduction = self.predictions, self.reduction
        n_events = reduction.proba.shape[1]
        errors = np.full((len(self.groups), n_events), np.nan)
        if metric is None:
            return errors
        description = METRICS[metric]
        hits = (predictions.codes[:, np.newaxis] == reduction.event).astype(np.int64)
        for k, rows in self.groups.rows():
            if not tested[k] or rows.size < 2:
                continue
            for event in range(n_events):
                p = reduction.proba[rows, event]
                weight = None if predictions.weight is None else predictions.weight[rows]
                own = Predictions(
                    hits[rows, event], np.column_stack([1.0 - p, p]), np.array([0, 1]), weight
                )
                with from_predict_proba():
                    prepared = description.prepare(own, **description.options)
                    errors[k, event] = prepared(own.codes)[0]
        return errors

    def histograms(self):
        """Return weights, weights of the events, sums of ``w p``, and rows in bins.

        Returns
        -------
        sums : list of ndarray of shape (n_groups, n_events, n_bins)
        """
        groups, weight = self.groups, self.groups.weight
        parts = []
        for p, event in zip(self.reduction.proba.T, self.reduction.event.T):
            index = bin_index(p, uniform_edges(N_BINS))
            happened = self.predictions.codes == event
            each = (weight, weight * happened, weight * p, None)
            parts.append([groups.histogram(index, N_BINS, values) for values in each])
        return [np.stack(one, axis=1) for one in zip(*parts)]
