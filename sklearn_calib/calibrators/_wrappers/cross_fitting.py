"""Cross-fitting: scores and features of rows, from models that have not seen these rows.

Shared by `CalibratedClassifier` and `CrossFitTransformer`. `X` is only ever indexed by rows: what
it is made of (numbers, text, a data frame, a sparse matrix) is the business of the classifier.
"""

import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import assert_all_finite, column_or_1d, get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter, indexable, validate_data

from ..._data.arrays import check_features, check_weights
from ..._utils.compat import check_method_params, routing_enabled, safe_indexing, safe_split

_ROUNDING = 1e-6  # float32 classifiers and exp(log p) leave [0, 1] by rounding, never by more

_HOW_TO_PASS_GROUPS = (
    "Enable metadata routing with sklearn.set_config(enable_metadata_routing=True) and pass "
    "groups= to fit, or give the splits themselves: cv=list(splitter.split(X, y, groups))."
)


class ScoreSource:
    """A classifier, and a transformer that makes the features that go along with its scores.

    Parameters
    ----------
    estimator : classifier
        Gives the scores.
    transformer : transformer or None
        Gives the features; None if there are none.
    method : {"predict_proba", "decision_function"}
        The method of `estimator` that gives the scores.
    classes : ndarray of shape (n_classes,)
        The classes of the whole target, in the order of the score columns.
    """

    def __init__(self, estimator, transformer, method, classes):
        self.estimator = estimator
        self.transformer = transformer
        self.method = method
        self.classes = classes

    def fit_clone(self, X, y, routed, rows=None):
        """Return a new source fitted on some rows, by default on all of them.

        Parameters
        ----------
        X, y : indexable, ndarray of shape (n_samples,)
            The data.
        routed : mapping
            Metadata for all rows, as `route_metadata` returns it.
        rows : ndarray of int, default=None
            The rows to fit on.
        """
        X_fit, y_fit = (X, y) if rows is None else safe_split(self.estimator, X, y, rows)

        def fit(template, name):
            metadata = check_method_params(X, routed[name]["fit"], indices=rows)
            estimator = clone(template)
            estimator.fit(X_fit, y_fit, **metadata)
            return estimator

        return ScoreSource(
            fit(self.estimator, "estimator"),
            None if self.transformer is None else fit(self.transformer, "transformer"),
            self.method,
            self.classes,
        )

    @property
    def is_frozen(self):
        """Whether no part of the source learns from the rows it is fitted on."""
        fixed = (FrozenEstimator, PassthroughColumns, type(None))
        return isinstance(self.estimator, FrozenEstimator) and isinstance(self.transformer, fixed)

    def scores(self, X):
        """Return a float64 matrix of shape (n_samples, n_classes), one column a class."""
        name = type(self.estimator).__name__
        if not np.array_equal(self.estimator.classes_, self.classes):
            raise ValueError(
                f"{name} was fitted on the classes {np.asarray(self.estimator.classes_).tolist()}, "
                f"but y has the classes {self.classes.tolist()}. Every class needs rows in both: "
                "add rows of the missing classes, or leave out those of the additional ones."
            )
        scores = np.asarray(getattr(self.estimator, self.method)(X), dtype=np.float64)
        if self.method == "decision_function" and scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
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
        """Return the features as a float64 matrix, or None if there are none."""
        if self.transformer is None:
            return None
        features = self.transformer.transform(X)
        if sparse.issparse(features):
            if features is X:
                raise ValueError(
                    "passthrough= would turn all columns of the sparse X into dense features. "
                    "Give passthrough= a list of columns, a transformer with few dense columns "
                    "(such as TruncatedSVD), or False to use no features."
                )
            features = features.toarray()
        try:
            return check_features(features, name="X")
        except ValueError as error:
            raise ValueError(
                f"{error} These are the features chosen by passthrough=. Give it a list of numeric "
                "columns, a transformer that makes numbers of X, or False to use no features."
            ) from error


class PassthroughColumns(OneToOneFeatureMixin, BaseEstimator):
    """Hand columns of X on as they are.

    Parameters
    ----------
    columns : list of int or str, default=None
        Positions, or names in a data frame; None hands on X itself.
    """

    def __init__(self, columns=None):
        self.columns = columns

    def fit(self, X, y=None):
        """Remember the number and the names of the columns of X."""
        validate_data(self, X, skip_check_array=True)
        return self

    def transform(self, X):
        """Return the chosen columns of X."""
        if self.columns is None:
            return X
        X = X if hasattr(X, "shape") else np.asarray(X)
        try:
            return safe_indexing(X, self.columns, axis=1)
        except (IndexError, KeyError, ValueError) as error:
            known = getattr(X, "columns", None)
            raise ValueError(
                f"passthrough={self.columns} does not choose columns of X, which has "
                f"{X.shape[1] if X.ndim == 2 else 'no'} columns"
                f"{'' if known is None else f', {list(known)}'}. Give positions from 0, or names "
                "if X is a data frame."
            ) from error

    def get_feature_names_out(self, input_features=None):
        """Return the names of the chosen columns."""
        names = super().get_feature_names_out(input_features)
        if self.columns is None:
            return names
        columns = np.asarray(self.columns)
        return columns.astype(object) if columns.dtype.kind in "OU" else names[columns]


