"""The features that go to a calibrator beside the scores."""

from collections.abc import Mapping

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin
from sklearn.utils.validation import validate_data

from ..._utils.compat import safe_indexing
from ..._utils.options import shorten


class PassthroughColumns(OneToOneFeatureMixin, BaseEstimator):
    """Hand columns of X on as they are.

    Parameters
    ----------
    columns : list of int or str, default=None
        Positions, or names in a data frame; None hands on X itself.
    """

    def __init__(self, columns=None):
        self.columns = columns

    def fit(self, X, y=None):
        """Remember the number and the names of the columns of X, and look for the chosen ones."""
        validate_data(self, X, skip_check_array=True)
        self.transform(X)
        return self

    def transform(self, X):
        """Return the chosen columns of X."""
        if self.columns is None:
            return X
        X = X if hasattr(X, "shape") else np.asarray(X)
        try:
            return safe_indexing(X, self.columns, axis=1)
        except (IndexError, KeyError, ValueError) as error:
            known = getattr(X, "columns", None)
            raise ValueError(
                f"passthrough={self.columns} does not choose columns of X, which has "
                f"{X.shape[1] if X.ndim == 2 else 'no'} columns"
                f"{'' if known is None else f', {list(known)}'}. Give positions from 0, or names "
                "if X is a data frame."
            ) from error

    def get_feature_names_out(self, input_features=None):
        """Return the names of the chosen columns."""
        names = super().get_feature_names_out(input_features)
        if self.columns is None:
            return names
        columns = np.asarray(self.columns)
        if columns.dtype.kind in "OU":
            return columns.astype(object)
        return names[columns] if columns.size else names[:0]


def passthrough_transformer(passthrough):
    """Return the transformer that a `passthrough` argument stands for, or None for False."""
    if hasattr(passthrough, "transform"):
        return passthrough
    if isinstance(passthrough, bool | np.bool_):
        return PassthroughColumns() if passthrough else None
    if isinstance(passthrough, Mapping):
        raise ValueError(
            "passthrough must be True, False, a list of columns or a transformer, got "
            f"{shorten(passthrough)}."
        )
    return PassthroughColumns(list(passthrough))
