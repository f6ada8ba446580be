"""Match the columns of a table with class labels by their names.

Numbers without names follow the sorted classes. A table (pandas, polars or pyarrow) names its
columns, and if these names are exactly the classes, the names decide.
"""

from collections.abc import Mapping

import narwhals.stable.v2 as nw
import numpy as np

from .._utils.compat import safe_indexing
from .._utils.options import shorten
from .arrays import is_number, refuse_lazy


def table_names(values):
    """Return the column names of a two-dimensional table as a list, or None for anything else."""
    names = getattr(values, "columns", None)
    names = getattr(values, "column_names", names)  # the columns of pyarrow are the data
    if names is None or callable(names) or len(getattr(values, "shape", ())) != 2:
        return None
    return list(names)


def order_by_names(names, classes):
    """Return the positions of the columns that stand for the sorted classes, in their order.

    The result is None unless the names are exactly the classes: as many, each class once. A name is
    a class if it is its text; numbers match however they are written (``1``, ``"1"``, ``"1.0"``),
    and booleans match 0 and 1 as well. Names that are not exactly the classes raise if one of them
    is a text label whose place by position is elsewhere, so that names and positions contradict
    each other.
    """
    if names is None or len(names) < 2 or len(names) != len(classes):
        return None
    order = find_names(names, classes)
    if order is None:
        _refuse_misplaced(names, classes)
    return order


def find_names(names, classes):
    """Return where each class stands among the names, or None unless each does exactly once."""
    texts = [_texts(name) for name in names]
    places = []
    for label in classes.tolist():
        own = _texts(label)
        found = [k for k, text in enumerate(texts) if not own.isdisjoint(text)]
        if len(found) != 1:
            return None
        places.append(found[0])
    return np.array(places) if len(set(places)) == len(places) else None


def classes_from_names(names, labels):
    """Return the classes that a table names if some of them do not occur, or None.

    Text labels only: every label that occurs must be the name of a column. Names of numbers, which
    many tables have by default, do not tell that a class is missing.
    """
    if names is None or len(names) < 2 or labels.dtype.kind != "U" or labels.size >= len(names):
        return None
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        return None
    return np.sort(np.array(names)) if set(labels.tolist()) <= set(names) else None


def arrange_table(values, classes):
    """Return a table with its columns in the order of the classes if its names are the classes.

    Anything else, such as an array or a table with other names, is returned as it is.
    """
    order = order_by_names(table_names(values), classes)
    if order is None or is_identity(order):
        return values
    return safe_indexing(values, order.tolist(), axis=1)


def arrange_scores(S, classes):
    """Return the `S` of a calibrator with its columns in the order of the classes.

    As in `arrange_table`; one column of two classes must not have the name of the first one.
    """
    refuse_lazy(S, "S")
    if len(classes) == 2:
        _refuse_negative(S, classes, "S", "or both columns")
    return arrange_table(S, classes)


def check_single_column(y_proba, classes):
    """Raise if the one column of probabilities has the name of the negative class."""
    _refuse_negative(y_proba, classes, "y_proba", "both columns, or pos_label={!r}")


def _refuse_negative(values, classes, argument, advice):
    names = table_names(values)
    if names is not None and len(names) > 1:
        return
    name = names[0] if names else getattr(values, "name", None)
    negative, positive = classes.tolist()
    if isinstance(name, str) and isinstance(negative, str) and name == negative != positive:
        raise ValueError(
            f"{argument} is the column {name!r}, but one column is that of the positive class, "
            f"which is {positive!r}. Pass the column of {positive!r}, {advice.format(name)}."
        )


def values_by_label(values, classes, argument):
    """Return values, one a class, in the order of the classes.

    The keys of a dict and the index of a pandas Series must be exactly the classes. Anything else
    has the order of the classes and is returned as it is.
    """
    series = nw.dependencies.is_pandas_like_series(values)
    if not series and not isinstance(values, Mapping):
        return values
    labels, known = list(values.keys()), classes.tolist()
    if len(labels) != len(known) or set(labels) != set(known):
        if not series:
            raise ValueError(f"{argument} must have the classes {known} as keys, got {labels}.")
        raise ValueError(
            f"{argument} is a Series, whose index must be the classes {known}, got {labels}. If "
            f"its values follow the sorted classes, pass {argument}.to_numpy()."
        )
    by_label = dict(values.items())
    return [by_label[label] for label in known]


def values_by_column(values, argument, *known):
    """Return values, one a column, in the order of the columns.

    The index of a pandas Series must be one of the lists of names in `known`, in any order, unless
    it is the default one. Anything else has the order of the columns and is returned as it is.
    """
    if not nw.dependencies.is_pandas_like_series(values):
        return values
    index = [str(one) for one in values.index.tolist()]
    for names in known:
        if sorted(index) == sorted(names):
            order = range(len(names)) if index == names else [index.index(one) for one in names]
            return values.to_numpy()[list(order)]
    if index == [str(k) for k in range(len(index))]:
        return values
    raise ValueError(
        f"{argument} is a Series, whose index must be the names of the columns, "
        f"{shorten(known[0])}, got {shorten(index)}. If its values follow the columns, pass "
        f"{argument}.to_numpy()."
    )


def is_identity(order):
    return np.array_equal(order, np.arange(len(order)))


def _refuse_misplaced(names, classes):
    """Raise if a text label is the name of a column at another position than its own."""
    known = classes.tolist()
    if not all(isinstance(label, str) for label in known):
        return
    for position, name in enumerate(names):
        if name in known and known.index(name) != position:
            raise ValueError(
                f"The columns are called {names}, and the classes are {known}: column {position} "
                f"is called {name!r}, which is class number {known.index(name)}, but the names are "
                "not exactly the classes, so they do not tell the order. Rename the columns to the "
                "classes, or pass an array whose columns follow the sorted classes."
            )


def _texts(value):
    """Return the ways to write a label or the name of a column."""
    if not is_number(value):
        return {str(value)}
    texts = {str(value)}
    if value == 0 or value == 1:
        texts.add(str(bool(value)))
    if np.isreal(value) and np.isfinite(value) and value == int(value):
        texts |= {str(int(value)), f"{int(value)}.0"}
    return texts
