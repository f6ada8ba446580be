"""The smooth calibration error: the largest correlation with a Lipschitz function."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np
from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.types import Label
from .._event_errors import EventErrors
from .._metric import evaluate, metric


class LipschitzError(EventErrors):
    r"""The error, prepared.

    By duality of linear programs the supremum over f is the least cost of cancelling the residuals
    :math:`c_g` of the sorted distinct probabilities: an amount is moved to the next probability at
    the cost of the distance :math:`d_g`, or dropped at the cost of one. With F for what has been
    moved so far, the least cost W(F) is a convex function,

    .. math:: W(F) = A + \tfrac12 \sum_j m_j |F - x_j|, \qquad \sum_j m_j = 2,

    which each residual shifts, and each distance d changes by a mass 2d at zero and by cutting the
    slopes to [-1, 1]: a mass d goes from each end, and A grows by d times half their distance.
    """

    def __call__(self, codes):
        return np.mean([self._of_event(one, codes) for one in self.reductions], axis=0)

    def _of_event(self, reduction, codes):
        """Return the errors of one event, one per draw."""
        p = reduction.proba[:, 0]
        order = np.argsort(p, kind="stable")
        ordered = p[order]
        start = np.flatnonzero(np.r_[True, np.diff(ordered) > 0.0])
        gaps = np.diff(ordered[start]).tolist()
        residuals = self.weight[order, np.newaxis] * reduction.residuals(codes)[order, 0]
        sums = np.add.reduceat(residuals, start, axis=0)
        return np.array([_least_cost(column, gaps) for column in sums.T])


def _least_cost(residuals, gaps):
    """Return the least cost of cancelling the residuals of sorted points.

    Parameters
    ----------
    residuals : ndarray of shape (n_points,)
        Their sums at each point.
    gaps : list of float
        Distance of each point to the next one.
    """
    # A kink of W lies at the sum of the residuals since it was made: at walk[now] - walk[made]. So
    # the order of the kinks is that of the walk, whichever point has been reached.
    walk = np.concatenate([[0.0], np.cumsum(residuals)])
    order = np.argsort(walk, kind="stable")
    rank = np.empty(order.size, dtype=np.intp)
    rank[order] = np.arange(order.size)
    rank, height = rank.tolist(), walk[order].tolist()
    mass = [0.0] * len(height)
    mass[rank[0]] = 2.0
    lowest, highest = [rank[0]], [-rank[0]]
    cost = 0.0
    for made, gap in zip(rank[1:], gaps):
        mass[made] = 2.0 * gap
        heappush(lowest, made)
        heappush(highest, -made)
        need = gap
        while need > 0.0:
            low, high = lowest[0], -highest[0]
            if low == high:
                mass[low] -= 2.0 * need
                break
            taken = min(need, mass[low], mass[high])
            cost += taken * (height[high] - height[low])
            need -= taken
            mass[low] -= taken
            mass[high] -= taken
            while mass[lowest[0]] <= 0.0:
                heappop(lowest)
            while mass[-highest[0]] <= 0.0:
                heappop(highest)
    return 0.5 * (cost + np.array(mass) @ np.abs(walk[-1] - walk[order]))


@metric(
    prepare=LipschitzError,
    label="smooth error",
    meaning="largest mean product of the residual and a function of Lipschitz constant one",
    interval="norm",
    rank=43,
)
@fill_doc()
def smooth_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the smooth calibration error.

    With weights :math:`w_i` that sum to one and residuals :math:`e_i` (indicator minus
    probability),

    .. math:: \mathrm{smCE} = \sup_f \sum_i w_i e_i f(p_i),

    over all functions f from [0, 1] to [-1, 1] with :math:`|f(p) - f(q)| \le |p - q|`. Zero means
    calibrated; the largest value is one. It has no bins and no bandwidth, changes little when the
    predictions change little, and is at least the size of the mean residual. All calibrated
    predictions are at a mean distance of at least half of it from the given ones [1]_.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<target_binned>>
        The "classwise" error is the mean over the classes.
    <<weights_as_copies>>

    <<returns_error_up_to_one>>

    See Also
    --------
    smooth_ece : The error from a kernel whose width equals the error.
    ece : The error from bins.

    Notes
    -----
    <<not_proper>>
    The supremum is computed exactly. It is biased upwards: for a calibrated model with predictions
    spread evenly over [0, 1] it is about 0.036 at n = 100 and 0.012 at n = 1000. Errors of both
    signs close to each other count little, since f cannot change quickly between them. Time is
    O(n log n), about half a second for 100 000 rows, and memory O(n).

    References
    ----------
    .. [1] J. Blasiok, P. Gopalan, L. Hu, P. Nakkiran, "A Unifying Theory of Distance from
       Calibration", STOC 2023, arXiv:2211.16886.
    .. [2] L. Hu, A. Jambulapati, K. Tian, C. Yang, "Testing Calibration in Nearly-Linear Time",
       NeurIPS 2024, arXiv:2402.13187.

    Examples
    --------
    >>> from sklearn_calib.metrics import smooth_calibration_error
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(smooth_calibration_error(y_true, y_proba), 4)
    0.0622
    """
    return evaluate(smooth_calibration_error, locals())
