"""The report of several models as plain text."""

import textwrap

import pandas as pd

from ..._utils.results import cut, join_lines, one_line
from ...display._scores import PROPER_SCORES
from .._numbers import show_apart, show_pvalue
from .._text import WIDTH

# What the models are compared by side by side, by its name in the table of all numbers.
SIDE_BY_SIDE = (
    *PROPER_SCORES,
    "omnibus p",
    "ece",
    "calibration_slope",
    "calibration_intercept",
    "observed_expected_ratio",
)
LABELS = {
    "omnibus p": "p of calibration",
    "ece": "ECE",
    "calibration_slope": "slope",
    "calibration_intercept": "intercept",
    "observed_expected_ratio": "O/E ratio",
}
_LONGEST = 16


def side_by_side(report):
    """Return (label, texts, best) of each number, with the position of the best score or None.

    Parameters
    ----------
    report : ModelsReport
        The report.
    """
    frame = report.to_frame()
    rows = []
    for name in SIDE_BY_SIDE:
        values = frame[name].tolist()
        pvalue = name == "omnibus p"
        texts = [show_pvalue(value) for value in values] if pvalue else show_apart(*values)
        best = None
        if name in PROPER_SCORES and pd.notna(values).any():
            best = int(frame[name].reset_index(drop=True).idxmin())
        rows.append((LABELS.get(name, name), texts, best))
    return rows


def text_of_models(report):
    """Return the report as text."""
    lines = [one_line(report.title), "", *textwrap.wrap(report.verdict, WIDTH), ""]
    lines += [*textwrap.wrap(f"What to do next: {report.advice}", WIDTH), ""]
    rows, names = side_by_side(report), [*report.reports]
    heads = [cut(one_line(name), _LONGEST) for name in names]
    sizes = [
        max(len(head), *(len(texts[k]) for _, texts, _ in rows)) for k, head in enumerate(heads)
    ]
    first = max(len(label) for label, _, _ in rows)
    for label, texts in [("", heads), *((label, texts) for label, texts, _ in rows)]:
        cells = "".join(f"  {text:>{size}}" for text, size in zip(texts, sizes))
        lines.append(f"{label:<{first}}{cells}".rstrip())
    for name, one in report.reports.items():
        lines += ["", "=" * WIDTH, f"Model: {one_line(name)}", "=" * WIDTH, ""]
        lines += str(one).splitlines()[2:]
    return join_lines(lines)
