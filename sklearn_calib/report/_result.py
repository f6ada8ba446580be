"""What a report holds, and the forms it can take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .._utils.results import one_line, to_plain
from ..inference import CalibrationLineResult
from ._groups import join_verdicts
from ._page.body import page_parts
from ._page.page import Page
from ._text import render_text
from ._verdict import verdict

# What is in a report as a dict, besides the tests and the diagram.
_CONTENT = (
    "title",
    "verdict",
    "n_samples",
    "n_classes",
    "classes",
    "alpha",
    "n_resamples",
    "advice",
    "metrics",
    "line",
    "scores",
    "regions",
    "groups",
    "notes",
)


@dataclass(frozen=True, repr=False, eq=False)
class CalibrationReport(Page):
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
    line : CalibrationLineResult
        Slope, intercept and ratio of observed to expected events with their intervals, of the
        positive class or of the largest probability, see :func:`~sklearn_calib.calibration_line`.
    scores : list of ScoreRow
        Log loss and Brier score: `name`, `value` and a confidence interval (`lower`, `upper`).
    decomposition : dict of str to ScoreDecomposition
        Miscalibration, discrimination and uncertainty of each score by its name, see
        :func:`~sklearn_calib.metrics.score_decomposition`.
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
    advice : str
        What to do next: collect more data, recalibrate all probabilities or some, or leave them.
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
    line: CalibrationLineResult
    scores: list
    decomposition: dict
    tests: dict
    band: Any
    points: np.ndarray | None
    regions: list
    groups: Any
    displays: dict
    advice: str
    notes: list

    @property
    def verdict(self) -> str:
        """The outcome in a few sentences: that of the omnibus test, and of the groups."""
        return one_line(join_verdicts(verdict(self), self.groups))

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

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a table.

        Returns
        -------
        frame : DataFrame
            One row per calibration error and proper score, indexed by name. Calibration errors
            have `target`, `value`, `expected`, `range_lower`, `range_upper`, `pvalue` and
            `n_samples`, proper scores `value`, `ci_lower`, `ci_upper` and `n_samples`. Slope,
            intercept and ratio of events have both.
        """
        line = self.line
        intervals = {
            "calibration_slope": line.slope_interval,
            "calibration_intercept": line.intercept_interval,
            "observed_expected_ratio": line.ratio_interval,
        }
        rows = [
            {
                **row._asdict(),
                "range_lower": row.lower,
                "range_upper": row.upper,
                **dict(zip(("ci_lower", "ci_upper"), intervals.get(row.name, ()))),
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
            "decomposition": {
                name: {key: one for key, one in parts.to_dict().items() if key != "recalibrated"}
                for name, parts in self.decomposition.items()
            },
            "tests": {
                name: {
                    key: one for key, one in test.to_dict().items() if key != "null_distribution"
                }
                for name, test in self.tests.items()
            },
            "reliability": {name: to_plain(getattr(curve, name)) for name in arrays},
        }

    def _html_parts(self):
        return page_parts(self)
