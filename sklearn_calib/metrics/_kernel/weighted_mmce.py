"""The maximum mean calibration error with both outcomes weighted alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..._data.targets import ONE_EVENT
from ..._utils.docs import fill_doc
from ..._utils.types import Label
from .._metric import evaluate, metric
from .pair_error import PairError


class BalancedPairError(PairError):
    """The root of the biased pair sum of residuals that are divided by the rate of their outcome.

    The sum is then the squared distance of two means: over the rows whose event happened, and over
    the others.
    """

    def __init__(self, predictions, **options):
        super().__init__(
            predictions,
            estimator="biased",
            root=True,
            kernel="laplacian",
            auto_target="confidence",
            allowed_targets=ONE_EVENT,
            permutable=False,
            **options,
        )

    # Terms that are divided by the rates of the outcomes have no bound.
    tail_bound = None  # type: ignore[assignment]

    def __call__(self, codes):
        share = self.weight / self.weight.sum()
        balanced = []
        for reduction in self.reductions:
            residuals = reduction.residuals(codes)[:, 0]
            happened = codes.reshape(codes.shape[0], -1) == reduction.event
            rate = share @ happened
            divisor = np.where(happened, rate, share @ ~happened)
            balanced.append((residuals / divisor)[:, np.newaxis])
        return self.of_residuals(balanced)


@metric(
    prepare=BalancedPairError,
    label="weighted MMCE",
    meaning="kernel distance of the mean errors of the two outcomes, each with weight one",
    effect=None,
    sums_pairs=True,
    rank=61,
)
@fill_doc(default="0.2")
def weighted_mmce(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    bandwidth: float | str = 0.2,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the weighted maximum mean calibration error.

    With the probability :math:`r_i` of the event, the n rows whose event happened and the m others,
    the feature map :math:`\phi` of a Laplacian kernel and its norm,

    .. math:: \mathrm{MMCE}_w = \Big\lVert \frac{1}{n} \sum_{\text{happened}} (1 - r_i) \phi(r_i)
              - \frac{1}{m} \sum_{\text{others}} r_i \phi(r_i) \Big\rVert .

    It was made as a penalty in training, where few rows are wrong and would count little. **It is
    not zero for a calibrated model** unless the event happens in half of the rows, so values say
    little about calibration; compare them with
    :func:`~sklearn_calib.check_calibration`, which knows what a calibrated model has, or take
    :func:`mmce`.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<bandwidth>>
    <<target_event>>
    <<weights_as_copies>>

    Returns
    -------
    error : float
        A number of at least zero and below 1.5; lower is better. The mean over an outcome that
        does not occur is zero.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    mmce : The unweighted error, which is zero for a calibrated model and many rows.

    Notes
    -----
    <<not_proper>>

    A calibrated model with predictions spread evenly over [0, 1], where the event happens in half
    of the rows, has a value of about 0.068 at n = 100 and 0.021 at n = 1000. Time is O(n log n) and
    memory O(n).

    References
    ----------
    .. [1] A. Kumar, S. Sarawagi, U. Jain, "Trainable Calibration Measures for Neural Networks from
       Kernel Mean Embeddings", ICML 2018,
       https://proceedings.mlr.press/v80/kumar18a.html.

    Examples
    --------
    >>> from sklearn_calib.metrics import weighted_mmce
    >>> round(weighted_mmce([0, 1, 0], [0.2, 0.4, 0.6], bandwidth=1.0), 4)
    0.3275
    """
    return evaluate(weighted_mmce, locals())
