"""The folds of a cross-validation as numbers of rows that exist."""

import numpy as np
from sklearn.model_selection import PredefinedSplit, check_cv

from .named_errors import naming

_MADE_FOR_OTHER_ROWS = (
    "The splits were made for other rows. Inside a cross-validation or a search, the rows are "
    "those of an outer training fold, and row numbers of the whole data mean other rows there. "
    "Give cv= a splitter, such as GroupKFold(5), which splits the rows that it gets, and pass "
    "groups= with metadata routing: sklearn.set_config(enable_metadata_routing=True)."
)
_WHAT_A_FOLD_IS = (
    "Each fold must be a pair of training and test rows, given as row numbers or as masks."
)


def is_ready_made(cv):
    """Whether `cv` holds splits that were made beforehand, rather than a way to make them."""
    return isinstance(cv, PredefinedSplit) or (cv is not None and np.iterable(cv))


def make_splits(cv, X, y, *, classifier=True, **metadata):
    """Return the (training, test) row numbers of every fold of a scikit-learn `cv`.

    For a `classifier`, an int or None makes stratified folds. `metadata` are arguments for
    ``split``, such as `groups`. It raises if there is no fold, or a fold names rows that do not
    exist.
    """
    n_rows = len(y)
    if isinstance(cv, PredefinedSplit) and len(cv.test_fold) != n_rows:
        raise ValueError(
            f"cv= is a PredefinedSplit of {len(cv.test_fold)} rows, but y has {n_rows}. "
            f"{_MADE_FOR_OTHER_ROWS}"
        )
    splits = []
    ready_made = is_ready_made(cv) and not hasattr(cv, "split")
    with naming("cv"):
        folds = cv if ready_made else check_cv(cv, y, classifier=classifier).split(X, y, **metadata)
        folds = list(folds)
    for number, fold in enumerate(folds, start=1):
        try:
            train, test = (_row_numbers(part, n_rows) for part in fold)
        except (IndexError, TypeError, ValueError) as error:
            made_elsewhere = isinstance(error, _MissingRowError)
            reason = _MADE_FOR_OTHER_ROWS if made_elsewhere else _WHAT_A_FOLD_IS
            raise ValueError(f"Fold {number} of cv= does not fit: {error}. {reason}") from error
        splits.append((train, test))
    if not splits:
        used_up = (
            "It is an iterator, and an earlier fit has used it up: give a list, cv=list(...)."
            if hasattr(cv, "__next__")
            else "At least one fold is needed, a pair of training and test rows."
        )
        raise ValueError(f"cv={cv} gives no fold. {used_up}")
    return splits


def refuse_shared_rows(splits):
    """Raise if a fold trains and tests on the same rows."""
    for number, (train, test) in enumerate(splits, start=1):
        shared = np.intersect1d(train, test)
        if shared.size:
            raise ValueError(
                f"Fold {number} of {len(splits)} of cv trains and tests on the same rows (row "
                f"{shared[0]} and {shared.size - 1} more), so that their scores leak. Give cv= "
                "disjoint training and test rows."
            )


def refuse_repeated_tests(splits):
    """Raise if a fold tests a row more than once."""
    for number, (_, test) in enumerate(splits, start=1):
        rows, counts = np.unique(test, return_counts=True)
        if counts.size and counts.max() > 1:
            raise ValueError(
                f"Fold {number} of {len(splits)} of cv tests row {rows[counts.argmax()]} "
                f"{counts.max()} times. Copies of a row are no independent rows; give cv= test "
                "rows that are drawn without replacement."
            )


class _MissingRowError(IndexError):
    """A fold names a row that the data do not have."""


def _row_numbers(part, n_rows):
    """Return row numbers or a mask as row numbers."""
    part = np.asarray(part)
    if part.ndim != 1 or (part.size and part.dtype.kind not in "biu"):
        raise TypeError(f"got an array of shape {part.shape} and dtype {part.dtype}")
    if part.dtype.kind == "b":
        if part.size != n_rows:
            raise _MissingRowError(f"a mask has {part.size} entries, but y has {n_rows} rows")
        return np.flatnonzero(part)
    if part.size and (part.max() >= n_rows or part.min() < -n_rows):
        row = part.max() if part.max() >= n_rows else part.min()
        raise _MissingRowError(f"it names row {row}, but y has the rows 0 to {n_rows - 1}")
    return np.arange(n_rows)[part.astype(np.intp)]
