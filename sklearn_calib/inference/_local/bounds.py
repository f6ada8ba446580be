"""Conditions on one feature, in the user's words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._data.features import PRESENT, Presence
from ..._utils.results import cut

_NAME = 40
_MOST_LISTED = 3


class Bound(NamedTuple):
    """The range of one feature in a region.

    Attributes
    ----------
    name : str
        The feature.
    lower, upper : float
        Limits of a number, infinite where there is none: ``lower < value <= upper``.
    categories : tuple of str or None
        The categories that are in the region; None for a number. For a number that may be missing
        (PRESENT,) or (MISSING,).
    others : tuple of str
        The categories that are not.
    """

    name: str
    lower: float = -np.inf
    upper: float = np.inf
    categories: tuple[str, ...] | None = None
    others: tuple[str, ...] = ()

    def __str__(self):
        """Show it as a condition, with long names cut."""
        name = cut(self.name, _NAME)
        if self.categories is not None:
            if len(self.categories) == 1:
                (one,) = self.categories
                if isinstance(one, Presence):
                    return f"{name} is {'not ' if one == PRESENT else ''}missing"
                return f"{name} = {cut(one, _NAME)}"
            if 0 < len(self.others) < len(self.categories):
                return f"{name} ≠ {_list(self.others)}"
            return f"{name} is one of {_list(self.categories)}"
        if not np.isfinite(self.lower):
            return f"{name} ≤ {self.upper:.3g}"
        if not np.isfinite(self.upper):
            return f"{name} > {self.lower:.3g}"
        return f"{self.lower:.3g} < {name} ≤ {self.upper:.3g}"


def _list(categories):
    shown = ", ".join(cut(one, _NAME) for one in categories[:_MOST_LISTED])
    more = len(categories) - _MOST_LISTED
    return f"{shown} and {more} more" if more > 0 else shown
