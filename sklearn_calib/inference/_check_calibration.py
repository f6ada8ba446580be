"""Test whether predicted probabilities are calibrated."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .._data.features import warn_if_one_feature_dominates
from .._utils.arguments.random_streams import check_generator
from .._utils.dask_collections import is_partitioned
from .._utils.docs import fill_doc, list_names
from .._utils.options import Default, check_flag, check_integer, check_option
from .._utils.progress import reporter
from .._utils.stack import warn
from .._utils.types import (
    Bandwidth,
    FeatureBandwidth,
    Label,
    MetricLike,
    Options,
    Progress,
    RandomState,
)
from ._detectable_error import detectable_error
from ._nulls.batches import null_values
from ._nulls.choose import NULLS, choose_null
from ._nulls.given_draws import GivenDraws
from ._partitioned.check import check_partitions
from ._pvalues import asymptotic_pvalue, mean_of_draws, monte_carlo_pvalue
from ._result import CalibrationTestResult
from ._statistics.prepare import choose_statistic, prepare_statistic
from ._statistics.statistic import effect_size, find_statistic, statistic_names

_ALGORITHMS = ("auto", "exact", "low_rank")
_AUTO = Default("auto")
_MEDIAN = Default("median")


@fill_doc(statistics=list_names(statistic_names()))
def check_calibration(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    X: ArrayLike | None = None,
    *,
    statistic: MetricLike = "auto",
    statistic_params: Options | None = None,
    null: str | GivenDraws = "simulation",
    n_resamples: int = 999,
    add_one: bool = True,
    prob_bandwidth: Bandwidth = _MEDIAN,
    feature_bandwidth: FeatureBandwidth = _MEDIAN,
    algorithm: str = "auto",
    target: str = _AUTO,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
    random_state: RandomState = None,
    verbose: Progress = False,
) -> CalibrationTestResult:
    r"""Test whether predicted probabilities are calibrated.

    The hypothesis is that the predictions are the true conditional probabilities, everywhere in
    the space of features if `X` is given (local calibration) and for all rows with the same
    prediction if not. Under it, labels can be drawn from the predictions themselves, so the p-value

    .. math:: p = \frac{1 + \#\{b : T_b \ge T\}}{1 + B}

    of the statistic T among its B draws :math:`T_b` satisfies :math:`P(p \le \alpha) \le \alpha`
    **at every sample size and for every statistic**: a calibrated model is called miscalibrated
    with probability at most alpha.

    Parameters
    ----------
    <<y_true_or_dask>>
    <<y_proba>>
    X : array-like of shape (n_samples, n_features) or (n_samples,), default=None
        Features, for a test of local calibration: numbers, text, booleans and missing values, in
        an array, a list or a table of pandas or polars. Numbers are not standardised: use "scaled",
        or one bandwidth per feature, when their units differ. Which features are categories, whose
        rows are compared with each other only, is described in
        :func:`~sklearn_calib.metrics.klce`; for example
        ``statistic_params={"categorical_features": ["site"]}`` lists them.
    <<statistic>>
    statistic_params : dict, default=None
        Options of the statistic; those of a metric are its keyword arguments.
    null : {"simulation", "permutation", "wild", "asymptotic", "bound"} or GivenDraws, \
default="simulation"
        How the null distribution is drawn:

        - "simulation": labels are drawn from the predictions, while features, predictions and
          weights stay. Exact, as above.
        - "permutation": residuals are permuted, as in [1]_. The level is wrong when the residual
          variance ``p (1 - p)`` differs between dense and sparse regions, and a shift that is the
          same everywhere is not seen.
        - "wild": residuals are multiplied by random signs. Right for large n only; too many
          rejections on rare events.
        - :class:`GivenDraws`: permutations, signs or resamples from elsewhere.
        - "asymptotic": no draws; the p-value comes from the distribution that the statistic
          approaches for a calibrated model and many rows. For statistics that have one only; see
          :ref:`where they fail <asymptotic_study>`.
        - "bound": no draws; a bound on the p-value that holds for every distribution of the data
          and every n [2]_, for skce, kce, mmce and klce without weights. Valid, but so wide that
          it rarely finds anything.

        "permutation", "wild" and :class:`GivenDraws` exist for skce, kce and klce only. "omnibus"
        exists for "simulation" only.
    n_resamples : int, default=999
        Number B of draws; the number of rows if `null` is :class:`GivenDraws`. No p-value is
        smaller than ``1 / (B + 1)``.
    add_one : bool, default=True
        False gives :math:`\max(1, \#\{b : T_b > T\}) / B` instead, which is not exact.
    prob_bandwidth : float or "median", default="median"
        Bandwidth of "klce" on probabilities. "median" takes the median of the pairwise distances
        that are not zero (of 2000 rows drawn with a fixed seed if there are more).
    feature_bandwidth : float, array-like of shape (n_features,), "median" or "scaled", \
default="median"
        Bandwidth of "klce" on features, one number or one per feature. "scaled" is the median
        distance of each feature on its own times the square root of their number,
        categories aside.
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
    <<pos_label>>
    <<labels>>
    <<numbered_random_state>>
    <<verbose>>

    Returns
    -------
    result : CalibrationTestResult
        Unpacks as ``(statistic, pvalue)`` and holds the null distribution, the effect size and
        what was used; for "omnibus" also its `parts` and what they find.

    Raises
    ------
    ValueError
        If an argument is malformed, n is too small for the statistic, an option that the statistic
        does not have is set, also to its default, or the statistic is NaN on the data.

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
    or on time series. If you test many models, some will be rejected by chance: correct for it (for
    example Bonferroni). For subgroups use :func:`calibration_by_group`.

    A draw that equals the data's value within 1e-12 of the largest value in size counts as a tie,
    that is, as at least as large. Draws are made and evaluated in batches, so memory does not grow
    with ``n * n_resamples``. Time with B draws: O(n B) for one event without features after
    sorting, O(n^2 B) for exact "klce" and "canonical", O(n B rank) for "low_rank".

    <<references_local_and_global>>
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
        check_option(null, "null", (*NULLS, *_WITHOUT_DRAWS))
    rng = check_generator(random_state)
    settings = {
        "target": target,
        "prob_bandwidth": prob_bandwidth,
        "feature_bandwidth": feature_bandwidth,
    }
    data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    if is_partitioned(y_true, y_proba, X, sample_weight):
        _check_for_partitions(X, null, algorithm)
        chosen, options = choose_statistic(statistic, statistic_params, settings)
        data |= {"y_true": y_true, "y_proba": y_proba}
        outcome = check_partitions(chosen, options, data, n_resamples, rng)
        return _conclude(outcome, chosen, options, add_one)
    prepared = prepare_statistic(
        y_true,
        y_proba,
        X,
        statistic=statistic,
        statistic_params=statistic_params,
        settings=settings,
        n_draws=n_resamples,
        algorithm=algorithm,
        **data,
    )
    error, n_samples = prepared.error, prepared.predictions.n_samples
    details = error.details()
    if details.get("feature_bandwidth") is not None:
        table = prepared.predictions.features
        warn_if_one_feature_dominates(table, details["feature_bandwidth"])
        details = details | {"feature_names": table.own_names}
    parts = detectable = None
    if isinstance(null, str) and null in _WITHOUT_DRAWS:
        null_name, values = null, None
        find_pvalue = _WITHOUT_DRAWS[null](prepared)  # or refuse, before the value is computed
        observed = float(error(prepared.predictions.codes)[0])
        _check_values(observed, np.empty(0), prepared.name)
        pvalue = find_pvalue(observed)
    else:
        null_name, sampler, n_resamples, draw = choose_null(null, prepared, n_resamples, rng)
        n_cells = n_samples * error.n_columns
        with reporter("check_calibration", verbose) as say:
            ((first, values),) = null_values(sampler, n_resamples, draw, n_cells=n_cells, say=say)
            if null_name == "simulation":
                say("the error that is found in most samples")
                data = prepared.predictions
                detectable = detectable_error(error, data, values, prepared.alternative)
        names = error.part_names or (prepared.name,)
        for name, one, others in zip(names, np.atleast_1d(first), np.atleast_2d(values)):
            _check_values(one, others, name)
        observed, values, parts = error.conclude(first, values)
        pvalue = monte_carlo_pvalue(
            observed, values, add_one=add_one, alternative=prepared.alternative
        )
    return CalibrationTestResult(
        statistic=observed,
        pvalue=pvalue,
        null_distribution=values,
        expected=None if values is None else mean_of_draws(values),
        effect_size=effect_size(observed, prepared.effect),
        statistic_name=prepared.name,
        target=error.target,
        null=null_name,
        n_samples=n_samples,
        parts=parts,
        detectable_error=detectable,
        **details,
    )


def _check_for_partitions(X, null, algorithm):
    """Raise for arguments that do not go with Dask collections."""
    if X is not None:
        raise ValueError(
            "X compares all pairs of rows, which do not lie in one Dask partition. Test global "
            "calibration without X, groups with calibration_by_group, or a sample as arrays."
        )
    if null != "simulation" or algorithm != "auto":
        raise ValueError(
            "Dask collections are tested with null='simulation' and algorithm='auto' only, got "
            f"null={null!r} and algorithm={algorithm!r}."
        )


def _conclude(outcome, description, options, add_one):
    """Return the result of a test of Dask collections."""
    _check_values(outcome.observed, outcome.values, description.name)
    return CalibrationTestResult(
        statistic=outcome.observed,
        pvalue=monte_carlo_pvalue(
            outcome.observed, outcome.values, add_one=add_one, alternative=description.alternative
        ),
        null_distribution=outcome.values,
        expected=mean_of_draws(outcome.values),
        effect_size=effect_size(outcome.observed, description.effect_of(options)),
        statistic_name=description.name,
        target=outcome.target,
        null="simulation",
        n_samples=outcome.n_samples,
        parts=outcome.parts,
        **outcome.details,
    )


def _reference_pvalue(prepared):
    """Return the p-value of a statistic under its limiting distribution, as a function of it."""
    if prepared.reference is None:
        known = [one.name for one in map(find_statistic, statistic_names()) if one.reference]
        raise ValueError(
            f"null='asymptotic' needs a statistic with a limiting distribution, which "
            f"{prepared.name} does not have; {known} have one. Use null='simulation', which is "
            "exact for every statistic."
        )
    reference = prepared.reference(prepared.error, prepared.predictions.codes)
    return lambda observed: asymptotic_pvalue(observed, reference, prepared.alternative)


def _bound_pvalue(prepared):
    """Return the bound on the probability of a statistic or a larger one, as a function of it."""
    if prepared.error.tail_bound is None:
        raise ValueError(
            f"null='bound' exists for skce, kce, mmce and klce only, not for {prepared.name}. Use "
            "null='simulation', which is exact for every statistic."
        )
    return prepared.error.tail_bound


_WITHOUT_DRAWS = {"asymptotic": _reference_pvalue, "bound": _bound_pvalue}


def _check_values(observed, values, name):
    """Raise if the statistic is NaN, warn if some draws are."""
    if np.isnan(observed):
        raise ValueError(
            f"The statistic {name} is NaN on the data, so it has no p-value. Is it defined for "
            "these labels and probabilities?"
        )
    n_nan = np.count_nonzero(np.isnan(values))
    if n_nan:
        warn(
            f"The statistic {name} is NaN for {n_nan} of {values.size} draws; they count as at "
            "least as large as the value of the data.",
        )
