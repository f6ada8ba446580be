"""The pictures of a report as parts of a page, with their captions."""

import base64
import io
import warnings

import numpy as np

from ..._utils.results import decimals_of
from ...display import (
    GroupCalibrationDisplay,
    LocalBiasDisplay,
    NullDistributionDisplay,
    ReliabilityDisplay,
)
from .._numbers import show_share
from .markup import escape

_DPI = 160


def figure(report, name):
    """Return the picture of a display of the report with its caption."""
    display = report.displays[name]
    size = (5.2, 3.8)
    if isinstance(display, ReliabilityDisplay):
        size = (5.2, 4.4)
    elif isinstance(display, NullDistributionDisplay):
        size = (5.2, 2.2)
    elif isinstance(display, GroupCalibrationDisplay):
        size = (7.0, display._height(min(np.size(display.gap), 30)))
    return picture(display, size, name, _caption(report, name, display))


def picture(display, size, name, caption):
    """Return the picture of a display, of a size in inches, with a caption.

    Its name takes its place where it is not shown.
    """
    source = base64.b64encode(_png(display, size)).decode("ascii")
    width, height = (round(96 * side) for side in size)
    return (
        f'<figure>\n<img src="data:image/png;base64,{source}" width="{width}" height="{height}" '
        f'alt="{escape(name)}">\n<figcaption>{escape(caption)}</figcaption>\n</figure>'
    )


def _caption(report, name, display):
    share = show_share(report.alpha)
    if isinstance(display, ReliabilityDisplay):
        what = "accuracy" if display.target == "confidence" else "observed rate"
        return (
            f"Reliability diagram: {what} against predicted probability, with the number of rows "
            f"below. If the predictions were right, each point would lie in the band in {share} of "
            f"the cases. The line is the isotonic regression{_bins(display)}."
        )
    if isinstance(display, NullDistributionDisplay):
        test = report.tests[name.split()[0]]
        what = "of the predictions" if name.startswith("global") else "with the features"
        root = f"{test.effect_size:.{decimals_of(test.effect_size)}f}"
        return (
            f"Test {what}: the statistic for labels drawn from the predictions, and for the data "
            f"(p = {test.pvalue:.3g}, {test.n_samples:,} rows). Its root, "
            f"{root}, is on the scale of probabilities."
        )
    if isinstance(display, GroupCalibrationDisplay):
        return (
            "Observed minus predicted rate of each group, with the number of its rows. The "
            f"intervals together cover in about {share} of the cases; groups that are wrong are "
            "marked."
        )
    assert isinstance(display, LocalBiasDisplay)
    if getattr(display.feature, "ndim", 1) == 2:
        return (
            "Local bias over two features: averages of neighbouring rows, hatched where they are "
            "outside the band. Rings mark rows that are significant by themselves."
        )
    return (
        "Local bias: observed minus predicted around each row, for rows with similar features and "
        "predictions. The band contains all points of a calibrated model jointly in at least "
        f"{share} of the cases. Marked points lie outside the band: there the predictions are too "
        "low or too high."
    )


def _bins(display):
    """Return what the bins are if they are not of equal width."""
    return "; the bins hold about equal numbers of rows" if display.strategy == "quantile" else ""


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
