"""Features whose columns have names, and their way to the right of the scores."""

import numpy as np
import pandas as pd

from ..._data.named_columns import table_names


def names_of(features):
    """Return the names of the columns of a data frame, None for a matrix or no features."""
    return list(features.columns) if isinstance(features, pd.DataFrame) else None


def column_names(transformer, X, features):
    """Return the names of the columns that a fitted transformer makes of X, or None.

    They are those of a table, if the features are one; otherwise those that the transformer
    tells, if X is a table. Only text is a name, and each must occur once.
    """
    names = table_names(features)
    if names is None and table_names(X) is not None:
        try:
            names = list(transformer.get_feature_names_out())
        except (AttributeError, TypeError, ValueError):  # it does not know them
            return None
    if names is None or not features.shape[1] == len(names) == len(set(names)):
        return None
    return names if all(isinstance(name, str) for name in names) else None


def with_names(features, names):
    """Return features as a data frame with these names of columns; a matrix if they are None."""
    if names is None:
        return np.asarray(features)
    return features if names_of(features) == names else pd.DataFrame(features, columns=names)


def fitting_names(features, names):
    """Return features as with_names does, under names of the fit unless they have their own.

    A matrix has no names that could be wrong; a data frame keeps its own, which the calibrator
    compares with those that it knows.
    """
    if features is None:
        return None
    own = names_of(features)
    return with_names(features, names if names is None or own is None else own)


def stack(parts, order):
    """Put the rows of features together and arrange them; names stay if all parts have them."""
    names = names_of(parts[0])
    if names is None or any(names_of(part) != names for part in parts):
        return np.concatenate(parts)[order]
    return pd.concat(parts, ignore_index=True).iloc[order].reset_index(drop=True)


def beside(scores, features, classes):
    """Put features, if there are any, to the right of scores.

    If the features have names, the scores are named like their classes, and those whose class has
    the name of a feature are named otherwise. If there is a feature for each of text classes, the
    result has no names, as the features would be taken for the scores.
    """
    names = names_of(features)
    if features is None:
        return scores
    labels = [str(label) for label in classes.tolist()]
    if names is None or (classes.dtype.kind not in "biuf" and set(labels) <= set(names)):
        return np.hstack([scores, np.asarray(features)])
    columns = [_name_beside(label, names) for label in labels]
    return pd.concat([pd.DataFrame(scores, columns=columns), features], axis=1)


def _name_beside(label, names):
    while label in names:
        label = f"probability_{label}"
    return label
