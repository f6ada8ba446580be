"""The score test of a logistic model for one event, as a sum of squares."""

import numpy as np

from ...._core import ResidualBlocks
from ...._utils.links import logit, probability_floor
from ....metrics._metric import Prepared
from ..limits import chi_squared

# Directions with less than this share of the largest variance are collinear with others.
COLLINEAR = 1e-10


def log_odds(p):
    """Return the log-odds of probabilities.

    Exact 0 and 1 count as half the smallest distance to 0 or 1 that occurs.
    """
    return logit(p, probability_floor(p))


def whiten(design, variance):
    """Return combinations of rows whose sums with independent residuals are uncorrelated.

    The derivatives of the log-likelihood by the coefficients are sums of `design`, one row each,
    times the residuals, which have the given variances. The sums of the result with the residuals
    have the identity as covariance. Collinear rows, and those without variance, leave fewer rows
    than there were.
    """
    spread = np.sqrt(design**2 @ variance)
    design = design[spread > 0.0] / spread[spread > 0.0, np.newaxis]
    if len(design) == 0:
        return design
    values, vectors = np.linalg.eigh((design * variance) @ design.T)
    kept = values > COLLINEAR * values[-1]
    return (vectors[:, kept] / np.sqrt(values[kept])).T @ design


class EventScore(Prepared):
    r"""The score statistic :math:`U^T V^+ U` of logistic models for one or more events.

    U are the derivatives of the log-likelihood of each event by the coefficients of its design, at
    the predictions, and V is their covariance for a calibrated model. Of several events, which have
    one column and one design each, the largest value counts. `categorical_features` says how the
    designs read features, for those who read them again.
    """

    def __init__(self, reductions, designs, weight, target, categorical_features=None):
        self.target = target
        self.categorical_features = categorical_features
        self.reductions = reductions
        self.n_columns = len(reductions)
        self.whitened = [
            whiten(weight * np.ascontiguousarray(design.T), _variance(reduction))
            for design, reduction in zip(designs, reductions)
        ]

    @property
    def rank(self):
        """Degrees of freedom of the first event."""
        return len(self.whitened[0])

    def of_events(self, codes):
        """Return the statistic of each event, shape (n_events, n_draws)."""
        return np.stack(
            [
                self._value(a, reduction, codes)
                for a, reduction in zip(self.whitened, self.reductions)
            ]
        )

    def __call__(self, codes):
        return self.of_events(codes).max(axis=0)

    def _value(self, whitened, reduction, codes):
        if len(whitened) == 0:  # certain predictions, which are right or wrong
            return np.where(reduction.residuals(codes)[:, 0].any(axis=0), np.inf, 0.0)
        rows = ResidualBlocks(reduction.proba[:, 0])
        sums = rows.products(whitened, reduction.happened(codes)[:, 0])
        return np.einsum("kb,kb->b", sums, sums)


def _variance(reduction):
    p = reduction.proba[:, 0]
    return p * (1.0 - p)


def limit_of_score(prepared, codes):
    """Return the limit of the statistic of one event."""
    return chi_squared(max(prepared.rank, 1))
