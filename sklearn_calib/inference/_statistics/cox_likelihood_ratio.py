"""The likelihood ratio of calibration against any intercept and slope of the log-odds."""

import numpy as np
from scipy.special import logit, xlogy
from scipy.stats import chi2

from .one_event import OneEvent
from .statistic import statistic

# Rows times columns of one Newton step, which should stay in the cache of the processor.
_CELLS = 2**17
_MAX_ITER = 100
_MAX_HALVINGS = 40
# Squared Newton decrement before the last step, which squares it once more.
_DECREMENT = 1e-10
# Determinant of the second derivatives per squared weight, below which Newton's steps go astray.
_SINGULAR = 1e-6


class LikelihoodRatio(OneEvent):
    r"""Twice the gain in log-likelihood of :math:`a + b \operatorname{logit} p` over logit p.

    The log-likelihood of a column of labels is :math:`a S_0 + b S_1 - A(a, b)` with
    :math:`S_0 = \sum w y`, :math:`S_1 = \sum w y x`, and a convex function A that all columns
    share. Newton's method runs on all columns at once. Where the labels are separated by x, the
    supremum has a closed form: only the rows at the one value of x at which both labels may occur
    count.
    """

    def __init__(self, predictions, target):
        super().__init__(predictions, target)
        # Equal weights count as ones: a likelihood needs rows, not a scale.
        uncertain = np.flatnonzero(self.variance > 0.0)
        self.certain = np.flatnonzero(self.variance == 0.0)
        x = logit(self.p[uncertain])
        self.order = uncertain[np.argsort(x, kind="stable")]
        self.level, self.block = np.unique(logit(self.p[self.order]), return_inverse=True)
        self.total = np.bincount(self.block, weights=self.weight[self.order])
        if self.level.size:
            self.centre = np.average(self.level, weights=self.total)
            self.scale = max(self.level.max() - self.centre, self.centre - self.level.min()) or 1.0
            self.z = (self.level - self.centre) / self.scale

    def __call__(self, codes):
        events = self.events(codes)
        wrong = (events[self.certain] != (self.p[self.certain, np.newaxis] == 1.0)).any(axis=0)
        values = np.where(wrong, np.inf, 0.0)
        if self.level.size:
            ordered, weight = events[self.order], self.weight[self.order]
            step = max(1, _CELLS // self.level.size)
            for start in range(0, values.size, step):
                values[start : start + step] += self._gains(
                    ordered[:, start : start + step], weight
                )
        return values

    def _gains(self, events, weight):
        """Return the likelihood ratio of each column of events in the order of x."""
        sums = weight @ events
        slopes = (weight * self.z[self.block]) @ events
        right = np.array([self.centre, self.scale])
        log_partition, _, second = self._evaluate(right[:, np.newaxis])
        baseline = right[0] * sums + right[1] * slopes - log_partition
        supremum, separated = self._separated(events, weight)
        rest = np.flatnonzero(~separated)
        # Where nearly all rows are as good as certain, calibration is a bad place to start.
        flat = second[0] * second[2] - second[1] ** 2 < _SINGULAR * self.total.sum() ** 2
        start = np.zeros(2) if flat else right
        supremum[rest] = self._maximum(np.stack([sums[rest], slopes[rest]]), start)
        return np.maximum(2.0 * (supremum - baseline), 0.0)

    def _separated(self, events, weight):
        """Return the supremum of the log-likelihood where x separates the labels, and where."""
        last = events.shape[0] - 1
        columns = np.arange(events.shape[1])
        first_event, first_other = events.argmax(axis=0), (~events).argmax(axis=0)
        last_event, last_other = last - events[::-1].argmax(0), last - (~events[::-1]).argmax(0)
        one_label = (events == events[0]).all(axis=0)
        upper = self.block[last_other] <= self.block[first_event]
        lower = self.block[last_event] <= self.block[first_other]
        common = np.where(upper, self.block[last_other], self.block[last_event])
        mixed = upper & (self.block[last_other] == self.block[first_event])
        mixed |= lower & (self.block[last_event] == self.block[first_other])
        supremum = np.zeros(columns.size)
        for column in np.flatnonzero(mixed & ~one_label):
            rows = self.block == common[column]
            hits = weight[rows] @ events[rows, column]
            total = self.total[common[column]]
            rate = hits / total
            supremum[column] = xlogy(hits, rate) + xlogy(total - hits, 1.0 - rate)
        return supremum, upper | lower | one_label

    def _evaluate(self, theta):
        """Return A, its gradient and its second derivatives for columns (a, b) in terms of z."""
        eta = theta[0] + np.multiply.outer(self.z, theta[1])
        small = np.exp(-np.abs(eta))
        value = self.total @ (np.maximum(eta, 0.0) + np.log1p(small))
        share = 1.0 / (1.0 + small)
        mean = np.where(eta >= 0.0, share, small * share)
        spread = small * share * share
        moments = self.total * self.z ** np.arange(3)[:, np.newaxis]
        return value, moments[:2] @ mean, moments @ spread

    def _maximum(self, sums, start):
        """Return the maximum of the log-likelihood of columns that have one."""
        theta = np.repeat(start[:, np.newaxis], sums.shape[1], axis=1)
        best = np.empty(sums.shape[1])
        active = np.arange(sums.shape[1])
        value, gradient, second = self._evaluate(theta)
        value = (theta * sums).sum(axis=0) - value
        for _ in range(_MAX_ITER):
            if not active.size:
                break
            slope = sums[:, active] - gradient
            size = second[0] * second[2] - second[1] ** 2
            size = np.maximum(size, np.finfo(float).tiny)
            move = np.stack(
                [
                    (second[2] * slope[0] - second[1] * slope[1]) / size,
                    (second[0] * slope[1] - second[1] * slope[0]) / size,
                ]
            )
            decrement = (move * slope).sum(axis=0)
            theta[:, active], value, gradient, second = self._step(
                theta[:, active], move, value, sums[:, active]
            )
            best[active] = value
            open_ = decrement > _DECREMENT * (1.0 + np.abs(value))
            active, value = active[open_], value[open_]
            gradient, second = gradient[:, open_], second[:, open_]
        return best

    def _step(self, theta, move, value, sums):
        """Return parameters, log-likelihood and derivatives after steps that do not lose."""
        factor = np.ones(value.size)
        for _ in range(_MAX_HALVINGS):
            new = theta + factor * move
            log_partition, gradient, second = self._evaluate(new)
            reached = (new * sums).sum(axis=0) - log_partition
            worse = ~(reached >= value - 1e-12 * (1.0 + np.abs(value)))
            if not worse.any():
                break
            factor[worse] *= 0.5
        return new, np.maximum(reached, value), gradient, second


@statistic(
    "cox_likelihood_ratio",
    label="Cox likelihood ratio",
    meaning="do another intercept and slope of the log-odds fit the labels better?",
    reference=lambda prepared, codes: _limit(prepared),
)
def prepare_cox_likelihood_ratio(predictions, *, target="auto"):
    r"""Prepare the likelihood ratio of Cox's recalibration model.

    The labels are fitted by :math:`\operatorname{logit} P(Y = 1) = a + b \operatorname{logit} p`
    with maximum likelihood, and the statistic is twice the gain in log-likelihood over (0, 1)
    [1]_, [2]_. It finds predictions that are too high or low (a) and too extreme or timid (b). For
    many rows it has the chi-square distribution with 2 degrees of freedom (1 if all predictions
    are equal). If a and b separate the labels, there is no finite maximum, and the supremum
    counts. Rows with p = 0 or 1 cannot be moved: they count nothing if they are right, and make
    the statistic infinite if not. Weights multiply the log-likelihood of each row and only their
    ratios matter; the chi-square limit does not hold for them.

    Parameters
    ----------
    predictions : Predictions
        Validated data.
    target : {"auto", "binary", "confidence"}, default="auto"
        The event, as in `OneEvent`.

    References
    ----------
    .. [1] D. R. Cox, "Two further applications of a model for binary regression", Biometrika 45
       (1958), doi:10.1093/biomet/45.3-4.562.
    .. [2] M. E. Miller, C. D. Langefeld, W. M. Tierney, S. L. Hui, C. J. McDonald, "Validation of
       probabilistic predictions", Medical Decision Making 13 (1993),
       doi:10.1177/0272989X9301300107.
    """
    return LikelihoodRatio(predictions, target)


def _limit(prepared):
    """Return the chi-square distribution, or raise if the weights differ."""
    if prepared.weighted:
        raise ValueError(
            "null='asymptotic' is not available for cox_likelihood_ratio with weights that differ: "
            "a weighted log-likelihood is not that of the data, so its ratio has no chi-square "
            "limit. Use null='simulation', which is exact with weights."
        )
    return chi2(min(max(prepared.level.size, 1), 2))
