"""Whole groups of rows, such as all rows of one category, and their mean residuals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from .standardized import standardized

# Where numbers are cut into a lower and an upper group.
_CUTS = (0.25, 0.5, 0.75)


class GroupRule(NamedTuple):
    """Which rows are in a group.

    Attributes
    ----------
    feature : int or None
        The feature that tells; None for the group of all rows.
    code : int or None
        The column of codes and the code, for a category.
    lower, upper : float
        Limits of a number, ``lower < value <= upper``.
    """

    feature: int | None
    code: tuple[int, int] | None = None
    lower: float = -np.inf
    upper: float = np.inf

    def members(self, features):
        """Return for each row whether it is in the group."""
        if self.feature is None:
            return np.ones(len(features), dtype=bool)
        if self.code is not None:
            column, code = self.code
            return features.codes[:, column] == code
        values = features.column(self.feature)
        with np.errstate(invalid="ignore"):
            return (values > self.lower) & (values <= self.upper)


def group_rules(features):
    """Return the groups of encoded features: all rows, each category, and halves of numbers.

    A number is cut at its quartiles; a group is the rows up to a cut or those beyond it. Of groups
    with the same rows the first one is kept, and of rows that all agree the group of all rows.
    """
    encoder, rules = features.encoder, [GroupRule(None)]
    for feature in range(encoder.n_features):
        if feature in encoder.code_features:
            column = encoder.code_features.index(feature)
            rules += [
                GroupRule(feature, (column, code)) for code in range(len(encoder.levels[column]))
            ]
        if feature in encoder.number_features:
            values = features.column(feature)
            seen = values[~np.isnan(values)]
            for cut in np.unique(np.quantile(seen, _CUTS, method="lower")):
                rules += [GroupRule(feature, upper=cut), GroupRule(feature, lower=cut)]
    # Sums of random numbers tell different sets of rows apart.
    marks = np.random.default_rng(0).random(len(features))
    kept: dict[float, GroupRule] = {}
    for rule in rules:
        members = rule.members(features)
        if members.any():
            kept.setdefault(round(float(marks @ members), 9), rule)
    return list(kept.values())


class GroupBias:
    """Mean residuals of groups, ready for any residuals.

    Parameters
    ----------
    rules : list of GroupRule
        The groups.
    features : Features
        The rows.
    weight : ndarray of shape (n_samples,) or None
        Their weights.
    variances : ndarray of shape (n_samples, n_events)
        Variances of the residuals for a calibrated model.
    min_effective_size : float
        Smaller groups are not tested.

    Attributes
    ----------
    rules : list of GroupRule
        The groups that are tested.
    null_std : ndarray of shape (n_groups, n_events)
        Standard deviation of their mean residuals for a calibrated model.
    effective_size : ndarray of shape (n_groups,)
        How many equally weighted rows they have.
    """

    def __init__(self, rules, features, weight, variances, min_effective_size):
        weight = np.ones(len(features)) if weight is None else weight
        rows, sizes = [], []
        for rule in rules:
            members = np.flatnonzero(rule.members(features))
            own = weight[members]
            sizes.append(own.sum() ** 2 / (own @ own))
            rows.append((members, own))
        kept = [k for k, size in enumerate(sizes) if size >= min_effective_size]
        self.rules = [rules[k] for k in kept]
        self.effective_size = np.array([sizes[k] for k in kept])
        rows = [rows[k] for k in kept]
        ends = np.cumsum([0, *(len(members) for members, _ in rows)])
        members = np.concatenate([np.empty(0, np.intp), *(one for one, _ in rows)])
        weights = np.concatenate([np.empty(0), *(own for _, own in rows)])
        self._sums = csr_array((weights, members, ends), shape=(len(rows), len(features)))
        self._totals = np.array([own.sum() for _, own in rows])[:, np.newaxis]
        squares = csr_array((weights**2, members, ends), shape=(len(rows), len(features)))
        self.null_std = np.sqrt(squares @ variances) / self._totals

    def bias(self, residuals):
        """Return mean residuals of the groups, (n_samples, n_columns) to (n_groups, n_columns)."""
        return self._sums @ residuals / self._totals

    def largest(self, residuals):
        """Return the largest standardized bias of each draw; columns are events times draws."""
        n_groups, n_events = self.null_std.shape
        bias = self.bias(residuals).reshape(n_groups, n_events, -1)
        std = np.broadcast_to(self.null_std[:, :, np.newaxis], bias.shape)
        return standardized(bias, std).max(axis=(0, 1), initial=0.0)
