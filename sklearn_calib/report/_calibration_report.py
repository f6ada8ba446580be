"""Everything that the package says about a set of predictions, on one page."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from .._data.features import FeatureEncoder, read_features
from .._data.partitions import read_partitions
from .._data.predictions import check_predictions
from .._utils.arguments.random_streams import check_generator
from .._utils.dask_collections import is_partitioned
from .._utils.docs import fill_doc
from .._utils.options import check_integer, check_option, check_text
from .._utils.progress import reporter
from .._utils.results import one_line
from .._utils.types import (
    Bins,
    Pick,
    Picks,
    Progress,
    RandomState,
    Rows,
    Width,
    Widths,
    Words,
)
from ..display import NullDistributionDisplay, ReliabilityDisplay
from ..inference._pvalues import check_draws
from ._advice import ReportFindings, advise
from ._batches.result import refuse_whole_rows, report_rows
from ._batches.rows import PartitionedRows
from ._components import decompose_scores, fit_line
from ._errors import (
    draw_sample,
    prepare_curves,
    prepare_errors,
    prepare_omnibus_tests,
    score_rows,
    simulate,
)
from ._groups import GroupColumns, group_displays, group_notes
from ._local import look_locally, refuse_local_options
from ._models.compare import report_models
from ._models.options import ReportOptions
from ._models.result import ModelsReport
from ._notes import bandwidth_note, bins_note, reading_notes
from ._result import CalibrationReport

_STRATEGIES = ("auto", "uniform", "quantile")


@overload
def calibration_report(
    y_true: ArrayLike,
    y_proba: Mapping[str, Any],
    X: Rows = None,
    **options: Unpack[ReportOptions],
) -> ModelsReport: ...


@overload
def calibration_report(
    y_true: ArrayLike, y_proba: ArrayLike, X: Rows = None, **options: Unpack[ReportOptions]
) -> CalibrationReport: ...


@fill_doc()
def calibration_report(
    y_true: ArrayLike,
    y_proba: Any,
    X: Rows = None,
    *,
    feature_names: Words = None,
    groups: Any = None,
    max_interaction: int = 1,
    n_bins: Bins = 15,
    strategy: str = "auto",
    bandwidth: Width = "auto",
    alpha: float = 0.05,
    n_resamples: int = 199,
    prob_bandwidth: Width = "median",
    feature_bandwidth: Widths = "scaled",
    categorical_features: Picks = "auto",
    min_effective_size: float = 10,
    max_local_samples: int = 20_000,
    sample_weight: Rows = None,
    pos_label: Pick = None,
    labels: Picks = None,
    random_state: RandomState = 0,
    title: str = "Calibration report",
    verbose: Progress = False,
) -> Any:
    """Report how well predictions are calibrated.

    The report answers these questions: how large are the calibration errors, how large would they
    be by chance if the predictions were right, is the difference significant, and, with features,
    where are the predictions wrong, and with `groups`, for whom? The verdict is that of the omnibus
    test (:ref:`omnibus`), and the report says what to do next.

    The predictions of several models for the same rows, ``{"before": p, "after": q}``, give one
    report that says which of them is better, and holds the report of each.

    All calibration errors and the band of the reliability diagram use the same labels drawn from
    the predictions, so that expectations, ranges and p-values are consistent. The p-values are
    those of :func:`~sklearn_calib.check_calibration`.

    Parameters
    ----------
    <<y_true_or_dask>>
    <<y_proba>>
        A dict holds such probabilities of two or more models by name.
    X : array-like of shape (n_samples, n_features) or (n_samples,), default=None
        Features for the local part of the report: numbers, text, booleans and missing values, in
        an array, a list or a table of pandas or polars.
    feature_names : list of str, default=None
        Names of the features; those of a DataFrame by default, otherwise "feature 0", ...
    groups : DataFrame, Series, dict of str to array-like, array-like or GroupCalibration, \
