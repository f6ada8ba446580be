"""The report of rows that come in batches."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from ..._utils.arguments.random_streams import check_generator
from ..._utils.options import changed_options
from ..._utils.results import join_lines, one_line, tell_apart, to_plain
from ...inference._pvalues import check_draws
from ...metrics._metric import METRICS
from .._numbers import show_share
from .._page.body import metric_cells, score_cells
from .._page.figures import figure
from .._page.markup import escape, table
from .._page.page import Page
from .._page.reading import reading_guide
from .._text import WIDTH, metric_lines, score_lines
from .collect import collect_numbers

_CONTENT = ("title", "verdict", "n_samples", "n_classes", "classes", "alpha", "n_resamples")
_TEST = "errors together"


@dataclass(frozen=True, repr=False, eq=False)
class BatchesReport(Page):
    """What a report says about rows that are never in memory at once.

    Its numbers are those of :func:`calibration_report` for the same rows and the same seed. The
    parts of that report that need all rows at once are left out, and `notes` name them.

    Attributes
    ----------
    title, n_samples, n_classes, classes, alpha, n_resamples, metrics, scores, displays, notes
        As in :class:`CalibrationReport`.
    tests : dict of str to dict
        "errors together": the smallest p-value of the errors compared with that of the same draws,
        `pvalue`, and the p-value of each error corrected for their number, `adjusted`. A row that
        gave probability zero to what happened makes `pvalue` the smallest possible one; `finding`
        says so.
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
    displays: dict
    notes: list

    @property
    def verdict(self) -> str:
        """The outcome in a few sentences: that of all errors together."""
        test = self.tests[_TEST]
        rows = f"{self.n_samples:,} rows"
        value, expected = tell_apart(self.metrics[0].value, self.metrics[0].expected)
        size = (
            f"The expected calibration error is {value}; a calibrated model would have about "
            f"{expected}."
        )
        found = [
            f"{METRICS[name].label} p = {p:.3g}"
            for name, p in test["adjusted"].items()
            if p <= self.alpha
        ]
        if test["finding"]:
            found = [test["finding"], *([f"errors found: {', '.join(found)}"] if found else [])]
            return one_line(
                f"The predictions are not calibrated (p = {test['pvalue']:.3g}, {rows}): "
                f"{'; '.join(found)}. {size}"
            )
        if not found:
            return f"No sign of miscalibration in {rows} (p = {test['pvalue']:.3g}). {size}"
        return (
            f"The predictions are not calibrated (p = {test['pvalue']:.3g}, {rows}; corrected for "
            f"the number of errors, {', '.join(found)}). {size}"
        )

    def __str__(self):
        """Return the report as text."""
        lines = [one_line(self.title), "", *textwrap.wrap(self.verdict, WIDTH), ""]
        lines += [*metric_lines(self), "", *score_lines(self), ""]
        for note in self.notes:
            lines += textwrap.wrap(f"* {note}", WIDTH, subsequent_indent="  ")
        return join_lines(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the picture, in the forms of the report in memory."""
        curve = self.displays["reliability"]
        arrays = ("prob_true", "prob_pred", "count", "lower", "upper")
        names = (*_CONTENT, "metrics", "scores", "tests", "notes")
        return {
            **{name: to_plain(getattr(self, name)) for name in names},
            "reliability": {name: to_plain(getattr(curve, name)) for name in arrays},
        }

    def _html_parts(self):
        share = show_share(self.alpha)
        notes = "\n".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return [
            f"<h1>{escape(self.title)}</h1>",
            f'<p class="verdict">{escape(self.verdict)}</p>',
            figure(self, "reliability"),
            reading_guide(self),
            "<h2>Calibration errors</h2>",
            table(
                ["", "value", "if calibrated", "p"],
                [metric_cells(row, share, self.alpha) for row in self.metrics],
            ),
            "<h2>Proper scores</h2>",
            table(["", "value", f"{share} interval"], [score_cells(row) for row in self.scores]),
            "<h2>How to read this</h2>",
            f'<ul class="notes">\n{notes}\n</ul>',
        ]


def refuse_whole_rows(function, *, y_proba, X, groups, strategy, **local):
    """Raise for arguments of `calibration_report` that need all rows at once.

    Parameters
    ----------
    function : callable
        `calibration_report`, which has the defaults.
    y_proba, X, groups, strategy : object
        Its arguments.
    **local : dict
        Those that only the parts about features and groups read.
    """
    if isinstance(y_proba, Mapping):
        raise ValueError(
            "y_proba of several models needs all rows at once, and a report of Dask collections "
            "adds up partitions. Report on one model at a time."
        )
    given = {"X": X is not None, "groups": groups is not None}
    given["strategy='quantile'"] = strategy == "quantile"
    for name, is_given in given.items():
        if is_given:
            raise ValueError(
                f"{name} needs all rows at once, and a report of Dask collections adds up "
                "partitions. Leave it out; calibration_by_group takes Dask collections."
            )
    for name in changed_options(function, local):
        raise ValueError(
            f"{name} belongs to the parts of the report about features and groups, which need all "
            "rows at once, and a report of Dask collections adds up partitions and has no such "
            f"parts. Leave it out, got {local[name]!r}."
        )


def report_rows(
    rows,
    *,
    n_bins=15,
    bandwidth="auto",
    alpha=0.05,
    n_resamples=199,
    random_state=0,
    title="Calibration report",
):
    """Report how well predictions in batches or partitions are calibrated.

    `rows` are `BatchedRows` or `PartitionedRows`; the options are those of `calibration_report`.
    """
    n_resamples, alpha = check_draws(n_resamples, alpha)
    if not isinstance(random_state, Integral):  # each batch starts its own streams from one seed
        random_state = int(check_generator(random_state).integers(2**63))
    extent = rows.extent
    numbers = collect_numbers(
        rows,
        n_bins=n_bins,
        bandwidth=bandwidth,
        alpha=alpha,
        n_resamples=n_resamples,
        random_state=random_state,
    )
    adjusted = {row.name: p for row, p in zip(numbers.metrics, numbers.adjusted, strict=True)}
    return BatchesReport(
        title=" ".join(str(title).split()),
        n_samples=extent.n_samples,
        n_classes=extent.classes.size,
        classes=extent.classes.tolist(),
        alpha=alpha,
        n_resamples=n_resamples,
        metrics=numbers.metrics,
        scores=numbers.scores,
        tests={_TEST: {"pvalue": numbers.pvalue, "adjusted": adjusted, "finding": numbers.finding}},
        displays={"reliability": numbers.display},
        notes=_notes(numbers.left_out, n_resamples),
    )


def _notes(left_out, n_resamples):
    return [
        f"Expected values, ranges and p-values come from {n_resamples} sets of labels drawn from "
        "the predictions; they are those of a report that has all rows in memory. Rows must be "
        "independent and unseen by the model.",
        "The verdict is that of the smallest p-value of these errors, compared with that of the "
        "same drawn labels.",
        "The rows were read in parts that are never in memory at once. What needs all rows at "
        f"once is left out: {', '.join(left_out)}, the omnibus test, the components of the scores, "
        "intervals of slope and intercept, regions and groups.",
    ]
