"""The squared kernel calibration error."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.types import Label
from .._metric import evaluate, metric
from .fourier_sums import merge_pairs
from .pair_error import PairError
from .pair_limits import normal_limit


@metric(
    prepare=PairError,
    mergeable=merge_pairs,
    label="SKCE",
    meaning="squared kernel error, unbiased: zero on average if calibrated",
    interval="pairs",
    effect="root",
    multiclass_target="canonical",
    sums_pairs=True,
    reference=normal_limit,
    shown_in=("report", "comparison"),
    rank=40,
)
@fill_doc(default="0.2")
def skce(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    estimator: str = "uq",
    kernel: str = "laplacian",
    bandwidth: float | str = 0.2,
    target: str = "auto",
    block_size: int | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Estimate the squared kernel calibration error.

    With residuals :math:`e_i` (indicator minus probability) at the points :math:`r_i`
    (probabilities) and a kernel k,

    .. math:: \mathrm{SKCE}_{uq} = \frac{1}{n(n-1)} \sum_{i \ne j} k(r_i, r_j) \langle e_i, e_j
              \rangle.

    Its expectation is zero exactly for a calibrated model and positive otherwise (both kernels
    are characteristic, so no miscalibration is invisible to them). Binary data use
    scalar residuals ``y - p`` whether `y_proba` has one column or two; "canonical" uses the vector
    ``onehot(y) - p``, which for two classes gives twice the binary value (at bandwidth
    :math:`h \sqrt 2` instead of h).

    Parameters
    ----------
    <<y_true_or_dask>>
    <<y_proba>>
    estimator : {"uq", "ul", "biased", "block"}, default="uq"
        - "uq": unbiased, over all pairs (a U-statistic; least variance).
        - "ul": unbiased, over the pairs (1, 2), (3, 4), ... only; row order matters, and an odd
          last row is left out.
        - "biased": all pairs and the diagonal, divided by :math:`n^2` (a V-statistic); never
          negative.
        - "block": mean of "uq" over consecutive blocks of `block_size` rows; an incomplete last
          block is left out.
    kernel : {"laplacian", "rbf"}, default="laplacian"
        ``exp(-d / h)`` or ``exp(-(d / h) ** 2)`` (no factor 2), with the Euclidean distance d.
    <<bandwidth>>
    <<target_kernel>>
    block_size : int, default=None
        Rows per block, at least 2; required for and used by "block" only.
    <<sample_weight>>
        "biased" treats a weight as that many copies of the row. The unbiased forms weigh pairs,
        :math:`\sum_{i \ne j} w_i w_j h_{ij} / (W^2 - \sum_i w_i^2)`, and ignore a common scale.
    <<pos_label>>
    <<labels>>

    Returns
    -------
    error : float
        Lower is better. "biased" lies in [0, 1] (in [0, 2] for "canonical"). The unbiased
        estimates scatter around zero for a calibrated model and **can be negative**: "uq" is
        negative in about six of ten calibrated samples, because its distribution is then skewed
        to the right.

    <<raises_too_few_rows>>

    See Also
    --------
    kce : The root of the biased form, or the unbiased form with an RBF kernel.
    mmce : The root of the biased form for one event.
    klce : The local error, with features.

    Notes
    -----
    <<not_proper>>

    For a calibrated binary model "biased" has the expectation ``mean(p (1 - p)) / n``.

    No kernel matrix is built, and memory grows linearly with n. One event with numbers as
    bandwidth takes O(n log n) time for either kernel, "canonical" takes O(n^2), "ul" O(n) and
    "block" O(n * block_size).

    References
    ----------
    <<reference_kernel_tests>>

    Examples
    --------
    >>> from sklearn_calib.metrics import skce
    >>> y_true, y_proba = [0, 1, 0], [0.2, 0.4, 0.6]
    >>> round(skce(y_true, y_proba, bandwidth=1.0), 6)
    -0.104184
    >>> round(skce(y_true, y_proba, bandwidth=1.0, estimator="biased"), 6)
    0.014988
    """
    return evaluate(skce, locals())
