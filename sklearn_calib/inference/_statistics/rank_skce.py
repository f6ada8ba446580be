"""A kernel statistic of standardised residuals along the ranks of the predictions."""

import numpy as np

from ..._core import pair_form
from ..._utils.docs import fill_doc
from ..._utils.options import check_real
from .one_event import OneEvent
from .statistic import statistic


def weighted_ranks(values, weight):
    """Return the share of the weight below each value, plus half of that at the value.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Ties share a rank.
    weight : ndarray of shape (n_samples,)
        Positive weights.
    """
    place = np.unique(values, return_inverse=True)[1]
    mass = np.bincount(place, weights=weight)
    return ((mass.cumsum() - 0.5 * mass) / mass.sum())[place]


def residual_scale(p, weight, n_samples=None):
    """Return weights over the standard deviations of residuals.

    No variance counts as less than one over the number of rows (of all rows, if these are some of
    `n_samples`), so that an event that is not to be expected among all of them adds no more than
    one that is.
    """
    return weight / np.sqrt(np.maximum(p * (1.0 - p), 1.0 / (n_samples or p.size)))


class StandardisedResiduals(OneEvent):
    """A statistic of residuals that are divided by their standard deviations."""

    def __init__(self, predictions, target):
        super().__init__(predictions, target)
        self.scale = residual_scale(self.p, self.weight)

    def standardised(self, codes):
        """Return the weighted residuals over their standard deviations, as `residuals` does."""
        return (self.events(codes) - self.p[:, np.newaxis]) * self.scale[:, np.newaxis]


class RankKernelError(StandardisedResiduals):
    """The sum over pairs of standardised residuals of rows whose predictions have close ranks.

    The bandwidth is that of the Laplacian kernel on the ranks, which lie between 0 and 1.
    """

    def __init__(self, predictions, target, bandwidth):
        super().__init__(predictions, target)
        ranks = weighted_ranks(self.p, self.weight)
        self.form = pair_form(ranks, kernel="laplacian", bandwidth=bandwidth)
        pairs = self.weight.sum() ** 2 - self.weight @ self.weight
        self.pairs = max(pairs, np.finfo(float).tiny)

    def __call__(self, codes):
        return self.form.of_events(self.events(codes), self.p, self.scale) / self.pairs


@statistic(
    "rank_skce",
    label="rank kernel",
    meaning="standardised residuals along the ranks of the predictions: errors of any shape",
)
@fill_doc()
def prepare_rank_skce(predictions, *, bandwidth=0.05, target="auto"):
    r"""Prepare the kernel statistic of standardised residuals along the ranks.

    It is the unbiased estimate of `skce` with two changes: residuals are divided by their standard
    deviation :math:`\sqrt{p (1 - p)}` (but no p (1 - p) counts as less than 1 / n), so that errors
    near 0 and 1 count as much as others, and the Laplacian kernel compares ranks of the
    predictions, as shares of all rows (ties share the middle), so that it is as fine as the rows
    are dense.

    <<parameters_predictions>>
    bandwidth : float, default=0.05
        Bandwidth of the kernel on the ranks, which lie between 0 and 1.
    <<target_one_event>>

    References
    ----------
    <<reference_kernel_tests>>
    """
    return RankKernelError(predictions, target, check_real(bandwidth, "bandwidth"))
