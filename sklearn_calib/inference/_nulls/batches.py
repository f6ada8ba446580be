"""Evaluate a statistic and its null distribution in batches of bounded memory."""

import sys
from time import perf_counter

import numpy as np

from .residuals import PermutedResiduals, WildResiduals
from .simulation import SimulatedLabels

_BATCH_CELLS = 12_000_000


NULLS: dict[str, type[SimulatedLabels | PermutedResiduals | WildResiduals]] = {
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
    observed, values = np.nan, np.empty(n_draws)
    started = perf_counter()
    for start in range(0, n_draws, size):
        stop = min(start + size, n_draws)
        batch = null.evaluate(draw(start, stop))
        observed = batch[0] if start == 0 else observed
        values[start:stop] = batch[1:]
        if verbose:
            elapsed = perf_counter() - started
            line = f"[check_calibration] {stop} of {n_draws} draws, {elapsed:.1f} s"
            print(line, file=sys.stderr, flush=True)
    return float(observed), values
