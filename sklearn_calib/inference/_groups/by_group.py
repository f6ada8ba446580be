"""Calibration in groups of rows: the categories of columns and their combinations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from ..._data.arrays import check_weights
from ..._data.group_columns import group_columns, read_groups
from ..._data.predictions import check_predictions
from ..._data.targets import EVENTS, resolve_target
from ..._utils.arguments.random_streams import check_generator
from ..._utils.dask_collections import is_partitioned
from ..._utils.docs import fill_doc
from ..._utils.options import check_integer, check_option, check_real
from ..._utils.progress import reporter
from ..._utils.stack import warn
from ..._utils.types import Label, Progress, RandomState
from ...metrics._metric import ranked_metrics
from .._partitioned.group_cells import GroupedPartitions
from .._pvalues import fewest_resamples
from .deviations import simulate_family
from .evidence import RowEvidence
from .intervals import effective_rows, gap_interval
from .overlap import explain_overlaps
from .result import AllRows, GroupCalibration, GroupCurves


@fill_doc()
def calibration_by_group(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    groups: Any,
    *,
    max_interaction: int = 1,
    n_quantiles: int = 4,
    min_rows: int = 10,
    target: str = "auto",
    metric: str | None = "ece",
    interval: str = "simultaneous",
    alpha: float = 0.05,
    n_resamples: int = 999,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
    random_state: RandomState = None,
    verbose: Progress = False,
) -> GroupCalibration:
    r"""Compare observed with predicted rates in groups of rows, and say for whom they differ.

    A group is a category of a column, such as ``sex = Female``, or of several columns together.
    The table holds, for each group, the observed rate, the mean prediction and their gap with an
    interval. The p-values hold for **all groups together**: the gap of each group, standardised as
    described in the Notes, is compared with the largest one among all groups in sets of labels
    drawn from the predictions. So if the predictions are right, any group at all has a p-value up
    to alpha with probability at most alpha, at every sample size and however many groups there
    are.

    A group may differ only because it shares rows with a group that is wrong. Its p-value is then
    that of the difference which the wrong groups leave, and `explained_by` names the group. So the
    groups with ``pvalue <= alpha`` are those for which the model is wrong.

    Parameters
    ----------
    <<y_true_or_dask>>
    <<y_proba>>
    groups : DataFrame, Series, dict of str to array-like, or array-like of shape (n_samples,) or \
