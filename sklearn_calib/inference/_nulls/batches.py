"""Evaluate errors on the data and on draws of a null, in batches of bounded memory."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

_BATCH_CELLS = 24_000_000


def null_values(null, n_draws, draw, *, n_cells, say):
    """Evaluate errors on the data and on one set of draws that serves all of them.

    A thread makes the draws of a batch, one batch after the other, while those before are
    evaluated.

    Parameters
    ----------
    null : object
        Its ``evaluate(draws)`` gives, for each error, the value on the data followed by that of
        each draw, on the last axis.
    n_draws : int
        Number of draws.
    draw : callable
        ``draw(start, stop)`` -> draws of these numbers as columns; called in order.
    n_cells : int
        Numbers that one draw takes, rows times columns.
    say : Reporter
        Told about progress.

    Returns
    -------
    outcomes : list of (observed, values)
        One pair per error. `values` has the draws on its last axis. `observed` is a column of the
        first batch, so that a draw equal to the data ties with it.
    """
    n_batches = -(-n_draws // max(1, _BATCH_CELLS // n_cells))
    # Batches of nearly the same size, since programs are compiled for each size.
    ends = [n_draws * k // n_batches for k in range(n_batches + 1)]
    limits = list(pairwise(ends))
    batches = []
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(draw, *limits[0])
        for (_, stop), following in zip(limits, [*limits[1:], None]):
            draws = coming.result()
            if following is not None:
                coming = pool.submit(draw, *following)
            batches.append(null.evaluate(draws))
            say.count(stop, n_draws, "draws")
    return [
        (parts[0][..., 0], np.concatenate([part[..., 1:] for part in parts], axis=-1))
        for parts in zip(*batches)
    ]


def simulated_values(null, n_draws, rng, *, n_cells, say):
    """Evaluate errors on the data and on draws that the null makes from a random stream."""

    def draw(start, stop):
        return null.draw(rng, stop - start)

    return null_values(null, n_draws, draw, n_cells=n_cells, say=say)
