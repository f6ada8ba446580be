"""Cross-fitting: scores and features of rows, from models that have not seen these rows.

Shared by `CalibratedClassifier` and `CrossFitTransformer`. `X` is only ever indexed by rows: what
it is made of (numbers, text, a data frame, a sparse matrix) is the business of the classifier.
"""

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed

from ..._data.arrays import check_weights
from ..._data.fitting.rows import check_rows
from .folds import show_labels, split_rows
from .named_features import stack


def check_classification_data(X, y, sample_weight):
    """Return X ready for indexing by rows, y as a vector, its sorted classes, and the weights.

    The weights are checked, and left to the children in the form in which they came, but for a
    column, which becomes a vector.
    """
    X, y = check_rows(X, y)
    classes = np.unique(y)
    if classes.size < 2:
        raise ValueError(
            f"y has one class only, {classes.tolist()}; a classifier and its calibration need rows "
            "of at least two classes."
        )
    weight = check_weights(sample_weight, y.size)
    if weight is not None:
        weightless = np.setdiff1d(classes, y[weight > 0])
        if weightless.size:
            raise ValueError(
                f"sample_weight is zero for every row of class {show_labels(weightless)}. Give the "
                "class some weight, or leave out its rows."
            )
    if np.asarray(sample_weight).ndim == 2:
        sample_weight = weight
    return X, y, classes, sample_weight


def fit_and_score(source, X, y, train, test, routed):
    """Fit a clone of a source on the training rows; return it, and its output for the others."""
    fitted = source.fit_clone(X, y, routed, rows=train)
    X_test = source.test_rows(X, test, train)
    scores = fitted.scores(X_test)
    if scores.shape[0] != test.size:
        raise ValueError(
            f"{fitted.method} of {type(source.estimator).__name__} must give one row for each of "
            f"the {test.size} rows it was asked for, got {scores.shape[0]}."
        )
    return fitted, scores, fitted.features(X_test)


def cross_fit(source, X, y, cv, routed, n_jobs):
    """Fit a source on all rows, and score each row by a model that has not seen it.

    Returned are the source, and the out-of-fold scores and features of all rows. A frozen source,
    which learns nothing from these rows, scores all of them at once.
    """
    if source.is_frozen:
        fitted = source.fit_clone(X, y, routed)
        return fitted, fitted.scores(X), fitted.features(X)
    splits = split_rows(cv, X, y, source.classes, routed, pooled=True)
    fitted, *folds = Parallel(n_jobs=n_jobs)(
        [
            delayed(source.fit_clone)(X, y, routed),
            *(delayed(_score_fold)(source, X, y, train, test, routed) for train, test in splits),
        ]
    )
    methods = {fitted.method, *(method for method, _, _ in folds)}
    if len(methods) > 1:
        raise ValueError(
            f"estimator={source.estimator} has predict_proba after some fits and after others "
            "decision_function alone, so the scores of its folds cannot be put together. Fix the "
            "parameter that decides it, or use ensemble=True."
        )
    order = np.argsort(np.concatenate([test for _, test in splits]))
    scores = np.concatenate([scores for _, scores, _ in folds])[order]
    if source.transformer is None:
        return fitted, scores, None
    widths = {features.shape[1] for _, _, features in folds}
    if len(widths) > 1:
        raise ValueError(
            f"The transformer in passthrough= gives {sorted(widths)} columns in different folds. "
            "Give it fixed categories or components, or fit it beforehand on other rows and wrap "
            "it in FrozenEstimator."
        )
    return fitted, scores, stack([features for _, _, features in folds], order)


def _score_fold(*args):
    """Leave the fitted source of a fold where it was fitted, but for the method of its scores."""
    fitted, scores, features = fit_and_score(*args)
    return fitted.method, scores, features


def copy_input_tags(tags, estimator):
    """Declare that X may be whatever the wrapped estimator takes."""
    tags.input_tags.sparse = get_tags(estimator).input_tags.sparse
    tags.input_tags.allow_nan = get_tags(estimator).input_tags.allow_nan
    tags.input_tags.pairwise = get_tags(estimator).input_tags.pairwise
    return tags


def copy_feature_counts(owner, source, X):
    """Set what a fitted classifier knows of the columns of X; forget what an earlier fit set.

    They are plain attributes, since explainers assign to them.
    """
    names = ("n_features_in_", "feature_names_in_")
    for name in names:
        vars(owner).pop(name, None)
    if source.columns is not None:  # a part of the columns of a kernel or distance matrix
        owner.n_features_in_ = X.shape[1]
        return
    for name in names:
        if hasattr(source.estimator, name):
            setattr(owner, name, getattr(source.estimator, name))
