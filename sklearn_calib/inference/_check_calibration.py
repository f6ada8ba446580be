"""Test whether predicted probabilities are calibrated."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._data.features import warn_if_one_feature_dominates
from .._utils.docs import fill_doc
from .._utils.options import check_flag, check_integer, check_option
from .._utils.random_streams import check_generator
from .._utils.types import Bandwidth, FeatureBandwidth, Label, RandomState
from ._nulls.batches import NULLS, null_values
from ._nulls.given_draws import GivenDraws
from ._nulls.residuals import CentredResamples
from ._result import CalibrationTestResult, monte_carlo_pvalue
from ._statistics.prepare import prepare_statistic

_ALGORITHMS = ("auto", "exact", "low_rank")
_RESIDUAL_STATISTICS = ("skce", "kce", "klce")


@fill_doc()
def check_calibration(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    X: ArrayLike | None = None,
    *,
    statistic: str | Callable[..., float] = "auto",
    statistic_params: Mapping[str, Any] | None = None,
    null: str | GivenDraws = "simulation",
    n_resamples: int = 999,
    add_one: bool = True,
    prob_bandwidth: Bandwidth = "median",
    feature_bandwidth: FeatureBandwidth = "median",
    algorithm: str = "auto",
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    pos_label: Label | None = None,
    random_state: RandomState = None,
    verbose: int = 0,
) -> CalibrationTestResult:
    r"""Test whether predicted probabilities are calibrated; 1-D `y_proba` is of the positive class.

    The hypothesis is that the predictions are the true conditional probabilities, everywhere in
    the space of features if `X` is given (local calibration) and for all rows with the same
    prediction if not. Under it, labels can be drawn from the predictions themselves, so the p-value

    .. math:: p = \frac{1 + \#\{b : T_b \ge T\}}{1 + B}

    of the statistic T among its B draws :math:`T_b` satisfies :math:`P(p \le \alpha) \le \alpha`
    **at every sample size and for every statistic**: a calibrated model is called miscalibrated
    with probability at most alpha.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    X : array-like of shape (n_samples, n_features) or (n_samples,), default=None
        Numeric features, for a test of local calibration. They are not standardised: use "scaled",
        or one bandwidth per feature, when their units differ.
    statistic : {"auto", "skce", "kce", "mmce", "klce", "ece", "mce", \
"average_calibration_error"} or callable, default="auto"
        What is compared with its null distribution; larger is worse. "auto" is "klce" with `X` and
        "skce" without. A callable is called as ``statistic(y_true, y_proba, **statistic_params)``,
        or ``statistic(y_true, y_proba, X, **statistic_params)`` if `X` is given, with `y_proba` and
        `X` as they were passed, once per draw. It also gets `labels` (sorted), `pos_label` and
        `sample_weight` as far as its signature names them.
    statistic_params : dict, default=None
        Options of the statistic; those of a metric are its keyword arguments.
    null : {"simulation", "permutation", "wild"} or GivenDraws, default="simulation"
        How the null distribution is drawn:

        - "simulation": labels are drawn from the predictions, while features, predictions and
          weights stay. Exact, as above.
        - "permutation": residuals are permuted, as in [1]_. The level is wrong when the residual
          variance ``p (1 - p)`` differs between dense and sparse regions, and a shift that is the
          same everywhere is not seen.
        - "wild": residuals are multiplied by random signs. Right for large n only; too many
          rejections on rare events.
        - :class:`GivenDraws`: permutations, signs or resamples from elsewhere.

        All but "simulation" exist for skce, kce and klce only.
    n_resamples : int, default=999
        Number B of draws; the number of rows if `null` is :class:`GivenDraws`.
    add_one : bool, default=True
        False gives :math:`\max(1, \#\{b : T_b > T\}) / B` instead, which is not exact.
    prob_bandwidth : float or "median", default="median"
        Bandwidth of "klce" on probabilities. "median" takes the median of the pairwise distances
        that are not zero (of 2000 rows drawn with a fixed seed if there are more).
    feature_bandwidth : float, array-like of shape (n_features,), "median" or "scaled", \
default="median"
        Bandwidth of "klce" on features, one number or one per feature. "scaled" is the median
        distance of each feature on its own times ``sqrt(n_features)``.
    algorithm : {"auto", "exact", "low_rank"}, default="auto"
        How pairs of rows are added up. "low_rank" approximates the RBF kernel of "klce" or "kce";
        the test stays exact, since data and draws go through the same approximation, and the
        result carries a certificate of how close the statistic is. "auto" is exact unless the work
        ``n ** 2 * n_resamples`` exceeds 1e12 and "low_rank" exists; "exact" always is.
    target : {"auto", "binary", "confidence", "classwise", "canonical"}, default="auto"
        Which calibration is measured; "auto" and the allowed values are those of the metric. For
        "binary" and "confidence" the test is exact whenever that event has the predicted
        probability; "classwise" is exact under canonical calibration.
    <<sample_weight>>
        They must not depend on the labels.
    <<labels>>
    <<pos_label>>
    random_state : int, RandomState, Generator or None, default=None
        Draw b depends on this and on b only. The global random state is neither read nor changed.
    verbose : int, default=0
        Whether to print progress to standard error, one line per batch of draws.

    Returns
    -------
    result : CalibrationTestResult
        Unpacks as ``(statistic, pvalue)`` and holds the null distribution, the effect size and
        what was used.

    Raises
    ------
    ValueError
        If an argument is malformed, n is too small for the statistic, an option does not apply to
        the statistic, or the statistic is NaN on the data.

    Warns
    -----
    UserWarning
        If one of several features carries over 99 % of the squared distance, or a callable
        returns NaN for some draws (which then count as at least as large as the data's value).

    See Also
    --------
    calibration_test_score : The test for an estimator, by cross-validation.
    local_bias_band : Where the predictions are wrong.
    sklearn_calib.metrics.skce, sklearn_calib.metrics.klce : The statistics.

    Notes
    -----
    The rows must be independent, and the model must not have seen their labels. **Do not use the
    simulated null** on the rows that the model or its calibrator was fitted on, on clustered rows
    or on time series. If you test many models or subgroups, some will be rejected by chance:
    correct for it (for example Bonferroni).

    A draw that equals the data's value within 1e-12 of the largest value in size counts as a tie,
    that is, as at least as large. Draws are made and evaluated in batches, so memory does not grow
    with ``n * n_resamples``. Time with B draws: O(n B) for one event without features after
    sorting, O(n^2 B) for exact "klce" and "canonical", O(n B rank) for "low_rank".

    References
    ----------
    .. [1] R. Vashistha, A. Farahi, "I-trustworthy Models: A framework for trustworthiness
       evaluation of probabilistic classifiers", AISTATS 2025, arXiv:2501.15617.
    .. [2] D. Widmann, F. Lindsten, D. Zachariah, "Calibration tests in multi-class
       classification: A unifying framework", NeurIPS 2019, arXiv:1910.11385.
    .. [3] B. Phipson, G. K. Smyth, "Permutation P-values Should Never Be Zero", Statistical
       Applications in Genetics and Molecular Biology 9 (2010), doi:10.2202/1544-6115.1585.

    Examples
    --------
    >>> from sklearn_calib import check_calibration
    >>> from sklearn_calib.datasets import make_calibration_data
    >>> X, y_true, y_proba = make_calibration_data(n=300)
    >>> result = check_calibration(y_true, y_proba, X, random_state=0)
    >>> result.pvalue
    0.001
    >>> statistic, pvalue = check_calibration(y_true, y_proba, statistic="ece", random_state=0)
    >>> round(statistic, 3), pvalue
    (0.132, 0.001)
    """
    n_resamples = check_integer(n_resamples, "n_resamples", 1)
    check_option(algorithm, "algorithm", _ALGORITHMS)
    add_one = check_flag(add_one, "add_one")
    if not isinstance(null, GivenDraws):
        check_option(null, "null", tuple(NULLS))
    rng = check_generator(random_state)
    statistic = prepare_statistic(
        y_true,
        y_proba,
        X,
        statistic=statistic,
        statistic_params=statistic_params,
        settings={
            "target": target,
            "prob_bandwidth": prob_bandwidth,
            "feature_bandwidth": feature_bandwidth,
        },
        n_draws=n_resamples,
        algorithm=algorithm,
        sample_weight=sample_weight,
        pos_label=pos_label,
        labels=labels,
    )
    error, n_samples = statistic.error, statistic.predictions.n_samples
    if error is not None and error.feature_bandwidth is not None:
        warn_if_one_feature_dominates(statistic.predictions.features, error.feature_bandwidth)
    null_name, sampler, n_resamples, draw = _resolve_null(null, statistic, n_resamples, rng)
    observed, values = null_values(
        sampler, n_resamples, draw, n_cells=n_samples * statistic.n_columns, verbose=verbose
    )
    _check_values(observed, values, statistic.name)
    return CalibrationTestResult(
        statistic=observed,
        pvalue=monte_carlo_pvalue(observed, values, add_one=add_one),
        null_distribution=values,
        expected=float(values.mean()),
        effect_size=float(np.sqrt(max(observed, 0.0))) if statistic.squared else observed,
        statistic_name=statistic.name,
        target=statistic.target,
        null=null_name,
        n_samples=n_samples,
        **_kernel_details(error),
    )


def _resolve_null(null, statistic, n_resamples, rng):
    """Return the name of the null, its object, the number of draws, and how to draw."""
    given = isinstance(null, GivenDraws)
    name = null.kind if given else null
    if name != "simulation" and statistic.name not in _RESIDUAL_STATISTICS:
        raise ValueError(
            f"null={name!r} changes residuals, which the statistic {statistic.name} does not have; "
            f"it exists for {', '.join(_RESIDUAL_STATISTICS)}. Use null='simulation'."
        )
    if not given:
        sampler = NULLS[name](statistic)
        return name, sampler, n_resamples, lambda start, stop: sampler.draw(rng, stop - start)
    draws = null.resolve(statistic.predictions.n_samples)
    if name == "centred":
        unweighted = statistic.predictions.weight is None
        if statistic.error.estimator != "uq" or not unweighted:
            raise ValueError(
                "GivenDraws('centred') is defined for the unbiased skce (estimator='uq'), kce "
                "(squared=True) and klce without sample_weight."
            )
        sampler = CentredResamples(statistic)
    else:
        sampler = NULLS[name](statistic)
    return name, sampler, draws.shape[1], lambda start, stop: draws[:, start:stop]


def _check_values(observed, values, name):
    """Raise if the statistic is NaN, warn if some draws are."""
    if np.isnan(observed):
        raise ValueError(
            f"The statistic {name} is NaN on the data, so it has no p-value. Is it defined for "
            "these labels and probabilities?"
        )
    n_nan = np.count_nonzero(np.isnan(values))
    if n_nan:
        warnings.warn(
            f"The statistic {name} is NaN for {n_nan} of {values.size} draws; they count as at "
            "least as large as the value of the data.",
            UserWarning,
            stacklevel=3,
        )


def _kernel_details(error):
    """Return what a kernel error used, for the result."""
    if error is None:
        return {}
    widths = error.prob_bandwidths
    details = {
        "prob_bandwidth": widths[0] if len(widths) == 1 else tuple(widths),
        "feature_bandwidth": error.feature_bandwidth,
    }
    if error.forms is not None:
        details["algorithm"] = error.forms[0].algorithm
        details["certificate"] = error.forms[0].certificate
    return details
