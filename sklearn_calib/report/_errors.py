"""The numbers of a report: calibration errors among draws of labels, and proper scores."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

from .._data.targets import resolve_target
from ..display._scores import proper_scores
from ..inference._nulls.simulation import draw_labels
from ..inference._result import CalibrationTestResult, monte_carlo_pvalue
from ..metrics._binned.binned_error import BinnedError
from ..metrics._kernel.kce import kce_form
from ..metrics._kernel.klce import KLCE_FORM
from ..metrics._kernel.mmce import MMCE_FORM
from ..metrics._kernel.pair_error import KernelError

_BATCH_CELLS = 12_000_000
# Pairs of rows times residual columns that one kernel error may take.
_PAIR_WORK = 2e11

# How each metric is called, and what it is in a few words.
MEANING = {
    "ece": ("ECE", "mean gap between probability and observed rate over the bins"),
    "mce": ("MCE", "largest gap over the bins"),
    "average_calibration_error": ("average gap", "over the bins, however many rows they hold"),
    "skce": ("SKCE", "squared kernel error, unbiased: zero on average if calibrated"),
    "kce": ("KCE", "squared kernel error with a smooth kernel, unbiased"),
    "mmce": ("MMCE", "kernel error on the scale of probabilities"),
    "klce": ("KLCE", "squared local kernel error, with the features, unbiased"),
}


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
        Its mean over labels drawn from the predictions.
    lower, upper : float
        The range of its values over these draws, without `alpha / 2` at each side.
    pvalue : float
        Share of the draws that are at least as large, the data counted in.
    n_samples : int
        Rows it was computed from.
    """

    name: str
    target: str
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


class PreparedError(NamedTuple):
    """A metric with everything that does not depend on the labels prepared.

    Attributes
    ----------
    evaluate : BinnedError or KernelError
        Label codes of shape (n_samples, n_draws) -> values of shape (n_draws,).
    target : str
        Which calibration it measures.
    rows : ndarray or None
        The rows that it uses; None for all.
    """

    evaluate: object
    target: str
    rows: np.ndarray | None


