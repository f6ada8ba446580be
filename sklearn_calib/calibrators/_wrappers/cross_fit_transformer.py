"""Cross-fitted probabilities of a classifier, as a step of a pipeline."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, TransformerMixin
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter
from sklearn.utils.validation import check_is_fitted

from ..._utils.arguments.constraints import N_JOBS
from ..._utils.arguments.named_errors import naming
from ..._utils.compat import HasMethods, check_feature_names_in, fit_context
from ..._utils.docs import fill_doc
from .cross_fitting import (
    check_classification_data,
    copy_feature_counts,
    copy_input_tags,
    cross_fit,
)
from .named_features import beside
from .passthrough import passthrough_transformer
from .routing import find_weights, fitting_router, route_metadata
from .score_source import ScoreSource


@fill_doc(classifier="`estimator_`")
class CrossFitTransformer(TransformerMixin, MetaEstimatorMixin, BaseEstimator):
    """Turn rows into the class probabilities of a classifier that has not seen them.

    A classifier is too sure of itself on the rows it was fitted on, so a calibrator that learns
    from such rows learns the wrong map. In a pipeline, this step gives the calibrator behind it
    out-of-fold probabilities when the pipeline is fitted::

        make_pipeline(StandardScaler(), CrossFitTransformer(clf), OneVsRestCalibrator())

    `fit_transform` fits one clone of the classifier per fold of `cv` on the training rows of the
    fold and returns the probabilities of its test rows. `transform` returns the probabilities of
    the classifier fitted on all rows. The output always consists of probabilities, one column per
    class in the order of `classes_`, also for two classes; features follow if `passthrough` asks
    for them. A calibrator that reads other scores by nature takes ``input="probability"``.

    .. warning::
        ``fit(X, y).transform(X)`` differs from ``fit_transform(X, y)``: it is in-sample, the
        classifier has seen these rows. Never fit a calibrator on it. A pipeline calls
        `fit_transform`.

    Parameters
    ----------
    estimator : classifier
        The classifier, with `fit` and `predict_proba`. It is cloned, and receives `X` as it came.
        A :class:`~sklearn.frozen.FrozenEstimator` is not fitted; it must come from other rows.

    cv : int, splitter, iterable or None, default=5
        The folds; an int makes stratified folds without shuffling, None stands for 5. The test
        folds must form a partition of the rows, and the training rows of every fold must hold
        every class.

    passthrough : bool, list of int or str, or transformer, default=False
        Features that follow the probabilities: all columns of `X`, some of them (positions, or
        names in a data frame), or the output of a transformer. The transformer is fitted on the
        training rows of each fold, and again on all rows, so its columns must mean the same in
        every fold. Features must be numbers.

    <<n_jobs>>

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The sorted class labels, which the columns of probabilities follow.

    estimator_ : classifier
        The classifier fitted on all rows.

    transformer_ : transformer or None
        What makes the features, fitted on all rows; None without features.

    <<feature_counts>>

    See Also
    --------
    CalibratedClassifier : A classifier and a calibrator in one; also averages over folds.
    sklearn.preprocessing.TargetEncoder : Another transformer that cross-fits.

    Notes
    -----
    The cost is one fit of `estimator` per fold and one on all rows. Nothing here is random; give
    `cv` and `estimator` a `random_state` where they have one.

    With metadata routing, `fit` and `fit_transform` pass `sample_weight` and other metadata on to
    `estimator`, to the transformer in `passthrough` and to `cv` (`groups`), as they request it.
    Without it, `sample_weight` goes to the estimator and the transformer if their `fit` takes it
    (a `UserWarning` tells if that of the estimator does not), and further arguments go to the
    estimator.

    References
    ----------
    Chernozhukov, V., Chetverikov, D., Demirer, M., Duflo, E., Hansen, C., Newey, W. and
    Robins, J. (2018). Double/debiased machine learning for treatment and structural parameters.
    The Econometrics Journal, 21(1), C1-C68. doi:10.1111/ectj.12097 (for the term cross-fitting).

    Wolpert, D. H. (1992). Stacked generalization. Neural Networks, 5(2), 241-259.
    doi:10.1016/S0893-6080(05)80023-1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_calib.calibrators import CrossFitTransformer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> cross_fit = CrossFitTransformer(GaussianNB())
    >>> cross_fit.fit_transform(X, y).shape
    (569, 2)
    >>> cross_fit.get_feature_names_out()
    array(['crossfittransformer_0', 'crossfittransformer_1'], dtype=object)
    """

    __metadata_request__fit = {"sample_weight": UNUSED}
    __metadata_request__fit_transform = {"sample_weight": UNUSED}

    _parameter_constraints: dict = {
        # The probabilities of stacking, a pipeline or a search may appear in fit.
        "estimator": [HasMethods(["fit"])],
        "cv": ["cv_object"],
        "passthrough": ["boolean", HasMethods(["fit", "transform"]), "array-like"],
        "n_jobs": N_JOBS,
    }

    def __init__(
        self,
        estimator: BaseEstimator,
        *,
        cv: Any = 5,
        passthrough: Any = False,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.passthrough = passthrough
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any
    ) -> Self:
        """Fit the classifier on all rows.

        Use `fit_transform` to get training data for the next step: `transform` of the same rows
        is in-sample.

        Parameters
        ----------
        <<fit_rows>>

        Returns
        -------
        self : object
            The fitted transformer.
        """
        X, y, source, routed = self._prepare("fit", X, y, sample_weight, params)
        return self._keep(source.fit_clone(X, y, routed), X)

    @fit_context(prefer_skip_nested_validation=False)
    def fit_transform(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any
    ) -> np.ndarray:
        """Fit the classifier on all rows and return out-of-fold probabilities of the same rows.

        Parameters
        ----------
        <<fit_rows>>

        Returns
        -------
        Z : ndarray of shape (n_samples, n_classes + n_passed_features)
            Probabilities of each row by a classifier that has not seen it, followed by features.

        Raises
        ------
        ValueError
            If the folds are no partition of the rows, share rows between training and test, or a
            class is missing among the training rows of one.
        """
        X, y, source, routed = self._prepare("fit_transform", X, y, sample_weight, params)
        source, scores, features = cross_fit(source, X, y, self.cv, routed, self.n_jobs)
        self._keep(source, X)
        return beside(scores, features, self.classes_)

    def transform(self, X: Any) -> np.ndarray:
        """Return the probabilities of the classifier fitted on all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, list} of shape (n_samples, n_features) or (n_samples,)
            Whatever `estimator` takes; rows that were not used in `fit`.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_classes + n_passed_features)
            Probabilities, followed by features.
        """
        check_is_fitted(self)
        return beside(self._source.scores(X), self._source.features(X), self.classes_)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> np.ndarray:
        """Return one name per class, such as "crossfittransformer_yes", and those of the features.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns of `X`, used for the features that `passthrough` adds.

        Returns
        -------
        names : ndarray of str objects of shape (n_classes + n_passed_features,)
        """
        check_is_fitted(self)
        with naming("input_features"):
            check_feature_names_in(self, input_features, generate_names=False)
        prefix = type(self).__name__.lower()
        names = np.array([f"{prefix}_{label}" for label in self.classes_], dtype=object)
        if self.transformer_ is None:
            return names
        return np.concatenate([names, self.transformer_.get_feature_names_out(input_features)])

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the routing of metadata to `estimator`, `passthrough` and `cv`.

        Returns
        -------
        routing : MetadataRouter
        """
        return fitting_router(self, "fit", "fit_transform")

    def __sklearn_tags__(self):
        tags = copy_input_tags(super().__sklearn_tags__(), self.estimator)
        tags.target_tags.required = True
        return tags

    def _prepare(self, method, X, y, sample_weight, params):
        """Return what `fit` and `fit_transform` start from."""
        sample_weight = find_weights(sample_weight, params)
        X, y, classes, sample_weight = check_classification_data(X, y, sample_weight)
        weighted = {"estimator": self.estimator}
        routed = route_metadata(self, method, sample_weight, params, weighted)
        transformer = passthrough_transformer(self.passthrough)
        return X, y, ScoreSource(self.estimator, transformer, classes), routed

    def _keep(self, source, X):
        """Set the fitted attributes."""
        if source.method != "predict_proba":
            raise ValueError(
                "The 'estimator' parameter of CrossFitTransformer must have 'predict_proba' once "
                f"it is fitted, which {self.estimator} has not. Use CalibratedClassifier, which "
                "also reads decision_function, or a classifier with predict_proba."
            )
        copy_feature_counts(self, source, X)
        self._source = source
        self.classes_ = source.classes
        self.estimator_ = source.estimator
        self.transformer_ = source.transformer
        return self