def passthrough_transformer(passthrough):
    """Return the transformer that a `passthrough` argument stands for, or None for False."""
    if hasattr(passthrough, "transform"):
        return passthrough
    if isinstance(passthrough, bool | np.bool_):
        return PassthroughColumns() if passthrough else None
    return PassthroughColumns(list(passthrough))


def check_classification_data(X, y, sample_weight):
    """Return X ready for indexing by rows, y as a vector, and the sorted classes of y.

    The weights are checked, and left to the children in the form in which they came.
    """
    X, y = indexable(X, column_or_1d(y, warn=True))
    if y.size == 0:
        raise ValueError("y is empty, with 0 sample(s); at least two rows are needed.")
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
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
                f"sample_weight is zero for every row of class {_list(weightless)}. Give the class "
                "some weight, or leave out its rows."
            )
    return X, y, classes


def fitting_router(owner, *callers):
    """Return the router of a meta-estimator that fits and splits in the given methods."""
    to_fit, to_split = MethodMapping(), MethodMapping()
    for caller in callers:
        to_fit.add(caller=caller, callee="fit")
        to_split.add(caller=caller, callee="split")
    return (
        MetadataRouter(owner=owner)
        .add(estimator=owner.estimator, transformer=owner.passthrough, method_mapping=to_fit)
        .add(splitter=owner.cv, method_mapping=to_split)
    )


def route_metadata(owner, method, sample_weight, params, weighted):
    """Return ``routed[child][method]``, the metadata for every child of a meta-estimator.

    Without metadata routing, `params` go to the estimator, and `sample_weight` to every child whose
    `fit` takes it. A child in `weighted` that does not is named in a warning.

    Parameters
    ----------
    owner : estimator
        The meta-estimator.
    method : {"fit", "fit_transform"}
        The method that was called.
    sample_weight : array-like of shape (n_samples,) or None
        Weights.
    params : dict
        Further metadata.
    weighted : dict of {str: estimator}
        The children, by name, that must not miss the weights.
    """
    if routing_enabled():
        if sample_weight is not None:
            params = {**params, "sample_weight": sample_weight}
        return process_routing(owner, method, **params)
    if "groups" in params:
        raise ValueError(f"groups= cannot reach cv= as it is. {_HOW_TO_PASS_GROUPS}")
    routed: dict[str, dict[str, dict]] = {name: {"fit": {}} for name in (*weighted, "transformer")}
    routed["splitter"] = {"split": {}}
    routed["estimator"]["fit"].update(params)
    if sample_weight is None:
        return routed
    for name, child in {**weighted, "transformer": owner.passthrough}.items():
        if hasattr(child, "fit") and has_fit_parameter(child, "sample_weight"):
            routed[name]["fit"]["sample_weight"] = sample_weight
        elif name in weighted and not isinstance(child, FrozenEstimator):
            warnings.warn(
                f"{type(child).__name__}.fit does not take sample_weight, so this {name} is fitted "
                "without weights and the probabilities are likely to be off. Enable metadata "
                "routing with sklearn.set_config(enable_metadata_routing=True) and request the "
                "weights where they are meant to go with set_fit_request(sample_weight=True).",
                UserWarning,
                stacklevel=4,
            )
    return routed


