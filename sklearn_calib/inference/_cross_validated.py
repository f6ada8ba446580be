"""Test the calibration of an estimator on rows that its fitted copies never saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import combine_pvalues
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.model_selection import KFold, TimeSeriesSplit
from sklearn.utils.parallel import Parallel, delayed

from .._data.arrays import check_weights
from .._data.fitting.rows import check_rows
from .._utils.arguments.estimators import check_classifier
from .._utils.arguments.named_errors import calling, naming
from .._utils.arguments.random_streams import check_generator
from .._utils.arguments.splits import (
    is_ready_made,
    make_splits,
    refuse_repeated_tests,
    refuse_shared_rows,
)
from .._utils.compat import check_method_params, check_response_method, safe_indexing, safe_split
from .._utils.dask_collections import refuse_partitioned
from .._utils.docs import fill_doc
from .._utils.fitting_context import from_predict_proba
from .._utils.options import check_integer, check_jobs, check_option, shorten
from .._utils.progress import reporter
from .._utils.results import Result
from .._utils.stack import warn
from .._utils.types import Progress, RandomState
from ._check_calibration import check_calibration
from ._result import CalibrationTestResult

if TYPE_CHECKING:
    import pandas as pd

# Parts that cv="forward" tests; one more, the first, only trains.
_N_FORWARD = 5


@dataclass(frozen=True, repr=False, eq=False)
class CrossValidatedTestResult(Result):
    """Outcome of :func:`calibration_test_score`; unpacks as ``(statistic, pvalue)``.

    Attributes
    ----------
    statistic : float
        Mean of the statistics of the folds.
    pvalue : float
        The p-values of the folds put together as `combination` says.
    fold_pvalues : ndarray of shape (n_folds,)
        The p-value of each fold, exact given its training rows.
    fold_results : tuple of CalibrationTestResult
        The tests of the folds.
    combination : {"bonferroni", "fisher"}
        "bonferroni" is the smallest p-value times the number of folds, at most 1, which is valid
        however the folds depend on each other; "fisher" compares minus twice the sum of their
        logarithms with a chi-squared distribution.

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

    _summary = ("statistic", "pvalue", "n_folds", "fold_pvalues", "combination")

    statistic: float
    pvalue: float
    fold_pvalues: np.ndarray
    fold_results: tuple[CalibrationTestResult, ...]
    combination: str

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


