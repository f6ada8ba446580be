"""Sums over rows for their own labels and for labels drawn from the predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._data.partitions import EventRows, Partitions, compute_sum
from .._nulls.simulation import draw_labels

# Numbers that one step takes, rows times draws.
_CELLS = 4_000_000


def sum_draws(rows: Partitions, form: Any, n_draws: int, rng: np.random.Generator) -> Any:
    """Return the totals of a form, for the observed labels in column 0 and for draws behind it.

    Each partition draws the labels of its rows from a stream of its own, whose seed depends on its
    number, so the draws are the same whatever the number of workers, and whether a task is
    repeated. ``form.of_draws(rows, codes)`` gives totals with one column per column of `codes`,
    which can be added in the order of the rows; the partitions must be in the order that the form
    needs.
    """
    from dask import delayed

    entropy = rng.integers(2**32, size=4).tolist()
    task = delayed(_of_partition, pure=True)
    return compute_sum(
        task(part, form, n_draws, entropy, number) for number, part in enumerate(rows.parts)
    )


def _of_partition(part, form, n_draws, entropy, number):
    """Return the totals of one partition."""
    if part is None:
        return None
    total = None
    size = max(1, _CELLS // (n_draws + 1))
    for step, start in enumerate(range(0, part.n_samples, size)):
        rows = part.take(slice(start, start + size))
        seed = np.random.SeedSequence(entropy, spawn_key=(number, step))
        one = form.of_draws(rows, _labels(rows, n_draws, np.random.default_rng(seed)))
        total = one if total is None else total + one
    return total


def _labels(rows, n_draws, rng):
    """Return the observed labels followed by draws, shape (n_samples, 1 + n_draws)."""
    if isinstance(rows, EventRows):
        drawn = rng.random((n_draws, rows.n_samples)) < rows.p
        return np.vstack([rows.happened, drawn]).T
    drawn = draw_labels(rng, rows.proba, n_draws)
    return np.hstack([rows.codes[:, np.newaxis].astype(drawn.dtype), drawn])
