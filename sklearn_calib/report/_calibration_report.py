"""Everything that the package says about a set of predictions, on one page."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._data.features import FeatureEncoder, read_features
from .._data.predictions import check_predictions
from .._utils.docs import fill_doc
from .._utils.options import check_integer, check_option, check_real
from .._utils.progress import reporter
from .._utils.random_streams import check_generator
from .._utils.results import Result, to_plain
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
from ..display._curves import ReliabilityCurves
from ..inference._pvalues import fewest_resamples
from ._errors import (
    draw_sample,
    prepare_errors,
    prepare_omnibus_tests,
    score_rows,
    simulate,
)
from ._groups import group_displays, group_notes, join_verdicts, look_at_groups
from ._html import render_page, render_section
from ._local import look_locally
from ._notes import bandwidth_note, reading_notes
from ._text import render_text
from ._verdict import verdict

__all__ = ["CalibrationReport", "calibration_report"]

# What is in a report as a dict, besides the tests and the diagram.
_CONTENT = (
    "title",
    "verdict",
    "n_samples",
    "n_classes",
    "classes",
    "alpha",
    "n_resamples",
    "metrics",
    "scores",
    "regions",
    "groups",
    "notes",
)


@dataclass(frozen=True, repr=False, eq=False)
class CalibrationReport(Result):
    """The result of :func:`calibration_report`.

    ``print(report)`` shows a table, ``report.to_html("report.html")`` writes a page that opens in
    any browser, and a notebook shows the page automatically.

    Attributes
    ----------
    title : str
        Title of the report.
    n_samples : int
        Rows of positive weight.
    n_classes : int
        Number of classes.
    classes : list
        The labels; for binary data (negative, positive).
    alpha : float
        Level of the tests, intervals and the band.
    n_resamples : int
        Number of drawn sets of labels.
    metrics : list of MetricRow
        For each calibration error: `name`, `target`, `value`, `expected` under calibration, the
        range (`lower`, `upper`) of its values there, `pvalue` and `n_samples`.
    scores : list of ScoreRow
        Log loss and Brier score: `name`, `value` and a confidence interval (`lower`, `upper`).
    tests : dict of str to CalibrationTestResult
        "omnibus" is the test behind the verdict, with the p-value of each of its `parts`;
        "omnibus, without features" is the same for the predictions alone. "global" is the test by
        `skce` and, with features, "local" that by `klce`.
    band : LocalBiasBand or None
        The local bias at `points`, with features.
    points : ndarray of shape (n_points, n_features) or None
        The features of the rows at which the band was evaluated.
    regions : list of Region
        Where the band is significant: `event`, `bias`, `n_significant`, `n_points`, `where`,
        `n_samples`, `share`, `predicted`, `observed`, `observed_low`, `observed_high` and
        the range of the `predictions` there.
    groups : GroupCalibration or None
        The table of groups, with `groups`.
    displays : dict of str to display
        The pictures, with their arrays; ``displays[...].plot()`` draws one.
    notes : list of str
        Remarks that help to read the numbers.

    See Also
    --------
    calibration_report : The function that returns this result.

    Examples
    --------
    >>> from sklearn_calib import calibration_report
    >>> from sklearn_calib.datasets import make_calibration_data
    >>> X, y_true, y_proba = make_calibration_data(n=500, seed=1)
    >>> report = calibration_report(y_true, y_proba, X, n_resamples=99)
    >>> report.to_frame().loc["ece", ["value", "expected", "pvalue"]].round(3).to_dict()
    {'value': 0.13, 'expected': 0.037, 'pvalue': 0.01}
    """

    title: str
    n_samples: int
    n_classes: int
    classes: list
    alpha: float
    n_resamples: int
    metrics: list
    scores: list
    tests: dict
    band: Any
    points: np.ndarray | None
    regions: list
    groups: Any
    displays: dict
    notes: list

    @property
    def verdict(self) -> str:
        """The outcome in a few sentences: that of the omnibus test, and of the groups."""
        return join_verdicts(verdict(self), self.groups)

    @property
    def nothing_found(self) -> str:
        """The message if no point of the band is significant."""
        if not self.band.tested.any():
            return "No point has enough rows around it to be tested."
        return f"No point of the band is significant at level {self.alpha:g}."

    def __str__(self):
        """Return the report as text, like scikit-learn's classification report."""
        return render_text(self)

    def __repr__(self):
        """Say what it is in one line."""
        pvalue = f"p={self.tests['omnibus'].pvalue:.3g}"
        return f"<CalibrationReport of {self.n_samples} rows, {self.n_classes} classes: {pvalue}>"

    def _repr_html_(self):
        return render_section(self)

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a table.

        Returns
        -------
        frame : DataFrame
            One row per calibration error and proper score, indexed by name. Calibration errors
            have `target`, `value`, `expected`, `range_lower`, `range_upper`, `pvalue` and
            `n_samples`, proper scores `value`, `ci_lower`, `ci_upper` and `n_samples`.
        """
        import pandas as pd

        rows = [
            {
                **row._asdict(),
                "range_lower": row.lower,
                "range_upper": row.upper,
            }
            for row in self.metrics
        ] + [
            {
                **row._asdict(),
                "ci_lower": row.lower,
                "ci_upper": row.upper,
                "n_samples": self.n_samples,
            }
            for row in self.scores
        ]
        columns = ["target", "value", "expected", "range_lower", "range_upper", "pvalue"]
        columns += ["ci_lower", "ci_upper", "n_samples"]
        return pd.DataFrame(rows).set_index("name")[columns]

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the pictures and the draws as plain Python values for JSON.

        Returns
        -------
        content : dict
            The attributes by name, in the form of :meth:`CalibrationTestResult.to_dict
            <sklearn_calib.inference.CalibrationTestResult.to_dict>`; `reliability` holds the
            arrays of the diagram. A limit that a region does not have is None.
        """
        curve = self.displays["reliability"]
        arrays = ("prob_true", "prob_pred", "count", "lower", "upper")
        return {
            **{name: to_plain(getattr(self, name)) for name in _CONTENT},
            "tests": {
                name: {
                    key: one for key, one in test.to_dict().items() if key != "null_distribution"
                }
                for name, test in self.tests.items()
            },
            "reliability": {name: to_plain(getattr(curve, name)) for name in arrays},
        }

    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """Write the report as one self-contained HTML file, pictures included.

        Parameters
        ----------
        path : str or path-like, default=None
            The file; None returns the page as text.

        Returns
        -------
        page : str or None
            The page, if `path` is None.
        """
        page = render_page(self)
        if path is None:
            return page
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
        return None


