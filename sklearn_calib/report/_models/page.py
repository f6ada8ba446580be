"""The report of several models as HTML."""

from ...display import ModelDifferenceDisplay
from .._page.body import headline, sections
from .._page.figures import picture
from .._page.markup import escape, strong, table
from .._page.reading import reading_guide
from .text import side_by_side

_NUMBERS = (
    "The models at a glance. The lower log loss or Brier score, in bold, is the better one; these "
    "scores reward both calibration and telling rows apart. The other numbers describe how each "
    "model is calibrated and do not decide: a model that is less well calibrated can be "
    "recalibrated."
)


def parts_of_models(report):
    """Return the headline and the sections of a report of several models."""
    names = [escape(name) for name in report.reports]
    rows = [
        [label, *(strong(text, k == best) for k, text in enumerate(texts))]
        for label, texts, best in side_by_side(report)
    ]
    displays = report.displays
    together = displays["reliability"]
    parts = [
        f"<h1>{escape(report.title)}</h1>",
        f'<p class="verdict">{escape(report.verdict)}</p>',
        f'<p class="advice"><b>What to do next.</b> {escape(report.advice)}</p>',
        "<h2>Side by side</h2>",
        f'<div class="wide">\n{table(["", *names], rows)}\n</div>',
        f"<p><small>{_NUMBERS}</small></p>",
        *_differences(displays["differences"]),
        picture(together, (5.2, 4.4), "reliability of the models", _curves_caption(together)),
        reading_guide(next(iter(report.reports.values()))),
    ]
    for name, one in report.reports.items():
        parts += [f'<h2 class="model">{escape(name)}</h2>', *headline(one)]
        parts += sections(one, "h3")
    return parts


def _differences(display):
    """Return one picture of the differences in each score or error, which fits a phone."""
    pictures = []
    labels = list(dict.fromkeys(one.label for one in display.differences))
    for label in labels:
        shown = [one for one in display.differences if one.label == label]
        caption = f"Difference in {label}."
        if label == labels[-1]:
            caption += (
                " Below zero, the model named first is better. Filled points are clear differences "
                "after correction for the number of pairs; lines are intervals."
            )
        size = (5.2, 1.3 + 0.35 * len(shown))
        one = ModelDifferenceDisplay(shown, alpha=display.alpha)
        pictures.append(picture(one, size, f"difference in {label}", caption))
    return pictures


def _curves_caption(together):
    """Return the caption of the curves."""
    left = together.left_out
    missing = f" Not drawn: {', '.join(left)}." if left else ""
    return (
        "The reliability curves together: the closer to the diagonal, the better calibrated. Bands "
        f"and counts are in the report of each model below.{missing}"
    )
