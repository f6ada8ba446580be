"""What the parts of a correction read: scores, numbers and categories in the form each needs."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from ..._data.bandwidths import bandwidth_by_name, resolve_feature_bandwidth
from .groups import GroupLevels
from .log_odds import to_logits
from .normal_scores import NormalScores

_MOST_INDICATORS = 30  # of one column, for networks
_MOST_TREE_LEVELS = 60  # of one column, for trees
_MOST_STAND_INS = 256  # combinations for a row in which several features have an unseen category
_MOST_CUTS = 62  # of the numbers that trees read
_LEAST_SCALE = 0.2  # of an indicator, whose own may be tiny
_MATCH_BANDWIDTH = 0.35  # of an indicator: rows of different categories are not compared


@dataclass(frozen=True)
class Inputs:
    """Some rows in the form that the parts read.

    Attributes
    ----------
    base : ndarray of shape (n, n_classes)
        Probabilities of all classes.
    logits : ndarray of shape (n, n_outputs)
        Their log-odds (two classes) or log-probabilities.
    scores : ndarray of shape (n, n_outputs)
        The same in standard deviations.
    network : ndarray of shape (n, n_inputs)
        One, scores, numbers, and indicators of categories.
    trees : ndarray of shape (n, n_inputs)
        Logits and numbers, each as the number of the quantile bin that it is in, and categories
        as numbers; NaN for a rare category.
    levels : ndarray of int of shape (n, n_code_columns)
        Categories, below zero for one that was not seen in training.
    groups : ndarray of int of shape (n, n_group_columns)
        Groups whose means must come out right.
    """

    base: np.ndarray
    logits: np.ndarray
    scores: np.ndarray
    network: np.ndarray
    trees: np.ndarray
    levels: np.ndarray
    groups: np.ndarray

    def take(self, rows):
        """Return some of the rows."""
        return Inputs(*(getattr(self, field.name)[rows] for field in fields(self)))


class InputMap:
    """Learn how rows are brought to the form that the parts read.

    Networks read log-odds or, with the link "identity", probabilities; if `standardize`, as
    standard scores, or normal scores of columns with heavy tails. `groups` are the features that
    define groups.
    """

    def __init__(self, link, standardize, groups):
        self.link, self.standardize = link, standardize
        self.groups = GroupLevels(groups)

    def fit(self, base, features, weight):
        """Learn locations, scales, ranks and categories from probabilities and encoded features."""
        numbers, codes, encoder = _parts(features, len(base))
        self.groups.fit(features)
        self.n_levels = [] if encoder is None else [len(levels) for levels in encoder.levels]
        self.is_categorical = np.arange(self._n_outputs(base) + numbers.shape[1] + codes.shape[1])
        self.is_categorical = self.is_categorical >= self._n_outputs(base) + numbers.shape[1]
        if self.standardize:
            self._normal_scores = NormalScores().fit(numbers, weight)
        self._logit_location = _location_and_scale(to_logits(base), weight)
        self._cuts = [_cuts(column) for column in np.column_stack([to_logits(base), numbers]).T]
        self._shown, self._rank, self._typical = [], [], []
        for column, size in zip(codes.T, self.n_levels):
            count = np.bincount(column, weights=weight, minlength=size)
            by_size = np.argsort(-count, kind="stable")
            self._shown.append([1] if size == 2 else by_size[:_MOST_INDICATORS].tolist())
            rank = np.full(size + 1, np.nan)  # the last one: not seen
            rank[by_size[:_MOST_TREE_LEVELS]] = np.arange(min(size, _MOST_TREE_LEVELS))
            self._rank.append(rank)
            told = by_size[: _MOST_TREE_LEVELS + 1]  # the last one stands for all rarer ones
            total = np.append(count[told[:-1]], count[by_size[told.size - 1 :]].sum())
            self._typical.append((told, total / count.sum()))
        raw = self._raw_network(base, numbers, codes)
        self._n_numbers, self._n_indicators = numbers.shape[1], sum(map(len, self._shown))
        self._location = _location_and_scale(raw, weight)
        if not self.standardize:
            self._location = np.zeros(raw.shape[1]), np.ones(raw.shape[1])
        indicators = slice(raw.shape[1] - self._n_indicators, None)
        self._location[1][indicators] = np.maximum(self._location[1][indicators], _LEAST_SCALE)
        return self

    def transform(self, base, features):
        """Return `Inputs`."""
        numbers, codes, _ = _parts(features, len(base))
        logits = to_logits(base)
        network = (self._raw_network(base, numbers, codes) - self._location[0]) / self._location[1]
        ranks = [rank[column] for rank, column in zip(self._rank, codes.T)]
        continuous = np.column_stack([logits, numbers]).T
        bins = [np.searchsorted(cuts, column) for cuts, column in zip(self._cuts, continuous)]
        return Inputs(
            base=base,
            logits=logits,
            scores=(logits - self._logit_location[0]) / self._logit_location[1],
            network=np.column_stack([np.ones(len(base)), network]),
            trees=np.column_stack([*bins, *ranks]).astype(float),
            levels=codes,
            groups=self.groups.transform(features, len(base)),
        )

    def stand_ins(self, columns):
        """Return the categories that stand in for unseen ones of some columns, and their shares.

        The shape of the first is (n_stand_ins, n_columns). Each category of a column has the share
        of the weight that it has in training; those that neither networks nor trees tell apart
        share one place. Of several columns all combinations are there with the products of their
        shares, or, if these were more than 256, fewer that keep the shares of each category.
        """
        codes, share = np.empty((1, 0), dtype=np.intp), np.ones(1)
        for k in columns:
            own, own_share = self._typical[k]
            place, own_place, share = _combine(share, own_share)
            codes = np.column_stack([codes[place], own[own_place]])
        return codes, share

    def with_stand_ins(self, base, features, columns, codes):
        """Return `Inputs` of rows with each of some categories in place of those of some columns.

        All `codes` of a row follow each other. Shifts and slopes by category or group still see
        the categories that the rows have.
        """
        rows = np.repeat(np.arange(len(base)), len(codes))
        repeated = features[rows]
        known = repeated.codes.copy()
        known[:, columns] = np.tile(codes, (len(base), 1))
        inputs = self.transform(base[rows], replace(repeated, codes=known))
        groups = self.groups.transform(repeated, len(rows))
        return replace(inputs, levels=repeated.codes, groups=groups)

    def bandwidths(self, network, features, option, weight):
        """Return the kernel's bandwidth of each feature, and of the columns that networks read."""
        if features is None:
            if not isinstance(option, str) and np.size(option):
                resolve_feature_bandwidth(np.empty((1, 0)), option)
            return np.empty(0), np.empty(0)
        encoder = features.encoder
        option = bandwidth_by_name(option, encoder)
        start = network.shape[1] - self._n_numbers - self._n_indicators
        numbers = network[:, start : start + self._n_numbers]
        own = np.zeros(encoder.n_features)
        chosen = encoder.number_features
        if np.ndim(option) == 1 and not isinstance(option, str):
            everything = resolve_feature_bandwidth(np.zeros((1, encoder.n_features)), option)
            option = everything[chosen]
        if chosen:
            own[chosen] = resolve_feature_bandwidth(numbers, option, weight=weight)
        elif np.ndim(option) == 0:
            resolve_feature_bandwidth(network[:, :1], option)
        scale = self._location[1][self._location[1].size - self._n_indicators :]
        return own, np.concatenate([own[chosen], _MATCH_BANDWIDTH / scale])

    def _n_outputs(self, base):
        return 1 if base.shape[1] == 2 else base.shape[1]

    def _raw_network(self, base, numbers, codes):
        """Return what networks read before it is centred and scaled."""
        if self.link == "logit":
            seen = to_logits(base)
        else:
            seen = base[:, 1:] if base.shape[1] == 2 else base
        if self.standardize:
            numbers = self._normal_scores.transform(numbers)
        indicators = [
            (column[:, np.newaxis] == shown).astype(float)
            for column, shown in zip(codes.T, self._shown)
        ]
        return np.hstack([seen, numbers, *indicators])


