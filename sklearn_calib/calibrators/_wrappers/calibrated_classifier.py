"""A classifier with calibrated probabilities: any classifier, any calibrator, no leak."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from ..._data.fitting.accuracy import AccuracyMixin
from ..._data.partitions import map_rows
from ..._utils.arguments.constraints import N_JOBS
from ..._utils.compat import HasMethods, StrOptions, fit_context
from ..._utils.dask_collections import is_partitioned
from ..._utils.docs import fill_doc
from ..._utils.options import refuse_arguments
from .calibrated_pair import CalibratedPair, fit_pair
from .cross_fitting import (
    check_classification_data,
    copy_feature_counts,
    copy_input_tags,
    cross_fit,
)
from .folds import split_rows
from .method_names import calibrator_names, resolve_calibrator
from .passthrough import passthrough_transformer
from .routing import find_weights, fitting_router, route_metadata
from .score_source import ScoreSource


@fill_doc(classifier="the classifier")
class CalibratedClassifier(AccuracyMixin, MetaEstimatorMixin, BaseEstimator):
    """Put a calibrator behind a classifier, without scoring a row by a model that saw it.

    The calibrator is fitted on out-of-fold scores: `cv` splits the rows, a clone of the
    classifier is fitted on the training rows of each fold and scores its test rows. Then the
    classifier is fitted on all rows, and `predict_proba` sends its scores through the calibrator.
    With ``ensemble=True``, each fold keeps its own pair of classifier and calibrator, and their
    probabilities are averaged.

    Any calibrator works, also one of more than two classes or one that reads features beside the
    scores, and so does any object with `fit` and `predict_proba` that can be cloned. The
    classifier receives `X` as it came: numbers, text, a data frame, a sparse matrix.

    Parameters
    ----------
    estimator : classifier
        The classifier, with `fit` and `predict_proba` or, failing that, `decision_function`; they
        may appear in `fit`, as those of a stacking classifier do. It is cloned. Preprocessing
        belongs inside: give it a pipeline. A :class:`~sklearn.frozen.FrozenEstimator` is left as
        it is and `cv` is not needed; the rows given to `fit` must then be others than the model
        was trained on.

    calibrator : calibrator, str or None, default=None
        The calibrator, such as :class:`OneVsRestCalibrator`; it is cloned. A name stands for a
        calibrator with its default parameters: "adaptive", "platt" (or "sigmoid"), "beta",
        "isotonic", "centered_isotonic", "venn_abers", "histogram", "scaling_binning",
        "temperature", "vector_scaling", "matrix_scaling" or "dirichlet", with one map a class
        where the method is for two classes. None stands for `AdaptiveCalibrator`.

    cv : int, splitter, iterable or None, default=5
        The folds; an int makes stratified folds without shuffling, None stands for 5. The training
        rows of every fold must hold every class. With ``ensemble=False`` the test folds must form
        a partition of the rows (leave-one-out is fine); with ``ensemble=True`` they may repeat or
        overlap, but each must hold every class.

    ensemble : bool, default=False
        False: one classifier, fitted on all rows, and one calibrator, fitted on all out-of-fold
        scores; prediction costs one classifier. True: the average over the pairs of the folds;
        each calibrator has seen the scores of just the classifier it is paired with, but fewer of
        them.

    passthrough : "auto", bool, list of int or str, or transformer, default="auto"
        Features for the calibrator, to the right of the scores. "auto": all columns of `X` if the
        calibrator takes features, otherwise none. A list holds positions, or names in a data
        frame. A transformer is fitted on the training rows of each fold, and with
        ``ensemble=False`` again on all rows, so its columns must mean the same in every fold.
        Features must be numbers, but for `KernelRecalibrator`, which reads text, categories and
        missing values as well, and columns by name if `X` is a data frame.

    <<n_jobs>>

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The sorted class labels.

    estimators_ : list of classifiers
        One classifier per fold; a single one, fitted on all rows, if ``ensemble=False``.

    calibrators_ : list of calibrators
        The calibrator of each classifier in `estimators_`.

    estimator_ : classifier
        The only classifier. Not defined if ``ensemble=True``.

    calibrator_ : calibrator
        The only calibrator. Not defined if ``ensemble=True``.

    <<feature_counts>>

    See Also
    --------
    CrossFitTransformer : The same idea as a step of a pipeline.
    OneVsRestCalibrator : Calibrates any number of classes with a binary method.
    sklearn.calibration.CalibratedClassifierCV : Sigmoid, isotonic or temperature scaling.

    Notes
    -----
    **What the calibrator reads.** A calibrator declares its scale in `input_scale` (taken to be
    "probability" where it does not). "probability" gets `predict_proba`. "score" and "logit" get
    the log-odds ``log(p / (1 - p))`` of `predict_proba`, "log_probability" gets ``log(p)`` of all
    classes; where there is no `predict_proba`, all three get `decision_function`. The log-odds of
    0 and 1 are infinite; they are taken as half the smallest distance to 0 or 1 that occurs among
    the scores the calibrator is fitted on, or machine epsilon if that is more, and anything closer
    to 0 or 1 likewise. So the scores of a forest of 100 trees are clipped at 0.005, and naive Bayes
    keeps its tails.

    A calibrator whose tags say that it reads text (`KernelRecalibrator`) gets a data frame if the
    features have names: scores, named like their classes, and then the features. If a feature has
    the name of a class, the feature keeps it and the score is called ``probability_`` and the
    class. If all text classes have a feature of their name, there are no names, only positions.

    For two classes the calibrator gets one column, that of ``classes_[1]``; it gets all columns for
    more classes, if features follow, and if it reads ``log(p)``.

    **Calibrators of probabilities behind a classifier without them** (LinearSVC, RidgeClassifier).
    Isotonic regression and histograms have no scale of their own and read the scores as they are,
    up to their unit: in every column, the smallest and the largest calibration score become 0 and
    1. For other calibrators a Platt step comes first, one class against the rest, fitted on the
    same out-of-fold scores, and they read its probabilities.

    **Scores of pairs.** A `decision_function` that compares pairs of classes, as that of an SVC
    with ``decision_function_shape="ovo"``, is turned into one score for each class, as "ovr" does
    it. For three classes, which have three pairs, the predictions of the classifier tell which it
    is.

    **Kernels and distances.** If the classifier takes a precomputed kernel or distance matrix,
    `predict_proba` takes the columns of all rows of `fit`, with ``ensemble=True`` too.

    **Metadata.** With metadata routing, `sample_weight` and anything else given to `fit` goes to
    the children that request it: `estimator` and `calibrator` (and a transformer in `passthrough`)
    in `fit`, `cv` in `split` (`groups`). Without it, `sample_weight` goes to the children whose
    `fit` takes it, and a `UserWarning` tells if the classifier (a pipeline, for example) or the
    calibrator does not. Further arguments go to the classifier; weights among them for one of its
    steps (``logisticregression__sample_weight``) go to the calibrator too. Groups without routing:
    give the splits themselves, ``cv=list(GroupKFold().split(X, y, groups))``, but not inside
    another cross-validation, whose folds have other rows.

    **Cost.** One fit of the classifier per fold, and one more on all rows if ``ensemble=False``.
    Nothing here is random; give `cv` and the parts a `random_state` where they have one.

    References
    ----------
    Zadrozny, B. and Elkan, C. (2002). Transforming classifier scores into accurate multiclass
    probability estimates. KDD 2002, 694-699. doi:10.1145/775047.775151.

    Niculescu-Mizil, A. and Caruana, R. (2005). Predicting good probabilities with supervised
    learning. ICML 2005, 625-632. doi:10.1145/1102351.1102430.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.metrics import log_loss
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_calib.calibrators import CalibratedClassifier, OneVsRestCalibrator
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> raw = GaussianNB().fit(X_train, y_train)
    >>> calibrated = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator("beta"))
    >>> calibrated = calibrated.fit(X_train, y_train)
    >>> [round(log_loss(y_test, clf.predict_proba(X_test)), 2) for clf in (raw, calibrated)]
    [0.41, 0.14]
    """

    __metadata_request__fit = {"sample_weight": UNUSED}

    _parameter_constraints: dict = {
        # The scores of stacking, a pipeline or a search may appear in fit.
        "estimator": [HasMethods(["fit"])],
        "calibrator": [HasMethods(["fit", "predict_proba"]), str, None],
        "cv": ["cv_object"],
        "ensemble": ["boolean"],
        "passthrough": [
            StrOptions({"auto"}),
            "boolean",
            HasMethods(["fit", "transform"]),
            "array-like",
        ],
        "n_jobs": N_JOBS,
    }

    @refuse_arguments(
        method="the name of a method, or a calibrator, is calibrator=: for example "
        "CalibratedClassifier(classifier, 'isotonic')"
    )
    def __init__(
        self,
        estimator: BaseEstimator,
        calibrator: BaseEstimator | str | None = None,
        *,
        cv: Any = 5,
        ensemble: bool = False,
        passthrough: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.calibrator = calibrator
        self.cv = cv
        self.ensemble = ensemble
        self.passthrough = passthrough
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any
    ) -> Self:
        """Fit the classifier, and the calibrator on scores of rows it has not seen.

        Parameters
        ----------
        <<rows_and_labels>>

        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, for the classifier and the calibrator; see the Notes.

        **params : dict
            Further metadata; see the Notes.

        Returns
        -------
        self : object
            The fitted classifier.

        Raises
        ------
        ValueError
            If a class is missing in a fold, the folds share rows between training and test or are
            no partition (``ensemble=False``), the calibrator reads probabilities but the
            classifier has none, or the features are not numbers.

        Warns
        -----
        UserWarning
            If `sample_weight` cannot be passed on to the classifier or the calibrator.
        """
        sample_weight = find_weights(sample_weight, params)
        X, y, classes, sample_weight = check_classification_data(X, y, sample_weight)
        calibrator = self._check_calibrator()
        if classes.size > 2 and not get_tags(self).classifier_tags.multi_class:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: y "
                f"has {classes.size} classes, estimator={self.estimator} and calibrator="
                f"{calibrator}. Wrap a binary calibrator in OneVsRestCalibrator, and a binary "
                "classifier in sklearn's OneVsRestClassifier."
            )
        children = {"estimator": self.estimator, "calibrator": calibrator}
        routed = route_metadata(self, "fit", sample_weight, params, children)
        any_kind = get_tags(calibrator).input_tags.string
        source = ScoreSource(self.estimator, self._transformer(calibrator), classes, any_kind)
        if self.ensemble:
            splits = split_rows(self.cv, X, y, classes, routed, pooled=False)
            self._pairs = Parallel(n_jobs=self.n_jobs)(
                delayed(fit_pair)(source, calibrator, X, y, train, test, routed)
                for train, test in splits
            )
        else:
            source, scores, features = cross_fit(source, X, y, self.cv, routed, self.n_jobs)
            pair = CalibratedPair(source, calibrator)
            self._pairs = [pair.fit(scores, features, y, routed["calibrator"]["fit"])]
        self.classes_ = classes
        copy_feature_counts(self, self._pairs[0].source, X)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return calibrated probabilities.

        Parameters
        ----------
        <<rows_of_estimator>>
            <<rows_in_partitions>>

        <<returns_proba>>
        """
        check_is_fitted(self)
        if is_partitioned(X):
            return map_rows(self.predict_proba, X, n_columns=self.classes_.size, dtype=float)
        return sum(pair.predict_proba(X) for pair in self._pairs) / len(self._pairs)

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the largest calibrated probability, the first one on ties.

        Parameters
        ----------
        <<rows_of_estimator>>
            <<rows_in_partitions>>

        <<returns_class>>
        """
        check_is_fitted(self)
        if is_partitioned(X):
            return map_rows(self.predict, X, n_columns=None, dtype=self.classes_.dtype)
        proba = self.predict_proba(X)
        return self.classes_[proba.argmax(axis=1)]

    @property
    def estimators_(self) -> list:
        """The fitted classifiers."""
        return [pair.source.estimator for pair in self._pairs]

    @property
    def calibrators_(self) -> list:
        """The fitted calibrators."""
        return [pair.calibrator for pair in self._pairs]

    @property
    def estimator_(self) -> Any:
        """The only classifier, fitted on all rows."""
        return self._only_pair("estimator").source.estimator

    @property
    def calibrator_(self) -> Any:
        """The only calibrator, fitted on all out-of-fold scores."""
        return self._only_pair("calibrator").calibrator

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the routing of metadata to the classifier, the calibrator and `cv`.

        Returns
        -------
        routing : MetadataRouter
        """
        return fitting_router(self, "fit").add(
            calibrator=resolve_calibrator(self.calibrator),
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )

    def __sklearn_tags__(self):
        tags = copy_input_tags(super().__sklearn_tags__(), self.estimator)
        children = (self.estimator, resolve_calibrator(self.calibrator))
        of_children = [get_tags(child).classifier_tags for child in children if child is not None]
        tags.classifier_tags.multi_class = all(
            child is None or child.multi_class for child in of_children
        )
        return tags

    def _validate_params(self):
        if isinstance(self.cv, str):
            raise ValueError(
                "The 'cv' parameter of CalibratedClassifier must be a number of folds, a splitter "
                f"or an iterable of splits. Got {self.cv!r} instead. A classifier that is trained "
                "already needs no folds: wrap it in FrozenEstimator, CalibratedClassifier("
                "FrozenEstimator(classifier), calibrator), and fit on rows that it has not seen."
            )
        super()._validate_params()

    def _check_calibrator(self):
        """Return the calibrator that the parameter is or names."""
        calibrator = resolve_calibrator(self.calibrator)
        if calibrator is None:
            raise ValueError(
                "The 'calibrator' parameter of CalibratedClassifier must be a calibrator, such as "
                f"OneVsRestCalibrator(), or one of {calibrator_names()}. Got {self.calibrator!r} "
                "instead."
            )
        return calibrator

    def _transformer(self, calibrator):
        """Return the transformer that makes the calibrator's features, or None."""
        takes_features = getattr(calibrator, "takes_features", None)
        if isinstance(self.passthrough, str):
            return passthrough_transformer(bool(takes_features))
        transformer = passthrough_transformer(self.passthrough)
        if transformer is not None and takes_features is False:
            raise ValueError(
                f"passthrough={self.passthrough} hands features on, but calibrator="
                f"{calibrator} reads scores only. Use passthrough='auto', or a calibrator "
                "that takes features."
            )
        return transformer

    def _only_pair(self, what):
        if len(self._pairs) > 1:
            raise AttributeError(
                f"{what}_ is not defined with ensemble=True; see {what}s_, one for each fold."
            )
        return self._pairs[0]
