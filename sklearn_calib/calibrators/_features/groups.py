"""Groups whose mean prediction must come out right: which group each row is in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .category_effects import CategoryEffects, fit_category_effects

_SHARES = (0.2, 0.4, 0.6, 0.8)  # numbers are cut at these quantiles


class GroupLevels:
    """Turn features into groups: categories as they are, numbers by fifths.

    Parameters
    ----------
    chosen : list of int
        Features that define groups.
    """

    def __init__(self, chosen):
        self.chosen = chosen

    def fit(self, features):
        """Learn where numbers are cut; `features` are `Features`, or None without groups."""
        self._cuts, self.n_levels = {}, []
        for feature in self.chosen:
            if features.encoder.is_category(feature):
                self.n_levels.append(len(features.encoder.categories(feature)))
            else:
                values = features.column(feature)
                self._cuts[feature] = np.unique(np.quantile(values[~np.isnan(values)], _SHARES))
                self.n_levels.append(len(_SHARES) + 2)
        return self

    def transform(self, features, n):
        """Return the group of each row, shape (n, n_chosen), below zero for none."""
        levels = np.zeros((n, len(self.chosen)), dtype=np.intp)
        for k, feature in enumerate(self.chosen):
            values = features.column(feature)
            if feature in self._cuts:
                place = np.searchsorted(self._cuts[feature], values, side="right")
                levels[:, k] = np.where(np.isnan(values), len(_SHARES) + 1, place)
            else:
                levels[:, k] = values
        return levels


@dataclass
class GroupsPart:
    """A last shift and slope for each group."""

    effects: CategoryEffects
    factor: float = 1.0

    def correct(self, inputs):
        """Return the correction, shape (n, n_outputs)."""
        return self.effects.correct(inputs.groups, inputs.scores)


def fit_groups(inputs, n_levels, logits, target, weight, rng):
    """Return the part for logits that other parts have corrected, on rows they had held out."""
    return GroupsPart(
        fit_category_effects(inputs.groups, n_levels, inputs.scores, logits, target, weight, rng)
    )
