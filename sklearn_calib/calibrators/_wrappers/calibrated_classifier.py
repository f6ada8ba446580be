"""A classifier with calibrated probabilities: any classifier, any calibrator, no leak."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from ..._utils.compat import HasMethods, StrOptions, check_method_params, fit_context
from ..._utils.fitting_context import fitted_by
from ..._utils.links import logit, probability_floor
from .cross_fitting import (
    ScoreSource,
    beside,
    check_classification_data,
    copy_input_tags,
    cross_fit,
    fit_and_score,
    fitting_router,
    passthrough_transformer,
    route_metadata,
    split_rows,
)


class CalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
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
        The classifier, with `fit` and `predict_proba` or, failing that, `decision_function`. It is
        cloned. Preprocessing belongs inside: give it a pipeline. A
        :class:`~sklearn.frozen.FrozenEstimator` is left as it is and `cv` is not needed; the rows
        given to `fit` must then be others than the model was trained on.

    calibrator : calibrator
        The calibrator, such as :class:`OneVsRestCalibrator`. It is cloned.

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
        Features must be numbers.

    n_jobs : int, default=None
        Number of fits that run in parallel; None is one, -1 is all processors. The result does
        not depend on it.

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

    n_features_in_ : int
        Number of features seen in `fit`. Only if the classifier knows it.

    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen in `fit`. Only if the classifier knows them.

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

    For two classes the calibrator gets one column, that of ``classes_[1]``; it gets all columns for
    more classes, if features follow, and if it reads ``log(p)``.

    **Metadata.** With metadata routing, `sample_weight` and anything else given to `fit` goes to
    the children that request it: `estimator` and `calibrator` (and a transformer in `passthrough`)
    in `fit`, `cv` in `split` (`groups`). Without it, `sample_weight` goes to the children whose
    `fit` takes it, a `UserWarning` tells if the classifier (a pipeline, for example) or the
    calibrator does not, and further arguments go to the classifier. Groups without routing: give
    the splits themselves, ``cv=list(GroupKFold().split(X, y, groups))``.

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
        "estimator": [
            HasMethods(["fit", "predict_proba"]),
            HasMethods(["fit", "decision_function"]),
        ],
        "calibrator": [HasMethods(["fit", "predict_proba"])],
        "cv": ["cv_object"],
        "ensemble": ["boolean"],
        "passthrough": [
            StrOptions({"auto"}),
            "boolean",
            HasMethods(["fit", "transform"]),
            "array-like",
        ],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator: BaseEstimator,
        calibrator: BaseEstimator,
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
        X : {array-like, sparse matrix, list} of shape (n_samples, n_features) or (n_samples,)
            Whatever `estimator` takes.

        y : array-like of shape (n_samples,)
            Class labels.

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
        X, y, classes = check_classification_data(X, y, sample_weight)
        if classes.size > 2 and not get_tags(self).classifier_tags.multi_class:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: y "
                f"has {classes.size} classes, estimator={self.estimator} and calibrator="
                f"{self.calibrator}. Wrap a binary calibrator in OneVsRestCalibrator, and a binary "
                "classifier in sklearn's OneVsRestClassifier."
            )
        children = {"estimator": self.estimator, "calibrator": self.calibrator}
        routed = route_metadata(self, "fit", sample_weight, params, children)
        source = ScoreSource(self.estimator, self._transformer(), self._score_method(), classes)
        if self.ensemble:
            metadata = routed["splitter"]["split"]
            splits = split_rows(self.cv, X, y, classes, metadata, pooled=False)
            self._pairs = Parallel(n_jobs=self.n_jobs)(
                delayed(_fit_pair)(source, self.calibrator, X, y, train, test, routed)
                for train, test in splits
            )
        else:
            source, scores, features = cross_fit(source, X, y, self.cv, routed, self.n_jobs)
            pair = _CalibratedPair(source, self.calibrator)
            self._pairs = [pair.fit(scores, features, y, routed["calibrator"]["fit"])]
        self.classes_ = classes
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return calibrated probabilities.

        Parameters
        ----------
        X : {array-like, sparse matrix, list} of shape (n_samples, n_features) or (n_samples,)
            Whatever `estimator` takes.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            Rows sum to one, columns follow `classes_`.
        """
        check_is_fitted(self)
        return sum(pair.predict_proba(X) for pair in self._pairs) / len(self._pairs)

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the largest calibrated probability, the first one on ties.

        Parameters
        ----------
        X : {array-like, sparse matrix, list} of shape (n_samples, n_features) or (n_samples,)
            Whatever `estimator` takes.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels out of `classes_`. They may differ from what the uncalibrated classifier says.
        """
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

    @property
    def n_features_in_(self) -> int:
        """Number of features seen in `fit`."""
        return self.estimators_[0].n_features_in_

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the features seen in `fit`."""
        return self.estimators_[0].feature_names_in_

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the routing of metadata to the classifier, the calibrator and `cv`.

        Returns
        -------
        routing : MetadataRouter
        """
        return fitting_router(self, "fit").add(
            calibrator=self.calibrator,
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )

    def __sklearn_tags__(self):
        tags = copy_input_tags(super().__sklearn_tags__(), self.estimator)
        children = (get_tags(child).classifier_tags for child in (self.estimator, self.calibrator))
        tags.classifier_tags.multi_class = all(
            child is None or child.multi_class for child in children
        )
        return tags

    def _score_method(self):
        """Return the method of the classifier that the calibrator's input comes from."""
        if hasattr(self.estimator, "predict_proba"):
            return "predict_proba"
        if _input_scale(self.calibrator) == "probability":
            raise ValueError(
                f"estimator={self.estimator} has no predict_proba, but calibrator="
                f"{self.calibrator} reads probabilities. Use a calibrator of scores, such as "
                "PlattCalibrator() or OneVsRestCalibrator('platt'), or a classifier with "
                "predict_proba."
            )
        return "decision_function"

    def _transformer(self):
        """Return the transformer that makes the calibrator's features, or None."""
        takes_features = getattr(self.calibrator, "takes_features", None)
        if isinstance(self.passthrough, str):
            return passthrough_transformer(bool(takes_features))
        transformer = passthrough_transformer(self.passthrough)
        if transformer is not None and takes_features is False:
            raise ValueError(
                f"passthrough={self.passthrough} hands features on, but calibrator="
                f"{self.calibrator} reads scores only. Use passthrough='auto', or a calibrator "
                "that takes features."
            )
        return transformer

    def _only_pair(self, what):
        if len(self._pairs) > 1:
            raise AttributeError(
                f"{what}_ is not defined with ensemble=True; see {what}s_, one for each fold."
            )
        return self._pairs[0]


