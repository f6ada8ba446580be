"""Check the rows of a classifier, which may be anything that can be indexed by rows."""

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import indexable

from ..._utils.arguments.named_errors import naming
from ..._utils.compat import count_rows
from ..arrays import refuse_hidden
from ..labels import check_target


def check_rows(X, y, **vectors):
    """Return rows and what belongs to them in forms that can be indexed by rows.

    What the rows of `X` are made of is the business of the classifier.

    Parameters
    ----------
    X : indexable
        Rows for a classifier.
    y : array-like of shape (n_samples,)
        Their labels.
    **vectors : array-like of shape (n_samples,) or None
        Further arguments by name, such as `groups`.

    Returns
    -------
    X, y, *vectors
    """
    with naming("y"):
        y = column_or_1d(check_target(y), warn=True)
        if y.size:
            assert_all_finite(y, input_name="y")
            check_classification_targets(y)
    read = []
    for name, values in {"X": X, **vectors}.items():
        refuse_hidden(values, name)
        with naming(name):
            (values,) = indexable(values)
            left_out = values is None and name != "X"
            n_rows = y.size if left_out else count_rows(values)
        if n_rows != y.size:
            raise ValueError(
                f"{name} and y must have the same number of rows, got {n_rows} and {y.size}."
            )
        read.append(values)
    if y.size == 0:
        raise ValueError("X and y are empty, with 0 sample(s); at least two rows are needed.")
    return read[0], np.asarray(y), *read[1:]
