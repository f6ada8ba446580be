"""Scores that compare two classes each, as an SVC with ``decision_function_shape="ovo"`` gives."""

import numpy as np

from ..._utils.compat import ovr_decision_function, safe_indexing

_MOST_ROWS = 1000


def scores_pairs(estimator, X, classes):
    """Return whether the columns of `decision_function` compare pairs of classes.

    K classes have K (K - 1) / 2 pairs. Where that is not K, the number of columns tells. Three
    classes have three pairs, whatever the fitted classifier is wrapped in, so there its own
    predictions for the rows tell: they are the largest of three class scores, or the winner of
    three comparisons.
    """
    if classes.size < 3:
        return False
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    X = safe_indexing(X, np.unique(np.linspace(0, n_rows - 1, _MOST_ROWS).astype(int)))
    scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
    n_pairs = classes.size * (classes.size - 1) // 2
    if scores.ndim != 2 or scores.shape[1] != n_pairs:
        return False
    if n_pairs != classes.size:
        return True
    asked_for = any(
        name.endswith("decision_function_shape") and value == "ovo"
        for name, value in estimator.get_params().items()
    )
    if not hasattr(estimator, "predict"):
        return asked_for
    predicted = np.asarray(estimator.predict(X))
    by_pairs, by_class = (
        np.count_nonzero(classes[table.argmax(axis=1)] == predicted)
        for table in (class_scores(scores, classes.size), scores)
    )
    return by_pairs > by_class or (by_pairs == by_class and asked_for)


def class_scores(scores, n_classes):
    """Return one score a class: its comparisons won, and a fraction from their margins.

    The columns of `scores` are the pairs (0, 1), (0, 2), ..., (1, 2), ...; positive is the first
    class of the pair. The result is that of ``decision_function_shape="ovr"``.
    """
    return ovr_decision_function(scores < 0, -scores, n_classes)
