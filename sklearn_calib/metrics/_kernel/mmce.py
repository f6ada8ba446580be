"""The maximum mean calibration error."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from ..._data.targets import ONE_EVENT
from ..._utils.docs import fill_doc
from ..._utils.types import Label
from .._metric import evaluate, metric
from .fourier_sums import merge_pairs
from .pair_error import PairError

_FORM = {
    "estimator": "biased",
    "root": True,
    "kernel": "laplacian",
    "auto_target": "confidence",
    "allowed_targets": ONE_EVENT,
}


@metric(
    prepare=partial(PairError, permutable=False, **_FORM),
    mergeable=partial(merge_pairs, **_FORM),
    label="MMCE",
    meaning="kernel error on the scale of probabilities",
    interval="pairs",
    sums_pairs=True,
    shown_in=("report", "comparison"),
    rank=60,
)
@fill_doc(default="0.2")
def mmce(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    bandwidth: float | str = 0.2,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the maximum mean calibration error.

    The square root of the biased :func:`skce` with a Laplacian kernel,

    .. math:: \mathrm{MMCE} = \Big(\frac{1}{n^2} \sum_{i,j} e^{-|r_i - r_j| / h} e_i e_j
              \Big)^{1/2}.

    Parameters
    ----------
    <<y_true_or_dask>>
    <<y_proba>>
    <<bandwidth>>
    target : {"auto", "binary", "confidence"}, default="auto"
        Which calibration is measured: of the positive class ("binary") or of the largest
        probability ("confidence"; ties take the first column). "auto" is "binary" for two classes
        and "confidence" for more.
    <<weights_as_copies>>

    <<returns_error_up_to_one>>

    See Also
    --------
    skce : The squared error, with unbiased estimators.

    Notes
    -----
    <<not_proper>>

    The value is biased upwards: a calibrated model has a value of about
    ``sqrt(mean(p (1 - p)) / n)``. Time is O(n log n) and memory O(n).

    References
    ----------
    .. [1] A. Kumar, S. Sarawagi, U. Jain, "Trainable Calibration Measures for Neural Networks from
       Kernel Mean Embeddings", ICML 2018,
       https://proceedings.mlr.press/v80/kumar18a.html.

    Examples
    --------
    >>> from sklearn_calib.metrics import mmce
    >>> round(mmce([0, 1, 0], [0.2, 0.4, 0.6], bandwidth=1.0), 6)
    0.122427
    """
    return evaluate(mmce, locals())
