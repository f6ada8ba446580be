"""What a part of the omnibus test says about the predictions, in words and fitted numbers."""

from typing import Any, NamedTuple

import numpy as np

from ...._data.predictions import Predictions
from ...._utils.results import tell_apart
from ..scores.logistic_score import linear_columns, standardise
from ..scores.score_form import log_odds, relative_weights
from .logistic_fit import fit_logistic

# A single component is named where its standardised size exceeds that of a test at 5 %.
_NOTABLE = 1.96
_N_GROUPS = 10


class Subject(NamedTuple):
    """One event with its predictions.

    Attributes
    ----------
    p : ndarray of shape (n_samples,)
        The probability of the event.
    happened : ndarray of shape (n_samples,)
        1.0 where it did.
    weight : ndarray of shape (n_samples,)
        Weights of the rows.
    name : str
        How a sentence calls the predictions of it.
    """

    p: np.ndarray
    happened: np.ndarray
    weight: np.ndarray
    name: str

    def standardised(self, direction, *others):
        """Return the standardised sum of the residuals along what others leave of a direction."""
        variance = self.p * (1.0 - self.p) * self.weight**2
        if others:
            root = np.sqrt(variance)[:, np.newaxis]
            design = np.column_stack(others)
            fit = np.linalg.lstsq(root * design, root[:, 0] * direction, rcond=None)[0]
            direction = direction - design @ fit
        spread = np.sqrt(variance @ direction**2)
        total = (self.weight * direction) @ (self.happened - self.p)
        return float(total / spread) if spread > 0.0 else 0.0


def subject_of(predictions, reduction, name="the predictions"):
    """Return the `Subject` of a reduction to one event."""
    happened = reduction.residuals(predictions.codes)[:, 0, 0] + reduction.proba[:, 0]
    return Subject(reduction.proba[:, 0], np.rint(happened), relative_weights(predictions), name)


def slope_and_shift(subject):
    """Return the sentence about slope and average of the predictions of one event."""
    ones, x = np.ones_like(subject.p), log_odds(subject.p)
    shift, slope = subject.standardised(ones), subject.standardised(x, ones)
    parts = []
    if abs(slope) >= _NOTABLE or abs(slope) > abs(shift):
        parts.append(_slope(subject, x, ones, slope))
    if abs(shift) >= _NOTABLE or abs(shift) >= abs(slope):
        parts.append(average(subject))
    return f"{subject.name} are {', and '.join(parts)}"


def _slope(subject, x, ones, size):
    fit = fit_logistic(np.column_stack([ones, x]), subject.happened, subject.weight, [0.0, 1.0])
    direction = "too extreme" if size < 0.0 else "not extreme enough"
    if fit is None:
        return f"{direction} (the calibration slope has no finite fit)"
    return f"{direction} (the calibration slope is {fit[1]:.2f}, where 1 is right)"


def average(subject):
    """Return in words how the mean prediction compares with the observed rate."""
    predicted = float(np.average(subject.p, weights=subject.weight))
    observed = float(np.average(subject.happened, weights=subject.weight))
    direction = "too low" if observed > predicted else "too high"
    predicted, observed = tell_apart(predicted, observed)
    return f"{direction} on average ({predicted} predicted, {observed} observed)"


def worst_range(subject, values=None, name=None, categories=None):
    """Return the sentence about the tenth, or the category, of the rows that fits worst.

    Parameters
    ----------
    subject : Subject
        The event.
    values : ndarray of shape (n_samples,), default=None
        What orders the rows, NaN where it is missing, or codes of categories; the predictions by
        default.
    name : str, default=None
        How the sentence calls `values`.
    categories : tuple of str, default=None
        The category of each code.
    """
    values = subject.p if values is None else values
    if categories is None:
        missing = np.isnan(values)
        group = np.where(missing, -1, _tenths(values, subject.weight))
    else:
        group = values
    parts = [
        (values[rows], Subject(subject.p[rows], subject.happened[rows], subject.weight[rows], ""))
        for rows in (group == number for number in np.unique(group))
    ]
    inside, part = max(parts, key=lambda one: abs(one[1].standardised(np.ones(one[0].size))))
    if categories is not None:
        between = categories[inside[0]]
    elif np.isnan(inside[0]):
        between = "missing"
    else:
        low, high = tell_apart(float(inside.min()), float(inside.max()))
        between = f"at {low}" if low == high else f"between {low} and {high}"
    where = between if name is None else f"where {name} is {between}"
    return f"{subject.name} fit worst {where}, and are {average(part)} there"


