"""The score test of a logistic model of prediction and features."""

import numpy as np

from ...._data.features import FeatureEncoder
from ...._data.targets import reduce_target, resolve_event
from ...._utils.docs import fill_doc
from ..one_event import relative_weights
from ..statistic import statistic
from .cox_score import cox_design
from .score_form import EventScore, limit_of_score


def standardise(features, weight):
    """Return features with weighted mean zero and variance one; constant ones become zero."""
    scale = np.abs(features).max(axis=0)
    features = features / np.where(scale > 0.0, scale, 1.0)
    features = features - np.average(features, axis=0, weights=weight)
    spread = np.sqrt(np.average(features**2, axis=0, weights=weight))
    rounding = 1e-12
    return np.where(spread > rounding, features / np.where(spread > rounding, spread, 1.0), 0.0)


def encode(predictions, categorical_features):
    """Return the encoded features of predictions, few-valued arrays of numbers as numbers."""
    encoder = FeatureEncoder(categorical_features, count_values=False)
    encoder.fit(predictions.features, predictions.weight)
    return encoder.transform(predictions.features)


@statistic(
    "logistic_score",
    label="logistic score",
    meaning="do the residuals go with the log-odds or with a feature, linearly?",
    needs_features=True,
    reference=limit_of_score,
)
@fill_doc()
def prepare_logistic_score(predictions, *, target="auto", categorical_features="auto"):
    r"""Prepare the score test of a logistic model of prediction and features.

    In the model :math:`\mathrm{logit}\, P(Y = 1) = a + b\, \mathrm{logit}\, p + c^T x` the
    predictions are calibrated, with no trend along a feature, if a = 0, b = 1 and c = 0. The
    statistic is the score test of this [1]_. It approaches a chi-squared distribution with
    ``n_features + 2`` degrees of freedom, less for collinear columns, and does not depend on the
    units of the features. A category has an indicator for each value but the most frequent one;
    of more than twenty values the twenty most frequent ones have one.

    Parameters
    ----------
    predictions : Predictions
        Validated data with features.
    <<target_one_event>>
    categorical_features : {"auto", "from_dtype"} or array-like, default="auto"
        Which features are categories, as in `klce`.

    References
    ----------
    .. [1] C. R. Rao, "Large sample tests of statistical hypotheses concerning several parameters
       with applications to problems of estimation", Mathematical Proceedings of the Cambridge
       Philosophical Society 44 (1948), doi:10.1017/S0305004100023987.
    """
    target = resolve_event(target, predictions.n_classes)
    weight = relative_weights(predictions)
    columns, _ = encode(predictions, categorical_features).design()
    features = standardise(columns, weight)
    reductions = reduce_target(predictions.proba, target)
    designs = [np.hstack([cox_design(one.proba[:, 0]), features]) for one in reductions]
    return EventScore(reductions, designs, weight, target, categorical_features)
