"""Which columns of ``[P | X]`` hold the probabilities, and which define groups."""

from collections.abc import Mapping, Set
from numbers import Integral

import numpy as np

from ..._data.named_columns import find_names, order_by_names
from ..._utils.options import shorten


def find_probability_columns(proba_columns, n_columns, names, classes):
    """Return the positions of the probability columns, in the order of the classes.

    `proba_columns` are positions or names; None stands for the columns that are called like the
    classes, and for the first columns if there are no such names. For two classes, one column is
    enough, that of the second.
    """
    if proba_columns is None:
        if names is not None and classes.dtype.kind == "U":
            named = find_names(names.tolist(), classes)
            if named is not None:
                return named
        width = 1 if n_columns == 1 and classes.size == 2 else classes.size
        if n_columns < width:
            raise ValueError(
                f"S has {n_columns} columns, y has {classes.size} classes {classes.tolist()}. The "
                "first columns of S must be the probabilities, one column per class; pass them, or "
                "tell where they are with proba_columns."
            )
        if names is not None:
            named = order_by_names(names.tolist()[:width], classes)
            return np.arange(width) if named is None else named
        return np.arange(width)
    given = _listed(proba_columns, "proba_columns")
    columns = [_position(one, n_columns, names, "proba_columns") for one in given]
    allowed = (1, 2) if classes.size == 2 else (classes.size,)
    if len(columns) not in allowed or len(set(columns)) < len(columns):
        raise ValueError(
            f"proba_columns={proba_columns!r} must list {' or '.join(map(str, allowed))} different "
            f"columns, because y has the classes {classes.tolist()}."
        )
    if names is not None and len(columns) == classes.size:
        named = order_by_names([names[k] for k in columns], classes)
        if named is not None and not np.array_equal(named, np.arange(classes.size)):
            raise ValueError(
                f"proba_columns={proba_columns!r} must list the columns in the order of the "
                f"classes, {classes.tolist()}, but their names say another order. Re-order them."
            )
    return np.array(columns)


def find_group_features(groups, proba_columns, n_columns, names):
    """Return the positions, among the features, of the columns that define groups.

    `groups` are positions in `S` or names, or one of these, or None.
    """
    if groups is None:
        return []
    given = [groups] if isinstance(groups, str | Integral) else _listed(groups, "groups")
    features = [k for k in range(n_columns) if k not in proba_columns]
    chosen = []
    for column in given:
        position = _position(column, n_columns, names, "groups")
        if position not in features:
            raise ValueError(
                f"groups holds {column!r}, which is a probability column of S. Groups are defined "
                f"by features, the columns {features}."
            )
        chosen.append(features.index(position))
    return list(dict.fromkeys(chosen))


def _listed(columns, argument):
    if isinstance(columns, Mapping | Set):
        raise TypeError(
            f"{argument} must list columns of S in order, by position or name, got "
            f"{shorten(columns)}. Pass a list."
        )
    return list(columns)


def _position(column, n_columns, names, argument):
    if isinstance(column, str):
        known = [] if names is None else names.tolist()
        if known.count(column) != 1:
            raise ValueError(
                f"{argument} names {column!r}, but the columns of S are called {known}. Pass a "
                "data frame with that column, or positions. In a pipeline the steps before hand "
                "on data frames after pipeline.set_output(transform='pandas')."
            )
        return known.index(column)
    if isinstance(column, Integral) and -n_columns <= column < n_columns:
        return int(column) % n_columns
    raise ValueError(
        f"{argument} holds {column!r}, but S has {n_columns} columns. Pass names, or positions "
        f"from 0 to {n_columns - 1}."
    )
