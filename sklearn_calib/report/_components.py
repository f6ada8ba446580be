"""The calibration line and the components of the scores, in words."""

from typing import NamedTuple

import numpy as np

from .._utils.fitting_context import from_predict_proba
from ..inference import calibration_line
from ..inference._row_scores import LABELS
from ..metrics import score_decomposition
from ._numbers import show_number

COMPONENTS = ("score", "miscalibration", "discrimination", "uncertainty")
_EXPLANATION = (
    "A score is its miscalibration minus its discrimination plus its uncertainty. Miscalibration "
    "is what the best non-decreasing map of the probabilities would gain on these rows, a little "
    "above zero for a calibrated model as well. Discrimination is what the mapped probabilities "
    "gain over the base rate: more is better. Uncertainty is the score of the base rate. "
    "Recalibration removes miscalibration; the rest is up to the model."
)
_CLASSES = " Here scores and components are means over the classes, each against the rest."


class LineNumber(NamedTuple):
    """A number of the calibration line.

    Attributes
    ----------
    label : str
        What it is.
    ideal : str
        What is right, and what other values mean.
    value, lower, upper : float
        The estimate and its interval.
    words : str
        What it says about the predictions.
    """

    label: str
    ideal: str
    value: float
    lower: float
    upper: float
    words: str


def fit_line(predictions, alpha):
    """Return the calibration line of the positive class, or of the largest probability."""
    with from_predict_proba():  # looked at before
        return calibration_line(
            **_data(predictions),
            confidence_level=1.0 - alpha,
            target="binary" if predictions.n_classes == 2 else "confidence",
        )


def decompose_scores(predictions):
    """Return the `ScoreDecomposition` of each score by its name."""
    with from_predict_proba():  # looked at before
        return {
            label: score_decomposition(**_data(predictions), score=name)
            for name, label in LABELS.items()
        }


def _data(predictions):
    return {
        "y_true": predictions.codes,
        "y_proba": predictions.proba,
        "sample_weight": predictions.weight,
        "labels": np.arange(predictions.n_classes),
    }


def line_numbers(line):
    """Return the slope, the intercept and the ratio of a calibration line with their words.

    Parameters
    ----------
    line : CalibrationLineResult
        The line.
    """
    averages = "too high on average", "too low on average"
    numbers = [
        (
            "slope",
            "1 is right; below 1 the predictions are too extreme, above 1 too timid",
            line.slope,
            line.slope_interval,
            _slope_words(line),
        ),
        (
            "intercept",
            "0 is right; below 0 the predictions are too high on average, above 0 too low",
            line.intercept,
            line.intercept_interval,
            _side(line.intercept_interval, 0.0, *averages),
        ),
        (
            "observed / expected",
            "1 is right; the number of events over the sum of their probabilities",
            line.ratio,
            line.ratio_interval,
            _ratio_words(line),
        ),
    ]
    return [
        LineNumber(label, ideal, value, low, high, words)
        for label, ideal, value, (low, high), words in numbers
    ]


def _slope_words(line):
    if np.isnan(line.slope):
        return "not determined"
    if np.isinf(line.slope):
        return f"labels separated{', in the wrong order' if line.slope < 0.0 else ''}"
    order = "in the wrong order" if line.slope < 0.0 else "too extreme"
    return _side(line.slope_interval, 1.0, order, "too timid")


def _ratio_words(line):
    if np.isnan(line.ratio):
        return "not determined"
    if np.isinf(line.ratio):
        return "events, and none is expected"
    if _side(line.ratio_interval, 1.0, "", "") != "":
        return "no clear error"
    change = float(f"{100 * abs(line.ratio - 1.0):.2g}")
    side = "more" if line.ratio > 1.0 else "fewer"
    return f"{change:,g} % {side} events"


def _side(interval, ideal, below, above):
    """Return which side of the ideal value the whole interval lies on."""
    low, high = interval
    if high < ideal:
        return below
    return above if low > ideal else "no clear error"


def component_rows(decomposition):
    """Return (score, texts of it and its components) for each score."""
    return [
        (
            name,
            [
                show_number(value)
                for value in (
                    parts.score,
                    parts.miscalibration,
                    parts.discrimination,
                    parts.uncertainty,
                )
            ],
        )
        for name, parts in decomposition.items()
    ]


def explain_components(decomposition):
    """Return what the components mean."""
    classwise = any(parts.target == "classwise" for parts in decomposition.values())
    return _EXPLANATION + (_CLASSES if classwise else "")
