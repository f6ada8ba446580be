"""One event with its predictions, and groups of rows in which they may be wrong."""

from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from ...._data.bins import starts
from ...._utils.results import tell_apart
from ..one_event import relative_weights

# A single component is named where its standardised size exceeds that of a test at 5 %.
NOTABLE = 1.96
_MISSING = "missing"
# A direction of which others leave less than this share is made of rounding.
_COLLINEAR = 1e-6
# Groups that a sentence names at most.
_MOST = 2


class Subject(NamedTuple):
    """One event with its predictions.

    Attributes
    ----------
    p : ndarray of shape (n_samples,)
        The probability of the event.
    happened : ndarray of shape (n_samples,)
        1.0 where it did.
    weight : ndarray of shape (n_samples,)
        Weights of the rows.
    name : str
        How a sentence calls the predictions of it.
    """

    p: np.ndarray
    happened: np.ndarray
    weight: np.ndarray
    name: str

    def at(self, rows):
        """Return the same event on some rows."""
        return Subject(self.p[rows], self.happened[rows], self.weight[rows], self.name)

    def standardised(self, direction, *others):
        """Return the standardised sum of the residuals along what others leave of a direction."""
        variance = self.p * (1.0 - self.p) * self.weight**2
        least = _COLLINEAR * np.sqrt(variance @ direction**2)
        if others:
            root = np.sqrt(variance)[:, np.newaxis]
            design = np.column_stack(others)
            fit = np.linalg.lstsq(root * design, root[:, 0] * direction, rcond=None)[0]
            direction = direction - design @ fit
        spread = np.sqrt(variance @ direction**2)
        total = (self.weight * direction) @ (self.happened - self.p)
        return float(total / spread) if spread > least else 0.0

    def deviation(self):
        """Return the standardised sum of the residuals."""
        return self.standardised(np.ones_like(self.p))

    def numbers(self):
        """Return the mean prediction and the observed rate as text, and how the first is wrong."""
        predicted = float(np.average(self.p, weights=self.weight))
        observed = float(np.average(self.happened, weights=self.weight))
        direction = "too low" if observed > predicted else "too high"
        predicted, observed = tell_apart(predicted, observed)
        return direction, f"({predicted} predicted, {observed} observed)"

    def average(self):
        """Return in words how the mean prediction compares with the observed rate."""
        direction, numbers = self.numbers()
        return f"{direction} on average {numbers}"


def subject_of(predictions, reduction, name="the predictions"):
    """Return the `Subject` of a reduction to one event."""
    happened = reduction.residuals(predictions.codes)[:, 0, 0] + reduction.proba[:, 0]
    return Subject(reduction.proba[:, 0], np.rint(happened), relative_weights(predictions), name)


class Group(NamedTuple):
    """Some rows, and how a sentence names them.

    Attributes
    ----------
    where : str
        Such as "site = a" or "age is at least 70".
    rows : ndarray of bool of shape (n_samples,)
        Which rows they are.
    """

    where: str
    rows: np.ndarray


def ranges(values, weight, n_groups, name=None):
    """Return the `Group` of each range of values that holds about equal weight.

    Equal values share a range, and rows whose value is NaN, for missing, are a group of their own.
    There are `n_groups` ranges if there are so many different values; `name` is how a sentence
    calls these.
    """
    number = np.full(values.size, -1)
    present = ~np.isnan(values)
    order = np.argsort(values[present], kind="stable")
    ordered, mass = values[present][order], weight[present][order]
    below = np.concatenate([[0.0], mass.cumsum()[:-1]])
    first = starts(ordered)
    shared = np.repeat(below[first], np.diff(first, append=ordered.size))
    number[np.flatnonzero(present)[order]] = np.floor(n_groups * shared / mass.sum())
    groups = []
    for one in np.unique(number):
        rows = number == one
        where = _MISSING if one < 0 else _between(values[rows], "at " if name is None else "")
        groups.append(Group(where if name is None else f"{name} is {where}", rows))
    return groups


def _between(values, at):
    low, high = _short(float(values.min()), float(values.max()))
    return f"{at}{low}" if low == high else f"between {low} and {high}"


def _short(*values):
    """Return numbers as text, with three digits if these tell them apart."""
    texts = [
        f"{value:.0f}" if value.is_integer() or abs(value) >= 100.0 else f"{value:.3g}"
        for value in values
    ]
    return texts if len(set(texts)) == len(set(values)) else tell_apart(*values)


def sides(features, feature, weight):
    """Return the groups of a feature of which a sentence tells: categories, or both ends.

    These are the lowest and the highest quarter of the numbers, and the rows whose number is
    missing.
    """
    name, values = features.encoder.names[feature], features.column(feature)
    categories = features.encoder.categories(feature)
    if categories is not None:
        groups = [
            Group(f"{name} = {category}", values == code)
            for code, category in enumerate(categories)
        ]
        return [group for group in groups if group.rows.any()]
    quarters = ranges(values, weight, 4, name)
    missing = [group for group in quarters if np.isnan(values[group.rows]).any()]
    numbers = [group for group in quarters if not np.isnan(values[group.rows]).any()]
    if len(numbers) > 1:
        low, high = numbers[0].rows, numbers[-1].rows
        numbers = [
            Group(f"{name} {_end('at most', values[low].max(), values[low])}", low),
            Group(f"{name} {_end('at least', values[high].min(), values[high])}", high),
        ]
    return numbers + missing


def _end(words, bound, values):
    (text,) = _short(float(bound))
    return f"= {text}" if np.ptp(values) == 0.0 else f"is {words} {text}"


def worst(subject, groups):
    """Return the group whose residuals have the largest standardised sum."""
    return max(groups, key=lambda group: abs(subject.at(group.rows).deviation()))


def wrong_groups(subject, groups):
    """Return the sentence about the groups in which the predictions deviate, and about the rest.

    The groups whose standardised size exceeds that of a test at 5 % for all of them together are
    named, the clearest ones first, or else the clearest one.
    """
    sizes = np.array([subject.at(group.rows).deviation() for group in groups])
    order = np.argsort(-np.abs(sizes), kind="stable")
    notable = np.count_nonzero(np.abs(sizes) >= norm.isf(0.025 / len(groups)))
    named = [groups[k] for k in order[: min(max(notable, 1), _MOST)]]
    sentence, before = f"{subject.name} are", ""
    for group in named:
        direction, numbers = subject.at(group.rows).numbers()
        told = f"{direction} where" if direction != before else "where"
        sentence += f"{' and' if before else ''} {told} {group.where} {numbers}"
        before = direction
    rest = subject.at(~np.any([group.rows for group in named], axis=0))
    if not rest.p.size:
        return sentence
    if abs(rest.deviation()) >= NOTABLE:
        return f"{sentence}, and elsewhere {rest.average()}"
    return f"{sentence}, with no clear error elsewhere {rest.numbers()[1]}"
