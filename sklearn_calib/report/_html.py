"""The report as HTML: a fragment for notebooks and a page that needs nothing else."""

import base64
import html
import io
import warnings

import numpy as np

from ..display import (
    GroupCalibrationDisplay,
    LocalBiasDisplay,
    NullDistributionDisplay,
    ReliabilityDisplay,
)
from ..metrics._metric import METRICS
from ._groups import group_cells, group_remark
from ._text import describe_region, show_number, show_pvalue, show_share

_STYLE = """
.sklearn-calib { font: 16px/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff;
  max-width: 46rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
.sklearn-calib h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 .5rem; }
.sklearn-calib h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.sklearn-calib .verdict { border-left: 4px solid #0072B2; background: #eef4f8;
  padding: .6rem .8rem; margin: 0; }
.sklearn-calib table { border-collapse: collapse; width: 100%; font-size: .875rem;
  font-variant-numeric: tabular-nums; }
.sklearn-calib th, .sklearn-calib td { text-align: right; padding: .35rem .3rem;
  border-bottom: 1px solid #d4d9de; vertical-align: top; overflow-wrap: normal; }
.sklearn-calib th:first-child, .sklearn-calib td:first-child { text-align: left;
  overflow-wrap: anywhere; }
.sklearn-calib thead th, .sklearn-calib thead td { border-bottom: 2px solid #57606a; }
.sklearn-calib tbody th { font-weight: 600; }
.sklearn-calib small { display: block; color: #57606a; font-weight: 400; font-size: .75rem; }
.sklearn-calib .significant { font-weight: 700; }
.sklearn-calib figure { margin: 1rem 0; }
.sklearn-calib img { max-width: 100%; height: auto; display: block; margin: 0 auto; }
.sklearn-calib figcaption { font-size: .875rem; color: #424a53; }
.sklearn-calib .notes { font-size: .8125rem; color: #424a53; padding-left: 1.2rem; }
@media print {
  .sklearn-calib { max-width: none; padding: 0; font-size: 11pt; }
  .sklearn-calib figure, .sklearn-calib tr, .sklearn-calib .verdict { break-inside: avoid; }
  .sklearn-calib h2 { break-after: avoid; }
}
"""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 0; }}
{style}</style>
</head>
<body>
{body}
</body>
</html>
"""

_DPI = 160


def render_page(report):
    """Return the report as a whole HTML page."""
    return _PAGE.format(title=_escape(report.title), style=_STYLE, body=_body(report, "main", "h1"))


def render_section(report):
    """Return the report as a part of another page."""
    return f"<style>{_STYLE}</style>\n{_body(report, 'div', 'h1')}"


def _body(report, element, heading):
    share = show_share(report.alpha)
    parts = [
        f"<{heading}>{_escape(report.title)}</{heading}>",
        f'<p class="verdict">{_escape(report.verdict)}</p>',
        _figure(report, "reliability"),
        "<h2>Calibration errors</h2>",
        _table(
            ["", "value", "if calibrated", "p"],
            [_metric_cells(row, share, report.alpha) for row in report.metrics],
        ),
        "<h2>Proper scores</h2>",
        _table(
            ["", "value", f"{share} interval"],
            [
                [
                    f"{_escape(row.name)}<small>lower is better; also rewards sharp predictions"
                    "</small>",
                    show_number(row.value),
                    f"{show_number(row.lower)} to {show_number(row.upper)}",
                ]
                for row in report.scores
            ],
        ),
    ]
    if report.band is not None:
        parts += ["<h2>Where the predictions are wrong</h2>", _regions(report)]
        parts += [_figure(report, name) for name in report.displays if "bias" in name]
    if report.groups is not None:
        parts += ["<h2>For whom the predictions are wrong</h2>", *_groups(report.groups)]
        parts += [_figure(report, "groups")]
    parts += ["<h2>Tests</h2>", _omnibus_table(report)]
    parts += [_figure(report, name) for name in report.displays if "test" in name]
    notes = "\n".join(f"<li>{_escape(note)}</li>" for note in report.notes)
    parts += ["<h2>How to read this</h2>", f'<ul class="notes">\n{notes}\n</ul>']
    inner = "\n".join(parts)
    return f'<{element} class="sklearn-calib">\n{inner}\n</{element}>'


def _metric_cells(row, share, alpha):
    metric = METRICS[row.name]
    target = "" if row.target == "binary" else f"{row.target}: "
    p = show_pvalue(row.pvalue)
    if row.pvalue <= alpha:
        p = f'<span class="significant">{p}</span>'
    return [
        f"{metric.label}<small>{target}{metric.meaning}</small>",
        show_number(row.value),
        f"{show_number(row.expected)}<small>{share}: {show_number(row.lower)} to "
        f"{show_number(row.upper)}</small>",
        p,
    ]


def _table(header, rows):
    lines = ["<table>", "<thead><tr>"]
    lines += [f'<th scope="col">{cell}</th>' if cell else "<td></td>" for cell in header]
    lines += ["</tr></thead>", "<tbody>"]
    for first, *others in rows:
        cells = "".join(f"<td>{cell}</td>" for cell in others)
        lines.append(f'<tr><th scope="row">{first}</th>{cells}</tr>')
    lines += ["</tbody>", "</table>"]
    return "\n".join(lines)


def _omnibus_table(report):
    test = report.tests["omnibus"]
    rows = []
    for part in test.parts:
        found = part.adjusted_pvalue <= report.alpha
        p = f"{part.adjusted_pvalue:.3g}"
        note = f"<small>{_escape(part.finding)}</small>" if found else ""
        rows.append(
            [
                f"{_escape(part.label)}<small>{_escape(part.aspect)}</small>{note}",
                f"{part.pvalue:.3g}",
                f'<span class="significant">{p}</span>' if found else p,
            ]
        )
    caption = (
        f"<p>The verdict is that of the omnibus test, p = {test.pvalue:.3g}: the smallest p-value "
        "of these statistics, compared with that of the same drawn labels.</p>"
    )
    return caption + "\n" + _table(["", "p alone", "p corrected"], rows)


def _regions(report):
    if not report.regions:
        return f"<p>{_escape(report.nothing_found)}</p>"
    items = [_escape(describe_region(r, report.n_classes == 2)) for r in report.regions]
    return "<ul>\n" + "\n".join(f"<li>{item}</li>" for item in items) + "\n</ul>"


def _groups(groups):
    """Return the table of groups."""
    header, rows, significant = group_cells(groups)
    cells = [[_escape(cell) for cell in row] for row in rows]
    for row, wrong in zip(cells, significant):
        if wrong:
            row[-1] = f'<span class="significant">{row[-1]}</span>'
    remark = group_remark(groups)
    return [_table(["", *header[1:]], cells), *([f"<p>{remark}</p>"] if remark else [])]


def _figure(report, name):
    display = report.displays[name]
    caption = _escape(_caption(report, name, display))
    size = (5.2, 3.8)
    if isinstance(display, ReliabilityDisplay):
        size = (5.2, 4.4)
    elif isinstance(display, NullDistributionDisplay):
        size = (5.2, 2.2)
    elif isinstance(display, GroupCalibrationDisplay):
        size = (7.0, display._height(min(np.size(display.gap), 30)))
    source = base64.b64encode(_png(display, size)).decode("ascii")
    width, height = (round(96 * side) for side in size)
    return (
        f'<figure>\n<img src="data:image/png;base64,{source}" width="{width}" height="{height}" '
        f'alt="{_escape(name)}">\n<figcaption>{caption}</figcaption>\n</figure>'
    )


def _caption(report, name, display):
    share = show_share(report.alpha)
    if isinstance(display, ReliabilityDisplay):
        what = "accuracy" if display.target == "confidence" else "observed rate"
        return (
            f"Reliability diagram: {what} against predicted probability, with the number of rows "
            f"below. If the predictions were right, each point would lie in the band in {share} of "
            "the cases."
        )
    if isinstance(display, NullDistributionDisplay):
        test = report.tests[name.split()[0]]
        what = "of the predictions" if name.startswith("global") else "with the features"
        return (
            f"Test {what}: the statistic for labels drawn from the predictions, and for the data "
            f"(p = {test.pvalue:.3g}, {test.n_samples:,} rows). Its root, "
            f"{test.effect_size:.3f}, is on the scale of probabilities."
        )
    if isinstance(display, GroupCalibrationDisplay):
        return (
            "Observed minus predicted rate of each group, with the number of its rows. The "
            f"intervals together cover in about {share} of the cases; groups that are wrong are "
            "marked."
        )
    assert isinstance(display, LocalBiasDisplay)
    if getattr(display.feature, "ndim", 1) == 2:
        return "Local bias over two features; significant points are marked."
    return (
        "Local bias: observed minus predicted around each row, for rows with similar features and "
        "predictions. The band contains all points of a calibrated model jointly in at least "
        f"{share} of the cases. Marked points lie outside the band: there the predictions are too "
        "low or too high."
    )


def _png(display, size):
    """Return the picture of a display as PNG, drawn without the user's figure manager."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"font.size": 11}), warnings.catch_warnings():
        # A script that the font lacks is drawn as boxes; the page's own text shows it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = Figure(figsize=size, layout="constrained")
        display.plot(ax=figure.subplots())
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=_DPI)
    return buffer.getvalue()


def _escape(text):
    """Return text as HTML, in one line."""
    return html.escape(" ".join(str(text).split()))
