"""Scorers of the calibration errors, for ``scoring=`` in scikit-learn."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np
from sklearn.metrics import brier_score_loss
from sklearn.metrics import get_scorer as _get_sklearn_scorer
from sklearn.utils.validation import check_is_fitted

from .._data.arrays import refuse_hidden
from .._data.features import read_features
from .._data.predictions import check_predictions
from .._utils.arguments.estimators import check_classifier
from .._utils.arguments.named_errors import calling, renaming
from .._utils.compat import Scorer, check_response_method
from .._utils.fitting_context import from_predict_proba
from .._utils.options import shorten
from ._metric import METRICS

# scikit-learn's cache of predictions does not know which column it holds. It takes a list of
# methods as well, of which it uses the first; asked in this way, it keeps an answer of its own.
_OWN_ANSWER = ("predict_proba",)
_BRIER = "neg_brier_score"


class _CalibrationScorer(Scorer):
    """A `make_scorer` object that tells the metric what each column of predict_proba means."""

    def _score(self, method_caller, estimator, X, y_true, **kwargs):
        self._warn_overlap(
            "Options were set in make_calibration_scorer and passed as metadata; the metadata are "
            "used.",
            kwargs,
        )
        check_classifier(estimator)
        check_response_method(estimator, "predict_proba")
        refuse_hidden(X, "X")
        classes = getattr(estimator, "classes_", None)
        if classes is None:
            check_is_fitted(estimator)
        if classes is not None and len(classes) < 2:
            raise ValueError(
                f"{type(estimator).__name__} has seen only one class in fit, {list(classes)}; a "
                "calibration error needs two. Use a stratified splitter or more rows."
            )
        with calling(estimator, "predict_proba(X)"):
            proba = method_caller(estimator, _OWN_ANSWER, X, pos_label=None)
        if proba.ndim == 1:
            proba = np.column_stack([1.0 - proba, proba])
        options = {"labels": classes, **self._kwargs, **kwargs}
        features = ()
        if _takes_features(self._score_func):
            select = options.pop("features")
            features = (X if select is None else select(X),)
        try:
            with from_predict_proba(), renaming(y_proba="predict_proba(X)"):
                value = self._score_func(y_true, proba, *features, **options)
        except ValueError as error:
            if features:
                _explain_text_features(*features, self.__name__, error)
            raise
        if not _is_real(value):
            raise TypeError(
                f"metric {_name(self._score_func)} must return one number, got {shorten(value)} of "
                f"type {type(value).__name__}."
            )
        metric = _described(self._score_func)
        if metric is not None:
            value = float(metric.badness(value))
        return self._sign * value


def _is_real(value):
    """Return whether something is one number, maybe an array without dimensions."""
    return isinstance(value, Real) or (
        np.ndim(value) == 0 and np.asarray(value).dtype.kind in "biuf"
    )


def _unwrap(metric):
    """Return the function that a chain of partials calls."""
    while hasattr(metric, "func"):
        metric = metric.func
    return metric


def _name(metric):
    """Return what a metric is called in an error."""
    return getattr(metric, "__name__", metric)


def _described(metric):
    """Return the description of a metric of this package, None for other functions."""
    function = _unwrap(metric)
    found = METRICS.get(getattr(function, "__name__", ""))
    return found if found is not None and found.function is function else None


def _takes_features(metric):
    return "X" in signature(metric).parameters


def _explain_text_features(features, name, error):
    """Raise an error that names ``features=`` if the features are the reason for another error."""
    try:
        read_features(features)
    except ValueError as reason:
        raise ValueError(
            f"{name} needs features, by default the input of the estimator: {reason} Make a scorer "
            "with make_calibration_scorer(..., features=function) whose function returns features "
            "that can be used, such as X[['age', 'income']]."
        ) from error


def make_calibration_scorer(metric: Callable[..., float], **kwargs: Any) -> Scorer:
    """Make a scorer from a calibration error of this package, or from one with its signature.

    Compared with :func:`sklearn.metrics.make_scorer` the scorer hands all columns of
    ``predict_proba`` and ``labels=estimator.classes_`` to the metric, so text labels and a fold
    that lacks a class give the right number. Scores are the negative error: greater is better.
    For a metric of this package that may deviate both ways, such as a ratio whose ideal is one, the
    score is the negative distance from its ideal.

    Parameters
    ----------
    metric : callable
        ``metric(y_true, y_proba, *, labels, ...)`` or, with a third argument `X`,
        ``metric(y_true, y_proba, X, *, labels, ...)``. Lower is better.
    **kwargs : dict
        Options handed to the metric. For a metric that takes `X`, ``features=`` may be None (the
        estimator's input is used as it is) or a picklable callable ``X -> features``.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y)`` -> float. It pickles, takes part in metadata routing
        (``set_score_request(sample_weight=True)``), has a ``__name__`` such as "neg_ece", and
        shares predictions with the other scorers of this package in
        :func:`sklearn.model_selection.cross_validate`.

    Raises
    ------
    ValueError
        If the metric has no parameter of a given name or none called `labels`, if an option is the
        name of data that the scorer passes itself, if `features` is neither None nor a callable, or
        if the metric is a function of this package that is no error, such as
        :func:`calibration_bins`. When scoring,
        :class:`~sklearn.exceptions.NotFittedError` if the estimator is not fitted.
    TypeError
        When scoring, if the metric does not return a number.

    Warns
    -----
    UserWarning
        When scoring, if an option is given here and as metadata as well.

    See Also
    --------
    get_scorer : Scorers by name.

    Notes
    -----
    Select models by a proper score such as "neg_log_loss" and read the calibration scores beside
    it: a constant model at the base rate is calibrated. Unbiased errors (`skce`, `kce`, `klce` by
    default) rank models below zero by noise; where a calibration error has to choose, take a form
    that is never negative, with a bandwidth that is a number.

    For binary data scikit-learn computes one vector of probabilities per fold and hands it to all
    of its scorers, of the class that the first one asked for. The scorers of this package keep out
    of that: they share predictions with each other only, so each is right beside a scorer with any
    ``pos_label`` and leaves it right; the estimator predicts once more for them.

    The text ``scoring="neg_ece"`` is not understood by scikit-learn. It looks texts up in a private
    table, offers no public way to add to it, and each worker process has a table of its own. Write
    ``scoring=get_scorer("neg_ece")``, or ``scoring=neg_ece_scorer``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_calib.metrics import ece, make_calibration_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = make_calibration_scorer(ece, n_bins=10)
    >>> cross_val_score(GaussianNB(), X, y, cv=3, scoring=scorer).round(3)
    array([-0.084, -0.05 , -0.048])
    """
    if not callable(metric):
        raise ValueError(
            f"metric must be a function such as sklearn_calib.metrics.ece, got {metric!r}. For a "
            "scorer by name use sklearn_calib.metrics.get_scorer."
        )
    _refuse_other_functions(metric)
    kwargs = _check_options(metric, kwargs)
    scorer = _CalibrationScorer(metric, -1, kwargs, "predict_proba")
    function = _unwrap(metric)
    scorer.__name__ = f"neg_{getattr(function, '__name__', type(function).__name__)}"
    return scorer


def _refuse_other_functions(metric):
    """Raise for what this package calls by another name than that of an error."""
    module = str(getattr(_unwrap(metric), "__module__", "")).split(".")[0]
    if module == __name__.split(".")[0] and _described(metric) is None and metric != _brier_score:
        raise ValueError(
            f"metric {_name(_unwrap(metric))} of {module} is no calibration error. Pass one of "
            f"{sorted(METRICS)}, or a function of your own."
        )


def _check_options(metric, kwargs):
    """Return the options of a metric, or raise if it cannot be called with them."""
    try:
        called = signature(metric)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"metric {_name(metric)} does not say which parameters it has. Pass a function "
            "metric(y_true, y_proba, *, labels) that calls it."
        ) from error
    parameters = called.parameters
    data = [*parameters][:2] + ["X"] * ("X" in parameters)
    if "X" in parameters:
        kwargs = {"features": None, **kwargs}
        select = kwargs["features"]
        if select is not None and not callable(select):
            raise ValueError(
                "features must be None, for the input of the estimator, or a function of it, got "
                f"{shorten(select)}. Pass a function such as one that returns X[['age', 'income']]."
            )
    own = sorted({"y_true", "y_proba", "X", *data} & set(kwargs))
    if own:
        raise ValueError(
            f"make_calibration_scorer got {own}, which the scorer passes to the metric itself, "
            "from the data that it is called with. Leave this out."
        )
    asked = {name: value for name, value in kwargs.items() if name != "features"}
    if "X" not in parameters and "features" in kwargs:
        asked["features"] = kwargs["features"]
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        options = [name for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY]
        unknown = sorted(set(asked) - set(parameters))
        if unknown:
            raise ValueError(
                f"metric {_name(metric)} has no parameter {unknown}. Its options are {options}."
            )
    try:
        called.bind_partial(*[None] * max(2, len(data)), **{"labels": None, **asked})
    except TypeError as error:
        raise ValueError(
            f"metric {_name(metric)} cannot be called as metric(y_true, y_proba, *, labels, ...): "
            f"{error}. Pass a function with these parameters; labels are the classes of the "
            "columns of y_proba."
        ) from error
    return kwargs


def _brier_score(y_true, y_proba, *, sample_weight=None, pos_label=None, labels=None):
    """Return scikit-learn's Brier score, whatever the labels are."""
    predictions = check_predictions(
        y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels
    )
    binary = predictions.n_classes == 2
    return brier_score_loss(
        predictions.codes,
        predictions.proba[:, 1] if binary else predictions.proba,
        sample_weight=predictions.weight,
        labels=range(predictions.n_classes),
    )


@cache
def _shipped_scorer(metric):
    scorer = make_calibration_scorer(metric.function, **metric.scorer)
    scorer.__doc__ = _describe(metric)
    return scorer


def _describe(metric):
    """Return the docstring of the scorer of a metric, so that each has its own first line."""
    function = f":func:`~sklearn_calib.metrics.{metric.name}`"
    if metric.alternative == "greater":
        first = f"Score by the negative of {function} ({metric.label})."
    else:
        scale = ", on the scale of logarithms" if metric.ratio else ""
        first = f"Score by minus the distance of {function} from {metric.ideal:g}{scale}."
    options = ", ".join(f"``{name}={value!r}``" for name, value in metric.scorer.items())
    used = f"The options are the defaults of the metric{options and f', except {options}'}."
    return (
        f"{first}\n\nGreater is better. {used}\n"
        f'``get_scorer("neg_{metric.name}")`` returns a copy, and\n'
        ":func:`~sklearn_calib.metrics.make_calibration_scorer` sets other options."
    )


def shipped_scorers() -> dict[str, Scorer]:
    """Return the scorers of all metrics that have one, by name."""
    return {
        f"neg_{name}": _shipped_scorer(metric)
        for name, metric in METRICS.items()
        if metric.scorer is not None
    }


def get_scorer(scoring: str | Callable) -> Callable:
    """Get a scorer by name: one of this package, or else one of scikit-learn.

    Calibration alone prefers models that predict the same for everyone. Select models by a proper
    score (``refit="neg_log_loss"``) and read the calibration scores beside it.

    Parameters
    ----------
    scoring : str or callable
        A name of :func:`get_scorer_names`, a name known to :func:`sklearn.metrics.get_scorer`, or
        a scorer, which is returned as it is.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y)`` -> float, greater is better; a new copy at each call.

        The scorer of a metric uses the metric's defaults, except that "neg_kce" sets
        ``squared=False, bandwidth=0.2`` and "neg_klce" sets ``prob_bandwidth=0.2``, because a
        bandwidth that depends on the predictions makes models incomparable. "neg_skce" and
        "neg_klce" are unbiased: they may be positive for a calibrated model, so they cannot choose
        between calibrated models. "neg_klce" reads the estimator's input. The scorers of metrics
        that may deviate both ways, such as "neg_calibration_slope", give minus the distance from
        the ideal.

        "neg_brier_score" is scikit-learn's score, and takes text labels as well. Other names give
        scikit-learn's own scorers.

    Raises
    ------
    ValueError
        If neither this package nor scikit-learn knows the name.

    Examples
    --------
    >>> from sklearn_calib.metrics import get_scorer
    >>> get_scorer("neg_ece")
    make_scorer(ece, greater_is_better=False, response_method='predict_proba')
    """
    if scoring is None:
        raise ValueError("scoring must be a name or a scorer, got None. See get_scorer_names().")
    shipped = shipped_scorers()
    if isinstance(scoring, str) and scoring in shipped:
        return copy.deepcopy(shipped[scoring])
    if isinstance(scoring, str) and scoring == _BRIER:
        return _named(make_calibration_scorer(_brier_score), _BRIER)
    try:
        return _named(_get_sklearn_scorer(scoring), scoring)
    except ValueError as error:
        raise ValueError(
            f"scoring={shorten(scoring)} is not a scorer of sklearn_calib {get_scorer_names()}, "
            "nor of scikit-learn (sklearn.metrics.get_scorer_names())."
        ) from error


def _named(scorer, name):
    """Give a scorer that was asked for by name this name."""
    if isinstance(name, str):
        scorer.__name__ = name
    return scorer


def get_scorer_names() -> list[str]:
    """Get the names of this package's scorers.

    Returns
    -------
    names : list of str
        Sorted names that :func:`get_scorer` accepts beside those of scikit-learn.

    Examples
    --------
    >>> from sklearn_calib.metrics import get_scorer_names
    >>> get_scorer_names()[:2]
    ['neg_average_calibration_error', 'neg_calibration_intercept']
    """
    return sorted(shipped_scorers())
