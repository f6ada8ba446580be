"""How the null distribution of a statistic is drawn, in batches of bounded memory."""

import sys
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from .._utils._validation import check_numeric, check_option

_BATCH_CELLS = 12_000_000


def draw_labels(rng, proba, n_draws):
    """Draw labels from rows of probabilities.

    Parameters
    ----------
    rng : numpy.random.Generator
        Every draw takes one uniform number per row, in order, so a stream gives the same draws
        however they are split into calls.
    proba : ndarray of shape (n_samples, n_classes)
        Rows that sum to one, up to rounding.
    n_draws : int
        Number of draws.

    Returns
    -------
    codes : ndarray of shape (n_samples, n_draws)
        Column numbers of `proba`. For two columns the second one alone decides.
    """
    n_classes = proba.shape[1]
    tail = proba[:, ::-1].cumsum(axis=1)[:, ::-1]
    if n_classes > 2:
        tail = tail / tail[:, :1]
    uniform = rng.random((n_draws, proba.shape[0]))
    codes = np.zeros((n_draws, proba.shape[0]), dtype=np.int8 if n_classes < 128 else np.int32)
    for k in range(1, n_classes):
        codes += uniform < tail[:, k]
    return np.ascontiguousarray(codes.T)


class SimulatedLabels:
    """Labels drawn afresh from the predictions; features, predictions and weights stay."""

    def __init__(self, statistic):
        self.statistic = statistic
        self.observed = statistic.predictions.codes[:, np.newaxis]

    def draw(self, rng, n_draws):
        """Return columns of label codes."""
        return draw_labels(rng, self.statistic.predictions.proba, n_draws)

    def evaluate(self, draws):
        """Return the statistic of the observed labels followed by that of each draw."""
        return self.statistic.evaluate(np.hstack([self.observed.astype(draws.dtype), draws]))


class _ChangedResiduals:
    """A null that keeps the predictions and changes the observed residuals."""

    def __init__(self, statistic):
        self.error = statistic.error
        codes = statistic.predictions.codes
        self.n_samples = codes.size
        self.residuals = [r.residuals(codes)[:, :, 0] for r in self.error.reductions]


class PermutedResiduals(_ChangedResiduals):
    """Residuals in another order; draws are columns of row numbers."""

    def draw(self, rng, n_draws):
        """Return columns of permutations."""
        rows = np.tile(np.arange(self.n_samples), (n_draws, 1))
        return np.ascontiguousarray(rng.permuted(rows, axis=1, out=rows).T)

    def evaluate(self, draws):
        """Return the statistic of the observed residuals followed by that of each draw."""
        rows = np.hstack([np.arange(self.n_samples)[:, np.newaxis], draws])
        return self.error.of_residuals([e[rows].transpose(0, 2, 1) for e in self.residuals])


class WildResiduals(_ChangedResiduals):
    """Residuals times random signs; draws are columns of signs."""

    def draw(self, rng, n_draws):
        """Return columns of signs."""
        positive = rng.random((n_draws, self.n_samples)) < 0.5
        return np.ascontiguousarray(np.where(positive, 1.0, -1.0).T)

    def evaluate(self, draws):
        """Return the statistic of the observed residuals followed by that of each draw."""
        signs = np.hstack([np.ones((self.n_samples, 1)), draws])
        return self.error.of_residuals([_times(e, signs) for e in self.residuals])


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
        """Return the statistic of the observed residuals followed by that of each draw."""
        n = self.n_samples
        counts = np.stack([np.bincount(rows, minlength=n) for rows in draws.T], axis=1)
        columns = np.hstack([np.ones((n, 1)), counts - 1.0, counts])
        pairs = self.error.of_residuals([_times(e, columns) for e in self.residuals])
        own = np.mean([np.einsum("ik,ik->i", e, e) for e in self.residuals], axis=0)
        forms = n * (n - 1) * pairs + own @ columns**2
        centred, plain = np.split(forms[1:], 2)
        values = ((1.0 - 1.0 / n) * centred + plain / n - own @ counts) / n**2
        return np.concatenate([pairs[:1], values])


def _times(residuals, columns):
    """Return residuals of shape (n_samples, n_events, n_columns), scaled row by row."""
    return residuals[:, :, np.newaxis] * columns[:, np.newaxis, :]


