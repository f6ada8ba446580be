"""Binned errors as functions of sums over rows, for rows that are repeated or exchanged."""

import numpy as np
from scipy import sparse


class BinSums:
    """What the rows of a data set add to each bin, and the error that follows from the sums.

    The sums of a data set in which rows are left out or repeated, or come from another model whose
    bins have the same edges, are sums of the same terms. The edges must not depend on the data.
    """

    def __init__(self, error, predictions):
        self.error = error
        self.predictions = predictions
        self.n_bins = [sum(curve.n_bins for curve in curves) for curves in error.groups]

    def terms(self):
        """Return what each row adds, a sparse matrix of shape (n_samples, 4 * n_bins).

        For each bin these are the weight, the weight of the events, the weighted probability and
        the squared weight.
        """
        n_samples, start, parts = self.predictions.n_samples, 0, []
        total = sum(self.n_bins)
        # Ratios of the weights are all that matters, and their squares may overflow.
        largest = 1.0 if self.predictions.weight is None else self.predictions.weight.max()
        for curve in (curve for curves in self.error.groups for curve in curves):
            rows = np.arange(n_samples) if curve.rows is None else curve.rows
            weight = np.ones(rows.size) if curve.weight is None else curve.weight / largest
            hits = weight * curve.hits(self.predictions.codes)[:, 0]
            columns = weight, hits, weight * curve.reduction.proba[:, 0], weight**2
            for k, values in enumerate(columns):
                parts.append((rows, curve.index + start + k * total, values))
            start += curve.n_bins
        rows, columns, values = (np.concatenate(part) for part in zip(*parts))
        return sparse.csr_array((values, (rows, columns)), shape=(n_samples, 4 * total))

    def of_sums(self, sums):
        """Return the error of each draw.

        Parameters
        ----------
        sums : ndarray of shape (n_draws, 4 * n_bins)
            Sums of the terms, each as often as the draw has the row.
        """
        columns = sums.reshape(len(sums), 4, -1).transpose(1, 2, 0)
        return self.error.form.of_sums(*columns, self.n_bins)


def bins_are_fixed(weight, *, n_bins, strategy, bins=None, **_):
    """Return whether the edges of the bins stay the same if rows are repeated or exchanged."""
    if bins is not None:
        return True
    return strategy == "uniform" and (n_bins != "auto" or weight is None)
