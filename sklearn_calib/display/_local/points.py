"""The rows of a picture of the local bias."""

from typing import Any, NamedTuple

import numpy as np

from ..._data.arrays import check_same_length
from .._drawing.stored import stored_numbers
from .._style import ABOVE, BELOW

# Sign of the bias, and how rows are marked whose bias is significant.
SIGNS = ((1, ABOVE, "^", "too low"), (-1, BELOW, "v", "too high"))


class DrawnPoints(NamedTuple):
    """The arrays of a display, checked.

    Attributes
    ----------
    feature : ndarray of shape (n_points,) or (n_points, 2)
        One or two features.
    bias : ndarray of shape (n_points,)
        The local bias.
    limit : ndarray of shape (n_points,) or None
        The half width of the band, at most 1, which no bias exceeds.
    usable : ndarray of bool of shape (n_points,)
        Which points have enough data and a place in the picture.
    marked : dict of int to ndarray of bool
        The significant points of positive (1) and negative (-1) bias.
    """

    feature: np.ndarray
    bias: np.ndarray
    limit: np.ndarray | None
    usable: np.ndarray
    marked: dict

    @classmethod
    def of_display(cls, display):
        """Return the points of a display, or raise if its arrays differ in length."""
        feature = stored_numbers(display.feature, "feature")
        bias = stored_numbers(display.bias, "bias")
        if bias.ndim != 1 or feature.ndim == 0:
            raise ValueError(
                "feature and bias must have a row for each point, got the shapes "
                f"{feature.shape} and {bias.shape}."
            )
        if feature.ndim not in (1, 2) or feature.shape[1:] not in ((), (2,)):
            raise ValueError(
                "feature must have one dimension, or two columns for a map, got the shape "
                f"{feature.shape}."
            )
        per_point = {name: getattr(display, name) for name in ("limit", "significant", "tested")}
        given = {
            name: stored_numbers(values, name)
            for name, values in per_point.items()
            if values is not None
        }
        for name, array in given.items():
            if array.ndim != 1:
                raise ValueError(f"{name} must have one dimension, got shape {array.shape}.")
        check_same_length(feature=feature, bias=bias, **given)
        nothing, everything = np.zeros(bias.shape, bool), np.ones(bias.shape, bool)
        significant = given.get("significant", nothing).astype(bool)
        placed = ~np.isnan(feature.astype(float).reshape(len(bias), -1)).any(axis=1)
        return cls(
            feature,
            bias,
            np.minimum(given["limit"], 1.0) if "limit" in given else None,
            given.get("tested", everything).astype(bool) & placed,
            {sign: significant & (sign * bias > 0) for sign, *_ in SIGNS},
        )

    @property
    def fair(self):
        """The feature, the bias and the limit of the usable points."""
        limit = None if self.limit is None else self.limit[self.usable]
        return self.feature[self.usable], self.bias[self.usable], limit


class Artists(NamedTuple):
    """What has been drawn, by the names of the attributes of the display."""

    line: Any
    marks: dict[int, Any]
    outside: dict[int, Any]
    beyond: dict[str, Any]
    vmax: float
    trend: Any = None
    band: Any = None
    surface: Any = None
