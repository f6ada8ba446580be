"""Get the probabilities that displays show from fitted estimators."""

from sklearn.utils import indexable

from .._data.arrays import refuse_hidden
from .._utils.arguments.estimators import check_classifier
from .._utils.arguments.named_errors import calling, naming, renaming
from .._utils.compat import check_response_method, count_rows, safe_indexing, safe_split

# In errors, rows are called what those who pass an estimator call them.
of_estimators = renaming(y_true="y", y_proba="predict_proba(X)")


def predict_proba(estimator, X):
    """Return the probabilities of a fitted classifier, or raise scikit-learn's usual error."""
    check_classifier(estimator)
    refuse_hidden(X, "X")
    answer = check_response_method(estimator, "predict_proba")
    with calling(estimator, "predict_proba(X)"):
        return answer(X)


def fold_predictions(cv_results, X, y, sample_weight):
    """Return (estimator, labels, probabilities, weights) of each held-out fold.

    `cv_results` come from `cross_validate`, with the estimators and indices.
    """
    with naming("cv_results"):
        missing = [key for key in ("estimator", "indices") if key not in cv_results]
    if missing:
        raise ValueError(
            f"cv_results has no {missing}. Call cross_validate with return_estimator=True and "
            "return_indices=True."
        )
    with naming("cv_results"):
        n_rows = 1 + max(max(test) for test in cv_results["indices"]["test"])
    for name, data in (("X", X), ("y", y), ("sample_weight", sample_weight)):
        refuse_hidden(data, name)
        with naming(name):
            left_out = data is None and name == "sample_weight"
            n = n_rows if left_out else count_rows(*indexable(data))
        if n < n_rows:
            raise ValueError(
                f"{name} must be that of the cross-validation, whose test rows go up to number "
                f"{n_rows - 1}, got {n} rows. Pass the same data, uncut."
            )
    folds = []
    indices = cv_results["indices"]
    for estimator, train, test in zip(cv_results["estimator"], indices["train"], indices["test"]):
        weight = None if sample_weight is None else safe_indexing(sample_weight, test)
        # Of a kernel or distance matrix, an estimator takes the columns of its training rows.
        X_test, y_test = safe_split(estimator, X, y, test, train)
        folds.append((estimator, y_test, predict_proba(estimator, X_test), weight))
    return folds