def split_rows(cv, X, y, classes, metadata, *, pooled):
    """Return the checked (training, test) row numbers of every fold.

    Parameters
    ----------
    cv : int, splitter, iterable or None
        As in scikit-learn.
    X, y : indexable, ndarray of shape (n_samples,)
        The data.
    classes : ndarray of shape (n_classes,)
        The classes of `y`.
    metadata : dict
        Arguments for ``split``.
    pooled : bool
        True: the test parts are put together, so they must be a partition of the rows. False: each
        test part is used on its own, so it must hold every class.
    """
    cv = check_cv(cv, y, classifier=True)
    if "groups" not in metadata and get_routing_for_object(cv).consumes("split", ["groups"]):
        raise ValueError(f"cv={cv} needs groups. {_HOW_TO_PASS_GROUPS}")
    rows = np.arange(y.size)
    splits = [(rows[train], rows[test]) for train, test in cv.split(X, y, **metadata)]
    if not splits:
        raise ValueError(f"cv={cv} gives no fold; at least one is needed.")
    for number, (train, test) in enumerate(splits, start=1):
        fold = f"Fold {number} of {len(splits)} of cv"
        shared = np.intersect1d(train, test)
        if shared.size:
            raise ValueError(
                f"{fold} trains and tests on the same rows (row {shared[0]} and "
                f"{shared.size - 1} more), so that their scores leak. Give cv= disjoint training "
                "and test rows."
            )
        _check_classes(fold, "training", classes, y[train], "")
        if not pooled:
            _check_classes(fold, "test", classes, y[test], ", or ensemble=False, which pools them")
    counts = np.bincount(np.concatenate([test for _, test in splits]), minlength=y.size)
    if pooled and (counts != 1).any():
        row = int((counts != 1).argmax())
        raise ValueError(
            "The test folds of cv must form a partition, with each row in exactly one of them, but "
            f"row {row} is in {counts[row]}. Use a splitter such as StratifiedKFold. Repeated, "
            "overlapping or partial splits work with CalibratedClassifier(..., ensemble=True)."
        )
    return splits


def _list(labels):
    return ", ".join(map(repr, labels.tolist()))


def _check_classes(fold, part, classes, y, alternative):
    missing = np.setdiff1d(classes, y)
    if missing.size:
        raise ValueError(
            f"{fold} has no row of class {_list(missing)} among its "
            f"{y.size} {part} rows. Use a stratified cv= such as StratifiedKFold, with no more "
            f"folds than the rarest class has rows{alternative}."
        )


def fit_and_score(source, X, y, train, test, routed):
    """Fit a clone of a source on the training rows; return it, and scores and features elsewhere.

    Returns
    -------
    fitted : ScoreSource
        Has seen the training rows only.
    scores : ndarray of shape (n_test, n_classes)
        Scores of the test rows.
    features : ndarray of shape (n_test, n_features) or None
        Features of the test rows.
    """
    fitted = source.fit_clone(X, y, routed, rows=train)
    X_test, _ = safe_split(source.estimator, X, None, test, train)
    scores = fitted.scores(X_test)
    if scores.shape[0] != test.size:
        raise ValueError(
            f"{source.method} of {type(source.estimator).__name__} must give one row for each of "
            f"the {test.size} rows it was asked for, got {scores.shape[0]}."
        )
    return fitted, scores, fitted.features(X_test)


def cross_fit(source, X, y, cv, routed, n_jobs):
    """Fit a source on all rows, and score each row by a model that has not seen it.

    A frozen source, which learns nothing from these rows, scores all of them at once.

    Returns
    -------
    fitted : ScoreSource
        Has seen all rows.
    scores : ndarray of shape (n_samples, n_classes)
        Out-of-fold scores of all rows.
    features : ndarray of shape (n_samples, n_features) or None
        Out-of-fold features of all rows.
    """
    if source.is_frozen:
        fitted = source.fit_clone(X, y, routed)
        return fitted, fitted.scores(X), fitted.features(X)
    splits = split_rows(cv, X, y, source.classes, routed["splitter"]["split"], pooled=True)
    fitted, *folds = Parallel(n_jobs=n_jobs)(
        [
            delayed(source.fit_clone)(X, y, routed),
            *(delayed(_score_fold)(source, X, y, train, test, routed) for train, test in splits),
        ]
    )
    order = np.argsort(np.concatenate([test for _, test in splits]))
    scores = np.concatenate([scores for scores, _ in folds])[order]
    if source.transformer is None:
        return fitted, scores, None
    widths = {features.shape[1] for _, features in folds}
    if len(widths) > 1:
        raise ValueError(
            f"The transformer in passthrough= gives {sorted(widths)} columns in different folds. "
            "Give it fixed categories or components, or fit it beforehand on other rows and wrap "
            "it in FrozenEstimator."
        )
    return fitted, scores, np.concatenate([features for _, features in folds])[order]


def _score_fold(*args):
    """Leave the fitted source of a fold where it was fitted."""
    return fit_and_score(*args)[1:]


def beside(scores, features):
    """Put features, if there are any, to the right of scores."""
    return scores if features is None else np.hstack([scores, features])


def copy_input_tags(tags, estimator):
    """Declare that X may be whatever the wrapped estimator takes."""
    tags.input_tags.sparse = get_tags(estimator).input_tags.sparse
    tags.input_tags.allow_nan = get_tags(estimator).input_tags.allow_nan
    tags.input_tags.pairwise = get_tags(estimator).input_tags.pairwise
    return tags
