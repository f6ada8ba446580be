"""The kernel calibration error with a smooth kernel."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.options import check_flag
from ..._utils.types import Label
from .._metric import evaluate, metric
from .fourier_sums import merge_pairs
from .pair_error import PairError


def _form(squared):
    squared = check_flag(squared, "squared")
    return {"estimator": "uq"} if squared else {"estimator": "biased", "root": True}


def _prepare(predictions, *, squared, **options):
    return PairError(predictions, **_form(squared), **options)


def _mergeable(n_classes, *, squared, **options):
    return merge_pairs(n_classes, **_form(squared), **options)


@metric(
    prepare=_prepare,
    mergeable=_mergeable,
    label="KCE",
    meaning="squared kernel error with a smooth kernel, unbiased",
    interval="pairs",
    effect=lambda squared, **_: "root" if squared else "itself",
    multiclass_target="canonical",
    sums_pairs=True,
    scorer={"squared": False, "bandwidth": 0.2},
    shown_in=("report",),
    rank=50,
)
@fill_doc(default='"median"')
def kce(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    kernel: str = "rbf",
    bandwidth: float | str = "median",
    squared: bool = True,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Estimate the kernel calibration error.

    ``squared=True`` is the unbiased estimate of the squared error,
    :math:`\frac{1}{n(n-1)} \sum_{i \ne j} k(r_i, r_j) \langle e_i, e_j \rangle`, as in the
    literature on local calibration; it can be negative. ``squared=False`` is the square root of
    the biased form, which is never negative and suits model selection.

    Parameters
    ----------
    <<y_true_or_dask>>
    <<y_proba>>
    kernel : {"rbf", "laplacian"}, default="rbf"
        ``exp(-(d / h) ** 2)`` (no factor 2) or ``exp(-d / h)``, with the Euclidean distance d.
    <<bandwidth>>
    squared : bool, default=True
        Whether to return the unbiased squared error, or the root of the biased form.
    <<target_kernel>>
        With ``squared=False`` the "classwise" error is the root of the mean over the classes.
    <<sample_weight>>
        ``squared=False`` treats a weight as that many copies of the row; ``squared=True`` weighs
        pairs and ignores a common scale.
    <<pos_label>>
    <<labels>>

    Returns
    -------
    error : float
        Lower is better. With ``squared=False`` in [0, 1] ([0, sqrt 2] for "canonical").

    <<raises_too_few_rows>>

    See Also
    --------
    skce : All estimators, with a Laplacian kernel by default.
    klce : The local error, with features.

    Notes
    -----
    <<not_proper>>

    Time is O(n log n) for one event and O(n^2) for "canonical"; memory grows linearly with n.

    <<references_local_and_global>>

    Examples
    --------
    >>> from sklearn_calib.metrics import kce
    >>> y_true, y_proba = [0, 1, 0], [0.2, 0.4, 0.6]
    >>> round(kce(y_true, y_proba, bandwidth=0.2), 6)
    -0.058128
    >>> round(kce(y_true, y_proba, bandwidth=0.2, squared=False), 6)
    0.213758
    """
    return evaluate(kce, locals())
