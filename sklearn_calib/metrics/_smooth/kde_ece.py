"""The calibration error from a kernel density estimate on the simplex."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from ..._data.targets import reduce_target, resolve_target
from ..._utils.docs import fill_doc
from ..._utils.options import check_option, is_finite_real, shorten
from ..._utils.types import Bandwidth, Label
from .._metric import Prepared, evaluate, metric

# Logarithms of probabilities stay finite: 0 counts as the smallest normal number.
_TINY = np.finfo(np.float64).tiny
# Kernel values held at once.
_CELLS = 2_000_000
# Bandwidths that compete, and rows from which their likelihood is computed.
_CANDIDATES = np.concatenate([np.logspace(-5, -1, 15), np.linspace(0.2, 1.0, 5)])
_N_LIKELIHOOD = 500


class SimplexKernel:
    """Dirichlet kernels around points of the simplex; for two columns these are Beta kernels.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_columns)
        Rows that sum to one.
    weight : ndarray of shape (n_samples,)
        Positive weights.
    bandwidth : float
        The kernel around a point p is the Dirichlet density with parameters ``p / bandwidth + 1``.
    """

    def __init__(self, points, weight, bandwidth):
        self.logs = np.log(np.maximum(points, _TINY))
        self.powers = points / bandwidth
        constant = gammaln((self.powers + 1.0).sum(axis=1))
        constant -= gammaln(self.powers + 1.0).sum(axis=1)
        self.constant = constant + np.log(weight)

    def blocks(self):
        """Yield rows, the largest log kernel of each, and the kernels of all others over it.

        The kernel of a row on itself is zero.
        """
        n = len(self.logs)
        size = max(1, _CELLS // n)
        for start in range(0, n, size):
            rows = np.arange(start, min(start + size, n))
            kernel = self.logs[rows] @ self.powers.T + self.constant
            kernel[np.arange(rows.size), rows] = -np.inf
            largest = kernel.max(axis=1, keepdims=True)
            yield rows, largest[:, 0], np.exp(kernel - largest)


def likeliest_bandwidth(points, weight):
    """Return the candidate with the largest leave-one-out likelihood of the points.

    Of more than 500 points a random sample is taken, which does not depend on their order.
    """
    order = np.lexsort((weight, *points.T))
    points, weight = points[order], weight[order]
    if weight.size > _N_LIKELIHOOD:
        rows = np.random.default_rng(0).choice(weight.size, _N_LIKELIHOOD, replace=False)
        points, weight = points[rows], weight[rows]
    scores = []
    for bandwidth in _CANDIDATES:
        score = 0.0
        for rows, largest, kernel in SimplexKernel(points, weight, bandwidth).blocks():
            # Up to the weight of the others, which is the same for each bandwidth.
            density = largest + np.log(kernel.sum(axis=1))
            score += weight[rows] @ density
        scores.append(score)
    return float(_CANDIDATES[int(np.argmax(scores))])


class KdeError(Prepared):
    """The error from kernel density estimates, prepared."""

    def __init__(self, predictions, *, bandwidth, norm, target):
        self.norm = check_option(norm, "norm", ("l1", "l2"))
        bandwidth = _check_bandwidth(bandwidth)
        self.target = resolve_target(target, predictions.n_classes, multiclass="canonical")
        n = predictions.n_samples
        if n < 2:
            raise ValueError(
                "n too small: kde_ece leaves out each row in its own estimate, so it needs at "
                f"least 2 samples of positive weight, got {n}."
            )
        self.share = predictions.share
        self.reductions = reduce_target(predictions.proba, self.target)
        self.n_columns = sum(one.proba.shape[1] for one in self.reductions)
        self.kernels, self.bandwidths = [], []
        for one in self.reductions:
            p = one.proba
            points = np.hstack([1.0 - p, p]) if p.shape[1] == 1 else p
            own = (
                likeliest_bandwidth(points, self.share) if bandwidth == "likelihood" else bandwidth
            )
            self.bandwidths.append(own)
            self.kernels.append(SimplexKernel(points, self.share, own))

    def __call__(self, codes):
        codes = codes.reshape(codes.shape[0], -1)
        pairs = zip(self.reductions, self.kernels, strict=True)
        return np.mean([self._error(*pair, codes) for pair in pairs], axis=0)

    def _error(self, reduction, kernel, codes):
        total = np.zeros(codes.shape[1])
        events = [
            (p[:, np.newaxis], (codes == event[:, np.newaxis]).astype(np.float64))
            for p, event in zip(reduction.proba.T, reduction.event.T, strict=True)
        ]
        for rows, _, values in kernel.blocks():
            total_kernel = values.sum(axis=1, keepdims=True)
            for p, hits in events:
                gaps = np.abs(values @ hits / total_kernel - p[rows])
                total += self.share[rows] @ (gaps if self.norm == "l1" else gaps**2)
        return total if self.norm == "l1" else np.sqrt(total)

    def details(self):
        """Return the bandwidths, as a field of the result of a test."""
        widths = self.bandwidths
        return {"prob_bandwidth": widths[0] if len(widths) == 1 else tuple(widths)}


def _check_bandwidth(bandwidth):
    if isinstance(bandwidth, str) and bandwidth == "likelihood":
        return bandwidth
    if not is_finite_real(bandwidth) or bandwidth < 1e-6:
        raise ValueError(
            'bandwidth must be a number of at least 1e-6 or "likelihood", got '
            f"{shorten(bandwidth)}."
        )
    return float(bandwidth)


@metric(
    prepare=KdeError,
    label="KDE ECE",
    meaning="mean gap after smoothing with kernels on the simplex",
    multiclass_target="canonical",
    scorer={"bandwidth": 0.01},
    rank=32,
)
@fill_doc()
def kde_ece(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    norm: str = "l1",
    bandwidth: Bandwidth = "likelihood",
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the calibration error from a kernel density estimate on the simplex.

    The rate at the probabilities of row j is estimated from all other rows,

    .. math:: \hat c_j = \frac{\sum_{i \ne j} w_i k(p_j; p_i) \, y_i}
                              {\sum_{i \ne j} w_i k(p_j; p_i)}, \qquad
              \mathrm{error} = \Big( \sum_j w_j \| \hat c_j - p_j \|_q^q \Big)^{1/q},

    with weights :math:`w_j` that sum to one and q = 1 or 2. The kernel :math:`k(\cdot; p)` is the
    Beta density, and for whole probability vectors the Dirichlet density, with the parameters
    :math:`p / h + 1`: it lives on the simplex and has its mode at p, so there is no bias from
    mass beyond 0 and 1. Zero means that the estimated rates equal the probabilities. The largest
    value is one for a single event; for "canonical", where the differences of all classes add up,
    it is two (``"l1"``) or the square root of two. It is one of few errors that measure canonical
    calibration on the scale of probabilities.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    norm : {"l1", "l2"}, default="l1"
        Whether q is 1 or 2.
    bandwidth : float or "likelihood", default="likelihood"
        The number h above, at least 1e-6: around p the kernel has a standard deviation of about
        ``sqrt(h * p * (1 - p))``. "likelihood" takes the one of 20 numbers from 0.00001 to 1 under
        which the probabilities have the largest leave-one-out likelihood, as in the paper (of 500
        rows drawn with a fixed seed if there are more). It depends on the predictions, so values of
        different models are then not comparable.
    <<target_kernel>>
    <<sample_weight>>
        A row is left out of its own estimate, so a weight is not the same as copies of the row.
    <<pos_label>>
    <<labels>>

    Returns
    -------
    error : float
        A number in [0, 2]; lower is better.

    <<raises_too_few_rows>>

    See Also
    --------
    smooth_ece : A smooth error of single events, in less time.
    skce : The squared kernel calibration error, unbiased.

    Notes
    -----
    <<not_proper>>

    For a calibrated model it is biased upwards, the more the smaller the bandwidth
    (:ref:`perfect_models`). Where many rows have equal probabilities the likelihood prefers a very
    small bandwidth, and the error compares each of these values with its own rate. Exact 0 and 1
    count as if they were 2e-308 away, so that such rows are compared with each other first.

    The published software returns twice the value for two classes, as the sum over both, and the
    mean of squares for q = 2. Time is O(n^2 n_classes) and memory
    O(n n_classes).

    References
    ----------
    .. [1] T. Popordanoska, R. Sayer, M. B. Blaschko, "A Consistent and Differentiable Lp Canonical
       Calibration Error Estimator", NeurIPS 2022, arXiv:2210.07810.

    Examples
    --------
    >>> from sklearn_calib.metrics import kde_ece
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(kde_ece(y_true, y_proba, bandwidth=0.1), 4)
    0.1759
    """
    return evaluate(kde_ece, locals())