@fill_doc()
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
    verbose: Progress = False,
    **test_options: Any,
) -> CrossValidatedTestResult:
    r"""Test the calibration of a classifier by cross-validation.

    For each fold a copy of the estimator is fitted on the other folds and tested by
    :func:`check_calibration` on this one. If the splitter does not look at the labels, each fold's
    p-value :math:`p_k` is exact given its training rows. The p-values depend on each other, so they
    are combined by a rule that needs no independence (Bonferroni):

    .. math:: p = \min\Big(1, K \min_k p_k\Big), \qquad P(p \le \alpha) \le \alpha

    if every fitted copy is calibrated. With ``cv="forward"`` the model that is tested on a part of
    the rows is fitted on the parts before it only. Each p-value is then exact given everything
    before, and Fisher's rule [1]_ combines them exactly in sequence.

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
    cv : int, "forward", cross-validation generator or iterable, default=None
        The folds. An int makes that many folds of shuffled rows, not stratified, and None makes 5
        of them. "forward" cuts the shuffled rows into six parts, of which all but the first are
        tested. Other values are as in :func:`sklearn.model_selection.cross_validate`; with
        :class:`~sklearn.model_selection.TimeSeriesSplit` the p-values are combined as for
        "forward". Stratified folds fix how often each label occurs in the test rows, which makes
        the test conservative.
    groups : array-like of shape (n_samples,), default=None
        For a splitter that needs groups; others ignore them with a warning. Rows of one group must
        not be spread over training and test rows, and within a fold the test still takes rows as
        independent.
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
        Seed of the tests and of the folds that this function makes. A splitter and the estimator
        have their own.
    <<verbose>>
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
        If an argument is malformed, `cv` gives no fold, names rows that do not exist, tests rows on
        which the fold trains or a row several times, or the test of a fold is impossible (the
        message names it), for example because it has one row only or a label that its training rows
        lack.
    TypeError
        If the rows are a Dask collection, which cannot be split by row numbers.

    Warns
    -----
    UserWarning
        If `groups` are given and `cv` does not look at them.

    See Also
    --------
    check_calibration : The test of given predictions.

    Notes
    -----
    There is no p-value from pooled out-of-fold predictions here: each of these depends on the
    labels of the other folds, and the simulated null does not hold for them (pooled base rates are
    rejected in 0 to 0.5 % of runs at a nominal 5 %). The smallest possible p-value by Bonferroni is
    K times that of a fold, so use enough resamples.

    References
    ----------
    .. [1] R. A. Fisher, "Statistical Methods for Research Workers", 4th edition, Oliver and Boyd
       1932.

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
    p = 0.005
    p = 0.560
    """
    named = isinstance(params, Mapping) and all(isinstance(key, str) for key in params)
    if params is not None and not named:
        raise ValueError(
            "params must be None or a dict of arguments for fit, such as {'sample_weight': w}, got "
            f"{shorten(params)}."
        )
    if not (isinstance(local, bool | np.bool_) or callable(local)):
        raise ValueError(
            f"local must be True, False or a function that turns X into features, got {local!r}."
        )
    check_classifier(estimator)
    check_jobs(n_jobs)
    refuse_partitioned(X=X, y=y, sample_weight=sample_weight, groups=groups)
    X, y, groups = check_rows(X, y, groups=groups)
    rng = check_generator(random_state)
    forward = isinstance(cv, TimeSeriesSplit)
    if groups is not None and (isinstance(cv, str) or is_ready_made(cv)):
        named = "cv='forward'" if isinstance(cv, str) else "splits that were made beforehand"
        warn(
            f"groups is ignored by {named}, so that rows of one group may be in training and test "
            "rows alike. Pass a splitter that needs groups, such as cv=GroupKFold(5)."
        )
    if isinstance(cv, str):
        check_option(cv, "cv", ("forward",))
        forward, splits = True, _forward_splits(rng.permutation(len(y)))
    else:
        if cv is None or isinstance(cv, Integral):
            seed = int(rng.integers(2**32))
            with naming("cv"):
                cv = KFold(5 if cv is None else cv, shuffle=True, random_state=seed)
        splits = make_splits(cv, X, y, classifier=is_classifier(estimator), groups=groups)
    refuse_shared_rows(splits)
    refuse_repeated_tests(splits)
    weight = check_weights(sample_weight, len(y))
    check_integer(test_options.get("n_resamples", 1), "n_resamples", 1)
    if "labels" in test_options:
        raise ValueError("labels is not an option here; it is classes_ of the fitted estimator.")
    seeds = rng.integers(2**63, size=len(splits))
    shared = X, y, weight, local, params, test_options
    jobs = (
        delayed(_test_fold)(number, clone(estimator), split, int(seed), *shared)
        for number, (split, seed) in enumerate(zip(splits, seeds))
    )
    results = []
    with reporter("calibration_test_score", verbose) as say:
        for result in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
            results.append(result)
            say.count(len(results), len(splits), "folds")
    pvalues = np.array([result.pvalue for result in results])
    return CrossValidatedTestResult(
        statistic=float(np.mean([result.statistic for result in results])),
        pvalue=float(combine_pvalues(pvalues).pvalue if forward else _bonferroni(pvalues)),
        fold_pvalues=pvalues,
        fold_results=tuple(results),
        combination="fisher" if forward else "bonferroni",
    )


def _bonferroni(pvalues):
    """Return a p-value that is valid whatever the dependence of these."""
    return min(1.0, pvalues.size * pvalues.min())


def _forward_splits(order):
    """Return pairs of all rows before a part and the rows of the part."""
    if order.size <= _N_FORWARD:
        raise ValueError(
            f"n too small: cv='forward' cuts the rows into {_N_FORWARD + 1} parts, "
            f"got {order.size} rows."
        )
    parts = np.array_split(order, _N_FORWARD + 1)
    return [
        (np.sort(np.concatenate(parts[:number])), np.sort(parts[number]))
        for number in range(1, len(parts))
    ]


def _test_fold(number, estimator, split, seed, X, y, weight, local, params, test_options):
    """Fit on the training rows and test on the others."""
    train, test = split
    X_train, y_train = safe_split(estimator, X, y, train)
    X_test, y_test = safe_split(estimator, X, y, test, train)
    with calling(estimator, "fit(X, y, **params)" if params else "fit(X, y)"):
        estimator.fit(X_train, y_train, **check_method_params(X, params or {}, indices=train))
    predict_proba = check_response_method(estimator, "predict_proba")
    features = None
    if local:
        features = local(X_test) if callable(local) else X_test
    if len(estimator.classes_) == 1:
        raise ValueError(
            f"Fold {number} cannot be tested: its training rows have the class "
            f"{estimator.classes_[0]!r} only. Pass rows of two classes, or stratified folds."
        )
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
