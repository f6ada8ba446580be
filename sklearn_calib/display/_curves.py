"""The arrays of a reliability diagram: bins or isotonic blocks, and their intervals."""

import numpy as np
from scipy.stats import beta
from sklearn.isotonic import isotonic_regression

from .._utils._random import check_generator
from .._utils._targets import reduce_target, resolve_target
from .._utils._validation import check_integer, check_option
from ..inference._nulls import draw_labels
from ..metrics._binned import BinnedCurve, ece

_STRATEGIES = ("uniform", "quantile", "isotonic")
_INTERVALS = ("consistency", "clopper-pearson")
_TARGETS = ("auto", "binary", "confidence", "classwise")
_BATCH_CELLS = 4_000_000


class _IsotonicCurve:
    """The isotonic regression of labels on one event's probabilities, block by block.

    Attributes
    ----------
    ranges : ndarray of shape (n_blocks, 2)
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
        self.ranges = np.column_stack([self.p[first], self.p[last]])
        self.count = np.add.reduceat(self.total, first)
        self.prob_pred = np.add.reduceat(self.total * self.p, first) / self.count
        self.prob_pred = np.clip(self.prob_pred, *self.ranges.T)

    def _fit(self, hits):
        weighted = hits if self.weight is None else hits * self.weight
        rate = np.bincount(self.index, weighted) / self.total
        return isotonic_regression(rate, sample_weight=self.total, y_min=0.0, y_max=1.0)

    def prob_true(self, codes):
        """Return isotonic fits at `prob_pred`, shape (n_blocks, n_draws), for label codes."""
        hits = codes.reshape(codes.shape[0], -1) == self.reduction.event
        fits = [np.interp(self.prob_pred, self.p, self._fit(column)) for column in hits.T]
        return np.stack(fits, axis=1)


def reliability_curves(
    predictions,
    *,
    n_bins,
    strategy,
    closed,
    target,
    classes,
    interval,
    alpha,
    n_resamples,
    random_state,
):
    """Compute the arrays of a `ReliabilityDisplay`, one dict per measured event.

    Returns
    -------
    target : str
        The resolved target.
    curves : list of dict
        The arguments of the display for each event, the ``panel`` (a class or None) included.
    """
    n_bins = check_integer(n_bins, "n_bins", 1)
    check_option(strategy, "strategy", _STRATEGIES)
    check_option(closed, "closed", ("left", "right"))
    if interval is not None:
        check_option(interval, "interval", _INTERVALS)
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha!r}.")
    if interval == "clopper-pearson" and strategy == "isotonic":
        raise ValueError(
            "interval='clopper-pearson' needs bins that do not depend on the labels, and the "
            "blocks of strategy='isotonic' do. Use interval='consistency' or None."
        )
    if target == "auto" and predictions.n_classes > 2:
        raise ValueError(
            f"y_proba has {predictions.n_classes} columns, and one curve cannot show them all. "
            "Pass target='confidence' for the largest probability of each row, or "
            "target='classwise' for one panel per class."
        )
    target = resolve_target(
        target, predictions.n_classes, multiclass="confidence", allowed=_TARGETS
    )
    reductions = reduce_target(predictions.proba, target)
    if predictions.n_classes == 2 and target == "classwise":
        target = "binary"
    panels = [None]
    if target == "classwise":
        shown = _find_classes(classes, predictions.classes)
        reductions = [reductions[k] for k in shown]
        panels = predictions.classes[shown].tolist()
    elif classes is not None:
        raise ValueError(
            "classes selects the panels of target='classwise' for more than two classes, got "
            f"classes={classes!r} with target={target!r}."
        )
    weight, codes = predictions.weight, predictions.codes
    bins = {"n_bins": n_bins, "strategy": strategy, "closed": closed}
    if strategy == "isotonic":
        tables = [_IsotonicCurve(reduction, weight, codes) for reduction in reductions]
    else:
        tables = [BinnedCurve(reduction, weight, **bins) for reduction in reductions]
    curves = []
    for table, panel in zip(tables, panels):
        filled = table.count > 0
        curve = {
            "prob_true": table.prob_true(codes)[filled, 0],
            "prob_pred": table.prob_pred[filled],
            "count": table.count[filled],
            "bin_edges": table.ranges
            if strategy == "isotonic"
            else np.column_stack([table.edges[:-1], table.edges[1:]])[filled],
            "ece": None,
            "lower": None,
            "upper": None,
            "panel": panel,
        }
        if strategy != "isotonic":
            hits = (codes == table.reduction.event[:, 0]).astype(np.int64)
            curve["ece"] = ece(hits, table.reduction.proba[:, 0], sample_weight=weight, **bins)
        if interval == "clopper-pearson":
            size = _effective_count(table, weight)[filled]
            curve["lower"], curve["upper"] = clopper_pearson(curve["prob_true"], size, alpha)
        curves.append(curve)
    if interval == "consistency":
        rates = _drawn_rates(predictions.proba, tables, n_resamples, random_state)
        for curve, table, drawn in zip(curves, tables, rates):
            drawn = drawn[table.count > 0]
            curve["lower"] = np.quantile(drawn, alpha / 2, axis=1, method="lower")
            curve["upper"] = np.quantile(drawn, 1 - alpha / 2, axis=1, method="higher")
    return target, curves


def _find_classes(wanted, classes):
    if wanted is None:
        return np.arange(classes.size)
    known = classes.tolist()
    unknown = [label for label in wanted if label not in known]
    if unknown or not len(wanted):
        raise ValueError(
            f"classes must list some of the labels, got {list(wanted)!r}"
            + (f" with the unknown {unknown!r}." if unknown else ".")
        )
    return np.array([known.index(label) for label in wanted])


def _drawn_rates(proba, tables, n_resamples, random_state):
    """Return the rates of labels drawn from the predictions, (n_bins, n_resamples) per table."""
    n_resamples = check_integer(n_resamples, "n_resamples", 1)
    rng = check_generator(random_state)
    size = max(1, _BATCH_CELLS // proba.shape[0])
    batches = []
    for start in range(0, n_resamples, size):
        codes = draw_labels(rng, proba, min(size, n_resamples - start))
        batches.append([table.prob_true(codes) for table in tables])
    return [np.hstack(rates) for rates in zip(*batches)]


def _effective_count(table, weight):
    """Return the number of rows per bin, for weights the effective one ``(sum w)^2 / sum w^2``."""
    if weight is None:
        return table.count
    squares = np.bincount(table.index, weight**2, minlength=table.count.size)
    return np.divide(table.count**2, squares, out=np.zeros_like(squares), where=squares > 0)


def clopper_pearson(rate, size, alpha):
    """Return the exact confidence limits for rates of `size` independent rows."""
    hits = rate * size
    with np.errstate(invalid="ignore"):
        lower = beta.ppf(alpha / 2, hits, size - hits + 1)
        upper = beta.ppf(1 - alpha / 2, hits + 1, size - hits)
    return np.where(rate <= 0, 0.0, lower), np.where(rate >= 1, 1.0, upper)
