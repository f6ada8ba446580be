"""A classifier as the source of the scores that a calibrator reads."""

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags

from ..._data.arrays import check_features, refuse_hidden
from ..._data.features import read_features
from ..._data.named_columns import arrange_table
from ..._utils.arguments.named_errors import calling
from ..._utils.compat import check_method_params, count_rows, safe_indexing, safe_split
from .named_features import column_names, with_names
from .pair_scores import class_scores, scores_pairs
from .passthrough import PassthroughColumns

_ROUNDING = 1e-6  # float32 classifiers and exp(log p) leave [0, 1] by rounding, never by more


class ScoreSource:
    """A classifier, and a transformer that makes the features that go along with its scores.

    Parameters
    ----------
    estimator : classifier
        Gives the scores.
    transformer : transformer or None
        Gives the features; None if there are none.
    classes : ndarray of shape (n_classes,)
        The classes of the whole target, in the order of the score columns.
    any_kind : bool, default=False
        Whether features may be text, categories and missing values, too.

    Attributes
    ----------
    method : {"predict_proba", "decision_function"}
        The method of `estimator` that gives the scores, known once it is fitted: probabilities
        where there are any.
    scores_pairs : bool
        Whether `decision_function` compares pairs of classes.
    columns : ndarray of int or None
        Those columns of a precomputed kernel or distance matrix that belong to the training rows;
        None if all do, or `X` holds features.
    """

    def __init__(self, estimator, transformer, classes, any_kind=False):
        self.estimator = estimator
        self.transformer = transformer
        self.classes = classes
        self.any_kind = any_kind
        self.columns = None

    def fit_clone(self, X, y, routed, rows=None):
        """Return a new source fitted on some rows, by default on all of them.

        `routed` is the metadata for all rows, as `route_metadata` returns it.
        """
        X_fit, y_fit = (X, y) if rows is None else self._take(X, y, rows, rows)

        def fit(template, name):
            metadata = check_method_params(X, routed[name]["fit"], indices=rows)
            estimator = clone(template)
            with calling(estimator, "fit(X, y)"):
                estimator.fit(X_fit, y_fit, **metadata)
            return estimator

        fitted = ScoreSource(
            fit(self.estimator, "estimator"),
            None if self.transformer is None else fit(self.transformer, "transformer"),
            self.classes,
            self.any_kind,
        )
        fitted.columns = rows if self.is_pairwise else None
        fitted.learn_form(X_fit)
        return fitted

    def learn_form(self, X):
        """Find out, from rows of the fit, what the fitted classifier gives."""
        if hasattr(self.estimator, "predict_proba"):
            self.method = "predict_proba"
        elif hasattr(self.estimator, "decision_function"):
            self.method = "decision_function"
        else:
            raise ValueError(
                f"estimator={self.estimator} has neither predict_proba nor decision_function after "
                "fit, and calibration needs one of them. Use a classifier."
            )
        self.scores_pairs = self.method == "decision_function" and scores_pairs(
            self.estimator, X, self.classes
        )

    @property
    def is_pairwise(self):
        """Whether X is a kernel or distance matrix with a column for each training row."""
        pairwise = get_tags(self.estimator).input_tags.pairwise
        return pairwise and not isinstance(self.estimator, FrozenEstimator)

    def _take(self, X, y, rows, train):
        """Return rows of X and y; of a kernel or distance matrix the columns `train` of them."""
        if self.is_pairwise:
            return safe_split(self.estimator, X, y, rows, train)
        return safe_indexing(X, rows), None if y is None else safe_indexing(y, rows)

    def test_rows(self, X, test, train):
        """Return the rows `test` in the form that a source fitted on the rows `train` takes."""
        return self._take(X, None, test, train)[0]

    def rows_of_all(self, X):
        """Return new rows, which refer to all rows that there were, in the form the source takes.

        The columns of a kernel or distance matrix are reduced to those of the training rows.
        """
        if self.columns is None:
            return X
        return safe_indexing(X, self.columns, axis=1)

    @property
    def is_frozen(self):
        """Whether no part of the source learns from the rows it is fitted on."""
        fixed = (FrozenEstimator, PassthroughColumns, type(None))
        return isinstance(self.estimator, FrozenEstimator) and isinstance(self.transformer, fixed)

    def scores(self, X):
        """Return a float64 matrix of shape (n_samples, n_classes), one column a class."""
        refuse_hidden(X, "X")
        name = type(self.estimator).__name__
        own = np.asarray(self.estimator.classes_).tolist()
        if own != self.classes.tolist() and set(own) == set(self.classes.tolist()):
            raise ValueError(
                f"{name} has the classes in the order {own}; classes_ and the columns of its "
                f"scores must have the sorted order {self.classes.tolist()}, as scikit-learn's do."
            )
        if not np.array_equal(self.estimator.classes_, self.classes):
            raise ValueError(
                f"{name} was fitted on the classes {own}, but y has the classes "
                f"{self.classes.tolist()}. Every class needs rows in both: add rows of the missing "
                "classes, or leave out those of the additional ones."
            )
        with calling(self.estimator, f"{self.method}(X)"):
            scores = getattr(self.estimator, self.method)(X)
        if self.method == "predict_proba":
            scores = arrange_table(scores, self.classes)
        scores = np.asarray(scores, dtype=np.float64)
        if self.method == "decision_function" and scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        if self.scores_pairs and scores.ndim == 2:
            scores = class_scores(scores, self.classes.size)
        if scores.ndim != 2 or scores.shape[1] != self.classes.size:
            raise ValueError(
                f"{self.method} of {name} must give one column for each of the "
                f"{self.classes.size} classes, got an array of shape {scores.shape}."
            )
        if not np.isfinite(scores).all():
            raise ValueError(
                f"{self.method} of {name} gave NaN or infinity; calibration needs finite scores."
            )
        if self.method == "decision_function":
            return scores
        proba = np.clip(scores, 0.0, 1.0)
        if np.abs(scores - proba).max(initial=0.0) > _ROUNDING:
            raise ValueError(
                f"predict_proba of {name} must lie in [0, 1], got values from {scores.min():.6g} "
                f"to {scores.max():.6g}. Name the method decision_function if these are scores."
            )
        return proba

    def features(self, X):
        """Return the features as a matrix of float64, or of objects; None if there are none.

        If they may be of any kind and their columns have names, they are a data frame.
        """
        if self.transformer is None:
            return None
        with calling(self.transformer, "transform(X)"):
            features = self.transformer.transform(X)
        n_rows, n_given = count_rows(X), count_rows(features)
        if n_given != n_rows:
            raise ValueError(
                f"The transformer of passthrough= must give one row for each of the {n_rows} rows "
                f"of X, got {n_given}."
            )
        if sparse.issparse(features):
            if features is X:
                raise ValueError(
                    "passthrough= would turn all columns of the sparse X into dense features. "
                    "Give passthrough= a list of columns, a transformer with few dense columns "
                    "(such as TruncatedSVD), or False to use no features."
                )
            features = features.toarray()
        if self.any_kind:
            return with_names(
                _matrix_of_any_kind(features), column_names(self.transformer, X, features)
            )
        try:
            return check_features(features, name="X")
        except ValueError as error:
            raise ValueError(
                f"{error} These are the features chosen by passthrough=. Give it a list of numeric "
                "columns, a transformer that makes numbers of X, or False to use no features."
            ) from error


def _matrix_of_any_kind(features):
    """Return a matrix of float64, or one of objects where a column holds categories.

    A category is shown as text, so that it is read as one again; a missing one is None.
    """
    table = read_features(features, "X")
    if all(column.codes is None and column.whole is None for column in table.columns):
        return np.column_stack([column.numbers for column in table.columns])
    matrix = np.empty(table.shape, dtype=object)
    for k, column in enumerate(table.columns):
        if column.codes is None:
            missing = np.isnan(column.numbers)
            matrix[:, k] = np.where(missing, column.numbers, column.exact.astype(object))
        else:
            shown = np.array([*map(str, column.levels), None], dtype=object)
            matrix[:, k] = shown[column.codes]
    return matrix
