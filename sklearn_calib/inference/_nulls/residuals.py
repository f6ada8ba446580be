"""Nulls that keep the predictions and change the residuals."""

import numpy as np


class _ChangedResiduals:
    """A null that keeps the predictions and changes the observed residuals.

    Parameters
    ----------
    errors : list of one Prepared
        With a residual form.
    predictions : Predictions
        The data.
    """

    def __init__(self, errors, predictions):
        (error,) = errors
        self.form = error.residual_form
        self.n_samples = predictions.n_samples
        self.residuals = [r.residuals(predictions.codes)[:, :, 0] for r in self.form.reductions]


class PermutedResiduals(_ChangedResiduals):
    """Residuals in another order; draws are columns of row numbers."""

    def draw(self, rng, n_draws):
        """Return columns of permutations."""
        rows = np.tile(np.arange(self.n_samples), (n_draws, 1))
        return np.ascontiguousarray(rng.permuted(rows, axis=1, out=rows).T)

    def evaluate(self, draws):
        """Return the value of the observed residuals followed by that of each draw."""
        rows = np.hstack([np.arange(self.n_samples)[:, np.newaxis], draws])
        return [self.form.of_residuals([e[rows].transpose(0, 2, 1) for e in self.residuals])]


class WildResiduals(_ChangedResiduals):
    """Residuals times random signs; draws are columns of signs."""

    def draw(self, rng, n_draws):
        """Return columns of signs."""
        positive = rng.random((n_draws, self.n_samples)) < 0.5
        return np.ascontiguousarray(np.where(positive, 1.0, -1.0).T)

    def evaluate(self, draws):
        """Return the value of the observed residuals followed by that of each draw."""
        signs = np.hstack([np.ones((self.n_samples, 1)), draws])
        return [self.form.of_residuals([_times(e, signs) for e in self.residuals])]


class CentredResamples(_ChangedResiduals):
    r"""Rows drawn with replacement and the pair terms centred; draws are columns of row numbers.

    With :math:`h_{ij} = k(r_i, r_j) \langle e_i, e_j \rangle` (diagonal included), centred by its
    row means and grand mean to :math:`g_{ij}`, a resample b has the value
    :math:`\frac{1}{n^2} \sum_{a \ne c} g_{b_a b_c}`, compared with the mean of :math:`h_{ij}` over
    :math:`i \ne j`. With the multiplicities m of the rows, and
    :math:`Q(v) = \sum_{ij} v_i v_j h_{ij}`, that is
    :math:`\frac{1}{n^2} \big[(1 - \frac{1}{n}) Q(m - 1) + \frac{1}{n} Q(m) - \sum_i m_i h_{ii}
    \big]`, so that forms of residual columns suffice.
    """

    def evaluate(self, draws):
        """Return the value of the observed residuals followed by that of each draw."""
        n = self.n_samples
        counts = np.stack([np.bincount(rows, minlength=n) for rows in draws.T], axis=1)
        columns = np.hstack([np.ones((n, 1)), counts - 1.0, counts])
        pairs = self.form.of_residuals([_times(e, columns) for e in self.residuals])
        own = np.mean([np.einsum("ik,ik->i", e, e) for e in self.residuals], axis=0)
        forms = n * (n - 1) * pairs + own @ columns**2
        centred, plain = np.split(forms[1:], 2)
        values = ((1.0 - 1.0 / n) * centred + plain / n - own @ counts) / n**2
        return [np.concatenate([pairs[:1], values])]


def _times(residuals, columns):
    """Return residuals of shape (n_samples, n_events, n_columns), scaled row by row."""
    return residuals[:, :, np.newaxis] * columns[:, np.newaxis, :]
