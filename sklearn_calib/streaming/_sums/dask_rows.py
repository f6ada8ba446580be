"""States of rows that Dask holds in partitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..._data.partitions import classes_of_blocks, compute_sum, split_alike
from .classes import Classes


def sum_states(empty: Callable[[Classes], Any], classes: Classes, **rows: Any) -> Any:
    """Return the sum of the states of all partitions, made where they lie.

    ``empty(classes)`` is a state without rows, and `rows` are the arguments of `update`, as Dask
    collections.
    """
    from dask import delayed

    blocks = split_alike(**rows)
    if classes.found is None or not classes.certain:
        found = classes_of_blocks(blocks, pos_label=classes.pos_label, labels=classes.labels)
        classes = classes.merge(replace(classes, found=found, certain=True))
    task = delayed(_update, pure=True)
    state = empty(classes)
    return compute_sum(
        task(state, number, **dict(zip(blocks, one)))
        for number, one in enumerate(zip(*blocks.values()))
    )


def _update(state, number, **rows):
    """Return the state of a partition."""
    try:
        # A worker may hand one and the same state to several tasks.
        return state.merge(state).update(**rows)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Partition {number}: {error}") from None