class SimulatedError(NamedTuple):
    """A metric on the data and on the draws.

    Attributes
    ----------
    error : BinnedError or KernelError
        The prepared metric.
    target : str
        Which calibration it measures.
    value : float
        Its value on the data, as the function gives it.
    pvalue : float
        Of the value among the draws, all evaluated in one way so that ties are ties.
    values : ndarray of shape (n_resamples,)
        Its value on each draw.
    n_samples : int
        Rows it was computed from.
    """

    error: Any
    target: str
    value: float
    pvalue: float
    values: np.ndarray
    n_samples: int

    def row(self, name, alpha):
        """Summarise the draws."""
        return MetricRow(
            name,
            self.target,
            self.value,
            float(self.values.mean()),
            float(np.quantile(self.values, alpha / 2)),
            float(np.quantile(self.values, 1 - alpha / 2)),
            self.pvalue,
            self.n_samples,
        )

    def test_result(self, name):
        """Return the outcome of the test with this squared metric as its statistic."""
        widths = self.error.prob_bandwidths
        return CalibrationTestResult(
            statistic=self.value,
            pvalue=self.pvalue,
            null_distribution=self.values,
            expected=float(self.values.mean()),
            effect_size=float(np.sqrt(max(self.value, 0.0))),
            statistic_name=name,
            target=self.target,
            null="simulation",
            n_samples=self.n_samples,
            prob_bandwidth=widths[0],
            feature_bandwidth=self.error.feature_bandwidth,
            algorithm=self.error.forms[0].algorithm,
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
    weight, features = predictions.weight, predictions.features
    sample = replace(
        predictions,
        codes=predictions.codes[rows],
        proba=predictions.proba[rows],
        weight=None if weight is None else weight[rows],
        features=None if features is None else features[rows],
    )
    return sample, rows


def global_errors(predictions, sample, rows, n_bins, strategy, n_resamples):
    """Return the prepared metrics without features, by name.

    Parameters
    ----------
    predictions : Predictions
        All rows.
    sample : Predictions
        The rows for sums over pairs in more than one dimension.
    rows : ndarray or None
        Which rows `sample` holds; None for all.
    """
    n_classes = predictions.n_classes
    binned = resolve_target("auto", n_classes, multiclass="confidence")
    kernel = resolve_target("auto", n_classes, multiclass="canonical")
    if kernel == "binary":
        sample, rows = predictions, None
    # A kernel error multiplies in a kernel on the features if there are any.
    predictions, sample = replace(predictions, features=None), replace(sample, features=None)
    bins = {"n_bins": n_bins, "strategy": strategy, "closed": "left", "target": binned}
    norms = {"ece": "l1", "mce": "max", "average_calibration_error": "mean"}
    forms = {
        "skce": {"estimator": "uq", "kernel": "laplacian", "bandwidth": 0.2},
        "kce": {**kce_form(squared=True), "kernel": "rbf", "bandwidth": "median"},
    }
    columns = {"target": "auto", "n_columns": n_resamples + 1}
    errors = {
        name: PreparedError(BinnedError(predictions, **bins, norm=norm), binned, None)
        for name, norm in norms.items()
    }
    for name, form in forms.items():
        errors[name] = PreparedError(KernelError(sample, **form, **columns), kernel, rows)
    mmce = KernelError(predictions, **MMCE_FORM, bandwidth=0.2, **columns)
    return {**errors, "mmce": PreparedError(mmce, binned, None)}


def local_error(sample, rows, prob_bandwidth, feature_bandwidth, n_resamples):
    """Return the prepared local kernel error of rows with features."""
    error = KernelError(
        sample,
        **KLCE_FORM,
        bandwidth=prob_bandwidth,
        feature_bandwidth=feature_bandwidth,
        target="auto",
        n_columns=n_resamples + 1,
    )
    return PreparedError(error, error.target, rows)


def simulate(curves, errors, predictions, n_resamples, rng, say):
    """Evaluate everything on the data and on one set of drawn labels that serves all of it.

    Parameters
    ----------
    curves : ReliabilityCurves
        One curve.
    errors : dict of str to PreparedError
        The metrics.
    predictions : Predictions
        All rows.
    n_resamples : int
        Number of draws.
    rng : Generator
        Draw b depends on it and on b only.
    say : callable
        Told about progress.

    Returns
    -------
    rates : ndarray of shape (n_bins, n_resamples)
        The rates of the curve.
    results : dict of str to SimulatedError
        The metrics.
    """
    n_batches = -(-n_resamples // max(1, _BATCH_CELLS // predictions.n_samples))
    size = -(-n_resamples // n_batches)
    rates: list[np.ndarray] = []
    values: dict[str, list[np.ndarray]] = {name: [] for name in errors}
    for start in range(0, n_resamples, size):
        stop = min(start + size, n_resamples)
        codes = draw_labels(rng, predictions.proba, stop - start)
        rates += curves.rates(codes)
        if start == 0:
            observed = predictions.codes[:, np.newaxis].astype(codes.dtype)
            codes = np.hstack([observed, codes])
        for name, error in errors.items():
            used = codes if error.rows is None else codes[error.rows]
            values[name].append(error.evaluate(used))
        say(f"{stop} of {n_resamples} sets of labels")
    results = {}
    for name, error in errors.items():
        codes = predictions.codes if error.rows is None else predictions.codes[error.rows]
        first, *draws = np.concatenate(values[name]).tolist()
        draws = np.array(draws)
        results[name] = SimulatedError(
            error.evaluate,
            error.target,
            float(error.evaluate(codes)[0]),
            monte_carlo_pvalue(first, draws),
            draws,
            codes.size,
        )
    return np.hstack(rates), results


def score_rows(predictions, alpha):
    """Return scikit-learn's proper scores with normal confidence limits for their means."""
    codes, proba = predictions.codes, predictions.proba
    own = np.take_along_axis(proba, codes[:, np.newaxis], axis=1)[:, 0]
    eps = np.finfo(proba.dtype).eps
    squares = (proba**2).sum(axis=1) - 2.0 * own + 1.0
    if predictions.n_classes == 2:
        squares = squares / 2.0
    terms = {"log loss": -np.log(np.clip(own, eps, 1.0 - eps)), "Brier score": squares}
    weight = np.ones(codes.size) if predictions.weight is None else predictions.weight
    share = weight / weight.sum()
    rows = []
    for name, value in proper_scores(predictions).items():
        spread = norm.ppf(1 - alpha / 2) * np.sqrt((share**2) @ (terms[name] - value) ** 2)
        rows.append(ScoreRow(name, value, max(0.0, value - spread), value + spread))
    return rows
