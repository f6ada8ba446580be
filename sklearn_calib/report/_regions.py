"""Describe in feature terms where a band found predictions to be wrong."""

from typing import NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from .._utils.results import to_plain

_NAME = 40
PROBABILITY = "predicted probability"
# Share of the significant points that regions of features alone may leave over.
_LEFT_OVER = 0.2
# Splits that separate less than this are cut off: regions stay short sentences.
_PRUNING = 0.005
# What is in a region as a dict, besides its bounds.
_CONTENT = ("event", "bias", "n_significant", "n_points", "where", "predictions")


class Bound(NamedTuple):
    """The range of one feature in a region.

    Attributes
    ----------
    name : str
        The feature.
    lower, upper : float
        Limits, infinite where there is none: ``lower < value <= upper``.
    """

    name: str
    lower: float
    upper: float

    def __str__(self):
        """Show it as a condition, with a long name cut."""
        name = self.name if len(self.name) <= _NAME else f"{self.name[: _NAME - 1]}…"
        if not np.isfinite(self.lower):
            return f"{name} ≤ {self.upper:.3g}"
        if not np.isfinite(self.upper):
            return f"{name} > {self.lower:.3g}"
        return f"{self.lower:.3g} < {name} ≤ {self.upper:.3g}"


class Region(NamedTuple):
    """Where predictions are significantly wrong in one direction.

    Attributes
    ----------
    event : label
        The class whose probability is wrong.
    bias : float
        Mean local bias of the significant points; positive where the class happens more often
        than predicted.
    n_significant : int
        Significant points in the region.
    n_points : int
        All points that were looked at in the region.
    bounds : tuple of Bound or None
        The region; empty for all points, None for points that do not form one.
    features : tuple of int
        Columns of the features in `bounds`.
    predictions : tuple of float
        The range of the predicted probability at the significant points, without 5 % at each side.
    """

    event: object
    bias: float
    n_significant: int
    n_points: int
    bounds: tuple | None
    features: tuple
    predictions: tuple

    @property
    def where(self):
        """The region as text."""
        if self.bounds is None:
            return "scattered points"
        return ", ".join(map(str, self.bounds)) or "everywhere"

    def to_dict(self):
        """Return plain Python values; a limit that is not there is None."""
        content = {name: to_plain(getattr(self, name)) for name in _CONTENT}
        bounds = self.bounds or ()
        content["bounds"] = [
            {"name": name, "lower": _limit(lower), "upper": _limit(upper)}
            for name, lower, upper in bounds
        ]
        return content


def _limit(value):
    """Return a limit of a region, or None if it is infinite."""
    return value if np.isfinite(value) else None


def find_regions(band, features, proba, names, classes, limit=10):
    """Return the regions with the most significant points of a band, largest first.

    A shallow decision tree over the features separates the significant points of each class and
    sign from all others; a region is a leaf in which most points are significant. If that leaves
    over many of them, the tree may use the predicted probability as well.

    Parameters
    ----------
    band : LocalBiasBand
        Evaluated at these points.
    features : ndarray of shape (n_points, n_features)
        Their features.
    proba : ndarray of shape (n_points, n_classes)
        Their predictions.
    names : list of str
        Names of the features.
    classes : ndarray of shape (n_classes,)
        The labels.
    limit : int, default=10
        At most so many regions.
    """
    bias, significant = band.bias, band.significant
    events = range(proba.shape[1])
    if bias.ndim == 1:
        bias, significant, events = bias[:, np.newaxis], significant[:, np.newaxis], [1]
    regions = []
    for column, event in enumerate(events):
        for sign in (1, -1):
            flagged = significant[:, column] & (sign * bias[:, column] > 0)
            if flagged.any():
                regions += _describe(
                    flagged,
                    features,
                    proba[:, event],
                    bias[:, column],
                    names,
                    classes[event].item(),
                )
    return sorted(regions, key=lambda region: -region.n_significant)[:limit]


def _describe(flagged, features, p, bias, names, event):
    """Return the regions of flagged points, in features alone if that is enough."""
    leaves, left = _boxes(flagged, features)
    if left.sum() > _LEFT_OVER * flagged.sum():
        leaves, left = _boxes(flagged, np.column_stack([features, p]))
    regions = []
    for inside, bounds in [*leaves, *([(left, None)] if left.any() else [])]:
        hits = inside & flagged
        limits = None
        if bounds is not None:
            limits = tuple(Bound([*names, PROBABILITY][k], *bounds[k]) for k in sorted(bounds))
        regions.append(
            Region(
                event,
                float(bias[hits].mean()),
                int(hits.sum()),
                int(inside.sum()),
                limits,
                tuple(k for k in sorted(bounds or ()) if k < len(names)),
                tuple(np.quantile(p[hits], [0.05, 0.95]).tolist()),
            )
        )
    return regions


def _boxes(flagged, space):
    """Return (rows inside, bounds) of the tree's leaves where most rows are flagged, and the rest.

    The rest are the flagged rows in no such leaf.
    """
    tree = DecisionTreeClassifier(
        max_depth=3,
        min_samples_leaf=max(1, flagged.size // 100),
        ccp_alpha=_PRUNING,
        random_state=0,
    ).fit(space, flagged)
    leaf = tree.apply(space)
    boxes, left = [], flagged.copy()
    for number, bounds in _leaves(tree.tree_):
        inside = leaf == number
        if 2 * (inside & flagged).sum() > inside.sum():
            boxes.append((inside, bounds))
            left &= ~inside
    return boxes, left


def _leaves(tree, node=0, bounds=None):
    """Yield (leaf, {feature: (lower, upper)}) of a fitted tree."""
    bounds = bounds or {}
    if tree.children_left[node] < 0:
        yield node, bounds
        return
    k, threshold = int(tree.feature[node]), float(tree.threshold[node])
    lower, upper = bounds.get(k, (-np.inf, np.inf))
    below, above = (lower, min(upper, threshold)), (max(lower, threshold), upper)
    yield from _leaves(tree, tree.children_left[node], {**bounds, k: below})
    yield from _leaves(tree, tree.children_right[node], {**bounds, k: above})
