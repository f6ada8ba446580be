"""The report as plain text, in the manner of scikit-learn's classification report."""

import textwrap

import numpy as np

from ..inference._statistics.statistic import find_statistic
from ..metrics._metric import METRICS
from ._groups import group_lines

_WIDTH = 78


def show_number(value):
    """Return a number with four decimals, or six where it is smaller than that."""
    if np.isnan(value):
        return "-"
    if np.isinf(value):
        return f"{value:.1f}"
    if abs(value) >= 1e-3 or value == 0:
        return f"{value:z.4f}"
    return f"{value:z.6f}" if abs(value) >= 1e-6 else f"{value:.1e}"


def show_pvalue(pvalue):
    """Return a p-value with three digits."""
    return "-" if np.isnan(pvalue) else f"{pvalue:.3g}"


def show_share(alpha):
    """Return the confidence level as text."""
    return f"{100 * (1 - alpha):g} %"


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
    gap = f"{what} too {direction} by {abs(region.bias):.3f} on average"
    if region.bounds is None:
        return f"{gap} at scattered points, {region.share:.1%} of the rows that were looked at"
    return (
        f"{gap}: {region.where}: {region.n_samples:,} rows ({region.share:.1%}), predicted "
        f"{region.predicted:.3g}, observed {region.observed:.3g} (interval "
        f"{region.observed_low:.3g} to {region.observed_high:.3g})"
    )


def render_text(report):
    """Return the whole report as text."""
    share = show_share(report.alpha)
    lines = [report.title, "", *textwrap.wrap(report.verdict, _WIDTH), ""]
    width = max(12, 1 + max(len(METRICS[row.name].label) for row in report.metrics))
    header = (
        f"{'':<{width}}{'target':>11}{'value':>11}{'expected':>11}{share + ' range':>24}{'p':>9}"
    )
    lines += [header, ""]
    for row in report.metrics:
        limits = f"{show_number(row.lower)} to {show_number(row.upper)}"
        lines.append(
            f"{METRICS[row.name].label:<{width}}{row.target:>11}{show_number(row.value):>11}"
            f"{show_number(row.expected):>11}{limits:>24}{show_pvalue(row.pvalue):>9}"
        )
    lines += ["", f"{'':<18}{'value':>12}{share + ' interval':>24}", ""]
    for row in report.scores:
        limits = f"{show_number(row.lower)} to {show_number(row.upper)}"
        lines.append(f"{row.name:<18}{show_number(row.value):>12}{limits:>24}")
    lines += [
        "",
        "Tests of calibration",
        *[
            f"- {describe_test(name, test)}"
            for name, test in report.tests.items()
            if name != "omnibus, without features"
        ],
        "",
        "Parts of the omnibus test (p-values corrected for their number)",
        *[f"- {describe_part(part)}" for part in report.tests["omnibus"].parts],
    ]
    if report.band is not None:
        lines += ["", "Where the predictions are wrong"]
        found = [f"- {describe_region(r, report.n_classes == 2)}" for r in report.regions]
        for text in found or [report.nothing_found]:
            lines += textwrap.wrap(" ".join(text.split()), _WIDTH, subsequent_indent="  ")
    if report.groups is not None:
        lines += group_lines(report.groups, _WIDTH)
    lines.append("")
    for note in report.notes:
        lines += textwrap.wrap(f"* {note}", _WIDTH, subsequent_indent="  ")
    return "\n".join(lines) + "\n"