(n_samples, n_columns)
        The columns that define the groups, of any type (pandas or polars tables as well):

        - text, booleans and categorical types: one group per value that occurs;
        - numbers: at most ten distinct values are categories, more are cut at quantiles;
        - missing values (None, NaN, null): a group of their own, "missing".

        Dates and times are refused.
    max_interaction : int, default=1
        How many columns a group may combine. With 2, "sex & race" is looked at beside "sex" and
        "race".
    n_quantiles : int, default=4
        Into how many parts of about equal size a number with many values is cut. Equal values
        stay together.
    min_rows : int, default=10
        Groups with fewer rows are shown but not tested; combinations of columns with fewer rows
        are left out. The test is exact for any number; the limit keeps tiny groups, about which
        nothing can be said, from raising the bar for the others.
    target : {"auto", "binary", "confidence", "classwise"}, default="auto"
        Which probability is looked at: of the positive class ("binary"), of the largest
        probability ("confidence"), or of each class ("classwise", one row of the table per group
        and class, all in one family). "auto" is "binary" for two classes and "confidence" for
        more. For one class out of several pass its column and ``y_true == label``.
    metric : str or None, default="ece"
        The calibration error that is computed within each group, by name, with its defaults;
        None leaves it out. An error that cannot be negative, such as "ece", is larger by chance in
        smaller groups.
    interval : {"simultaneous", "pointwise"}, default="simultaneous"
        Whether the intervals contain the gaps of all groups together in a share of ``1 - alpha``
        of the cases, or each one for itself.
    alpha : float, default=0.05
        Level of the p-values and of the intervals.
    n_resamples : int, default=999
        Number B of drawn sets of labels. The smallest p-value is ``1 / (B + 1)``; below
        ``1 / alpha - 1`` nothing can be significant, and the function warns.
    <<sample_weight>>
        They must not depend on the labels.
    <<pos_label>>
    <<labels>>
    <<numbered_random_state>>
    <<verbose>>

    Returns
    -------
    result : GroupCalibration
        :meth:`GroupCalibration.to_frame` is the table, :attr:`GroupCalibration.verdict` a sentence
        that names the groups for which the predictions are wrong.

    Raises
    ------
    ValueError
        If an argument is malformed, a column holds dates, no group has `min_rows` rows, or there
        are too many combinations of columns.

    Warns
    -----
    UserWarning
        If `n_resamples` is too small for `alpha`.

    See Also
    --------
    check_calibration : A single test, over all features at once with `X`.
    local_bias_band : Where in the space of features predictions are wrong, without groups.
    sklearn_calib.metrics.multicalibration_error : The largest standardised gap as one number.

    Notes
    -----
    **Standardised gap.** For a group with weights w, mean prediction :math:`\bar p` and observed
    rate :math:`\bar y` it is the root of the binomial deviance between the two, scaled such that
    it agrees with :math:`\sum w_i (y_i - p_i) / \sqrt{\sum w_i^2 p_i (1 - p_i)}` for small
    gaps. For rare events it is closer to normal than that, so that small groups do not raise the
    bar for the others.

    **Family.** `pvalue_marginal` is the step-down maximum of Westfall and Young [1]_ over all
    tested groups. Consider as true the hypotheses of all groups whose labels follow the
    predictions in every row: the probability of a p-value up to alpha in any of them is at most
    alpha, whatever holds in the other groups (strong control), because the draws of these groups
    do not depend on the others. `pvalue` is never smaller, so it has the same property. All rows
    together (`overall`) are not part of the family.

    **Overlap.** Of the groups with ``pvalue_marginal <= alpha``, one that does not deviate
    significantly, given that the log-odds are wrong by constants in the others, is dropped, and so
    on until each one that is left does: combinations of columns first, then the group that
    deviates least. The p-value of what is left is doubled, since the same labels chose the other
    groups; a group that shares no rows with them keeps its own. This step is accurate to first
    order; it decides which of the groups that are significant anyway are named.

    **Intervals** are Clopper-Pearson intervals of the observed rate around the fixed mean
    prediction, for Kish's effective number of rows, or for more where the residuals show that the
    observed rate varies less than a binomial one because predictions differ within the group.
    "simultaneous" takes the level at which the maximum over the groups has level `alpha`.

    The rows must be independent and unseen by the model. Time is O(n B) for the draws, and memory
    does not grow with the product of rows and groups.

    References
    ----------
    .. [1] P. H. Westfall, S. S. Young, "Resampling-Based Multiple Testing", Wiley 1993.
    .. [2] U. Hébert-Johnson, M. Kim, O. Reingold, G. Rothblum, "Multicalibration: Calibration for
       the (Computationally-Identifiable) Masses", ICML 2018, arXiv:1711.08513.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib import calibration_by_group
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.choice(["Female", "Male"], size=3000, p=[0.2, 0.8])
    >>> y_proba = rng.uniform(0.2, 0.8, size=3000)
    >>> y_true = rng.random(3000) < y_proba - 0.1 * (sex == "Female")
    >>> result = calibration_by_group(y_true, y_proba, {"sex": sex}, random_state=0)
    >>> print(result.verdict)
    1 of 2 groups is wrong: sex = Female (627 rows, predicted 0.489, observed 0.383, p = 0.001).
    """
    max_interaction = check_integer(max_interaction, "max_interaction", 1)
    n_quantiles = check_integer(n_quantiles, "n_quantiles", 2)
    min_rows = check_integer(min_rows, "min_rows", 1)
    known = [one.name for one in ranked_metrics() if not one.needs_features]
    if metric is not None:
        check_option(metric, "metric", known)
    check_option(interval, "interval", ("simultaneous", "pointwise"))
    alpha = check_real(alpha, "alpha", below=1.0)
    n_resamples = check_integer(n_resamples, "n_resamples", 1)
    if n_resamples < fewest_resamples(alpha):
        warn(
            f"With n_resamples={n_resamples} no p-value can be as small as alpha={alpha:g}: use "
            f"n_resamples of at least {fewest_resamples(alpha):.0f}.",
        )
    rng = check_generator(random_state)
    data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    combining = {"max_interaction": max_interaction, "min_rows": min_rows}
    if is_partitioned(y_true, y_proba, groups, sample_weight):
        rows = GroupedPartitions(y_true, y_proba, groups, **data)
        target = _resolve(target, rows.classes.size)
        evidence: Any = rows.evidence(target, metric, n_resamples, rng, **combining)
    else:
        predictions = check_predictions(y_true, y_proba, **data)
        columns = _matching_columns(groups, n_quantiles, y_true, sample_weight)
        target = _resolve(target, predictions.n_classes)
        evidence = RowEvidence(predictions, columns, target, **combining)
    with reporter("calibration_by_group", verbose) as say:
        return compare_groups(
            evidence,
            min_rows=min_rows,
            target=target,
            metric=metric,
            interval=interval,
            alpha=alpha,
            n_resamples=n_resamples,
            rng=rng,
            say=say,
        )


def _resolve(target, n_classes):
    return resolve_target(target, n_classes, multiclass="confidence", allowed=EVENTS)


def _matching_columns(groups, n_quantiles, y_true, sample_weight):
    """Return the columns of the groups at the rows of positive weight."""
    n_samples, table = len(np.asarray(y_true)), read_groups(groups)
    if len(table) != n_samples:
        raise ValueError(
            f"y_true and groups must have the same number of rows, got {n_samples} and "
            f"{len(table)}."
        )
    weight = check_weights(sample_weight, n_samples)
    if weight is not None:
        table = table[weight > 0]
    return group_columns(table, n_quantiles)


def compare_groups(evidence, *, min_rows, target, metric, interval, alpha, n_resamples, rng, say):
    """Return the `GroupCalibration` of what is known of groups.

    `evidence` is `RowEvidence` or `CellEvidence`. The options are documented in
    `calibration_by_group`; the target is never "auto".
    """
    groups, measure = evidence.groups, evidence.measure
    tested = groups.n_rows >= min_rows
    tested[0] = False
    if not tested.any():
        raise ValueError(
            f"No group has min_rows={min_rows} rows; the largest has {groups.n_rows[1:].max()}. "
            "Use coarser categories, or call calibration_by_group with fewer n_quantiles for "
            "numbers or with a smaller min_rows; a report takes its result as groups."
        )
    hits = evidence.hits()
    deviation = measure.of(hits)[:, :, 0]
    family = simulate_family(evidence, deviation, tested, n_resamples, rng, say)
    explained = [
        explain_overlaps(
            groups, evidence.scores(k), deviation[:, k], family.pvalue[:, k], family, alpha
        )
        for k in range(deviation.shape[1])
    ]
    critical_value = family.critical_value(alpha)
    level = 2.0 * norm.sf(critical_value) if interval == "simultaneous" else alpha
    observed = np.clip(hits[:, :, 0] / measure.total[:, np.newaxis], 0.0, 1.0)
    size = _interval_rows(evidence, observed)
    low, high = gap_interval(observed, measure.rate, size, level)
    classes = evidence.classes
    table = _Table(
        groups, len(explained), classes if target == "classwise" and len(classes) > 2 else None
    )
    by = np.stack([one.by for one in explained], axis=1)[1:].ravel()
    return GroupCalibration(
        feature=table.names(groups.features),
        category=table.names(groups.categories),
        label=table.names(groups.labels),
        event=table.event,
        n=table.per_group(groups.n_rows),
        weight=table.per_group(measure.total * evidence.scale),
        observed=table.per_row(observed),
        predicted=table.per_row(measure.rate),
        gap=table.per_row(observed - measure.rate),
        gap_low=table.per_row(low),
        gap_high=table.per_row(high),
        pvalue=table.per_row(np.stack([one.pvalue for one in explained], axis=1)),
        pvalue_marginal=table.per_row(family.pvalue),
        explained_by=[None if k < 0 else groups.labels[k] for k in by],
        log_loss=table.per_group(evidence.log_loss()),
        error=table.per_row(evidence.errors(tested, metric)),
        overall=_all_rows(groups, measure, observed, size, family, alpha, table.events),
        curves=_curves(evidence, table),
        target=target,
        metric=metric,
        interval=interval,
        alpha=alpha,
        critical_value=critical_value,
        n_resamples=n_resamples,
        min_rows=min_rows,
    )


class _Table:
    """The rows of the table: groups, without that of all rows, times events.

    Attributes
    ----------
    event : ndarray or None
        The class of each row of the table.
    events : list
        The classes, or None for the one event that has no class.
    """

    def __init__(self, groups, n_events, classes):
        self.n_events = n_events
        self.events = [None] * n_events if classes is None else classes.tolist()
        self.event = None if classes is None else np.tile(classes, len(groups) - 1)

    def names(self, texts):
        """Return names of groups as an array of objects."""
        return np.repeat(np.array(texts[1:], dtype=object), self.n_events)

    def per_group(self, values):
        """Return one value per group for the rows of the table."""
        return np.repeat(values[1:], self.n_events)

    def per_row(self, values):
        """Return an array of groups times events, with or without further axes."""
        return values[1:].reshape((-1, *values.shape[2:]))


def _interval_rows(evidence, observed):
    """Return the effective number of rows behind each observed rate."""
    measure, total = evidence.measure, evidence.measure.total[:, np.newaxis]
    squares, residuals, square_residuals = evidence.residual_sums()
    squares = squares[:, np.newaxis]
    mean = observed - measure.rate
    # sum of w^2 (e - mean)^2, in the three parts of the square
    shown = square_residuals - 2.0 * mean * residuals + mean**2 * squares
    promised = measure.size / (total**2 / squares)
    return effective_rows(total, squares, observed, shown, promised)


def _all_rows(groups, measure, observed, size, family, alpha, events):
    """Return the rows of `GroupCalibration.overall`."""
    rate = measure.rate[0]
    low, high = gap_interval(observed[0], rate, size[0], alpha)
    numbers = np.stack([observed[0], rate, observed[0] - rate, low, high, family.overall])
    n = int(groups.n_rows[0])
    return [AllRows(event, n, *map(float, one)) for event, one in zip(events, numbers.T)]


def _curves(evidence, table):
    """Return the reliability curve of each row of the table."""
    weight, events, proba, count = evidence.histograms()
    with np.errstate(invalid="ignore"):
        parts = (events / weight, proba / weight, count.astype(np.int64))
    return GroupCurves(*map(table.per_row, parts))
