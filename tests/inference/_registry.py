"""Every statistic of `check_calibration` that has a name: one line here runs the common tests.

A test fails as long as a name that `check_calibration` accepts is not here.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sklearn_calib import metrics
from tests.inference import _formulas
from tests.inference import _score_oracles as scores


@dataclass(frozen=True)
class NamedStatistic:
    """What the common tests need to know of a statistic.

    Attributes
    ----------
    function : callable or None
        ``function(y_true, y_proba)``, or with a third argument `X`, computes it on its own; None
        if its value depends on the draws.
    features : bool
        Whether it takes `X`.
    two_sided : bool
        Whether small values are extreme as well.
    worst : {"wrong", "none", "right"}
        Labels that it calls worst: against each prediction, all negative (it looks at totals), or
        with each prediction (it looks for too little confidence).
    if_right : float or None
        Its value for certain and right predictions; None if this depends on the labels.
    blind_to_reversal : bool
        Whether it cannot tell observed rates that fall with the probabilities from noise.
    along_predictions : bool
        Whether it sees errors that depend on the prediction and on no feature.
    """

    function: Callable | None
    features: bool = False
    two_sided: bool = False
    worst: str = "wrong"
    if_right: float | None = 0.0
    blind_to_reversal: bool = False
    along_predictions: bool = True

    def arguments(self, y, proba, X):
        """Return the positional arguments of a call."""
        return (y, proba, X) if self.features else (y, proba)


def spiegelhalter(y, proba):
    """Standardise the difference of the Brier score and its mean over the labels of each row."""
    proba = np.column_stack([1 - proba, proba]) if proba.ndim == 1 else proba
    excess = variance = 0.0
    for label, row in zip(y, proba):
        scores = np.array([np.sum((row - one) ** 2) for one in np.eye(row.size)])
        excess += scores[label] - row @ scores
        variance += row @ (scores - row @ scores) ** 2
    return excess / np.sqrt(variance)


STATISTICS = {
    "skce": NamedStatistic(metrics.skce),
    "kce": NamedStatistic(metrics.kce),
    "mmce": NamedStatistic(metrics.mmce),
    "klce": NamedStatistic(metrics.klce, features=True),
    "multicalibration_error": NamedStatistic(
        metrics.multicalibration_error, features=True, worst="none"
    ),
    "ece": NamedStatistic(metrics.ece),
    "mce": NamedStatistic(metrics.mce),
    "average_calibration_error": NamedStatistic(metrics.average_calibration_error),
    "weighted_mmce": NamedStatistic(metrics.weighted_mmce),
    "ucme": NamedStatistic(metrics.ucme),
    "overconfidence": NamedStatistic(metrics.overconfidence),
    "underconfidence": NamedStatistic(metrics.underconfidence, worst="right"),
    "smooth_calibration_error": NamedStatistic(metrics.smooth_calibration_error),
    "miscalibration": NamedStatistic(metrics.miscalibration),
    "smooth_ece": NamedStatistic(metrics.smooth_ece),
    "calibration_slope": NamedStatistic(metrics.calibration_slope, two_sided=True, if_right=np.inf),
    "calibration_intercept": NamedStatistic(
        metrics.calibration_intercept, two_sided=True, worst="none", if_right=None
    ),
    "observed_expected_ratio": NamedStatistic(
        metrics.observed_expected_ratio, two_sided=True, worst="none", if_right=1.0
    ),
    "slope_score": NamedStatistic(scores.slope_score, two_sided=True),
    "cox_score": NamedStatistic(scores.cox_score),
    "logistic_score": NamedStatistic(scores.logistic_score, features=True),
    "temperature_score": NamedStatistic(scores.temperature_score, two_sided=True),
    "classwise_score": NamedStatistic(scores.classwise_score),
    "rank_skce": NamedStatistic(scores.rank_skce),
    "feature_rank_skce": NamedStatistic(
        scores.feature_rank_skce, features=True, along_predictions=False
    ),
    "normalized_klce": NamedStatistic(scores.normalized_klce, features=True),
    "omnibus": NamedStatistic(None),
    "ece_sweep": NamedStatistic(metrics.ece_sweep, blind_to_reversal=True),
    "integrated_calibration_index": NamedStatistic(metrics.integrated_calibration_index),
    "kde_ece": NamedStatistic(metrics.kde_ece),
    "ks_calibration_error": NamedStatistic(metrics.ks_calibration_error),
    "kuiper_calibration_error": NamedStatistic(metrics.kuiper_calibration_error),
    "spiegelhalter": NamedStatistic(spiegelhalter, two_sided=True),
    "hosmer_lemeshow": NamedStatistic(_formulas.hosmer_lemeshow),
    "pigeon_heyse": NamedStatistic(_formulas.pigeon_heyse),
    "cox_likelihood_ratio": NamedStatistic(_formulas.cox_likelihood_ratio),
    "ks": NamedStatistic(_formulas.ks),
    "kuiper": NamedStatistic(_formulas.kuiper),
    "standardized_skce": NamedStatistic(_formulas.standardized_skce),
}