def _tenths(values, weight):
    """Return a number for each row: which tenth of the weight it is in. Equal values share one."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    below = np.concatenate([[0.0], weight[order].cumsum()[:-1]])
    first = np.searchsorted(ordered, values, side="left")
    return np.floor(_N_GROUPS * below[first] / weight.sum()).astype(int)


def trend(subject, columns, meaning, names):
    """Return the sentence about the feature along which the residuals have the clearest trend.

    Parameters
    ----------
    subject : Subject
        The event.
    columns : ndarray of shape (n_samples, n_columns)
        The features as columns of a linear model.
    meaning : list of (int, str or None)
        The feature of each column, and the category of an indicator.
    names : list of str
        Names of the features.
    """
    ones, x = np.ones_like(subject.p), log_odds(subject.p)
    columns = standardise(columns, subject.weight)
    sizes = [subject.standardised(column, ones, x) for column in columns.T]
    k = int(np.argmax(np.abs(sizes)))
    own = max(abs(subject.standardised(ones)), abs(subject.standardised(x, ones)))
    feature, category = meaning[k]
    if abs(sizes[k]) < max(_NOTABLE, 0.5 * own):
        return slope_and_shift(subject)
    where, other = ("too low", "too high") if sizes[k] > 0.0 else ("too high", "too low")
    sentence = f"{subject.name} are {where} where "
    if category is None:
        sentence += f"{names[feature]} is large and {other} where it is small"
    else:
        sentence += f"{names[feature]} = {category}, compared with the other rows"
    design = np.column_stack([ones, x, columns[:, k]])
    fit = fit_logistic(design, subject.happened, subject.weight, [0.0, 1.0, 0.0])
    if fit is not None:
        if category is None:
            sentence += f" ({fit[2]:+.2f} in log-odds for each standard deviation of it)"
        else:
            sentence += f" ({fit[2] * np.ptp(columns[:, k]):+.2f} in log-odds)"
    if own >= _NOTABLE:
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


def _tell_cox(told, names):
    return slope_and_shift(told.subject())


def _tell_average(told, names):
    one_event = told.error.target in ("binary", "confidence")
    return slope_and_shift(told.subject()) if one_event else _tell_vector(told, names)


def _tell_trend(told, names):
    columns, meaning = linear_columns(told.predictions.features, told.error.categorical_features)
    return trend(told.subject(), columns, meaning, names)


def _tell_range(told, names):
    return worst_range(told.subject())


def _tell_feature(told, names):
    k = int(told.error.of_features(told.predictions.codes)[:, 0].argmax())
    features = told.error.features
    return worst_range(told.subject(), features.column(k), names[k], features.encoder.categories(k))


def _tell_temperature(told, names):
    return temperature(told.predictions, told.error)


def _tell_class(told, names):
    error = told.error
    k = int(error.of_events(told.predictions.codes)[:, 0].argmax())
    if len(error.reductions) == 1:
        return slope_and_shift(subject_of(told.predictions, error.reductions[0]))
    label = told.predictions.classes[k]
    return slope_and_shift(
        subject_of(told.predictions, error.reductions[k], f"the probabilities of class {label}")
    )


def _tell_local(told, names):
    return (
        "the predictions are wrong for some combinations of features and prediction"
        f"{_local_size(told)}; local_bias_band shows where"
    )


def _tell_vector(told, names):
    return f"the vectors of probabilities are wrong for some predictions{_local_size(told)}"


def _local_size(told):
    """Return the root of the mean product of the residuals of similar rows, as text."""
    square = told.error.mean_product(told.predictions.codes)
    return f" (by about {square**0.5:.2g})" if square > 0.0 else ""


def _tell_name(told, names):
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
