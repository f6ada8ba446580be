"""The proper scores that displays and reports show with the calibration errors."""

import numpy as np

from ..inference._row_scores import LABELS, SCORES

PROPER_SCORES = tuple(LABELS.values())


def score_terms(predictions):
    """Return log loss and Brier score of each row, by the names of the scores."""
    return {LABELS[name]: score(predictions) for name, score in SCORES.items()}


def proper_scores(predictions):
    """Return the mean log loss and Brier score of validated predictions, by name.

    The log loss is infinite if a row gave probability zero to what happened.
    """
    return {
        name: mean_score(terms, predictions) for name, terms in score_terms(predictions).items()
    }


def mean_score(terms, predictions):
    """Return the weighted mean of the scores of the rows."""
    if not np.isfinite(terms).all():
        return np.inf
    return float(terms.mean() if predictions.weight is None else predictions.share @ terms)
