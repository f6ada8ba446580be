"""The squared kernel calibration error in units of its standard deviation under calibration."""

from functools import cached_property

import numpy as np
from scipy.stats import pearson3

from ..._core import pair_form
from ..._data.targets import ONE_EVENT
from ..._utils.docs import fill_doc
from ...metrics._kernel.pair_error import PairError
from .one_event import OneEvent, ratio
from .statistic import statistic

# Rows above which the third moment is computed from groups of neighbours.
_EXACT_ROWS = 500
_POWER = {"laplacian": 1.0, "rbf": 0.5}


class StandardizedError(OneEvent):
    r"""The unbiased error divided by its standard deviation for a calibrated model.

    With :math:`a_{ij} = w_i w_j k(p_i, p_j)`, :math:`v = p(1 - p)` and
    :math:`m = p(1 - p)(1 - 2p)`, the sum :math:`Q = \sum_{i \ne j} a_{ij} e_i e_j` has mean zero,

    .. math:: E\,Q^2 = 2 \sum_{i \ne j} a_{ij}^2 v_i v_j, \qquad
              E\,Q^3 = 8 \sum_{i, j, l} a_{ij} a_{jl} a_{li} v_i v_j v_l
              + 4 \sum_{i \ne j} a_{ij}^3 m_i m_j

    over different i, j and l.
    """

    def __init__(self, predictions, target, kernel, bandwidth):
        super().__init__(predictions, target)
        self.error = PairError(
            predictions,
            estimator="uq",
            kernel=kernel,
            bandwidth=bandwidth,
            target=self.target,
            allowed_targets=ONE_EVENT,
        )
        self.kernel, self.width = kernel, self.error.prob_bandwidths[0]
        # The difference of the square of the sum and the sum of squares may be lost in rounding.
        ascending = np.sort(self.weight)
        self.pair_weight = 2.0 * (ascending[1:] @ np.cumsum(ascending)[:-1])
        # A sum of non-negative terms that is taken from larger ones can be below zero.
        square = max(2.0 * self._power_sum(2, self.variance), 0.0)
        self.spread = np.sqrt(square) / self.pair_weight

    def _power_sum(self, power, moments):
        """Return the sum of a power of the kernel times moments of residuals, over i != j."""
        width = self.width / power ** _POWER[self.kernel]
        columns = (self.weight**power * moments)[:, np.newaxis]
        form = pair_form(self.p[:, np.newaxis], kernel=self.kernel, bandwidth=width)
        return float(form(columns)[0])

    def __call__(self, codes):
        values = self.error(codes)
        return ratio(values, np.full(values.size, self.spread))

    def details(self):
        """Return what the error used."""
        return self.error.details()

    @cached_property
    def limit(self):
        """Return the distribution with the same first three moments, of Pearson's type III."""
        if self.spread == 0.0:
            return pearson3(0.0)
        third = 8.0 * self._triangles()
        third += 4.0 * self._power_sum(3, self.variance * (1.0 - 2.0 * self.p))
        return pearson3(third / (self.spread * self.pair_weight) ** 3)

    def _triangles(self):
        """Return the sum over different rows i, j and l; over groups of neighbours for many."""
        order = np.argsort(self.p, kind="stable")
        points, mass = self.p[order], (self.weight**2 * self.variance)[order]
        exact = points.size <= _EXACT_ROWS
        if not exact:
            start = np.arange(_EXACT_ROWS) * points.size // _EXACT_ROWS
            total = np.add.reduceat(mass, start)
            middle = np.add.reduceat(points, start) / np.diff(start, append=points.size)
            points, mass = middle, total
        distance = np.abs(points[:, np.newaxis] - points) / self.width
        matrix = np.exp(-distance if self.kernel == "laplacian" else -(distance**2))
        if exact:
            np.fill_diagonal(matrix, 0.0)
        matrix *= np.sqrt(np.multiply.outer(mass, mass))
        return float(np.sum((matrix @ matrix) * matrix))


@statistic(
    "standardized_skce",
    label="standardised SKCE",
    meaning="SKCE over its standard deviation for a calibrated model with these predictions",
    reference=lambda prepared, codes: prepared.limit,
)
@fill_doc()
def prepare_standardized_skce(predictions, *, kernel="laplacian", bandwidth=0.2, target="auto"):
    """Prepare the unbiased squared kernel error in units of its standard deviation.

    The standard deviation is that of `skce` for a calibrated model with these predictions, which
    is known exactly. So values of different models and numbers of rows can be compared: about
    zero if calibrated, and rarely above two or three. With drawn labels the p-value is that of
    `skce`. The asymptotic form is Pearson's type III distribution (a shifted gamma distribution)
    with the exact standard deviation and skewness, in the way in which [2]_ approximates weighted
    sums of chi-square variables, the limits of U-statistics such as this one [1]_.

    <<parameters_predictions>>
    kernel : {"laplacian", "rbf"}, default="laplacian"
        As in `skce`.
    bandwidth : float or "median", default=0.2
        As in `skce`.
    <<target_one_event>>

    References
    ----------
    <<reference_kernel_tests>>
    .. [2] M. J. Buckley, G. K. Eagleson, "An approximation to the distribution of quadratic forms
       in normal random variables", Australian Journal of Statistics 30A (1988),
       doi:10.1111/j.1467-842X.1988.tb00471.x.
    """
    return StandardizedError(predictions, target, kernel, bandwidth)
