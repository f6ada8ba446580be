"""The part of a report about groups of rows: for whom the predictions are wrong."""

import textwrap
from typing import Any, NamedTuple

import numpy as np

from .._utils.fitting_context import from_predict_proba
from .._utils.options import check_integer
from .._utils.results import decimals_of, tell_apart
from ..display import GroupCalibrationDisplay
from ..inference import GroupCalibration, calibration_by_group

_MOST_ROWS = 20
_HEADER = ("group", "rows", "predicted", "observed", "gap", "interval", "p")


class GroupColumns(NamedTuple):
    """The columns of the groups, or their table, and how to look at them.

    Attributes
    ----------
    groups : object
        Columns, as documented in `calibration_by_group`; the table itself; or None.
    sample_weight : array-like or None
        Weights of all rows, zeros included.
    options : dict
        `max_interaction`, `alpha` and `n_resamples` as in the report.
    """

    groups: Any
    sample_weight: Any
    options: dict

    def table(self, n_samples, data, rng, say):
        """Return the table of groups, or None if there are no groups.

        `data` are the arguments `y_true`, `y_proba`, `sample_weight`, `pos_label` and `labels` of
        the report.
        """
        check_integer(self.options["max_interaction"], "max_interaction", 1)
        if self.groups is None:
            if self.options["max_interaction"] != 1:
                raise ValueError(
                    "max_interaction combines the columns of groups, which is not given."
                )
            return None
        if isinstance(self.groups, GroupCalibration):
            return self._given(n_samples)
        with from_predict_proba():  # looked at before
            return calibration_by_group(
                **data, groups=self.groups, **self.options, random_state=rng, verbose=say
            )

    def _given(self, n_samples):
        n_compared = self.groups.overall[0].n
        if n_compared != n_samples:
            raise ValueError(
                f"groups is the table of {n_compared} rows, and the report has {n_samples} rows of "
                "positive weight. Pass the same data to calibration_by_group."
            )
        if self.options["max_interaction"] != 1:
            raise ValueError(
                "max_interaction combines columns, and groups is a table. Pass it to "
                "calibration_by_group instead."
            )
        return self.groups

    def again(self, table, subject):
        """Return which groups are wrong for other probabilities of the same event.

        `subject` is the event with these probabilities, for the rows of positive weight. Each group
        has its label and the names of its columns. If only the table is known, they are those whose
        interval does not hold the gap of all rows together.
        """
        if isinstance(self.groups, GroupCalibration):
            gaps = np.array([one.gap for one in table.overall])
            of_all = np.tile(gaps, -(-table.n_groups // gaps.size))[: table.n_groups]
            outside = (table.gap_low > of_all) | (table.gap_high < of_all)
            return _named(table, table.significant & outside)
        n_rows = subject.p.size if self.sample_weight is None else len(self.sample_weight)
        rows = slice(None)
        if self.sample_weight is not None:
            rows = np.asarray(self.sample_weight, dtype=float) > 0.0
        happened, p = np.zeros(n_rows, dtype=int), np.full(n_rows, 0.5)
        happened[rows], p[rows] = subject.happened, subject.p
        with from_predict_proba():
            found = calibration_by_group(
                happened,
                p,
                self.groups,
                metric=None,
                sample_weight=self.sample_weight,
                random_state=0,
                **self.options,
            )
        return _named(found, found.significant)


def _named(table, chosen):
    """Return label and columns of the chosen groups, the worst ones first."""
    return [
        (str(table.label[k]), str(table.feature[k]).split(" & ")) for k in table.worst if chosen[k]
    ]


def group_displays(groups):
    """Return the pictures of the groups by name."""
    return {} if groups is None else {"groups": GroupCalibrationDisplay._from_result(groups)}


def group_notes(groups):
    """Return what one should know to read the table."""
    if groups is None:
        return []
    share = f"{100 * (1 - groups.alpha):g} %"
    notes = [
        "The p-values and the intervals of the groups hold for all groups together: for a "
        f"calibrated model any group is called wrong with probability at most {groups.alpha:g}, "
        f"and all intervals together cover in about {share} of the cases. The p-value of a group "
        "that shares rows with a wrong one is that of what the wrong one leaves."
    ]
    n_small = groups.n_groups - groups.n_tested
    if n_small:
        notes.append(
            f"{n_small:,} of {groups.n_groups:,} groups have fewer than {groups.min_rows} rows "
            "and are not tested."
        )
    return notes


def join_verdicts(overall, groups):
    """Return the verdict of the report, with that of the groups."""
    return overall if groups is None else f"{overall} By group: {groups.verdict}"


def group_cells(groups):
    """Return the header and the rows of a table of the groups, and which of these are wrong.

    The worst ones come first.
    """
    evidence = np.abs(groups.gap) / np.maximum(groups.gap_high - groups.gap_low, 1e-12)
    order = np.lexsort((-evidence, groups.pvalue))[:_MOST_ROWS]
    rows = [
        [
            str(groups.label[k]),
            f"{groups.n[k]:,}",
            *tell_apart(groups.predicted[k], groups.observed[k]),
            *_gap_cells(groups.gap[k], groups.gap_low[k], groups.gap_high[k]),
            "-" if np.isnan(groups.pvalue[k]) else f"{groups.pvalue[k]:.3g}",
        ]
        for k in order
    ]
    return _HEADER, rows, groups.significant[order].tolist()


def _gap_cells(gap, low, high):
    """Return a gap and its interval as text, with the decimals that a rare event needs."""
    decimals = decimals_of(gap, low, high)
    return f"{gap:+z.{decimals}f}", f"{low:+z.{decimals}f} to {high:+z.{decimals}f}"


def group_remark(groups):
    """Return how many groups the table leaves out, or ""."""
    left = groups.n_groups - _MOST_ROWS
    return f"and {left:,} more groups" if left > 0 else ""


def group_lines(groups, width):
    """Return the table as lines of text; long names of groups have a line of their own."""
    header, rows, _ = group_cells(groups)
    sizes = [max(map(len, column)) for column in zip(header, *rows)]
    first = max(10, min(sizes[0], width - sum(sizes[1:]) - 2 * len(sizes[1:])))
    lines = ["", "For whom the predictions are wrong", ""]
    for name, *others in [header, *rows]:
        if len(name) > first:
            lines += textwrap.wrap(name, width)
            name = ""
        cells = "".join(f"  {one:>{size}}" for one, size in zip(others, sizes[1:]))
        lines.append(f"{name:<{first}}{cells}")
    remark = group_remark(groups)
    return [*lines, remark] if remark else lines