@fill_doc()
def calibration_report(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    X: Rows = None,
    *,
    feature_names: Words = None,
    groups: Any = None,
    n_bins: Bins = 15,
    strategy: str = "uniform",
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
) -> CalibrationReport:
    """Report how well predictions are calibrated.

    The report answers these questions: how large are the calibration errors, how large would they
    be by chance if the predictions were right, is the difference significant, and, with features,
    where are the predictions wrong, and with `groups`, for whom? The verdict is that of the omnibus
    test (:ref:`omnibus`).

    All calibration errors and the band of the reliability diagram use the same labels drawn from
    the predictions, so that expectations, ranges and p-values are consistent. The p-values are
    those of :func:`~sklearn_calib.check_calibration`.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    X : array-like of shape (n_samples, n_features) or (n_samples,), default=None
        Features for the local part of the report: numbers, text, booleans and missing values, in
        an array, a list or a table of pandas or polars.
    feature_names : list of str, default=None
        Names of the features; those of a DataFrame by default, otherwise "feature 0", ...
    groups : DataFrame, Series, dict of str to array-like, array-like or GroupCalibration, \
default=None
        Columns of any type that define groups of rows, for a table that says for whom the
        predictions are wrong; or the result of :func:`~sklearn_calib.calibration_by_group` for
        the same data, with options such as `max_interaction`.
    <<n_bins>>
    <<strategy>>
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
        its own times ``sqrt(n_features)``, makes their units irrelevant, since a report should not
        depend on them. The default of :func:`~sklearn_calib.check_calibration` and
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
    report : CalibrationReport
        Print it, look at it in a notebook, or save it with ``report.to_html("report.html")``.

    Raises
    ------
    ValueError
        If an argument is malformed, `n_resamples` is too small for `alpha`, the labels do not tell
        which class a column stands for, or there are fewer than two rows.

    See Also
    --------
    check_calibration : A single test of calibration.
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
    say = reporter("calibration_report", verbose)
    alpha = check_real(alpha, "alpha", below=1.0)
    n_resamples = check_integer(n_resamples, "n_resamples", 1)
    if n_resamples < fewest_resamples(alpha):
        raise ValueError(
            f"n_resamples={n_resamples} is too small for alpha={alpha:g}: no p-value could be that "
            f"small and nothing could be found. Use n_resamples of at least "
            f"{fewest_resamples(alpha):.0f}, or a larger alpha."
        )
    max_local_samples = check_integer(max_local_samples, "max_local_samples", 2)
    encoder = None
    if X is not None:
        X = read_features(X).renamed(feature_names)
        encoder = FeatureEncoder(categorical_features)
    predictions = check_predictions(
        y_true, y_proba, X, sample_weight=sample_weight, pos_label=pos_label, labels=labels
    )
    local_options = {"prob_bandwidth": prob_bandwidth, "feature_bandwidth": feature_bandwidth}
    if encoder is not None:
        encoder.fit(predictions.features)
        local_options["categorical_features"] = encoder.number_categories()
    rng = check_generator(random_state)
    own = np.random.default_rng(deepcopy(rng).integers(2**63, size=4))
    data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    data |= {"y_true": y_true, "y_proba": y_proba}
    by_group = look_at_groups(
        groups,
        predictions.n_samples,
        data,
        own.spawn(1)[0],
        alpha=alpha,
        n_resamples=n_resamples,
        verbose=say,
    )
    sample, rows = predictions, None
    if X is not None or predictions.n_classes > 2:
        sample, rows = draw_sample(predictions, n_resamples, max_local_samples, own)

    say("preparing")
    curves = ReliabilityCurves(
        predictions,
        n_bins=n_bins,
        strategy=check_option(strategy, "strategy", ("uniform", "quantile")),
        closed="left",
        target="binary" if predictions.n_classes == 2 else "confidence",
        interval="consistency",
        alpha=alpha,
    )
    errors = prepare_errors(
        predictions,
        sample,
        rows,
        n_resamples,
        n_bins=n_bins,
        strategy=strategy,
        **local_options,
    )
    omnibus = prepare_omnibus_tests(predictions, sample, rows, n_resamples, **local_options)
    rates, results, joint = simulate(curves, errors, omnibus, predictions, n_resamples, rng, say)
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
    say.close()
    return CalibrationReport(
        title=" ".join(str(title).split()),
        n_samples=predictions.n_samples,
        n_classes=predictions.n_classes,
        classes=predictions.classes.tolist(),
        alpha=alpha,
        n_resamples=n_resamples,
        metrics=[result.row(alpha) for result in results.values()],
        scores=score_rows(predictions, alpha),
        tests=tests,
        band=local and local.band,
        points=None if local is None else local.points,
        regions=local.regions if local else [],
        groups=by_group,
        displays={
            "reliability": ReliabilityDisplay._from_curves([(curves, [rates])]),
            **{
                f"{name} test": _null_distribution(test)
                for name, test in tests.items()
                if test.parts is None
            },
            **(local.displays if local else {}),
            **group_displays(by_group),
        },
        notes=[
            *reading_notes(predictions, rows, n_resamples),
            *([bandwidth_note(tests["local"], feature_bandwidth), *local.notes] if local else []),
            *group_notes(by_group),
        ],
    )


def _null_distribution(test):
    name = test.statistic_name.upper()
    return NullDistributionDisplay(test.null_distribution, test.statistic, test.pvalue, name=name)