class _CalibratedPair:
    """A fitted source of scores and the calibrator that corrects them.

    Attributes
    ----------
    source : ScoreSource
        Fitted.
    calibrator : calibrator
        A template until `fit`, then the fitted calibrator.
    floor : float or None
        The distance to 0 and 1 at which probabilities are clipped before they become log-odds;
        None if the calibrator reads the scores as they are.
    """

    def __init__(self, source, calibrator):
        self.source = source
        self.calibrator = calibrator
        self.floor = None

    def fit(self, scores, features, y, metadata):
        """Fit a clone of the calibrator on scores and features of rows `source` has not seen."""
        if self.source.method == "predict_proba" and _input_scale(self.calibrator) != "probability":
            self.floor = probability_floor(scores)
        matrix = self._matrix(scores, features)
        self.calibrator = clone(self.calibrator)
        with fitted_by("classifier"):
            self.calibrator.fit(matrix, y, **metadata)
        return self

    def predict_proba(self, X):
        """Return calibrated probabilities."""
        matrix = self._matrix(self.source.scores(X), self.source.features(X))
        return self.calibrator.predict_proba(matrix)

    def _matrix(self, scores, features):
        """Return what the calibrator reads: scores on its scale, then features."""
        all_columns = features is not None or getattr(self.calibrator, "takes_features", False)
        if self.floor is not None and _input_scale(self.calibrator) == "log_probability":
            scores, all_columns = np.log(np.clip(scores, self.floor, 1.0 - self.floor)), True
        elif self.floor is not None:
            scores = _log_odds(scores, self.floor)
        if scores.shape[1] == 2 and not all_columns:
            scores = scores[:, 1:]
        return beside(scores, features)


def _fit_pair(source, calibrator, X, y, train, test, routed):
    """Fit a classifier on the training rows and a calibrator on the test rows of one fold."""
    source, scores, features = fit_and_score(source, X, y, train, test, routed)
    metadata = check_method_params(X, routed["calibrator"]["fit"], indices=test)
    return _CalibratedPair(source, calibrator).fit(scores, features, y[test], metadata)


def _input_scale(calibrator):
    """Return the scale that a calibrator declares; probabilities if it declares none."""
    scale = getattr(calibrator, "input_scale", "probability")
    if scale not in ("score", "probability", "logit", "log_probability"):
        raise ValueError(
            f"input_scale of calibrator={calibrator} must be 'score', 'probability', 'logit' or "
            f"'log_probability', got {scale!r}."
        )
    return scale


def _log_odds(proba, floor):
    """Return the log-odds of each class against the rest.

    Of two classes, the rarer one decides: next to one, probabilities have lost their last digits.
    """
    log_odds = logit(proba, floor)
    if proba.shape[1] == 2:
        positive = np.where(proba[:, 1] < proba[:, 0], log_odds[:, 1], -log_odds[:, 0])
        log_odds = np.column_stack([-positive, positive])
    return log_odds
