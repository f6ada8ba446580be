"""A fitted classifier and the calibrator behind it, with the right scores in between."""

import numpy as np
from sklearn.base import clone

from ..._utils.compat import check_method_params
from ..._utils.fitting_context import fitted_by
from ..._utils.links import logit, probability_floor
from .._multiclass.one_vs_rest import OneVsRestCalibrator
from .cross_fitting import fit_and_score
from .named_features import beside, fitting_names, names_of

_SCALES = ("score", "probability", "logit", "log_probability")


class CalibratedPair:
    """A fitted source of scores and the calibrator that corrects them.

    Attributes
    ----------
    source : ScoreSource
        Fitted.
    calibrator : calibrator
        A template until `fit`, then the fitted calibrator.
    first_step : UnitRange, PlattStep or None
        What brings the scores of a `decision_function` into [0, 1]; None if they are probabilities,
        or the calibrator reads them as they are.
    floor : float or None
        The distance to 0 and 1 at which probabilities are clipped before they become log-odds or
        log-probabilities; None if they do not.
    names : list of str or None
        What the columns of the features are called in `fit`; None without names.
    """

    def __init__(self, source, calibrator):
        self.source = source
        self.calibrator = calibrator
        self.first_step = None
        self.floor = None
        self.names = None

    def fit(self, scores, features, y, metadata):
        """Fit a clone of the calibrator on scores and features of rows `source` has not seen."""
        scale = _input_scale(self.calibrator)
        has_probabilities = self.source.method == "predict_proba"
        if not has_probabilities and scale == "probability":
            if getattr(self.calibrator, "reads_scores", False):
                self.first_step = UnitRange(scores)
            else:
                self.first_step = PlattStep(scores, y, metadata.get("sample_weight"))
        if self.first_step is not None:
            scores = self.first_step(scores)
        if has_probabilities and scale != "probability":
            self.floor = probability_floor(scores)
        self.names = names_of(features)
        self.calibrator = clone(self.calibrator)
        with fitted_by("classifier"):
            self.calibrator.fit(self._matrix(scores, features), y, **metadata)
        return self

    def predict_proba(self, X):
        """Return calibrated probabilities."""
        X = self.source.rows_of_all(X)
        scores = self.source.scores(X)
        if self.first_step is not None:
            scores = self.first_step(scores)
        features = fitting_names(self.source.features(X), self.names)
        return self.calibrator.predict_proba(self._matrix(scores, features))

    def _matrix(self, scores, features):
        """Return what the calibrator reads: scores on its scale, then features."""
        all_columns = features is not None or getattr(self.calibrator, "takes_features", False)
        if self.floor is not None and _input_scale(self.calibrator) == "log_probability":
            scores, all_columns = np.log(np.clip(scores, self.floor, 1.0 - self.floor)), True
        elif self.floor is not None:
            scores = _log_odds(scores, self.floor)
        if scores.shape[1] == 2 and not all_columns:
            scores = scores[:, 1:]
        return beside(scores, features, self.source.classes)


class UnitRange:
    """Bring every column of scores into [0, 1] without changing its shape.

    The smallest and the largest of the calibration scores become 0 and 1; scores beyond them are
    clipped. For a map that has no scale of its own, such as a step function, that is the same as
    reading the scores.
    """

    def __init__(self, scores):
        self.low = scores.min(axis=0)
        self.width = scores.max(axis=0) / 2.0 - self.low / 2.0  # half of it cannot overflow

    def __call__(self, scores):
        with np.errstate(over="ignore"):
            distance = scores / 2.0 - self.low / 2.0
        middle = np.full_like(distance, 0.5)
        unit = np.divide(distance, self.width, out=middle, where=self.width > 0.0)
        return np.clip(unit, 0.0, 1.0)


class PlattStep:
    """Turn scores into probabilities by Platt scaling, one class against the rest."""

    def __init__(self, scores, y, sample_weight):
        self.calibrator = OneVsRestCalibrator("platt").fit(_platt_input(scores), y, sample_weight)

    def __call__(self, scores):
        return self.calibrator.predict_proba(_platt_input(scores))


def _platt_input(scores):
    return scores[:, 1:] if scores.shape[1] == 2 else scores


def fit_pair(source, calibrator, X, y, train, test, routed):
    """Fit a classifier on the training rows and a calibrator on the test rows of one fold."""
    source, scores, features = fit_and_score(source, X, y, train, test, routed)
    metadata = check_method_params(X, routed["calibrator"]["fit"], indices=test)
    return CalibratedPair(source, calibrator).fit(scores, features, y[test], metadata)


def _input_scale(calibrator):
    """Return the scale that a calibrator declares; probabilities if it declares none."""
    scale = getattr(calibrator, "input_scale", "probability")
    if scale not in _SCALES:
        raise ValueError(
            f"input_scale of calibrator={calibrator} must be one of {', '.join(map(repr, _SCALES))}"
            f", got {scale!r}."
        )
    return scale


def _log_odds(proba, floor):
    """Return the log-odds of each class against the rest.

    Of two classes, the rarer one decides: next to one, probabilities have lost their last digits.
    """
    log_odds = logit(proba, floor)
    if proba.shape[1] == 2:
        positive = np.where(proba[:, 1] < proba[:, 0], log_odds[:, 1], -log_odds[:, 0])
        log_odds = np.column_stack([-positive, positive])
    return log_odds
