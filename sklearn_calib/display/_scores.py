"""The proper scores that displays show with the calibration errors, from scikit-learn."""

from sklearn.metrics import brier_score_loss, log_loss

from ..inference._row_scores import LABELS

PROPER_SCORES = tuple(LABELS.values())


def proper_scores(predictions):
    """Return scikit-learn's log loss and Brier score of validated predictions, by name."""
    classes = range(predictions.n_classes)
    proba = predictions.proba
    codes, weight = predictions.codes, predictions.weight
    binary = predictions.n_classes == 2
    values = (
        log_loss(codes, proba, sample_weight=weight, labels=classes),
        brier_score_loss(
            codes, proba[:, 1] if binary else proba, sample_weight=weight, labels=classes
        ),
    )
    return dict(zip(PROPER_SCORES, map(float, values)))
