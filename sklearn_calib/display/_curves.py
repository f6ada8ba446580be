"""The arrays of a reliability diagram: bins or isotonic blocks, and their intervals."""

import numpy as np
from sklearn.isotonic import isotonic_regression

from .._core.poisson_binomial import event_count_limits
from .._data.bins import check_binning
from .._data.targets import EVENTS, reduce_target, resolve_target
from .._utils.arguments.random_streams import check_generator
from .._utils.fitting_context import from_predict_proba
from .._utils.options import check_integer, check_option, check_real
from .._utils.progress import reporter
from ..inference._groups.intervals import clopper_pearson
from ..inference._nulls.batches import simulated_values
from ..inference._nulls.simulation import SimulatedLabels
from ..metrics._binned.binned_error import BinnedCurve
from ..metrics._binned.ece import ece

_STRATEGIES = ("auto", "uniform", "quantile", "isotonic")
_INTERVALS = ("consistency", "clopper-pearson")
# Rows below which the rate of a bin says little, and is drawn as such.
FEW = 10
# Share of the rows in one bin of equal width above which "auto" means quantile bins.
_CROWDED = 0.8


class _IsotonicCurve:
    """The isotonic regression of labels on one event's probabilities, block by block.

    Attributes
    ----------
    edges : ndarray of shape (n_blocks, 2)
        Smallest and largest probability of each block.
    count : ndarray of shape (n_blocks,)
        Rows, or weight, in each block.
    prob_pred : ndarray of shape (n_blocks,)
        Mean probability of each block.
    """

    def __init__(self, reduction, weight, codes):
        self.reduction = reduction
        self.weight = weight
        self.p, self.index = np.unique(reduction.proba[:, 0], return_inverse=True)
        self.total = np.bincount(self.index, weight)
        level = self._fit(codes == reduction.event[:, 0])
        first = np.flatnonzero(np.diff(level, prepend=-1.0))
        last = np.append(first[1:], level.size) - 1
        self.edges = np.column_stack([self.p[first], self.p[last]])
        self.count = np.add.reduceat(self.total, first)
        self.prob_pred = np.add.reduceat(self.total * self.p, first) / self.count
        self.prob_pred = np.clip(self.prob_pred, *self.edges.T)

    def _fit(self, hits):
        weighted = hits if self.weight is None else hits * self.weight
        rate = np.bincount(self.index, weighted) / self.total
        return isotonic_regression(rate, sample_weight=self.total, y_min=0.0, y_max=1.0)

    def corners(self, codes):
        """Return the points between which the regression is a line, shape (2 * n_blocks, 2)."""
        rate = self.prob_true(codes)[:, 0]
        return np.column_stack([self.edges.ravel(), np.repeat(rate, 2)])

    def prob_true(self, codes):
        """Return isotonic fits at `prob_pred`, shape (n_blocks, n_draws), for label codes."""
        hits = codes.reshape(codes.shape[0], -1) == self.reduction.event
        fits = [np.interp(self.prob_pred, self.p, self._fit(column)) for column in hits.T]
        return np.stack(fits, axis=1)


