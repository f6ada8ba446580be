"""The local kernel error of standardised residuals."""

from dataclasses import replace

from ..._data.bandwidths import resolve_bandwidths, resolve_prob_bandwidth
from ..._data.targets import reduce_target, resolve_event
from ..._utils.docs import fill_doc
from ..._utils.options import check_real
from ...metrics._kernel.pair_error import PairError
from .one_event import relative_weights
from .rank_skce import residual_scale
from .scores.logistic_score import encode
from .statistic import statistic


class StandardisedPairError(PairError):
    """A sum over pairs of rows whose residuals are standardised by weights."""

    tail_bound = None  # type: ignore[assignment]


@statistic(
    "normalized_klce",
    label="normalized KLCE",
    meaning="squared local kernel error of standardised residuals, on finer features",
    needs_features=True,
    sums_pairs=True,
)
@fill_doc()
def prepare_normalized_klce(
    predictions,
    *,
    prob_bandwidth="median",
    feature_bandwidth="scaled",
    categorical_features="auto",
    category_similarity=0.0,
    multiple=0.5,
    target="auto",
    algorithm="auto",
    n_draws=1,
):
    r"""Prepare the local kernel error of standardised residuals.

    It is `klce` with each row weighted by one over the standard deviation
    :math:`\sqrt{p (1 - p)}` of its residual (but no p (1 - p) counts as less than 1 / n), so that
    errors near 0 and 1 count as much as others, and with features at half their median distance,
    which finds most local errors more often.

    Parameters
    ----------
    predictions : Predictions
        Validated data with features.
    prob_bandwidth, feature_bandwidth : object
        As documented in `klce`. "scaled", the default, does not depend on the units of the
        features.
    categorical_features, category_similarity : object
        Which features are categories, and the kernel between two of them, as in `klce`.
    multiple : float, default=0.5
        Multiplies `feature_bandwidth`.
    <<target_one_event>>
    algorithm : {"auto", "exact", "low_rank"}, default="auto"
        How pairs of rows are added up.
    n_draws : int, default=1
        How many sets of labels will be evaluated.

    References
    ----------
    <<reference_kernel_tests>>
    """
    target = resolve_event(target, predictions.n_classes)
    (reduction,) = reduce_target(predictions.proba, target)
    multiple = check_real(multiple, "multiple")
    features = encode(predictions, categorical_features)
    widths = resolve_bandwidths(features, feature_bandwidth, weight=predictions.weight)
    width = resolve_prob_bandwidth(
        reduction.proba, prob_bandwidth, "prob_bandwidth", weight=predictions.weight
    )
    scale = residual_scale(reduction.proba[:, 0], relative_weights(predictions))
    return StandardisedPairError(
        replace(predictions, weight=scale),
        estimator="uq",
        kernel="rbf",
        bandwidth=width,
        bandwidth_name="prob_bandwidth",
        feature_bandwidth=multiple * widths,
        categorical_features=categorical_features,
        category_similarity=category_similarity,
        target=target,
        permutable=False,
        algorithm=algorithm,
        n_draws=n_draws,
    )