def _combine(share, other):
    """Combine two lists of shares: return the place in each, and the share, of each combination.

    All combinations with the products of the shares, if they are few. Otherwise a place of the
    first list goes through several turns of the second one, side by side on the unit interval, so
    that each place of either list still has its share.
    """
    n_places = share.size * other.size
    if n_places <= _MOST_STAND_INS:
        place, other_place = np.divmod(np.arange(n_places), other.size)
        return place, other_place, share[place] * other[other_place]
    end, other_end = np.cumsum(share), np.cumsum(other)
    end[-1] = other_end[-1] = 1.0
    n_turns = max(1, (_MOST_STAND_INS - share.size) // other.size)
    turns = (np.arange(n_turns)[:, np.newaxis] + other_end) / n_turns
    cuts = np.unique(np.concatenate([[0.0], end, turns.ravel()]))
    middle = (cuts[:-1] + cuts[1:]) / 2.0
    other_place = np.searchsorted(other_end, middle * n_turns % 1.0)
    return np.searchsorted(end, middle), other_place, np.diff(cuts)


def _parts(features, n):
    if features is None:
        return np.empty((n, 0)), np.empty((n, 0), dtype=np.intp), None
    return features.numbers, features.codes, features.encoder


def _cuts(column):
    """Return where a column is cut into bins: between all values, or at quantiles."""
    values = np.unique(column)
    if values.size > _MOST_CUTS:
        shares = np.linspace(0.0, 1.0, _MOST_CUTS + 2)[1:-1]
        return np.unique(np.quantile(column, shares))
    return values[:-1] + np.diff(values) / 2.0


def _location_and_scale(raw, weight):
    """Return weighted means and standard deviations, one for a constant column."""
    origin = raw[0]  # makes a constant column exactly zero, and keeps digits of far ones
    shifted = raw - origin
    weight = weight / weight.sum()
    mean = weight @ shifted
    scale = np.sqrt(weight @ (shifted - mean) ** 2)
    return origin + mean, np.where(scale > 0.0, scale, 1.0)
