"""The kernel local calibration error."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.types import Categories, Label
from .._metric import evaluate, metric
from .pair_error import PairError


def _prepare(predictions, *, prob_bandwidth, target="auto", **options):
    return PairError(
        predictions,
        estimator="uq",
        kernel="rbf",
        bandwidth=prob_bandwidth,
        bandwidth_name="prob_bandwidth",
        target=target,
        **options,
    )


@metric(
    prepare=_prepare,
    label="KLCE",
    meaning="squared local kernel error, with the features, unbiased",
    interval="pairs",
    effect="root",
    multiclass_target="canonical",
    sums_pairs=True,
    scorer={"prob_bandwidth": 0.2, "feature_bandwidth": "median"},
    shown_in=("report",),
    rank=70,
)
@fill_doc()
def klce(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    X: ArrayLike,
    *,
    prob_bandwidth: float | str = "median",
    feature_bandwidth: float | str | ArrayLike = "median",
    categorical_features: Categories = "auto",
    category_similarity: float = 0.0,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Estimate the squared kernel local calibration error.

    .. math:: \mathrm{KLCE}^2 = \frac{1}{n(n-1)} \sum_{i \ne j} k(p_i, p_j)\, l(x_i, x_j)\,
              \langle e_i, e_j \rangle, \qquad
              k(p, p') = e^{-\|p - p'\|^2 / h_p^2}, \quad l(x, x') = e^{-\|x - x'\|^2 / h_x^2},

    with residuals e (indicator minus probability; the vector of all classes for multiclass data).
    Its expectation is zero if the predictions are right everywhere in the space of features, not
    only on average over all rows with the same prediction, and positive otherwise.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<features>>
    prob_bandwidth : float or "median", default="median"
        The bandwidth :math:`h_p` on probabilities. "median" takes the median of the pairwise
        distances that are not zero (of 2000 rows drawn with a fixed seed if there are more).
    feature_bandwidth : float, array-like of shape (n_features,), "median" or "scaled", \
default="median"
        The bandwidth :math:`h_x` on features, one number or one per feature; "median" as above.
        "scaled" is the median distance of each feature on its own times the square root of the
        number of features that are numbers; categories do not count.
    <<categorical_features_of_tables>>
    <<category_similarity>>
    <<sample_weight>>
        Pairs are weighed, :math:`\sum_{i \ne j} w_i w_j h_{ij} / (W^2 - \sum_i w_i^2)`; a common
        scale has no effect.
    <<pos_label>>
    <<labels>>

    Returns
    -------
    error : float
        Lower is better. Unbiased, hence it can be negative, and for a locally calibrated model it
        is so in more than half of all samples.

    Raises
    ------
    ValueError
        If an argument is malformed, a feature cannot be read, the labels do not tell which class a
        column stands for, or there are fewer than two rows of positive weight.

    See Also
    --------
    skce, kce : The global errors, without features.

    Notes
    -----
    <<not_proper>>

    The kernel on features is a product over all of them: the RBF kernel above over those that are
    numbers, and for each category 1 where two rows agree and `category_similarity` where they
    differ.

    Time is O(n^2), in tiles, and O(n log n) if all features are categories that match exactly and
    the data are binary; memory grows linearly with n. Rows whose categories never match are not
    compared at all.

    <<references_local>>

    Examples
    --------
    >>> from sklearn_calib.metrics import klce
    >>> X, y_proba, y_true = [[0], [0], [1]], [0.2, 0.2, 0.7], [1, 0, 1]
    >>> round(klce(y_true, y_proba, X, prob_bandwidth=0.5, feature_bandwidth=1.0), 6)
    -0.045213
    """
    if X is None:
        raise ValueError(
            "X must be an array of features, got None. For the error without features use kce."
        )
    return evaluate(klce, locals())
