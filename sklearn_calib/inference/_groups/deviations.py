"""How far groups deviate from their predictions, and the family-wise null distribution of it."""

import numpy as np
from scipy.special import xlogy

_BATCH_CELLS = 12_000_000
_TIE = 1e-10
_ROUNDING = 1e-9


class Deviations:
    r"""The deviation of each group and event, for any labels.

    With the weighted sum S of the indicators of a group, the sum of its weights W, the expected
    rate :math:`\bar p` and the observed one :math:`\bar y = S / W`, the deviation is the signed
    root of the binomial deviance,

    .. math:: r = \operatorname{sign}(\bar y - \bar p) \Big(2 m \big[\bar y \log
              \frac{\bar y}{\bar p} + (1 - \bar y) \log\frac{1 - \bar y}{1 - \bar p}\big]
              \Big)^{1/2}, \qquad m = \frac{\bar p (1 - \bar p) W^2}{\sum_i w_i^2 p_i (1 - p_i)}.

    Near :math:`\bar p` it equals the standardised gap
    :math:`\sum_i w_i (y_i - p_i) / (\sum_i w_i^2 p_i (1 - p_i))^{1/2}`. For rare events it is much
    closer to normal, so that small groups do not raise the bar for all others.

    Parameters
    ----------
    total : ndarray of shape (n_groups,)
        Sum of the weights W.
    expected : ndarray of shape (n_groups, n_events)
        Sum of the weights times the probabilities.
    variance : ndarray of shape (n_groups, n_events)
        Variance of S for a calibrated model.

    Attributes
    ----------
    rate : ndarray of shape (n_groups, n_events)
        The expected rates.
    """

    def __init__(self, total, expected, variance):
        self.total, self.variance = total, variance
        self.rate = np.clip(expected / total[:, np.newaxis], 0.0, 1.0)
        binomial = self.rate * (1.0 - self.rate) * total[:, np.newaxis] ** 2
        self.certain = variance <= 0.0
        self.size = np.divide(binomial, variance, out=np.zeros_like(binomial),
                              where=~self.certain)  # fmt: skip

    @classmethod
    def of_rows(cls, groups, reduction):
        """Return the deviations of `Groups` of rows with the probabilities of a `Reduction`."""
        p = reduction.proba
        weighted = groups.weight[:, np.newaxis] * p * (1.0 - p)
        return cls(groups.sums(np.ones(len(p))), groups.sums(p), groups.sums(weighted))

    def of(self, hits):
        """Return the signed deviations of weighted sums, shape (n_groups, n_events, n_draws)."""
        rate, size = self.rate[:, :, np.newaxis], self.size[:, :, np.newaxis]
        observed = np.clip(hits / self.total[:, np.newaxis, np.newaxis], 0.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = xlogy(observed, observed / rate)
            gain += xlogy(1.0 - observed, (1.0 - observed) / (1.0 - rate))
            deviation = np.sqrt(2.0 * size * np.maximum(gain, 0.0))
        if self.certain.any():
            gap = np.abs(observed - rate)[self.certain]
            deviation[self.certain] = np.where(gap > _ROUNDING, np.inf, 0.0)
        return np.copysign(deviation, observed - rate)


class FamilyWise:
    """P-values of deviations that hold for all of them together.

    Attributes
    ----------
    pvalue : ndarray
        For each deviation. Step-down: the largest deviation is compared with the largest of all
        drawn deviations, the next one with the largest of those that are left, and so on.
    overall : ndarray of shape (n_events,)
        P-values of all rows together, which are not part of the family.
    maxima : ndarray of shape (n_draws,)
        The largest deviation of each draw, sorted.
    """

    def __init__(self, pvalue, overall, maxima):
        self.pvalue = pvalue
        self.overall = overall
        self.maxima = np.sort(maxima)

    def single_step(self, deviation):
        """Return the p-value of a deviation among the largest ones of the draws."""
        below = np.searchsorted(self.maxima, np.abs(deviation) * (1.0 - _TIE), side="left")
        return (1.0 + self.maxima.size - below) / (1.0 + self.maxima.size)

    def critical_value(self, alpha):
        """Return the value that the largest deviation exceeds with probability at most alpha."""
        rank = int(np.ceil((1.0 - alpha) * (self.maxima.size + 1) - 1e-9))
        return float(self.maxima[rank - 1]) if rank <= self.maxima.size else np.inf


def simulate_family(evidence, observed, tested, n_resamples, rng, say):
    """Compare deviations with those of labels drawn from the predictions.

    `evidence` is `RowEvidence` or `CellEvidence`, whose first group is that of all rows. `observed`
    are the deviations of the data, of shape (n_groups, n_events), and `tested` says which groups
    form the family; p-values of others are NaN. Draw b depends on `rng` and b only.
    """
    size = np.abs(observed[tested]).ravel()
    order = np.argsort(-size, kind="stable")
    limit = size[order][:, np.newaxis] * (1.0 - _TIE)
    whole = np.abs(observed[0])[:, np.newaxis] * (1.0 - _TIE)
    n_above, n_whole, maxima = np.zeros(size.size), np.zeros(observed.shape[1]), []
    n_batch = max(1, _BATCH_CELLS // max(evidence.n_entries, observed.size))
    draw = evidence.drawing(rng)
    for start in range(0, n_resamples, n_batch):
        stop = min(start + n_batch, n_resamples)
        every = np.abs(evidence.measure.of(draw(start, stop)))
        n_whole += np.count_nonzero(every[0] >= whole, axis=1)
        drawn = every[tested].reshape(size.size, -1)[order]
        largest_left = np.maximum.accumulate(drawn[::-1], axis=0)[::-1]
        n_above += np.count_nonzero(largest_left >= limit, axis=1)
        maxima.append(largest_left[0])
        say.count(stop, n_resamples, "draws")
    step_down = np.maximum.accumulate((1.0 + n_above) / (1.0 + n_resamples))
    pvalue = np.full(observed.shape, np.nan)
    inside = np.empty(size.size)
    inside[order] = step_down
    pvalue[tested] = inside.reshape(-1, observed.shape[1])
    return FamilyWise(pvalue, (1.0 + n_whole) / (1.0 + n_resamples), np.concatenate(maxima))
