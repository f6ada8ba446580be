"""Test the calibration of an estimator on rows that its fitted copies never saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import indexable
from sklearn.utils.parallel import Parallel, delayed

from .._data.arrays import check_weights, refuse_masked
from .._data.labels import check_target
from .._utils.compat import check_method_params, check_response_method, safe_indexing, safe_split
from .._utils.fitting_context import from_predict_proba
from .._utils.options import check_integer
from .._utils.random_streams import check_generator
from .._utils.results import Result
from .._utils.splits import make_splits
from .._utils.types import RandomState
from ._check_calibration import check_calibration
from ._result import CalibrationTestResult

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False, eq=False)
class CrossValidatedTestResult(Result):
    """Outcome of :func:`calibration_test_score`; unpacks as ``(statistic, pvalue)``.

    Attributes
    ----------
    statistic : float
        Mean of the statistics of the folds.
    pvalue : float
        ``min(1, 2 * mean(fold_pvalues))``, valid however the folds depend on each other.
    fold_pvalues : ndarray of shape (n_folds,)
        The p-value of each fold, exact given its training rows.
    fold_results : tuple of CalibrationTestResult
        The tests of the folds.

    See Also
    --------
    calibration_test_score : Makes it.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_calib.inference import calibration_test_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = calibration_test_score(GaussianNB(), X, y, cv=3, random_state=0)
    >>> len(result.fold_results)
    3
    """

    _summary = ("statistic", "pvalue", "n_folds", "fold_pvalues")

    statistic: float
    pvalue: float
    fold_pvalues: np.ndarray
    fold_results: tuple[CalibrationTestResult, ...]

    def __iter__(self):
        """Yield the statistic and the p-value."""
        return iter((self.statistic, self.pvalue))

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.fold_results)

    def to_frame(self) -> pd.DataFrame:
        """Return the tests of the folds as a table.

        Returns
        -------
        frame : DataFrame
            One row per fold, with the columns of :meth:`CalibrationTestResult.to_frame`.
        """
        import pandas as pd

        return pd.DataFrame([one._row() for one in self.fold_results]).rename_axis("fold")


def calibration_test_score(
    estimator: BaseEstimator,
    X: Any,
    y: ArrayLike,
    *,
    cv: Any = None,
    groups: ArrayLike | None = None,
    local: bool = False,
    params: Any = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    **test_options: Any,
) -> CrossValidatedTestResult:
    r"""Test the calibration of a classifier by cross-validation.

    For each fold a copy of the estimator is fitted on the other folds and tested by
    :func:`check_calibration` on this one. Given its training rows, each fold's p-value :math:`p_k`
    is exact; they depend on each other, so they are put together by a rule that needs no
    independence [1]_:

    .. math:: p = \min\Big(1, \frac{2}{K} \sum_{k=1}^{K} p_k\Big), \qquad P(p \le \alpha) \le \alpha

    if every fitted copy is calibrated.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba``; it is cloned. To test a model that is calibrated as well, pass the
        whole (a pipeline, or ``CalibratedClassifier``), so that its calibrator is fitted on the
        training rows too.
    X : array-like of shape (n_samples, n_features)
        What the estimator takes.
    y : array-like of shape (n_samples,)
        Labels.
    cv : int, cross-validation generator or iterable, default=None
        As in :func:`sklearn.model_selection.cross_validate`; None is 5 folds, stratified.
    groups : array-like of shape (n_samples,), default=None
        For a splitter that needs groups. Rows of one group must not be spread over training and
        test rows, and within a fold the test still takes rows as independent.
    local : bool or callable, default=False
        Whether the test is local, that is, with features: True takes the rows of `X` (which must be
        numeric), a callable turns them into numeric features.
    params : dict, default=None
        Passed to ``estimator.fit``; arrays with one entry per row are split.
    sample_weight : array-like of shape (n_samples,), default=None
        Importance weights of the tests. For the fits use `params`.
    n_jobs : int, default=None
        Number of folds at a time.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the tests; the splitter and the estimator have their own.
    **test_options : dict
        Further options of :func:`check_calibration`, such as ``statistic`` or ``target``. `labels`
        are those of the fitted copies.

    Returns
    -------
    result : CrossValidatedTestResult
        Unpacks as ``(statistic, pvalue)`` and holds the tests of the folds.

    Raises
    ------
    AttributeError
        If the estimator has no ``predict_proba``.
    ValueError
        If an argument is malformed, `cv` gives no fold or names rows that do not exist, or the
        test of a fold is impossible (the message names it), for example because it has one row
        only or a label that its training rows lack.

    See Also
    --------
    check_calibration : The test of given predictions.

    Notes
    -----
    There is no p-value from pooled out-of-fold predictions here: each of these depends on the
    labels of the other folds, and the simulated null does not hold for them (pooled base rates are
    rejected in 0 to 0.5 % of runs at a nominal 5 %). The combined p-value is conservative.

    References
    ----------
    .. [1] V. Vovk, R. Wang, "Combining p-values via averaging", Biometrika 107 (2020),
       arXiv:1212.4966.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn_calib.inference import calibration_test_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> logistic = make_pipeline(StandardScaler(), LogisticRegression())
    >>> for model in (GaussianNB(), logistic):
    ...     result = calibration_test_score(model, X, y, random_state=0)
    ...     print(f"p = {result.pvalue:.3f}")
    p = 0.002
    p = 0.960
    """
    if params is not None and not isinstance(params, Mapping):
        raise ValueError(
            "params must be None or a dict of arguments for fit, such as {'sample_weight': w}, got "
            f"{params!r}."
        )
    if not (isinstance(local, bool | np.bool_) or callable(local)):
        raise ValueError(
            f"local must be True, False or a function that turns X into features, got {local!r}."
        )
    refuse_masked(X, "X")
    X, y, groups = indexable(X, check_target(y), groups)
    splits = make_splits(cv, X, y, classifier=is_classifier(estimator), groups=groups)
    weight = check_weights(sample_weight, len(y))
    check_integer(test_options.get("n_resamples", 1), "n_resamples", 1)
    if "labels" in test_options:
        raise ValueError("labels is not an option here; it is classes_ of the fitted estimator.")
    seeds = check_generator(random_state).integers(2**63, size=len(splits))
    results = Parallel(n_jobs=n_jobs)(
        delayed(_test_fold)(
            number,
            clone(estimator),
            X,
            y,
            weight,
            train,
            test,
            local,
            params,
            int(seed),
            test_options,
        )
        for number, ((train, test), seed) in enumerate(zip(splits, seeds))
    )
    pvalues = np.array([result.pvalue for result in results])
    return CrossValidatedTestResult(
        statistic=float(np.mean([result.statistic for result in results])),
        pvalue=float(min(1.0, 2.0 * pvalues.mean())),
        fold_pvalues=pvalues,
        fold_results=tuple(results),
    )


def _test_fold(number, estimator, X, y, weight, train, test, local, params, seed, test_options):
    """Fit on the training rows and test on the others."""
    X_train, y_train = safe_split(estimator, X, y, train)
    X_test, y_test = safe_split(estimator, X, y, test, train)
    estimator.fit(X_train, y_train, **check_method_params(X, params or {}, indices=train))
    predict_proba = check_response_method(estimator, "predict_proba")
    features = None
    if local:
        features = local(X_test) if callable(local) else X_test
    try:
        with from_predict_proba():
            return check_calibration(
                y_test,
                predict_proba(X_test),
                features,
                sample_weight=None if weight is None else safe_indexing(weight, test),
                labels=estimator.classes_,
                random_state=seed,
                **test_options,
            )
    except ValueError as error:
        raise ValueError(
            f"Fold {number}, with {len(test)} rows, cannot be tested: {error}"
        ) from error
