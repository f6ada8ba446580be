"""The part of a report about groups of rows: for whom the predictions are wrong."""

import textwrap

import numpy as np

from .._utils.fitting_context import from_predict_proba
from ..display import GroupCalibrationDisplay
from ..inference import GroupCalibration, calibration_by_group

_MOST_ROWS = 20
_HEADER = ("group", "rows", "predicted", "observed", "gap", "interval", "p")


def look_at_groups(groups, n_samples, data, rng, **options):
    """Return the table of groups, or None if there are no groups.

    Parameters
    ----------
    groups : object
        Columns, as documented in `calibration_by_group`; the table itself; or None.
    n_samples : int
        Rows of positive weight.
    data : dict
        The arguments `y_true`, `y_proba`, `sample_weight`, `pos_label` and `labels` of the report.
    rng : Generator
        Draws the labels.
    **options : dict
        Further options of `calibration_by_group`.
    """
    if groups is None:
        return None
    if isinstance(groups, GroupCalibration):
        n_compared = groups.overall[0].n
        if n_compared != n_samples:
            raise ValueError(
                f"groups is the table of {n_compared} rows, and the report has {n_samples} rows of "
                "positive weight. Pass the same data to calibration_by_group."
            )
        return groups
    with from_predict_proba():  # looked at before
        return calibration_by_group(**data, groups=groups, random_state=rng, **options)


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
    """Return the header and the rows of a table of the groups, the worst ones first.

    Returns
    -------
    header : tuple of str
    rows : list of list of str
    significant : list of bool
        Whether each row is a group that is wrong.
    """
    evidence = np.abs(groups.gap) / np.maximum(groups.gap_high - groups.gap_low, 1e-12)
    order = np.lexsort((-evidence, groups.pvalue))[:_MOST_ROWS]
    rows = [
        [
            str(groups.label[k]),
            f"{groups.n[k]:,}",
            f"{groups.predicted[k]:.3f}",
            f"{groups.observed[k]:.3f}",
            f"{groups.gap[k]:+.3f}",
            f"{groups.gap_low[k]:+.3f} to {groups.gap_high[k]:+.3f}",
            "-" if np.isnan(groups.pvalue[k]) else f"{groups.pvalue[k]:.3g}",
        ]
        for k in order
    ]
    return _HEADER, rows, groups.significant[order].tolist()


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
