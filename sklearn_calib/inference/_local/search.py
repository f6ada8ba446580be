"""Find what is wrong: whole groups first, then the points that these do not explain."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .bounds import Bound
from .group_bias import GroupRule
from .standardized import ROUNDING, standardized

_MOST_GROUPS = 20
# What a group explains is itself estimated. So whatever is found besides the first group has to
# exceed its critical value by this factor.
_FURTHER = 1.2
_NEARLY = 0.8


class WrongGroup(NamedTuple):
    """A whole group whose predictions are significantly wrong.

    Attributes
    ----------
    feature : str or None
        The feature that tells which rows are in the group; None for the group of all rows.
    category : str or None
        Its category; "present" and "missing" for a number that is known or not.
    lower, upper : float
        Limits of a number, ``lower < value <= upper``; infinite where there is none.
    column : int
        The column of the class that is predicted wrongly; 1 for binary data.
    bias : float
        Mean residual of its rows, less what groups found before explain.
    null_std : float
        Standard deviation of the mean residual for a calibrated model.
    n_samples : int
        Number of its rows.
    share : float
        Its share of the weight of all rows.
    """

    feature: str | None
    category: str | None
    lower: float
    upper: float
    column: int
    bias: float
    null_std: float
    n_samples: int
    share: float

    @property
    def name(self) -> str:
        """Which rows it has, such as "sex = F" or "age ≤ 30"."""
        if self.feature is None:
            return "all rows"
        categories = None if self.category is None else (self.category,)
        return str(Bound(self.feature, self.lower, self.upper, categories))


class Found(NamedTuple):
    """What was found at each query point; arrays have shape (n_queries, n_events).

    Attributes
    ----------
    bias, null_std, limit : ndarray
        The bias that speaks most against calibration, its standard deviation for a calibrated
        model, and what its size has to exceed.
    significant : ndarray of bool
        Whether it does.
    effective_size : ndarray of shape (n_queries,)
        How many equally weighted rows stand behind the bias (of the first event).
    groups : tuple of WrongGroup
        The groups.
    """

    bias: np.ndarray
    null_std: np.ndarray
    limit: np.ndarray
    significant: np.ndarray
    effective_size: np.ndarray
    groups: tuple


def search(setting, views, groups, critical_value, group_critical_value):
    """Compare views, of which the first one reads all features, and groups with critical values.

    As long as the standardized bias of a group exceeds its critical value by more than any point
    exceeds its own, the group is wrong, and its mean residual is taken off its rows, so that what
    it explains is not found a second time elsewhere. A group that the others found explain together
    is dropped in the end, and so are all rows if some groups explain their bias and not the
    reverse. A point is significant if it is in such a group, or if its bias exceeds the critical
    value both as it is and less what groups explain; a further group, likewise. After the first
    group critical values are larger by a fifth, because that group is estimated. The setting has no
    rows of weight zero, and without categories there are no groups.
    """
    residuals = setting.residuals(setting.predictions.codes)
    before = [view.bias for view in views]
    ratios_before = _ratios(views, before, critical_value)

    def one_by_one(direction):
        left, ratios, factor = residuals.copy(), ratios_before, 1.0
        wrong: list[_Candidate] = []
        while len(wrong) < _MOST_GROUPS:
            best = _most_wrong(groups, left, factor * group_critical_value, direction)
            if not best.ratio >= max(1.0 + ROUNDING, ratios.max(initial=0.0)):
                break
            wrong.append(best)
            left[best.rule.members(setting.features), best.event] -= best.bias
            factor = _FURTHER
            biases = [view.bias_of(left) for view in views]
            ratios = _ratios(views, biases, factor * critical_value)
        return _needed(setting, residuals, wrong, group_critical_value)

    wrong: list[_Candidate] = []
    if groups is not None and groups.rules:
        direction = _directions(groups, residuals, group_critical_value)
        wrong = one_by_one(direction)
        everything = [one for one in wrong if one.rule.feature is None]
        if everything and _differ(groups, residuals, everything[0], group_critical_value):
            parts = one_by_one(np.where(np.arange(len(direction))[:, np.newaxis] > 0, direction, 0))
            if _explained(setting, residuals, everything[0], parts, group_critical_value):
                wrong = parts
    wrong, left = _explain(setting, residuals, wrong)
    factor = _FURTHER if wrong else 1.0
    biases = [view.bias_of(left) for view in views] if wrong else before
    ratios = _ratios(views, biases, factor * critical_value)
    strongest = ratios.argmax(axis=0)[np.newaxis]

    def choose(arrays):
        return np.take_along_axis(np.stack(list(arrays)), strongest, axis=0)[0]

    bias, null_std = choose(biases), choose(view.null_std for view in views)
    with np.errstate(invalid="ignore"):
        limit = np.where(null_std > 0, factor * critical_value, 1.0) * null_std
    exceeds = choose(ratios) > 1.0 + ROUNDING
    significant = exceeds & (choose(ratios_before) > 1.0 + ROUNDING) & (bias * choose(before) > 0)
    limit = np.where(exceeds & ~significant, np.maximum(limit, np.abs(bias)), limit)
    sizes = np.stack([view.effective_size for view in views])
    effective_size = np.take_along_axis(sizes, strongest[:, :, 0], axis=0)[0]
    for one in reversed(wrong):
        inside = one.rule.members(setting.query_features)
        bias[inside, one.event] = one.bias
        null_std[inside, one.event] = one.null_std
        limit[inside, one.event] = one.limit
        significant[inside, one.event] = True
        effective_size[inside] = np.maximum(effective_size[inside], one.effective_size)
    return Found(
        bias,
        null_std,
        limit,
        significant,
        effective_size,
        tuple(_describe(setting, one) for one in wrong),
    )


class _Candidate(NamedTuple):
    """A group with the event whose bias stands out most."""

    rule: GroupRule
    event: int
    ratio: float
    bias: float
    null_std: float
    limit: float
    effective_size: float


def _most_wrong(groups, residuals, critical_value, direction):
    """Return the group whose bias exceeds its limit by the largest factor.

    `direction` is the sign of the bias that each group has by itself, 0 where that is not
    significant; a bias of another sign was made by taking off what other groups explain.
    If the bias of all rows exceeds it by nearly as much and explains the bias of every group, all
    rows are taken instead, so that the larger of two groups is not blamed for an error of both.
    """
    bias = groups.bias(residuals)
    ratio = _over(standardized(bias, groups.null_std), critical_value)
    ratio = np.where(bias * direction > 0, ratio, 0.0)
    # Where several are infinite, the largest bias comes first.
    place = int(np.lexsort((np.abs(bias).ravel(), ratio.ravel()))[-1])
    group, event = (int(one) for one in np.unravel_index(place, ratio.shape))
    if groups.rules[0].feature is None and ratio[0, event] >= _NEARLY * ratio[group, event]:
        left = residuals[:, [event]] - bias[0, event]
        others = standardized(groups.bias(left), groups.null_std[:, [event]])
        if _over(others, critical_value).max() <= 1.0 + ROUNDING:
            group = 0
    std = float(groups.null_std[group, event])
    return _Candidate(
        groups.rules[group],
        event,
        float(ratio[group, event]),
        float(bias[group, event]),
        std,
        critical_value * std if std > 0 else 0.0,
        float(groups.effective_size[group]),
    )


def _directions(groups, residuals, critical_value):
    """Return the sign of the bias that each group has by itself, 0 where it is not significant."""
    bias = groups.bias(residuals)
    exceeds = _over(standardized(bias, groups.null_std), critical_value) > 1.0 + ROUNDING
    return np.sign(bias) * exceeds


def _differ(groups, residuals, everything, critical_value):
    """Return whether the bias of all rows leaves any group that is significantly wrong."""
    left = residuals.copy()
    left[:, everything.event] -= everything.bias
    sizes = standardized(groups.bias(left), groups.null_std)[:, everything.event]
    return _over(sizes, critical_value).max() > 1.0 + ROUNDING


def _explained(setting, residuals, everything, parts, critical_value):
    """Return whether the bias of all rows is that of some groups, which leave out other rows."""
    parts = [one for one in parts if one.event == everything.event]
    inside = [one.rule.members(setting.features) for one in parts]
    if not parts or np.any(inside, axis=0).all():
        return False
    return _ratio_beside(setting, residuals, everything, parts, critical_value) <= 1.0 + ROUNDING


def _ratio_beside(setting, residuals, one, others, critical_value):
    """Return by what factor the bias of a group given others exceeds its critical value.

    What the others explain is a least squares fit of their indicators.
    """
    members = [other.rule.members(setting.features) for other in others]
    left = _unexplained(residuals[:, one.event], members, setting.weight)
    bias = np.array(_mean(left, one.rule.members(setting.features), setting.weight))
    return float(_over(standardized(bias, np.array(one.null_std)), critical_value))


def _needed(setting, residuals, wrong, critical_value):
    """Return the groups without those that are not significant given all others, weakest first."""
    wrong = list(wrong)
    while len(wrong) > 1:
        ratios = []
        for one in wrong:
            others = [other for other in wrong if other is not one and other.event == one.event]
            ratios.append(_ratio_beside(setting, residuals, one, others, critical_value))
        if min(ratios) > 1.0 + ROUNDING:
            break
        wrong.pop(int(np.argmin(ratios)))
    return wrong


def _explain(setting, residuals, wrong):
    """Return groups with their biases, each less what those before explain, and what is left."""
    left, biased = residuals.copy(), []
    for one in wrong:
        inside = one.rule.members(setting.features)
        biased.append(one._replace(bias=_mean(left[:, one.event], inside, setting.weight)))
        left[inside, one.event] -= biased[-1].bias
    return biased, left


def _unexplained(residual, members, weight):
    """Return residuals less their weighted least squares fit on indicators of groups."""
    if not members:
        return residual
    indicators = np.column_stack(members).astype(np.float64)
    root = np.ones(len(residual)) if weight is None else np.sqrt(weight)
    fit = np.linalg.lstsq(root[:, np.newaxis] * indicators, root * residual, rcond=None)[0]
    return residual - indicators @ fit


def _mean(values, inside, weight):
    """Return the weighted mean of the values of some rows."""
    return float(np.average(values[inside], weights=None if weight is None else weight[inside]))


def _over(size, critical_value):
    """Return sizes over a critical value, which may be zero, or infinite if nothing exceeds it."""
    if critical_value == 0:
        return np.where(size > 0, np.inf, 0.0)
    return size / critical_value if np.isfinite(critical_value) else np.zeros_like(size)


def _ratios(views, biases, critical_value):
    """Return standardized biases over the critical value, (n_views, n_queries, n_events).

    Minus one where a view is not tested, so that another one is preferred.
    """
    return np.stack(
        [
            np.where(
                view.tested[:, np.newaxis],
                _over(standardized(bias, view.null_std), critical_value),
                -1.0,
            )
            for view, bias in zip(views, biases)
        ]
    )


def _describe(setting, found):
    """Return a group that was found."""
    rule, encoder, weight = found.rule, setting.features.encoder, setting.weight
    inside = rule.members(setting.features)
    share = inside.mean() if weight is None else weight[inside].sum() / weight.sum()
    return WrongGroup(
        None if rule.feature is None else encoder.names[rule.feature],
        None if rule.code is None else encoder.levels[rule.code[0]][rule.code[1]],
        rule.lower,
        rule.upper,
        1 if setting.predictions.n_classes == 2 else found.event,
        found.bias,
        found.null_std,
        int(inside.sum()),
        float(share),
    )
