"""The numbers of a report: calibration errors among draws of labels, and proper scores."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from .._utils.cores import map_on_cores
from ..display._curves import ReliabilityCurves
from ..display._scores import mean_score, score_terms
from ..inference._detectable_error import detectable_error
from ..inference._nulls.batches import simulated_values
from ..inference._nulls.simulation import SimulatedLabels
from ..inference._pvalues import mean_of_draws, monte_carlo_pvalue, range_of_draws
from ..inference._result import CalibrationTestResult
from ..inference._statistics.omnibus.omnibus import make_omnibus
from ..inference._statistics.omnibus.parts import Subset
from ..inference._statistics.statistic import effect_size
from ..metrics._metric import Metric, Prepared, metrics_shown_in
from ._shared import put_together

# Pairs of rows times residual columns that one kernel error may take.
_PAIR_WORK = 2e11
# Rows from which on the metrics share the cores.
_MANY_ROWS = 100_000


class MetricRow(NamedTuple):
    """A calibration error and what it would be for a calibrated model.

    Attributes
    ----------
    name : str
        The function of `sklearn_calib.metrics`.
    target : str
        Which calibration is measured.
    value : float
        The metric.
    expected : float
        Its mean over labels drawn from the predictions; the median if it is infinite for some.
    lower, upper : float
        The range of its values over these draws, without `alpha / 2` at each side.
    pvalue : float
        Share of the draws that are at least as large, the data counted in; two-sided for a metric
        that may deviate both ways, and NaN if the metric is.
    n_samples : int
        Rows it was computed from.
    """

    name: str
    target: str | None
    value: float
    expected: float
    lower: float
    upper: float
    pvalue: float
    n_samples: int


class ScoreRow(NamedTuple):
    """A proper score with its confidence interval.

    Attributes
    ----------
    name : str
        The score.
    value : float
        Its mean over the rows.
    lower, upper : float
        Normal confidence limits at level ``1 - alpha``, not below zero.
    """

    name: str
    value: float
    lower: float
    upper: float


class RowsError(NamedTuple):
    """A prepared metric and the rows that it uses.

    Attributes
    ----------
    metric : Metric
        Its description.
    error : Prepared
        Gives values for columns of label codes.
    rows : ndarray or None
        The rows; None for all.
    """

    metric: Metric
    error: Prepared
    rows: np.ndarray | None

    def __call__(self, codes):
        """Evaluate the error for label codes of all rows."""
        return self.error(codes if self.rows is None else codes[self.rows])


class SimulatedError(NamedTuple):
    """A metric on the data and on the draws.

    Attributes
    ----------
    metric : Metric
        Its description.
    error : Prepared
        The prepared metric.
    value : float
        Its value on the data, as the function gives it.
    pvalue : float
        Of the value among the draws, all evaluated in one way so that ties are ties.
    values : ndarray of shape (n_resamples,)
        Its value on each draw.
    n_samples : int
        Rows it was computed from.
    """

    metric: Metric
    error: Prepared
    value: float
    pvalue: float
    values: np.ndarray
    n_samples: int

    def row(self, alpha):
        """Summarise the draws."""
        lower, upper = range_of_draws(self.values, alpha)
        return MetricRow(
            self.metric.name,
            self.error.target,
            self.value,
            mean_of_draws(self.values),
            lower,
            upper,
            self.pvalue,
            self.n_samples,
        )

    def test_result(self):
        """Return the outcome of the test with this metric, at its defaults, as the statistic."""
        return CalibrationTestResult(
            statistic=self.value,
            pvalue=self.pvalue,
            null_distribution=self.values,
            expected=mean_of_draws(self.values),
            effect_size=effect_size(self.value, self.metric.effect_of(self.metric.options)),
            statistic_name=self.metric.name,
            target=self.error.target,
            null="simulation",
            n_samples=self.n_samples,
            **self.error.details(),
        )


class JointTest(NamedTuple):
    """The omnibus test of the predictions, and the same without features.

    Attributes
    ----------
    whole : CalibrationTestResult
        With features if there are any.
    plain : CalibrationTestResult
        Without; `whole` itself if there are none.
    """

    whole: CalibrationTestResult
    plain: CalibrationTestResult


def prepare_curves(predictions, n_bins, strategy, alpha):
    """Return the curve of the diagram, whose bins the binned errors have as well."""
    return ReliabilityCurves(
        predictions,
        n_bins=n_bins,
        strategy=strategy,
        closed="left",
        target="binary" if predictions.n_classes == 2 else "confidence",
        interval="consistency",
        alpha=alpha,
    )


def prepare_omnibus_tests(predictions, sample, rows, n_resamples, **settings):
    """Return the `Omnibus` with the features, and the one without if that is another one."""
    subset = None if rows is None else Subset(sample, rows)
    work = {"algorithm": "auto", "n_draws": n_resamples + 1, "settings": settings}
    both = [make_omnibus(predictions, subset=subset, **work)]
    if predictions.features is not None:
        plain = replace(predictions, features=None)
        if subset is not None:
            subset = Subset(replace(sample, features=None), rows)
        both.append(make_omnibus(plain, subset=subset, **work))
    return both


def omnibus_result(error, first, draws, predictions):
    """Return the outcome of an omnibus test from the values of its parts on data and draws."""
    outcome = error.conclude(first, draws)
    return CalibrationTestResult(
        statistic=outcome.statistic,
        pvalue=monte_carlo_pvalue(outcome.statistic, outcome.values),
        null_distribution=outcome.values,
        expected=float(outcome.values.mean()),
        effect_size=None,
        statistic_name="omnibus",
        target=error.target,
        null="simulation",
        n_samples=predictions.n_samples,
        parts=outcome.parts,
        detectable_error=detectable_error(error, predictions, draws),
        **error.details(),
    )


def draw_sample(predictions, n_resamples, limit, rng):
    """Return rows for the parts that compare pairs of rows: all, or a random sample.

    Returns
    -------
    sample : Predictions
    rows : ndarray or None
        Which rows they are; None for all.
    """
    n_events = 1 if predictions.n_classes == 2 else predictions.n_classes
    size = min(limit, max(2, int(np.sqrt(_PAIR_WORK / (n_events * n_resamples)))))
    if predictions.n_samples <= size:
        return predictions, None
    rows = np.sort(rng.choice(predictions.n_samples, size=size, replace=False))
    return predictions.take(rows), rows


def prepare_errors(predictions, sample, rows, n_resamples, **options):
    """Return the prepared metrics of the report, one `RowsError` each.

    Metrics that read features are left out if there are none. `sample` holds the rows for sums over
    pairs in more than one dimension, and `rows` says which these are, None for all. Each metric
    gets those of the options that it has.
    """
    local = predictions.features is not None
    metrics = [one for one in metrics_shown_in("report") if local or not one.needs_features]

    def prepare(metric):
        everything = metric.in_one_dimension(predictions.n_classes)
        data = predictions if everything else sample
        if not metric.needs_features:  # or else the kernel would be one on the features as well
            data = replace(data, features=None)
        own = {name: options.get(name, default) for name, default in metric.options.items()}
        if metric.sums_pairs:
            own["n_draws"] = n_resamples + 1
        return RowsError(metric, metric.prepare(data, **own), None if everything else rows)

    return _each(prepare, metrics, predictions)


def _each(function, items, predictions):
    """Return what a function gives for each item, on all cores if there are many rows."""
    if predictions.n_samples < _MANY_ROWS:
        return [function(item) for item in items]
    return map_on_cores(function, items)


def simulate(curves, errors, omnibus, predictions, n_resamples, rng, say):
    """Evaluate everything on the data and on one set of drawn labels that serves all of it.

    `omnibus` holds the test with the features, and the one without. Draw b depends on the generator
    and on b only. Returned are the rates of the curve, of shape (n_bins, n_resamples), if its
    limits need them, a `SimulatedError` for each metric by name, and a `JointTest`.
    """
    tables = [table.prob_true for table in curves.tables if curves.needs_draws]
    groups = put_together(errors)
    null = SimulatedLabels([*tables, *omnibus, *groups], predictions)
    outcomes = simulated_values(null, n_resamples, rng, n_cells=predictions.n_samples, say=say)
    rates, outcomes = [drawn for _, drawn in outcomes[: len(tables)]], outcomes[len(tables) :]
    values = {
        one.metric.name: (one, value, drawn)
        for group, (first, draws) in zip(groups, outcomes[len(omnibus) :])
        for one, value, drawn in zip(group.errors, first, draws)
    }
    work = [
        *(partial(omnibus_result, one, *found) for one, found in zip(omnibus, outcomes)),
        *(partial(_result, *values[one.metric.name]) for one in errors),
    ]
    found = _each(lambda one: one(predictions), work, predictions)
    tests, results = found[: len(omnibus)], found[len(omnibus) :]
    by_name = {one.metric.name: one for one in results}
    return rates, by_name, JointTest(tests[0], tests[-1])


def _result(one, first, draws, predictions):
    """Return the outcome of a metric from its values on the data and on the draws."""
    pvalue = monte_carlo_pvalue(float(first), draws, alternative=one.metric.alternative)
    return SimulatedError(
        one.metric,
        one.error,
        float(one(predictions.codes)[0]),
        np.nan if np.isnan(first) else pvalue,
        draws,
        predictions.n_samples if one.rows is None else one.rows.size,
    )


def score_rows(predictions, alpha):
    """Return the proper scores with normal confidence limits for their means."""
    rows = []
    for name, terms in score_terms(predictions).items():
        value = mean_score(terms, predictions)
        deviation = np.nan
        if np.isfinite(value):
            deviation = np.sqrt((predictions.share**2) @ (terms - value) ** 2)
        rows.append(score_row(name, value, deviation, alpha))
    return rows


def score_row(name, value, deviation, alpha):
    """Return a score with its confidence limits from its standard deviation, NaN if it has none."""
    spread = norm.ppf(1 - alpha / 2) * deviation
    return ScoreRow(name, value, np.maximum(0.0, value - spread), value + spread)
