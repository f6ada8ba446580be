"""The first sentences of a report: whether the predictions are calibrated, and what is wrong."""

from .._utils.results import tell_apart
from ..inference._statistics.omnibus.outcome import without_repetition
from ..metrics._metric import METRICS


def verdict(report):
    """Return the outcome of a report in a few sentences.

    The omnibus test decides; with features, the one without them says whether the predictions are
    right on average. If it finds nothing and single errors are larger than most draws, the
    sentences say how that goes together.
    """
    test, plain = report.tests["omnibus"], report.tests["omnibus, without features"]
    rows = f"{report.n_samples:,} rows"
    size = _size(report)
    if test.pvalue > report.alpha:
        found = [row for row in report.metrics if row.pvalue <= report.alpha]
        local = "" if test is plain else f"; without features p = {plain.pvalue:.3g}"
        clear = "clear " if found else ""
        first = f"No {clear}sign of miscalibration in {rows} (p = {test.pvalue:.3g}{local})."
        return " ".join(
            [first, *_exceptions(found), *_regions(report.regions), *_missed(test), size]
        )
    finding = test.finding_at(report.alpha)
    if plain.pvalue <= report.alpha:
        finding = without_repetition([finding, plain.finding_at(report.alpha)])
        return (
            f"The predictions are not calibrated (p = {test.pvalue:.3g}, {rows}): {finding}. {size}"
        )
    return (
        f"The predictions are right on average (p = {plain.pvalue:.3g}, {rows}) but wrong in some "
        f"regions of the features (p = {test.pvalue:.3g}): {finding}. {size}"
    )


def _missed(test):
    """Return a sentence about the error that the test would have found."""
    if test.detectable_error is None:
        return []
    return [
        f"A shift of all probabilities by {test.detectable_error:.2g} would have been found in "
        "80 % of samples."
    ]


def _size(report):
    """Return how large the expected calibration error is."""
    ece = next(row for row in report.metrics if row.name == "ece")
    value, expected = tell_apart(ece.value, ece.expected)
    return (
        f"The expected calibration error is {value}; a calibrated model would have about "
        f"{expected}."
    )


def _exceptions(rows):
    """Return a sentence about errors with a small p-value although the test finds nothing."""
    if not rows:
        return []
    alone = "itself" if len(rows) == 1 else "themselves"
    shown = ", ".join(f"{METRICS[row.name].label} p = {row.pvalue:.3g}" for row in rows)
    return [
        f"Of the errors below, {len(rows)} would be called significant by {alone} ({shown}), "
        "but with several errors in a table that happens by chance more often; the test looks at "
        "all kinds of errors together and does not confirm it."
    ]


def _regions(regions):
    """Return a sentence about the region that the band finds although the test finds nothing."""
    if not regions:
        return []
    return [f"The band of the local bias, which looks at regions, flags {regions[0].where}."]
