"""What a report of several models holds, and the forms it can take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..._utils.results import one_line
from ...display import ModelDifferenceDisplay
from ...inference import CalibrationComparison
from ...inference._pvalues import level_of_tests
from .._page.page import Page
from .._result import CalibrationReport
from .advice import advise_on_models
from .curves import CurvesTogether
from .page import parts_of_models
from .text import text_of_models
from .verdict import verdict_on_models


@dataclass(frozen=True, repr=False, eq=False)
class ModelsReport(Page):
    """The result of :func:`calibration_report` for several models on the same rows.

    ``print(report)`` shows the models side by side and the report of each of them,
    ``report.to_html("report.html")`` writes a page that opens in any browser, and a notebook shows
    the page automatically.

    Attributes
    ----------
    title : str
        Title of the report.
    reports : dict of str to CalibrationReport
        The report of each model by its name.
    comparison : CalibrationComparison
        Differences between the models in proper scores and in the expected calibration error, with
        intervals and p-values.

    See Also
    --------
    calibration_report : The function that returns this result.
    sklearn_calib.compare_calibration : The comparison alone, with more options.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib import calibration_report
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.uniform(0.05, 0.95, size=1000)
    >>> y_true = rng.random(1000) < truth
    >>> report = calibration_report(
    ...     y_true, {"before": truth**2, "after": truth}, n_resamples=99
    ... )
    >>> report.best
    'after'
    >>> report.to_frame()["log loss"].round(3).to_dict()
    {'before': 0.686, 'after': 0.542}
    """

    title: str
    reports: dict[str, CalibrationReport]
    comparison: CalibrationComparison

    @property
    def best(self) -> str:
        """The model with the lowest proper score."""
        return self.comparison.best

    @property
    def verdict(self) -> str:
        """Which model is better and why, in words: the proper score first, then calibration."""
        return one_line(verdict_on_models(self))

    @property
    def advice(self) -> str:
        """Which model to take and what to do next, in one paragraph."""
        return one_line(advise_on_models(self))

    @property
    def displays(self) -> dict[str, Any]:
        """The pictures: the curves together, and the differences with their intervals."""
        comparison = self.comparison
        differences = [
            one.turned() if one.first == comparison.best else one for one in comparison.differences
        ]
        alpha = level_of_tests(comparison.confidence_level)
        order = sorted(self.reports, key=lambda name: name != self.best)
        curves = {name: self.reports[name].displays["reliability"] for name in order}
        return {
            "reliability": CurvesTogether(curves),
            "differences": ModelDifferenceDisplay(differences, alpha=alpha),
        }

    def __str__(self) -> str:
        """Return the report as text."""
        return text_of_models(self)

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return one_line(f"<ModelsReport of {', '.join(self.reports)}: {self.best} is best>")

    def to_frame(self) -> pd.DataFrame:
        """Return the models side by side.

        Returns
        -------
        frame : DataFrame of shape (n_models, n_numbers)
            One row per model, with its proper scores, calibration errors, and the p-value of the
            test behind its verdict as `omnibus p`.
        """
        rows = {}
        for name, one in self.reports.items():
            values = one.to_frame()["value"]
            scores = [score.name for score in one.scores]
            rows[name] = pd.concat(
                [
                    values[scores],
                    pd.Series({"omnibus p": one.tests["omnibus"].pvalue}),
                    values.drop(index=scores),
                ]
            )
        return pd.DataFrame(rows).T

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the pictures and the draws as plain Python values for JSON.

        Returns
        -------
        content : dict
            `title`, `verdict`, `advice`, `best`, `comparison` and `reports`, the latter by the name
            of the model in the form of :meth:`CalibrationReport.to_dict`.
        """
        return {
            "title": self.title,
            "verdict": self.verdict,
            "advice": self.advice,
            "best": self.best,
            "comparison": self.comparison.to_dict(),
            "reports": {name: one.to_dict() for name, one in self.reports.items()},
        }

    def _html_parts(self):
        return parts_of_models(self)
