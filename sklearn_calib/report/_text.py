"""The report as plain text, in the manner of scikit-learn's classification report."""

import textwrap

from .._utils.results import decimals_of, join_lines, one_line, tell_apart
from ..inference._statistics.statistic import find_statistic
from ..metrics._metric import METRICS
from ._components import COMPONENTS, component_rows, explain_components, line_numbers
from ._groups import group_lines
from ._numbers import show_apart, show_pvalue, show_range, show_share

WIDTH = 78


def describe_test(name, test):
    """Return one line about a test."""
    what = "in every region of the features" if name == "local" else "of the predictions"
    if test.parts is not None:
        what = "by several statistics together"
    label = find_statistic(test.statistic_name).label
    found = test.detectable_in_words(";\n  ")
    return f"{what}: {label}, p = {test.pvalue:.3g} ({test.n_samples:,} rows){found}"


def describe_part(part):
    """Return one line about a part of the omnibus test."""
    return f"{part.label} ({part.aspect}): p = {part.adjusted_pvalue:.3g}"


def describe_region(region, binary):
    """Return one sentence about a region."""
    direction = "low" if region.bias > 0 else "high"
    what = "predicted" if binary else f"class {region.event}: predicted"
    size = abs(region.bias)
    gap = f"{what} too {direction} by {size:.{decimals_of(size)}f} on average"
    if region.bounds is None:
        return f"{gap} at scattered points, {region.share:.1%} of the rows that were looked at"
    predicted, observed = tell_apart(region.predicted, region.observed)
    low, high = tell_apart(region.observed_low, region.observed_high)
    return (
        f"{gap}: {region.where}: {region.n_samples:,} rows ({region.share:.1%}), predicted "
        f"{predicted}, observed {observed} (interval {low} to {high})"
    )


def metric_lines(report):
    """Return the table of the calibration errors."""
    share = show_share(report.alpha)
    width = max(12, 1 + max(len(METRICS[row.name].label) for row in report.metrics))
    header = (
        f"{'':<{width}}{'target':>11}{'value':>11}{'expected':>11}{share + ' range':>24}{'p':>9}"
    )
    lines = [header, ""]
    for row in report.metrics:
        value, expected, low, high = show_apart(row.value, row.expected, row.lower, row.upper)
        lines.append(
            f"{METRICS[row.name].label:<{width}}{row.target:>11}{value:>11}{expected:>11}"
            f"{show_range(low, high):>24}{show_pvalue(row.pvalue):>9}"
        )
    return lines


def score_lines(report):
    """Return the table of the proper scores."""
    lines = [f"{'':<18}{'value':>12}{show_share(report.alpha) + ' interval':>24}", ""]
    for row in report.scores:
        value, low, high = show_apart(row.value, row.lower, row.upper)
        lines.append(f"{row.name:<18}{value:>12}{show_range(low, high):>24}")
    return lines


def render_text(report):
    """Return the whole report as text."""
    share = show_share(report.alpha)
    lines = [one_line(report.title), "", *textwrap.wrap(report.verdict, WIDTH), ""]
    lines += [*textwrap.wrap(f"What to do next: {report.advice}", WIDTH), ""]
    lines += metric_lines(report)
    lines += ["", f"{'':<20}{'value':>9}{share + ' interval':>21}", ""]
    for one in line_numbers(report.line):
        value, low, high = show_apart(one.value, one.lower, one.upper)
        lines.append(f"{one.label:<20}{value:>9}{f'{low} to {high}':>21}  {one.words}")
    lines += ["", *score_lines(report)]
    lines.append("")
    heads = [("", COMPONENTS), *component_rows(report.decomposition)]
    lines += [f"{name:<18}" + "".join(f"{one:>15}" for one in texts) for name, texts in heads]
    lines += ["", *textwrap.wrap(explain_components(report.decomposition), WIDTH)]
    lines += [
        "",
        "Tests of calibration",
        *[
            line
            for name, test in report.tests.items()
            if name != "omnibus, without features"
            for line in f"- {describe_test(name, test)}".split("\n")
        ],
        "",
        "Parts of the omnibus test (p-values corrected for their number)",
        *[f"- {describe_part(part)}" for part in report.tests["omnibus"].parts],
    ]
    if report.band is not None:
        lines += ["", "Where the predictions are wrong"]
        found = [f"- {describe_region(r, report.n_classes == 2)}" for r in report.regions]
        for text in found or [report.nothing_found]:
            lines += textwrap.wrap(" ".join(text.split()), WIDTH, subsequent_indent="  ")
    if report.groups is not None:
        lines += group_lines(report.groups, WIDTH)
    lines.append("")
    for note in report.notes:
        lines += textwrap.wrap(f"* {note}", WIDTH, subsequent_indent="  ")
    return join_lines(lines)
