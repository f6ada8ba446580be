"""How to read the pictures of a report, and where the documentation says more."""

from ...display import GroupCalibrationDisplay, LocalBiasDisplay, NullDistributionDisplay
from .markup import escape

_TITLE = "Reading the pictures"
_RELIABILITY = (
    "Reliability diagram. Points below the diagonal are predictions that are too high: what they "
    "predict happens less often. Points above it are too low. A curve that is flatter than the "
    "diagonal belongs to predictions that are too extreme, a steeper one to predictions that are "
    "too timid. The band is where the points of a calibrated model would lie; where it is wide "
    "there are few rows, and a point inside says little. Hollow points stand for fewer than 10 "
    "rows.",
)
_OTHERS = {
    LocalBiasDisplay: (
        "Local bias. Below zero the predictions are too high there, above zero too low. Marked "
        "points lie outside the band that holds all points of a calibrated model jointly.",
    ),
    GroupCalibrationDisplay: (
        "Groups. Each point is the observed minus the predicted rate of a group; its interval is "
        "wide where the group has few rows.",
    ),
    NullDistributionDisplay: (
        "Tests. The histogram shows the statistic for labels drawn from the predictions, and the "
        "line is the data. Calibrated predictions rarely put it far to the right.",
    ),
}


def reading_guide(report):
    """Return how to read the pictures of a report, as a part of the page that folds out.

    Parameters
    ----------
    report : CalibrationReport
        The report.
    """
    texts = list(_RELIABILITY)
    for kind, more in _OTHERS.items():
        if any(isinstance(display, kind) for display in report.displays.values()):
            texts += more
    items = "\n".join(f"<li>{escape(text)}</li>" for text in texts)
    return (
        f"<details>\n<summary>{_TITLE}</summary>\n<ul>\n{items}\n</ul>\n"
        f"<p>The page “{_TITLE}” of the user guide says more.</p>\n</details>"
    )