@dataclass(frozen=True)
class GivenDraws:
    """Draws of a null distribution that come from elsewhere, one row per draw.

    Pass it as ``null=`` to :func:`check_calibration` to repeat a test of other software, whose
    random numbers cannot be made again, or to enumerate all draws.

    Parameters
    ----------
    kind : {"permutation", "wild", "centred"}
        What the rows are:

        - "permutation": row numbers, each once; residual i becomes residual ``draws[b, i]`` (the
          test of the KLCE literature [1]_).
        - "wild": signs 1 and -1, which multiply the residuals.
        - "centred": row numbers drawn with replacement; the pair terms are centred, as in the
          bootstrap of Widmann et al. [2]_. For the unbiased `skce`, `kce` and `klce` without
          weights.
    draws : array-like of shape (n_draws, n_samples)
        The draws, one column per row of positive weight. Row numbers count these rows from zero:
        rows of weight zero are left out first.

    References
    ----------
    .. [1] R. Vashistha, A. Farahi, "I-trustworthy Models: A framework for trustworthiness
       evaluation of probabilistic classifiers", AISTATS 2025, arXiv:2501.15617.
    .. [2] D. Widmann, F. Lindsten, D. Zachariah, "Calibration tests in multi-class
       classification: A unifying framework", NeurIPS 2019, arXiv:1910.11385.

    Examples
    --------
    >>> from sklearn_calib.inference import GivenDraws, check_calibration
    >>> y_true, y_proba, X = [1, 0, 1], [0.2, 0.2, 0.7], [[0], [0], [1]]
    >>> null = GivenDraws("permutation", [[1, 0, 2], [2, 1, 0], [0, 2, 1]])
    >>> check_calibration(y_true, y_proba, X, null=null).pvalue
    1.0
    """

    kind: str
    draws: object

    def resolve(self, n_samples: int) -> np.ndarray:
        """Return validated draws as columns, shape (n_samples, n_draws)."""
        check_option(self.kind, "kind", ("permutation", "wild", "centred"))
        rows = check_numeric(self.draws, "draws")
        if rows.ndim != 2 or rows.shape[1] != n_samples:
            raise ValueError(
                f"draws must have one column per row of positive weight, shape (n_draws, "
                f"{n_samples}), got {rows.shape}."
            )
        if self.kind == "wild":
            allowed, valid = "signs 1 and -1", np.abs(rows) == 1
        else:
            allowed = f"row numbers from 0 to {n_samples - 1}"
            valid = (rows == np.floor(rows)) & (rows >= 0) & (rows < n_samples)
        if not valid.all():
            raise ValueError(f"draws must hold {allowed}, got {rows[~valid][0]:.10g}.")
        if self.kind == "permutation" and (np.sort(rows, axis=1) != np.arange(n_samples)).any():
            raise ValueError("draws must hold each row number once per row for a permutation.")
        return rows.T if self.kind == "wild" else rows.T.astype(np.intp)


NULLS = {
    "simulation": SimulatedLabels,
    "permutation": PermutedResiduals,
    "wild": WildResiduals,
}


def null_values(null, n_draws, draw, *, n_cells, verbose=0):
    """Evaluate the observed statistic and its null distribution in batches.

    Parameters
    ----------
    null : object
        One of the classes above.
    n_draws : int
        Number of draws.
    draw : callable
        ``draw(start, stop)`` -> draws of these numbers as columns; called in order.
    n_cells : int
        Numbers that one draw takes, rows times columns.
    verbose : int
        Whether to print progress to standard error.

    Returns
    -------
    observed : float
        Evaluated as a column of the first batch, so that a draw equal to the data ties with it.
    values : ndarray of shape (n_draws,)
    """
    n_batches = -(-n_draws // max(1, _BATCH_CELLS // n_cells))
    size = -(-n_draws // n_batches)
    observed, values = None, np.empty(n_draws)
    started = perf_counter()
    for start in range(0, n_draws, size):
        stop = min(start + size, n_draws)
        batch = null.evaluate(draw(start, stop))
        observed = batch[0] if observed is None else observed
        values[start:stop] = batch[1:]
        if verbose:
            elapsed = perf_counter() - started
            line = f"[check_calibration] {stop} of {n_draws} draws, {elapsed:.1f} s"
            print(line, file=sys.stderr, flush=True)
    return float(observed), values
