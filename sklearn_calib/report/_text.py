"""The report as plain text, in the manner of scikit-learn's classification report."""

import textwrap

import numpy as np

from ..inference._statistics.statistic import find_statistic
from ..metrics._metric import METRICS

_WIDTH = 78


def show_number(value):
    """Return a number with four decimals, or six where it is smaller than that."""
    if not np.isfinite(value):
        return "-"
    if abs(value) >= 1e-3 or value == 0:
        return f"{value:z.4f}"
    return f"{value:z.6f}" if abs(value) >= 1e-6 else f"{value:.1e}"


def show_share(alpha):
    """Return the confidence level as text."""
    return f"{100 * (1 - alpha):g} %"


def describe_test(name, test):
    """Return one line about a test."""
    what = "in every region of the features" if name == "local" else "of the predictions"
    if test.parts is not None:
        what = "by several statistics together"
    label = find_statistic(test.statistic_name).label
    return f"{what}: {label}, p = {test.pvalue:.3g} ({test.n_samples:,} rows)"


def describe_part(part):
    """Return one line about a part of the omnibus test."""
    return f"{part.label} ({part.aspect}): p = {part.adjusted_pvalue:.3g}"


def describe_region(region, binary):
    """Return one sentence about a region."""
    direction = "low" if region.bias > 0 else "high"
    what = "predicted" if binary else f"class {region.event}: predicted"
    bias = f"{what} too {direction} by {abs(region.bias):.3f} on average at {region.n_significant}"
    if region.bounds is None:
        return f"{bias} scattered points"
    low, high = region.predictions
    return (
        f"{bias} of {region.n_points} points: {region.where} (predictions {low:.2f} to {high:.2f})"
    )


def render_text(report):
    """Return the whole report as text."""
    share = show_share(report.alpha)
    lines = [report.title, "", *textwrap.wrap(report.verdict, _WIDTH), ""]
    header = f"{'':<12}{'target':>11}{'value':>11}{'expected':>11}{share + ' range':>24}{'p':>9}"
    lines += [header, ""]
    for row in report.metrics:
        limits = f"{show_number(row.lower)} to {show_number(row.upper)}"
        lines.append(
            f"{METRICS[row.name].label:<12}{row.target:>11}{show_number(row.value):>11}"
            f"{show_number(row.expected):>11}{limits:>24}{row.pvalue:>9.3g}"
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
    lines.append("")
    for note in report.notes:
        lines += textwrap.wrap(f"* {note}", _WIDTH, subsequent_indent="  ")
    return "\n".join(lines) + "\n"
