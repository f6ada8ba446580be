"""The gaps of all bins, and labels drawn for given rates of the bins."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.special import bdtr, ndtr

# Bins whose number of events has at least this variance are drawn from the normal distribution.
_NORMAL = 30.0
# Standard errors that an observed gap is away from zero if its sign is known.
_TOLD_APART = 3.0
# A variance that is so many times another one changes the noise.
_CLEARLY_MORE = 1.05
# Rows from which the correlation between the bins of several classes is estimated.
_CORRELATION_ROWS = 50_000


class FilledBins:
    """The bins that hold rows, of all events whose errors are averaged.

    Parameters
    ----------
    error : BinnedError
        Prepared.
    predictions : Predictions
        The data.

    Attributes
    ----------
    group : ndarray of shape (n_cells,)
        Number of the event, or set of events, over whose bins the gaps are put together.
    starts : ndarray of shape (n_groups,)
        Where the bins of each begin.
    share : ndarray of shape (n_cells,)
        Share of the weight of its group.
    count : ndarray of shape (n_cells,)
        Its number of rows; with weights ``(sum w)**2 / sum w**2``.
    proba, rate : ndarray of shape (n_cells,)
        Mean probability and observed rate.
    """

    def __init__(self, error, predictions):
        parts = [_tabulate(curves, predictions) for curves in error.groups]
        sizes = [part.shape[1] for part in parts]
        self.n_groups = len(parts)
        self.group = np.repeat(np.arange(self.n_groups), sizes)
        self.starts = np.cumsum([0, *sizes[:-1]])
        self.share, self.count, self.proba, self.rate, variance = np.hstack(parts)
        # The events of a bin vary less than those of rows that all have its mean probability.
        binomial = self.proba * (1.0 - self.proba)
        ratio = np.divide(variance, binomial, out=np.ones_like(binomial), where=binomial > 0.0)
        self.thinning = np.sqrt(np.clip(ratio, 0.0, 1.0))
        self.factor = None
        if len(parts) > 1:
            self.factor = _correlation_factor([curve for (curve,) in error.groups], predictions)

    @property
    def gap(self):
        """Observed rate minus mean probability."""
        return self.rate - self.proba

    def noisy_rates(self, part=None):
        """Return rates for drawing noise: predicted or observed, whichever varies more.

        If only a `part` of the gaps is true, the rates that these true gaps give are a third choice
        for the bins whose noise they can raise.
        """
        smoothed = (self.count * self.rate + self.proba) / (self.count + 1.0)
        rates = _noisier(smoothed, self.proba)
        if part is None:
            return rates
        return np.where(self.between, _noisier(self.proba + part * self.gap, rates), rates)

    @cached_property
    def between(self):
        """Whether a rate between the predicted and the observed one varies more than both."""
        rates = self.noisy_rates()
        apart = (self.proba - 0.5) * (self.rate - 0.5) < 0.0
        return apart & (_CLEARLY_MORE * rates * (1.0 - rates) < 0.25)

    def rates_at(self, distance):
        """Return rates that lie a number of standard errors away from the mean probabilities.

        The standard error is that of the rate itself, so this is an end of Wilson's interval. The
        side is that of the observed gap. If there is none, or so little room on its side that no
        gap there could be told from noise (no events where few are expected), it is the other one.
        """
        n, p = self.count, self.proba
        square = distance**2
        centre = (p + square / (2.0 * n)) / (1.0 + square / n)
        half = distance * np.sqrt(p * (1.0 - p) / n + square / (4.0 * n**2)) / (1.0 + square / n)
        room = np.where(self.gap > 0.0, 1.0 - p, p)
        unknown = (self.gap == 0.0) | (room < _TOLD_APART * np.sqrt(p * (1.0 - p) / n))
        up = np.where(unknown, p < 0.5, self.gap > 0.0)
        return np.clip(np.where(up, centre + half, centre - half), 0.0, 1.0)

    def normals(self, rng, n_draws):
        """Return normal numbers of shape (n_draws, n_cells) that stand for drawn labels."""
        normals = rng.standard_normal((n_draws, self.share.size))
        return normals if self.factor is None else normals @ self.factor

    def deviations(self, rates, normals):
        """Return observed minus true rates, shape (n_draws, n_cells), for given true rates."""
        variance = rates * (1.0 - rates)
        scale = np.sqrt(variance / self.count)
        drawn = normals * scale
        for j in np.flatnonzero((self.count * variance < _NORMAL) & (variance > 0.0)):
            drawn[:, j] = _binomial(self.count[j], rates[j], normals[:, j])
        return drawn * self.thinning


def _noisier(rates, others):
    """Return those of two sets of rates whose labels vary more."""
    return np.where(rates * (1.0 - rates) > others * (1.0 - others), rates, others)


def _tabulate(curves, predictions):
    """Return share, count, mean probability, rate and mean variance of the bins with rows."""
    columns = [_columns(curve, predictions) for curve in curves]
    total, *others = np.hstack(columns)
    return np.stack([total / total.sum(), *others])


def _columns(curve, predictions):
    """Return the same for one event, with the weight instead of its share."""
    filled = np.flatnonzero(curve.count > 0)
    p = curve.reduction.proba[:, 0]
    variance = p * (1.0 - p)
    if curve.weight is not None:
        variance = variance * curve.weight
    variance = np.bincount(curve.index, variance, minlength=curve.n_bins)[filled]
    total = curve.count[filled]
    rate = curve.prob_true(predictions.codes)[filled, 0]
    mean = np.clip(curve.prob_pred[filled], 0.0, 1.0)
    return np.stack([total, curve.effective_count()[filled], mean, rate, variance / total])


def _binomial(count, rate, normals):
    """Return rates of binomial draws minus the true one, by inverting the distribution."""
    n = max(1, round(count))
    reach = n * rate + 12.0 * np.sqrt(n * rate * (1.0 - rate)) + 12.0
    hits = np.arange(min(n, int(reach)) + 1.0)
    number = np.searchsorted(bdtr(hits, n, rate), ndtr(normals))
    return hits[np.minimum(number, hits.size - 1)] / n - rate


def _correlation_factor(curves, predictions):
    """Return a matrix that gives normal numbers the correlation of the bins of several classes.

    A row falls into one bin of each class, and its residuals have covariance
    ``p_k (1(k = l) - p_l)`` if it is calibrated.
    """
    n_samples = predictions.n_samples
    rows = np.arange(0, n_samples, -(-n_samples // _CORRELATION_ROWS))
    weight = np.ones(n_samples) if predictions.weight is None else predictions.weight
    square = weight[rows] ** 2
    filled = [np.flatnonzero(curve.count > 0) for curve in curves]
    blocks = []
    for k, one in enumerate(curves):
        line = []
        for m, other in enumerate(curves):
            p, q = one.reduction.proba[rows, 0], other.reduction.proba[rows, 0]
            product = square * (p * (1.0 - p) if k == m else -p * q)
            place = one.index[rows] * other.n_bins + other.index[rows]
            table = np.bincount(place, product, minlength=one.n_bins * other.n_bins)
            line.append(table.reshape(one.n_bins, other.n_bins)[np.ix_(filled[k], filled[m])])
        blocks.append(line)
    covariance = np.block(blocks)
    deviation = np.sqrt(np.diag(covariance))
    known = deviation > 0.0
    scale = np.outer(np.where(known, deviation, 1.0), np.where(known, deviation, 1.0))
    correlation = covariance / scale
    correlation[~known, ~known] = 1.0
    values, vectors = np.linalg.eigh(correlation)
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
