"""What a part of the omnibus test says about the predictions, in words and fitted numbers."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from ...._data.predictions import Predictions
from ....metrics._line.logistic_line import LogisticLine
from ..scores.logistic_score import encode, standardise
from ..scores.score_form import log_odds
from .subject import NOTABLE, ranges, sides, subject_of, worst, wrong_groups

# Ranges of about equal weight, of which the worst one is named.
_N_RANGES = 10


def slope_and_shift(subject):
    """Return the sentence about slope and average of the predictions of one event."""
    ones, x = np.ones_like(subject.p), log_odds(subject.p)
    shift, slope = subject.standardised(ones), subject.standardised(x, ones)
    fitted = LogisticLine(x, subject.weight).fit(subject.happened[:, np.newaxis]).slope[0]
    parts = [(abs(shift), subject.average)]
    if not np.isnan(fitted):
        parts.append((abs(slope), lambda: _slope(fitted)))
    parts.sort(key=lambda part: -part[0])
    said = [say() for place, (size, say) in enumerate(parts) if size >= NOTABLE or place == 0]
    return f"{subject.name} are {', and '.join(said)}"


def _slope(fitted):
    """Return what a calibration slope says about the predictions."""
    if fitted < 0.0:
        direction = "in the wrong order"
    else:
        direction = "too extreme" if fitted < 1.0 else "not extreme enough"
    if np.isinf(fitted):
        return f"{direction} (they separate the labels, so that the calibration slope is infinite)"
    return f"{direction} (the calibration slope is {fitted:.2f}, where 1 is right)"


def recalibrated(subject):
    """Return the event with its best slope and intercept, or as it is if these are infinite."""
    x = log_odds(subject.p)
    fit = LogisticLine(x, subject.weight).fit(subject.happened[:, np.newaxis])
    intercept, slope = fit.intercept[0], fit.slope[0]
    if not np.isfinite([intercept, slope]).all():
        return subject
    return subject._replace(p=expit(intercept + slope * x))


def worst_range(subject, groups, among=""):
    """Return the sentence about the group that fits worst; `among` says what its values are."""
    group = worst(subject, groups)
    part = subject.at(group.rows)
    return f"{subject.name} fit worst {among}{group.where}, and are {part.average()} there"


def trend(subject, features):
    """Return the sentence about the feature along which the residuals have the clearest trend.

    Parameters
    ----------
    subject : Subject
        The event.
    features : Features
        The encoded features.
    """
    ones, x = np.ones_like(subject.p), log_odds(subject.p)
    columns, meaning = features.design()
    columns = standardise(columns, subject.weight)
    if not columns.size:  # a category that all rows share
        return slope_and_shift(subject)
    sizes = [abs(subject.standardised(column, ones, x)) for column in columns.T]
    k = int(np.argmax(sizes))
    slope = abs(subject.standardised(x, ones))
    own = max(abs(subject.deviation()), slope)
    if sizes[k] < max(norm.isf(0.025 / len(sizes)), 0.5 * own):
        return slope_and_shift(subject)
    sentence = wrong_groups(subject, sides(features, meaning[k][0], subject.weight))
    if min(slope, abs(subject.standardised(x, ones, columns[:, k]))) >= NOTABLE:
        sentence += f"; {slope_and_shift(subject)}"
    return sentence


def temperature(predictions, error):
    """Return the sentence about the temperature."""
    too_extreme = error(predictions.codes)[0] < 0.0
    b = _fit_exponent(error.gain, predictions, error.weight)
    direction = "too extreme" if too_extreme else "not extreme enough"
    if b is None:
        return f"the predictions are {direction}"
    return f"the predictions are {direction} (the fitted temperature is {1.0 / b:.2f}, 1 is right)"


def _fit_exponent(gain, predictions, weight):
    """Return the exponent of the probabilities with the largest likelihood, or None."""
    own = np.take_along_axis(gain, predictions.codes[:, np.newaxis], axis=1)[:, 0]
    b = 1.0
    for _ in range(50):
        logits = b * gain
        q = np.exp(logits - logits.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
        mean = (q * gain).sum(axis=1)
        curvature = weight @ ((q * gain**2).sum(axis=1) - mean**2)
        if curvature <= 0.0:
            return None
        step = (weight @ (own - mean)) / curvature
        b = float(np.clip(b + step, 0.5 * b, 2.0 * b))
        if abs(step) < 1e-8:
            return b
        if not 1e-3 < b < 1e3:
            return None
    return None


class Told(NamedTuple):
    """A prepared statistic with its data, of which a sentence is told.

    Attributes
    ----------
    error : Prepared
        The statistic.
    predictions : Predictions
        Its data.
    label, meaning : str
        From the description of the statistic.
    """

    error: Any
    predictions: Predictions
    label: str
    meaning: str

    def subject(self):
        """Return the event of a statistic of one event."""
        reductions = getattr(self.error, "reductions", None)
        reduction = self.error.reduction if reductions is None else reductions[0]
        top = self.error.target == "confidence"
        return subject_of(
            self.predictions, reduction, "the largest probabilities" if top else "the predictions"
        )


def _tell_cox(told):
    return slope_and_shift(told.subject())


def _tell_average(told):
    one_event = told.error.target in ("binary", "confidence")
    return slope_and_shift(told.subject()) if one_event else _tell_vector(told)


def _tell_trend(told):
    return trend(told.subject(), encode(told.predictions, told.error.categorical_features))


def _tell_range(told):
    subject = told.subject()
    return worst_range(subject, ranges(subject.p, subject.weight, _N_RANGES))


def _tell_feature(told):
    subject, features = told.subject(), told.error.features
    k = int(told.error.of_features(told.predictions.codes)[:, 0].argmax())
    encoder = features.encoder
    category = encoder.is_category(k)
    if category:
        groups = sides(features, k, subject.weight)
    else:
        groups = ranges(features.column(k), subject.weight, _N_RANGES, encoder.names[k])
    # An error of the predictions shows along the features as well.
    beyond = recalibrated(subject)
    size = abs(beyond.at(worst(beyond, groups).rows).deviation())
    if size < norm.isf(0.025 / len(groups) / encoder.n_features):
        return slope_and_shift(subject)
    return wrong_groups(subject, groups) if category else worst_range(subject, groups, "where ")


def _tell_temperature(told):
    return temperature(told.predictions, told.error)


def _tell_class(told):
    error = told.error
    k = int(error.of_events(told.predictions.codes)[:, 0].argmax())
    name = f"class {told.predictions.classes[k]} fits worst: its probabilities"
    if len(error.reductions) == 1:
        name = "the predictions"
    return slope_and_shift(subject_of(told.predictions, error.reductions[k], name))


def _tell_local(told):
    return (
        "the predictions are wrong for some combinations of features and prediction"
        f"{_local_size(told)}, which local_bias_band shows"
    )


def _tell_vector(told):
    return f"the vectors of probabilities are wrong for some predictions{_local_size(told)}"


def _local_size(told):
    """Return the root of the mean product of the residuals of similar rows, as text."""
    square = told.error.mean_product(told.predictions.codes)
    return f" (by about {square**0.5:.2g})" if square > 0.0 else ""


def _tell_name(told):
    return f"{told.label} is further from what calibrated predictions give than chance explains"


TELL = {
    "slope_score": _tell_cox,
    "cox_score": _tell_cox,
    "logistic_score": _tell_trend,
    "rank_skce": _tell_range,
    "temperature_score": _tell_temperature,
    "classwise_score": _tell_class,
    "feature_rank_skce": _tell_feature,
    "normalized_klce": _tell_local,
    "klce": _tell_local,
    "skce": _tell_average,
    "kce": _tell_vector,
    None: _tell_name,
}
