"""The gaps of all bins, and labels drawn for given rates of the bins."""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr, ndtr

# Bins whose number of events has at least this variance are drawn from the normal distribution.
_NORMAL = 30.0
# Rows from which the correlation between the bins of several classes is estimated.
_CORRELATION_ROWS = 50_000


class Cells:
    """The bins that hold rows, of all events whose errors are averaged.

    Parameters
    ----------
    error : BinnedError
        Prepared.
    predictions : Predictions
        The data.

    Attributes
    ----------
    curve : ndarray of shape (n_cells,)
        The event each bin belongs to.
    share : ndarray of shape (n_cells,)
        Its share of the weight.
    count : ndarray of shape (n_cells,)
        Its number of rows; with weights ``(sum w)**2 / sum w**2``.
    proba, rate : ndarray of shape (n_cells,)
        Mean probability and observed rate.
    """

    def __init__(self, error, predictions):
        parts = [_tabulate(curves, predictions.codes) for curves in error.parts]
        sizes = [part.shape[1] for part in parts]
        self.n_curves = len(parts)
        self.curve = np.repeat(np.arange(self.n_curves), sizes)
        self.starts = np.cumsum([0, *sizes[:-1]])
        self.share, self.count, self.proba, self.rate, variance = np.hstack(parts)
        # The events of a bin vary less than those of rows that all have its mean probability.
        binomial = self.proba * (1.0 - self.proba)
        ratio = np.divide(variance, binomial, out=np.ones_like(binomial), where=binomial > 0.0)
        self.thinning = np.sqrt(np.clip(ratio, 0.0, 1.0))
        self.factor = None
        if len(parts) > 1:
            self.factor = _correlation_factor([curve for (curve,) in error.parts], predictions)

    @property
    def gap(self):
        """Observed rate minus mean probability."""
        return self.rate - self.proba

    def noisy_rates(self):
        """Return rates for drawing noise: predicted or observed, whichever varies more."""
        smoothed = (self.count * self.rate + self.proba) / (self.count + 1.0)
        more = smoothed * (1.0 - smoothed) > self.proba * (1.0 - self.proba)
        return np.where(more, smoothed, self.proba)

    def rates_at(self, distance):
        """Return rates that lie a number of standard errors away from the mean probabilities.

        The standard error is that of the rate itself, so this is an end of Wilson's interval. The
        side is that of the observed gap, or the one with more room if there is none.
        """
        n, p = self.count, self.proba
        square = distance**2
        centre = (p + square / (2.0 * n)) / (1.0 + square / n)
        half = distance * np.sqrt(p * (1.0 - p) / n + square / (4.0 * n**2)) / (1.0 + square / n)
        up = np.where(self.gap == 0.0, p < 0.5, self.gap > 0.0)
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


def _tabulate(curves, codes):
    """Return share, count, mean probability, rate and mean variance of the bins with rows."""
    tables = []
    for curve in curves:
        filled = np.flatnonzero(curve.count > 0)
        p = curve.reduction.proba[:, 0]
        variance = p * (1.0 - p) * (1.0 if curve.weight is None else curve.weight)
        variance = np.bincount(curve.index, variance, minlength=curve.n_bins)[filled]
        total, count = curve.count[filled], curve.effective_count()[filled]
        rate = curve.prob_true(codes)[filled, 0]
        mean = np.clip(curve.prob_pred[filled], 0.0, 1.0)
        tables.append(np.stack([total, count, mean, rate, variance / total]))
    table = np.hstack(tables)
    table[0] /= table[0].sum()
    return table


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