default=None
        Columns of any type that define groups of rows, for a table that says for whom the
        predictions are wrong; or, for one model, the result of
        :func:`~sklearn_calib.calibration_by_group` for the same data, with options of its own.
    max_interaction : int, default=1
        How many columns of `groups` a group may combine.
    <<n_bins>>
    strategy : {"auto", "uniform", "quantile"}, default="auto"
        Bins of equal width or of about equal weight, for binned errors and the diagram. "auto" is
        "uniform" unless one bin of equal width holds more than 80 % of the rows, as for rare
        events; the report says which.
    bandwidth : float, "median" or "auto", default="auto"
        Bandwidth of `skce`, `kce` and `mmce`; "auto" is the default of each of them.
    alpha : float, default=0.05
        Level of the tests, of the intervals and of the band.
    n_resamples : int, default=199
        Number of drawn sets of labels. The smallest possible p-value is
        ``1 / (n_resamples + 1)``, which must not exceed `alpha`, because otherwise nothing could
        be significant.
    prob_bandwidth : float or "median", default="median"
        Bandwidth of the local parts on probabilities.
    feature_bandwidth : float, array-like of shape (n_features,), "median" or "scaled", \
default="scaled"
        Bandwidth of the local parts on features. "scaled", the median distance of each feature on
        its own times the square root of their number, categories aside, makes their units
        irrelevant, since a report should not depend on them. The default of
        :func:`~sklearn_calib.check_calibration` and
        :func:`~sklearn_calib.local_bias_band` is "median" instead; the report states the
        bandwidths that it used.
    <<categorical_features>>
    min_effective_size : float, default=10
        Points with fewer effective neighbours are never called wrong.
    max_local_samples : int, default=20_000
        The local parts, and for more than two classes the sums over pairs of rows, use a random
        sample of at most this many rows, and the report says so.
    <<sample_weight>>
        They must not depend on the labels.
    <<pos_label>>
    <<labels>>
    random_state : int, RandomState, Generator or None, default=0
        Seed of the drawn labels and of the sample.
    title : str, default="Calibration report"
        Title of the report.
    <<verbose>>

    Returns
    -------
    report : CalibrationReport or ModelsReport
        Print it, look at it in a notebook, or save it with ``report.to_html("report.html")``. It is
        a :class:`ModelsReport` if `y_proba` is a dict.

    Raises
    ------
    ValueError
        If an argument is malformed, an option for features or groups is given without `X` or
        `groups`, `n_resamples` is too small for `alpha`, the labels do not tell which class a
        column stands for, or there are fewer than two rows.

    See Also
    --------
    check_calibration : A single test of calibration.
    compare_calibration : The comparison of several models.
    local_bias_band : The band that shows where the predictions are wrong.
    ReliabilityDisplay : The diagram of the report.

    Notes
    -----
    The rows must be independent, and the model must not have seen their labels. Time is
    O(n n_resamples) without features, and O(m^2 n_resamples) for the m rows of the local parts.

    Examples
    --------
    >>> from sklearn_calib import calibration_report
    >>> from sklearn_calib.datasets import make_calibration_data
    >>> X, y_true, y_proba = make_calibration_data(n=500, seed=1)
    >>> report = calibration_report(y_true, y_proba, X, feature_names=["age"], n_resamples=99)
    >>> report.tests["local"].pvalue
    0.01
    >>> region = report.regions[0]
    >>> region.bias < 0, region.where
    (True, 'age > -0.428')
    """
    check_text(title, "title")
    models = list(y_proba.values()) if isinstance(y_proba, Mapping) else [y_proba]
    partitioned = is_partitioned(y_true, *models, X, sample_weight, groups)
    if partitioned:
        refuse_whole_rows(
            calibration_report, y_proba=y_proba, X=X, groups=groups, strategy=strategy,
            feature_names=feature_names, max_interaction=max_interaction,
            prob_bandwidth=prob_bandwidth, feature_bandwidth=feature_bandwidth,
            categorical_features=categorical_features, min_effective_size=min_effective_size,
            max_local_samples=max_local_samples,
        )  # fmt: skip
    if X is None:
        refuse_local_options(
            calibration_report, feature_names=feature_names, prob_bandwidth=prob_bandwidth,
            feature_bandwidth=feature_bandwidth, categorical_features=categorical_features,
            min_effective_size=min_effective_size,
        )  # fmt: skip
    if isinstance(y_proba, Mapping):
        given = dict(locals())
        options = {name: given[name] for name in ReportOptions.__annotations__}
        return report_models(calibration_report, y_true, y_proba, X, options)
    if partitioned:
        data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
        with reporter("calibration_report", verbose) as say:
            return report_rows(
                PartitionedRows(read_partitions(y_true, y_proba, **data), say),
                n_bins=n_bins, bandwidth=bandwidth, alpha=alpha, n_resamples=n_resamples,
                random_state=random_state, title=title,
            )  # fmt: skip
    n_resamples, alpha = check_draws(n_resamples, alpha)
    max_local_samples = check_integer(max_local_samples, "max_local_samples", 2)
    check_option(strategy, "strategy", _STRATEGIES)
    encoder = None
    if X is not None:
        X = read_features(X).renamed(feature_names)
        encoder = FeatureEncoder(categorical_features)
    predictions = check_predictions(
        y_true, y_proba, X, sample_weight=sample_weight, pos_label=pos_label, labels=labels
    )
    local_options = {"prob_bandwidth": prob_bandwidth, "feature_bandwidth": feature_bandwidth}
    if encoder is not None:
        encoder.fit(predictions.features, predictions.weight)
        local_options["categorical_features"] = encoder.number_categories()
    rng = check_generator(random_state)
    own = np.random.default_rng(deepcopy(rng).integers(2**63, size=4))
    data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    data |= {"y_true": y_true, "y_proba": y_proba}
    group_options = {"max_interaction": max_interaction, "alpha": alpha}
    columns = GroupColumns(groups, sample_weight, {**group_options, "n_resamples": n_resamples})
    with reporter("calibration_report", verbose) as say:
        by_group = columns.table(predictions.n_samples, data, own.spawn(1)[0], say)
        sample, rows = predictions, None
        if X is not None or predictions.n_classes > 2:
            sample, rows = draw_sample(predictions, n_resamples, max_local_samples, own)

        say("preparing")
        curves = prepare_curves(predictions, n_bins, strategy, alpha)
        by_default = isinstance(bandwidth, str) and bandwidth == "auto"
        widths = {} if by_default else {"bandwidth": bandwidth}
        errors = prepare_errors(
            predictions,
            sample,
            rows,
            n_resamples,
            n_bins=n_bins,
            strategy=curves.bins["strategy"],
            **widths,
            **local_options,
        )
        omnibus = prepare_omnibus_tests(predictions, sample, rows, n_resamples, **local_options)
        rates, results, joint = simulate(
            curves, errors, omnibus, predictions, n_resamples, rng, say
        )
        tests = {
            "omnibus": joint.whole,
            "omnibus, without features": joint.plain,
            "global": results["skce"].test_result(),
        }
        local = None
        if X is not None:
            tests["local"] = results["klce"].test_result()
            say("looking for regions")
            local = look_locally(
                predictions,
                sample,
                encoder,
                own,
                alpha=alpha,
                n_resamples=n_resamples,
                min_effective_size=min_effective_size,
                **local_options,
                random_state=random_state,
                verbose=say,
            )
    metrics = [result.row(alpha) for result in results.values()]
    regions, line = local.regions if local else [], fit_line(predictions, alpha)
    rows_seen = local.rows if local else None
    findings = ReportFindings(
        predictions, tests, metrics, line, regions, rows_seen, by_group, columns, alpha
    )
    return CalibrationReport(
        title=" ".join(title.split()),
        n_samples=predictions.n_samples,
        n_classes=predictions.n_classes,
        classes=predictions.classes.tolist(),
        alpha=alpha,
        n_resamples=n_resamples,
        metrics=metrics,
        line=line,
        scores=score_rows(predictions, alpha),
        decomposition=decompose_scores(predictions),
        tests=tests,
        band=local and local.band,
        points=None if local is None else local.points,
        regions=regions,
        groups=by_group,
        displays={
            "reliability": ReliabilityDisplay._from_curves([(curves, rates)]),
            **{
                f"{name} test": _null_distribution(test)
                for name, test in tests.items()
                if test.parts is None
            },
            **(local.displays if local else {}),
            **group_displays(by_group),
        },
        advice=one_line(advise(findings)),
        notes=[
            *reading_notes(predictions, rows, n_resamples),
            *bins_note(strategy, curves.bins["strategy"]),
            *([bandwidth_note(tests["local"], feature_bandwidth), *local.notes] if local else []),
            *group_notes(by_group),
        ],
    )


def _null_distribution(test):
    name = test.statistic_name.upper()
    return NullDistributionDisplay(test.null_distribution, test.statistic, test.pvalue, name=name)