class ReliabilityCurves:
    """The curves of one set of predictions, computed before and after labels are drawn.

    Attributes
    ----------
    target : str
        The resolved target.
    panels : list
        The class of each curve for "classwise", or ``[None]``.
    """

    def __init__(
        self,
        predictions,
        *,
        n_bins,
        bins=None,
        strategy,
        closed,
        target,
        classes=None,
        interval,
        alpha,
    ):
        check_option(strategy, "strategy", _STRATEGIES)
        isotonic = strategy == "isotonic"
        weight = predictions.weight
        rows = {"n_samples": predictions.n_samples, "weight": weight}
        binning = check_binning(
            n_bins, "quantile" if strategy == "quantile" else "uniform", closed, bins, **rows
        )
        if interval is not None:
            check_option(interval, "interval", _INTERVALS)
        if interval == "clopper-pearson" and isotonic:
            raise ValueError(
                "interval='clopper-pearson' needs bins that do not depend on the labels, and the "
                "blocks of strategy='isotonic' do. Use interval='consistency' or None."
            )
        self.predictions = predictions
        self.interval = interval
        self.alpha = check_real(alpha, "alpha", below=1.0)
        self.target = _choose_target(target, predictions.n_classes)
        reductions = reduce_target(predictions.proba, self.target)
        if strategy == "auto":
            strategy = "uniform"
            if bins is None and _is_crowded(reductions, weight, binning):
                strategy = "quantile"
                binning = check_binning(n_bins, strategy, closed, None, **rows)
        self.bins = {"n_bins": n_bins, "bins": bins, "strategy": strategy, "closed": closed}
        self.panels = [None]
        if self.target == "classwise":
            shown = self._find_classes(classes, reductions)
            reductions = [reductions[k] for k in shown]
            self.panels = predictions.classes[shown].tolist()
        elif classes is not None:
            raise ValueError(
                "classes selects the panels of target='classwise' for more than two classes, got "
                f"classes={classes!r} with target={target!r}."
            )
        self.tables: list[BinnedCurve | _IsotonicCurve]
        if isotonic:
            self.tables = [_IsotonicCurve(one, weight, predictions.codes) for one in reductions]
        else:
            self.tables = [BinnedCurve(one, weight, binning) for one in reductions]

    @property
    def needs_draws(self):
        """Whether the interval needs drawn labels: without weights that of bins is known."""
        known = self.predictions.weight is None and self.bins["strategy"] != "isotonic"
        return self.interval == "consistency" and not known

    def arrays(self, drawn=None):
        """Return the arrays of each curve as a dict.

        Parameters
        ----------
        drawn : list of ndarray of shape (n_bins, n_draws), default=None
            Rates of drawn labels, if `needs_draws`.
        """
        curves = []
        codes, weight = self.predictions.codes, self.predictions.weight
        for k, table in enumerate(self.tables):
            filled = table.count > 0
            isotonic = isinstance(table, _IsotonicCurve)
            size = np.empty(0)
            if isinstance(table, BinnedCurve):
                size = table.effective_count()[filled]
            edges = table.edges
            rate = table.prob_true(codes)[filled, 0]
            lower = upper = None
            if self.interval == "clopper-pearson":
                lower, upper = clopper_pearson(rate, size, self.alpha)
            elif self.interval == "consistency" and not self.needs_draws:
                lower, upper = consistency_limits(table, self.alpha)
            elif self.interval == "consistency":
                level, rates = self.alpha / 2, drawn[k][filled]
                lower = np.quantile(rates, level, axis=1, method="lower")
                upper = np.quantile(rates, 1 - level, axis=1, method="higher")
            curves.append(
                {
                    "prob_true": rate,
                    "prob_pred": table.prob_pred[filled],
                    "count": table.count[filled],
                    "bin_edges": np.column_stack([edges[:-1], edges[1:]])[filled]
                    if edges.ndim == 1
                    else edges,
                    "lower": lower,
                    "upper": upper,
                    "ece": None if isotonic else self._ece(table.reduction),
                    "few": None if isotonic else size < FEW,
                    "isotonic": None
                    if isotonic
                    else _IsotonicCurve(table.reduction, weight, codes).corners(codes),
                }
            )
        return curves

    def _find_classes(self, wanted, reductions):
        """Return the numbers of the classes to show."""
        classes = self.predictions.classes
        if wanted is None:
            return np.arange(classes.size)
        if np.ndim(wanted) > 0:
            return _find_classes(wanted, classes)
        n_shown = check_integer(wanted, "classes", 1)
        largest = np.argsort([-self._ece(one) for one in reductions], kind="stable")
        return np.sort(largest[:n_shown])

    def _ece(self, reduction):
        """Return the error of one event; with isotonic blocks, that of quantile bins."""
        hits = (self.predictions.codes == reduction.event[:, 0]).astype(np.int64)
        bins = self.bins
        if bins["strategy"] == "isotonic":
            bins = {**bins, "bins": None, "strategy": "quantile"}
        with from_predict_proba():  # looked at before
            return ece(hits, reduction.proba[:, 0], sample_weight=self.predictions.weight, **bins)

    def simulated(self, n_resamples, random_state, verbose=False):
        """Return rates of labels drawn from the predictions, or None if nothing needs them."""
        n_resamples = check_integer(n_resamples, "n_resamples", 1)
        rng = check_generator(random_state)
        say = reporter("ReliabilityDisplay", verbose)
        if not self.needs_draws:
            return None
        null = SimulatedLabels([table.prob_true for table in self.tables], self.predictions)
        n_cells = self.predictions.n_samples
        with say:
            outcomes = simulated_values(null, n_resamples, rng, n_cells=n_cells, say=say)
        return [rates for _, rates in outcomes]


def _choose_target(target, n_classes):
    check_option(target, "target", EVENTS)
    if target == "auto" and n_classes > 2:
        raise ValueError(
            f"y_proba has {n_classes} columns, and one curve cannot show them all. Pass "
            "target='confidence' for the largest probability of each row, or target='classwise' "
            "for one panel per class."
        )
    target = resolve_target(target, n_classes, multiclass="confidence", allowed=EVENTS)
    return "binary" if n_classes == 2 and target == "classwise" else target


def _is_crowded(reductions, weight, binning):
    """Return whether one bin holds nearly all rows, for every event."""
    for reduction in reductions:
        count = np.bincount(binning.assign(reduction.proba[:, 0], weight), weight)
        if count.max() <= _CROWDED * count.sum():
            return False
    return True


def _find_classes(wanted, classes):
    known = classes.tolist()
    unknown = [label for label in wanted if label not in known]
    if unknown or not len(wanted):
        raise ValueError(
            f"classes must list some of the labels, got {list(wanted)!r}"
            + (f" with the unknown {unknown!r}." if unknown else ".")
        )
    return np.array([known.index(label) for label in wanted])


def consistency_limits(table, alpha):
    """Return the range of each filled bin's rate if every row has the predicted probability."""
    order = np.argsort(table.index, kind="stable")
    size = np.bincount(table.index)
    p = np.split(table.reduction.proba[order, 0], np.cumsum(size)[:-1])
    counts = [event_count_limits(rows, alpha / 2) for rows in p if rows.size]
    return np.transpose(counts) / size[size > 0]
