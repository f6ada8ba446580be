"""Describe in feature terms where a band found predictions to be wrong."""

from typing import NamedTuple

import numpy as np
from scipy.stats import norm
from sklearn.tree import DecisionTreeClassifier

from .._data.features import Features
from .._utils.results import to_plain
from ..inference._local.bounds import Bound

PROBABILITY = "predicted probability"
# Share of the significant points that regions of features alone may leave over.
_LEFT_OVER = 0.2
# Splits that separate less than this are cut off: regions stay short sentences.
_PRUNING = 0.005
_MOST_REGIONS = 10
# What is in a region as a dict, besides its bounds.
_CONTENT = (
    "event",
    "bias",
    "n_significant",
    "n_points",
    "where",
    "predictions",
    "n_samples",
    "share",
    "predicted",
    "observed",
    "observed_low",
    "observed_high",
)


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
    n_samples : int
        Rows of the data in the region; for scattered points the significant ones that were looked
        at.
    share : float
        Their share of the weight of all rows (of all points that were looked at).
    predicted, observed : float
        Their mean probability and the rate of the class.
    observed_low, observed_high : float
        Confidence interval of the rate (Wilson), which does not know that the region was chosen.
    """

    event: object
    bias: float
    n_significant: int
    n_points: int
    bounds: tuple | None
    features: tuple
    predictions: tuple
    n_samples: int
    share: float
    predicted: float
    observed: float
    observed_low: float
    observed_high: float

    @property
    def where(self):
        """The region as text."""
        if self.bounds is None:
            return "scattered points"
        return ", ".join(map(str, self.bounds)) or "everywhere"

    def to_dict(self):
        """Return plain Python values; a limit that is not there is None."""
        content = {name: to_plain(getattr(self, name)) for name in _CONTENT}
        content["bounds"] = [
            {
                "name": bound.name,
                "lower": _limit(bound.lower),
                "upper": _limit(bound.upper),
                "categories": to_plain(bound.categories),
            }
            for bound in self.bounds or ()
        ]
        return content


def _limit(value):
    """Return a limit of a region, or None if it is infinite."""
    return value if np.isfinite(value) else None


class EncodedRows(NamedTuple):
    """Rows of the data, or some of them.

    Attributes
    ----------
    features : Features
        Their features.
    proba : ndarray of shape (n_samples, n_classes)
        Their predictions.
    codes : ndarray of shape (n_samples,)
        Their classes.
    weight : ndarray of shape (n_samples,) or None
        Their weights.
    """

    features: Features
    proba: np.ndarray
    codes: np.ndarray
    weight: np.ndarray | None

    def rates(self, inside, event, alpha):
        """Return number, share, mean probability, rate and its interval of the rows inside."""
        weight = np.ones(len(inside)) if self.weight is None else self.weight
        own = weight[inside]
        total = own.sum()
        if not total:
            return 0, 0.0, np.nan, np.nan, np.nan, np.nan
        predicted = float(own @ self.proba[inside, event] / total)
        observed = float(own @ (self.codes[inside] == event) / total)
        low, high = _wilson(observed, total**2 / (own @ own), alpha)
        share = float(total / weight.sum())
        return int(inside.sum()), share, predicted, observed, low, high


def _wilson(rate, n, alpha):
    """Return the confidence interval of a rate among n rows [1]_.

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
       JASA 22 (1927), doi:10.1080/01621459.1927.10502953.
    """
    z = norm.ppf(1 - alpha / 2)
    centre = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return float(max(centre - half, 0.0)), float(min(centre + half, 1.0))


def find_regions(band, points, rows, classes):
    """Return the ten regions with the most significant points of a band, largest first.

    Whole groups that the band found are regions. For other significant points of each class and
    sign, a shallow decision tree over the features separates them from all others; a region is a
    leaf in which most points are significant. If that leaves over many of them, the tree may use
    the predicted probability as well. `points` are those of the band, and `rows`, encoded alike,
    all of the data.
    """
    bias, significant = band.bias, band.significant
    events = range(points.proba.shape[1])
    if bias.ndim == 1:
        bias, significant, events = bias[:, np.newaxis], significant[:, np.newaxis], [1]
    regions = []
    for column, event in enumerate(events):
        for sign in (1, -1):
            flagged = significant[:, column] & (sign * bias[:, column] > 0)
            found = [g for g in band.groups if g.column == event and sign * g.bias > 0]
            if flagged.any():
                search = _Search(flagged, bias[:, column], points, rows, event, band.alpha)
                regions += search.describe(found, classes[event].item())
    return sorted(regions, key=lambda region: -region.n_significant)[:_MOST_REGIONS]


class _Search:
    """The significant points of one class and sign, and what describes them."""

    def __init__(self, flagged, bias, points, rows, event, alpha):
        self.flagged, self.bias, self.points, self.rows = flagged, bias, points, rows
        self.event, self.alpha = event, alpha
        self.p = points.proba[:, event]

    def describe(self, groups, label):
        """Return the regions, in features alone if that is enough."""
        leaves: list[tuple] = []
        left = self.flagged.copy()
        for group in groups:
            conditions = [] if group.feature is None else [_condition(self.rows, group)]
            inside = _inside(conditions, self.points)
            leaves.append((inside, conditions))
            left &= ~inside
        if left.any():
            boxes, scattered = self._boxes(left, use_proba=False)
            if scattered.sum() > _LEFT_OVER * left.sum():
                boxes, scattered = self._boxes(left, use_proba=True)
            leaves += boxes
            if scattered.any():
                leaves.append((scattered, None))
        return [self._region(label, inside, conditions) for inside, conditions in leaves]

    def _region(self, label, inside, conditions):
        hits = inside & self.flagged
        if conditions is None:
            numbers = self.points.rates(inside, self.event, self.alpha)
        else:
            among = _inside(conditions, self.rows, self.event)
            numbers = self.rows.rates(among, self.event, self.alpha)
        used = {one.feature for one in conditions or () if one.feature is not None}
        return Region(
            label,
            float(self.bias[hits].mean()),
            int(hits.sum()),
            int(inside.sum()),
            None if conditions is None else tuple(one.bound for one in conditions),
            tuple(sorted(used)),
            tuple(np.quantile(self.p[hits], [0.05, 0.95]).tolist()),
            *numbers,
        )

    def _boxes(self, flagged, use_proba):
        """Return (points inside, conditions) of a tree's leaves where most are flagged, and rest.

        The rest are the flagged points in no such leaf.
        """
        columns = _columns(self.points.features)
        space = [values for _, _, values in columns]
        if use_proba:
            columns.append((None, None, self.p))
            space.append(self.p)
        space = np.column_stack(space)
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
                boxes.append((inside, _conditions(bounds, columns, self.points.features.encoder)))
                left &= ~inside
        return boxes, left


class _Condition(NamedTuple):
    """A condition on one feature, or on the probability if `feature` is None."""

    feature: int | None
    bound: Bound
    codes: tuple | None = None

    def holds(self, rows, event):
        """Return for each row whether it meets the condition."""
        if self.codes is not None:
            return np.isin(_codes(rows.features, self.feature), self.codes)
        values = rows.proba[:, event]
        if self.feature is not None:
            values = rows.features.column(self.feature)
        with np.errstate(invalid="ignore"):
            return (values > self.bound.lower) & (values <= self.bound.upper)


def members(region, rows, event):
    """Return which rows are in a region; None for points that do not form one.

    `event` is the column of the class of the region.
    """
    if region.bounds is None:
        return None
    encoder, conditions = rows.features.encoder, []
    for bound in region.bounds:
        feature = next((k for k in region.features if encoder.names[k] == bound.name), None)
        codes = None
        if bound.categories is not None:
            levels = encoder.levels[encoder.code_features.index(feature)]
            codes = tuple(levels.index(one) for one in bound.categories)
        conditions.append(_Condition(feature, bound, codes))
    return _inside(conditions, rows, event)


def _codes(features, feature):
    """Return the codes of a category, or whether a number is missing."""
    return features.codes[:, features.encoder.code_features.index(feature)]


def _inside(conditions, rows, event=None):
    """Return the rows that meet all conditions."""
    inside = np.ones(len(rows.proba), dtype=bool)
    for one in conditions:
        inside &= one.holds(rows, event)
    return inside


def _condition(rows, group):
    """Return the condition of a whole group."""
    encoder = rows.features.encoder
    feature = encoder.names.index(group.feature)
    if group.category is None:
        return _Condition(feature, Bound(group.feature, group.lower, group.upper))
    levels = encoder.levels[encoder.code_features.index(feature)]
    return _of_codes(feature, group.feature, levels, [levels.index(group.category)])


def _of_codes(feature, name, levels, codes):
    """Return the condition that a category is one of these."""
    others = tuple(level for code, level in enumerate(levels) if code not in codes)
    bound = Bound(name, categories=tuple(levels[code] for code in codes), others=others)
    return _Condition(feature, bound, tuple(codes))


def _columns(features):
    """Return (feature, code or None, values) of the columns that a tree may split."""
    encoder = features.encoder
    columns: list[tuple] = []
    for k in range(encoder.n_features):
        if k in encoder.number_features:
            values = features.numbers[:, encoder.number_features.index(k)]
            columns.append((k, None, values))
        if k in encoder.code_features:
            codes = _codes(features, k)
            n_levels = len(encoder.levels[encoder.code_features.index(k)])
            # One of two categories says it all.
            which = range(n_levels) if n_levels > 2 else [1] if n_levels == 2 else []
            columns += [(k, code, (codes == code).astype(np.float64)) for code in which]
    return columns


def _conditions(bounds, columns, encoder):
    """Return the conditions of a leaf of a tree over these columns, one per feature."""
    numbers: list[_Condition] = []
    allowed: dict[int, set] = {}
    for place in sorted(bounds):
        feature, code, _ = columns[place]
        lower, upper = bounds[place]
        if code is None:
            name = PROBABILITY if feature is None else encoder.names[feature]
            numbers.append(_Condition(feature, Bound(name, lower, upper)))
            continue
        levels = encoder.levels[encoder.code_features.index(feature)]
        codes = allowed.setdefault(feature, set(range(len(levels))))
        codes &= {code} if lower > 0 else set(range(len(levels))) - {code}
    categories = []
    for feature, codes in allowed.items():
        levels = encoder.levels[encoder.code_features.index(feature)]
        categories.append(_of_codes(feature, encoder.names[feature], levels, sorted(codes)))
    return sorted(categories + numbers, key=lambda one: (one.feature is None, one.feature or 0))


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
