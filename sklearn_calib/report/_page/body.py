"""The parts of a report as HTML."""

from ...metrics._metric import METRICS
from .._components import component_rows, explain_components, line_numbers
from .._groups import group_cells, group_remark
from .._numbers import show_apart, show_pvalue, show_range, show_share
from .._text import describe_region
from .figures import figure
from .markup import escape, strong, table
from .reading import reading_guide


def page_parts(report):
    """Return the headline and the sections of a report."""
    parts = [f"<h1>{escape(report.title)}</h1>", *headline(report)]
    return [*parts, *sections(report, "h2", reading_guide(report))]


def headline(report):
    """Return the verdict and what to do next."""
    return [
        f'<p class="verdict">{escape(report.verdict)}</p>',
        f'<p class="advice"><b>What to do next.</b> {escape(report.advice)}</p>',
    ]


def sections(report, heading, guide=""):
    """Return everything below the headline, with headings "h2" or "h3".

    `guide` says how to read the pictures, and stands below the first one.
    """
    share = show_share(report.alpha)

    def head(text):
        return f"<{heading}>{text}</{heading}>"

    parts = [
        figure(report, "reliability"),
        *([guide] if guide else []),
        head("Calibration errors"),
        table(
            ["", "value", "if calibrated", "p"],
            [metric_cells(row, share, report.alpha) for row in report.metrics],
        ),
        head("Slope and average"),
        table(
            ["", "value", f"{share} interval"],
            [_line_cells(one) for one in line_numbers(report.line)],
        ),
        head("Proper scores"),
        table(["", "value", f"{share} interval"], [score_cells(row) for row in report.scores]),
        *_components(report),
    ]
    if report.band is not None:
        parts += [head("Where the predictions are wrong"), _regions(report)]
        parts += [figure(report, name) for name in report.displays if "bias" in name]
    if report.groups is not None:
        parts += [head("For whom the predictions are wrong"), *_groups(report.groups)]
        parts += [figure(report, "groups")]
    parts += [head("Tests"), _omnibus_table(report)]
    parts += [figure(report, name) for name in report.displays if "test" in name]
    notes = "\n".join(f"<li>{escape(note)}</li>" for note in report.notes)
    return [*parts, head("How to read this"), f'<ul class="notes">\n{notes}\n</ul>']


def _line_cells(one):
    value, low, high = show_apart(one.value, one.lower, one.upper)
    words = strong(escape(one.words), one.words != "no clear error")
    return [
        f"{escape(one.label)}<small>{escape(one.ideal)}</small>",
        f"{value}<small>{words}</small>",
        show_range(low, high),
    ]


def score_cells(row):
    """Return the cells of a proper score."""
    value, low, high = show_apart(row.value, row.lower, row.upper)
    return [
        f"{escape(row.name)}<small>lower is better; also rewards sharp predictions</small>",
        value,
        show_range(low, high),
    ]


def _components(report):
    """Return the components of the scores and what they mean."""
    items = []
    for name, texts in component_rows(report.decomposition):
        score, calibration, discrimination, base = texts
        items.append(
            f"<li>{escape(name)} {score} = miscalibration {calibration} − discrimination "
            f"{discrimination} + uncertainty {base}</li>"
        )
    explanation = escape(explain_components(report.decomposition))
    return ["<ul>", *items, "</ul>", f"<p><small>{explanation}</small></p>"]


def metric_cells(row, share, alpha):
    """Return the cells of a calibration error."""
    metric = METRICS[row.name]
    target = "" if row.target == "binary" else f"{row.target}: "
    value, expected, low, high = show_apart(row.value, row.expected, row.lower, row.upper)
    return [
        f"{metric.label}<small>{target}{metric.meaning}</small>",
        value,
        f"{expected}<small>{share}: {show_range(low, high)}</small>",
        strong(show_pvalue(row.pvalue), row.pvalue <= alpha),
    ]


def _omnibus_table(report):
    test = report.tests["omnibus"]
    rows = []
    for part in test.parts:
        found = part.adjusted_pvalue <= report.alpha
        p = f"{part.adjusted_pvalue:.3g}"
        note = f"<small>{escape(part.finding)}</small>" if found else ""
        rows.append(
            [
                f"{escape(part.label)}<small>{escape(part.aspect)}</small>{note}",
                f"{part.pvalue:.3g}",
                strong(p, found),
            ]
        )
    caption = (
        f"<p>The verdict is that of the omnibus test, p = {test.pvalue:.3g}: the smallest p-value "
        "of these statistics, compared with that of the same drawn labels"
        f"{test.detectable_in_words('. If all probabilities were wrong by a constant: ')}.</p>"
    )
    return caption + "\n" + table(["", "p alone", "p corrected"], rows)


def _regions(report):
    if not report.regions:
        return f"<p>{escape(report.nothing_found)}</p>"
    items = [escape(describe_region(r, report.n_classes == 2)) for r in report.regions]
    return "<ul>\n" + "\n".join(f"<li>{item}</li>" for item in items) + "\n</ul>"


def _groups(groups):
    """Return the table of groups."""
    header, rows, significant = group_cells(groups)
    cells = [[escape(cell) for cell in row] for row in rows]
    for row, wrong in zip(cells, significant):
        if wrong:
            row[-1] = strong(row[-1])
    remark = group_remark(groups)
    return [table(["", *header[1:]], cells), *([f"<p>{remark}</p>"] if remark else [])]
