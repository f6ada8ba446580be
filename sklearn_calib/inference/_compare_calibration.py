"""Compare the predictions of several models for the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._utils.arguments.random_streams import check_generator
from .._utils.docs import fill_doc
from .._utils.fitting_context import from_predict_proba
from .._utils.options import check_integer, check_option, check_real
from .._utils.progress import reporter
from .._utils.types import Label, MetricLike, Options, Progress, RandomState
from ._check_calibration import check_calibration
from ._comparison.adjust import CORRECTIONS, adjust
from ._comparison.differences import compare_pairs
from ._comparison.measures import check_features_are_used, find_measures
from ._comparison.models import check_models
from ._comparison.result import CalibrationComparison, ModelDifference, best_model
from ._statistics.statistic import find_statistic, statistic_names


@fill_doc()
def compare_calibration(
    y_true: ArrayLike,
    y_probas: Mapping[str, Any] | Sequence[Any],
    X: ArrayLike | None = None,
    *,
    scores: Sequence[str] = ("log_loss", "brier"),
    metrics: Sequence[MetricLike] = ("ece",),
    metric_params: Mapping[str, Options] | None = None,
    statistic: str | None = "omnibus",
    confidence_level: float = 0.95,
    correction: str = "holm",
    n_resamples: int = 999,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
    random_state: RandomState = None,
    verbose: Progress = False,
) -> CalibrationComparison:
    r"""Compare the probabilities of two or more models on the same rows.

    Which model is better is a question for proper scores: they reward both calibration and the
    ability to tell rows apart. A model that is less well calibrated can be the better one, and can
    be recalibrated; one that knows less cannot be repaired. The result says it in words
    (`verdict`).

    For each pair of models and each score the mean difference comes with a p-value and an
    interval. If the models are equally good, it does not matter which of them made which
    prediction, so in each draw they change places in a random half of the rows. The p-value is

    .. math:: p = \frac{1 + \#\{b : |D_b| \ge |D|\}}{1 + B}

    of the difference D among its draws. It is exact at every sample size if the two predictions of
    a row are exchangeable. For the scores, which are means over rows, it is also right for many
    rows whenever the expected scores are equal, and the interval consists of all mean
    differences that this test does not reject [1]_, [2]_.

    For calibration errors, exchanging models is not enough: of one that is too high and one that is
    too low, a mixture has no error. So rows are also drawn with replacement, :math:`D_b - D` takes
    the place of :math:`D_b`, and the larger p-value counts. The interval is the difference plus and
    minus the smallest size that would be rejected.

    Parameters
    ----------
    <<y_true>>
    y_probas : dict of str to array-like, table, or list of array-like
        Predicted probabilities of each model by its name, each in the forms that `y_proba` has in
        :func:`check_calibration`. The columns of a table are the probabilities of the positive
        class by one model each. Models in a list are called "model 0", "model 1", and so on.
    X : array-like of shape (n_samples, n_features) or (n_samples,), default=None
        Features, for "klce" among the metrics and for the test: numbers, text, booleans and
        missing values.
    scores : sequence of {"log_loss", "brier"}, default=("log_loss", "brier")
        Proper scores; the first one that is finite for at least one model decides which is best.
        The Brier score is the squared error of the positive class, or its sum over more than two
        classes.
    metrics : sequence of str or callable, default=("ece",)
        Calibration errors: metrics of :mod:`sklearn_calib.metrics`, their names, or other callables
        ``f(y_true, y_proba)`` of which lower is better, which get the probabilities of the positive
        class of two, and `sample_weight` and `pos_label` if they have these parameters. They
        describe the models and do not decide which is better. For those that may deviate both ways,
        such as a slope, the distance from the ideal is compared, and is called the slope error.
    metric_params : dict of str to dict, default=None
        Options of each metric or callable by its name.
    statistic : str or None, default="omnibus"
        Statistic of the test of calibration of each model by :func:`check_calibration`, with `X`
        if it takes features; None makes no test.
    confidence_level : float, default=0.95
        That of each interval, not corrected for the number of pairs.
    correction : {"holm", "bonferroni", "none"}, default="holm"
        How the p-values of each score or error are corrected for the number of pairs that have one
        (a pair with an infinite log loss has none).
    n_resamples : int, default=999
        Number B of draws.
    <<sample_weight>>
        They must not depend on the labels or predictions.
    <<pos_label>>
    <<labels>>
    <<draws_random_state>>
    <<verbose>>

    Returns
    -------
    result : CalibrationComparison
        Holds the values, the differences with intervals and p-values, and the verdict.

    Raises
    ------
    ValueError
        If an argument is malformed, there are fewer than two models, or they do not predict the
        same classes.

    See Also
    --------
    check_calibration : Is one model calibrated?
    sklearn_calib.display.ModelDifferenceDisplay : A picture of the differences.
    sklearn_calib.display.CalibrationComparisonDisplay : Reliability diagrams side by side.

    Notes
    -----
    The rows must be independent (one row per patient, not one per visit), and no model may have
    seen their labels.

    A model that gives probability zero to what happens has an infinite log loss. Then that
    difference is infinite or NaN and has no p-value, which the verdict says; the Brier score is
    always finite.

    Scores, and binned errors whose edges do not depend on the data, take O(n B) time. Other metrics
    are evaluated B times for each model and 2 B times for each pair; with many rows take fewer
    draws for these. `statistic` takes the time of :func:`check_calibration` for each model.

    References
    ----------
    .. [1] J. A. Hartigan, "Using subsample values as typical values", Journal of the American
       Statistical Association 64 (1969), doi:10.1080/01621459.1969.10501057.
    .. [2] J. P. Romano, "On the behavior of randomization tests without a group invariance
       assumption", Journal of the American Statistical Association 85 (1990),
       doi:10.1080/01621459.1990.10474928.
    .. [3] S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal
       of Statistics 6 (1979), https://www.jstor.org/stable/4615733.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib import compare_calibration
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.uniform(0.05, 0.95, size=1000)
    >>> y_true = (rng.random(1000) < truth).astype(int)
    >>> models = {"sharp": np.clip(truth + 0.05, 0, 1), "cautious": 0.5 + 0.5 * (truth - 0.5)}
    >>> result = compare_calibration(y_true, models, random_state=0)
    >>> result.best
    'sharp'
    """
    n_resamples = check_integer(n_resamples, "n_resamples", 1)
    confidence_level = check_real(confidence_level, "confidence_level", below=1.0)
    check_option(correction, "correction", CORRECTIONS)
    local = False
    if statistic is not None:
        test = find_statistic(check_option(statistic, "statistic", statistic_names()))
        if test.needs_features and X is None:
            raise ValueError(f"statistic={statistic!r} needs X, the features.")
        local = test.needs_features or test.takes_features
    rng = check_generator(random_state)
    measures = find_measures(scores, metrics, metric_params)
    check_features_are_used(measures, X, local_test=local)
    models = check_models(
        y_true, y_probas, X, sample_weight=sample_weight, pos_label=pos_label, labels=labels
    )
    values = {
        name: {measure.name: measure.value(one) for measure in measures}
        for name, one in models.items()
    }
    pairs = list(combinations(models, 2))
    with reporter("compare_calibration", verbose) as say:
        draws: dict[str, Any] = {"n_resamples": n_resamples, "rng": rng, "say": say}
        outcomes = compare_pairs(models, measures, pairs, alpha=1.0 - confidence_level, **draws)
        own = {} if statistic is None else _test_models(models, statistic, **draws)
    differences = []
    for measure in measures:
        found = [outcomes[measure.name, pair] for pair in pairs]
        adjusted = adjust([pvalue for _, pvalue, _, _ in found], correction)
        for pair, (difference, pvalue, low, high), corrected in zip(pairs, found, adjusted):
            first, second = (values[name][measure.name] for name in pair)
            differences.append(
                ModelDifference(
                    measure.name,
                    measure.label,
                    *pair,
                    first,
                    second,
                    difference,
                    low,
                    high,
                    pvalue,
                    float(corrected),
                )
            )
    return CalibrationComparison(
        tuple(models),
        best_model(values),
        values,
        tuple(differences),
        own,
        {name: one.n_impossible for name, one in models.items()},
        confidence_level,
        correction,
        next(iter(models.values())).n_samples,
        n_resamples,
    )


def _test_models(models, name, *, n_resamples, rng, say):
    """Return the p-value of a test of calibration of each model."""
    description = find_statistic(name)
    pvalues = {}
    for model, one in models.items():
        uses_features = description.needs_features or description.takes_features
        say(f"test of {model}")
        with from_predict_proba():  # looked at before
            pvalues[model] = check_calibration(
                one.codes,
                one.proba,
                one.features if uses_features else None,
                statistic=name,
                n_resamples=n_resamples,
                sample_weight=one.weight,
                labels=np.arange(one.n_classes),
                random_state=rng,
                verbose=say,
            ).pvalue
    return pvalues
