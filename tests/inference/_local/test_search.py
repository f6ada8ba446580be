"""What groups explain of each other, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib.inference._local.search import (
    _Candidate,
    _differ,
    _directions,
    _explain,
    _explained,
    _mean,
    _most_wrong,
    _needed,
    _over,
    _ratio_beside,
    _unexplained,
    search,
)
from sklearn_calib.inference._local.standardized import ROUNDING, standardized

FIRST, LAST, EVERY = (np.isin(np.arange(6), rows) for rows in ([0, 1], [4, 5], range(6)))


def _group(mask, event=0, null_std=0.1, bias=0.0):
    rule = SimpleNamespace(members=lambda features: mask, feature=None if mask.all() else "a")
    return _Candidate(rule, event, 0.0, bias, null_std, 0.0, 0.0)


def _setting(weight=None):
    return SimpleNamespace(features=None, weight=weight)


@pytest.mark.parametrize("weight", [None, np.array([1.0, 3.0, 1.0, 2.0, 2.0, 1.0])])
def test_what_groups_leave_is_a_weighted_least_squares_fit(weight):
    residual = np.array([1.0, -0.5, 0.25, 0.75, -1.0, 0.5])
    members = [np.isin(np.arange(6), rows) for rows in ([0, 1, 2], [2, 3])]
    design = np.column_stack(members).astype(float)
    own = np.ones(6) if weight is None else weight
    fit = np.linalg.solve((design.T * own) @ design, design.T @ (own * residual))
    assert_allclose(_unexplained(residual, members, weight), residual - design @ fit, atol=1e-14)
    assert_array_equal(_unexplained(residual, [], weight), residual)
    assert _mean(residual, members[1], weight) == pytest.approx(
        0.5 if weight is None else (0.25 + 2 * 0.75) / 3
    )


def test_a_size_over_a_critical_value_that_is_zero_or_infinite():
    sizes = np.array([0.0, 0.5, 3.0])
    assert_array_equal(_over(sizes, 2.0), [0.0, 0.25, 1.5])
    assert_array_equal(_over(sizes, 0.0), [0.0, np.inf, np.inf])
    assert_array_equal(_over(sizes, np.inf), 0.0)


def test_a_group_that_others_explain_is_not_needed():
    """All rows are 1/3 too high on average, which the first two rows alone make up for."""
    residuals = np.array([[1.0], [1.0], [0.0], [0.0], [0.0], [0.0]])
    first, every = _group(FIRST), _group(EVERY)
    assert _ratio_beside(_setting(), residuals, every, [first], 2.0) == pytest.approx(0.0)
    assert _ratio_beside(_setting(), residuals, first, [every], 2.0) == pytest.approx(
        (2 / 3) / 0.1 / 2
    )
    assert _needed(_setting(), residuals, [every, first], 2.0) == [first]
    assert _needed(_setting(), residuals, [every], 2.0) == [every]
    # Groups of different events do not explain each other.
    other = _group(EVERY, event=1)
    both = np.column_stack([residuals, residuals])
    assert _needed(_setting(), both, [first, other], 2.0) == [first, other]
    # Each deviates by itself: 1 and -1 are 10 standard deviations.
    apart = np.array([[1.0], [1.0], [0.0], [0.0], [-1.0], [-1.0]])
    pair = [first, _group(LAST)]
    assert _needed(_setting(), apart, pair, 9.0) == pair
    assert len(_needed(_setting(), apart, pair, 11.0)) == 1


def test_the_bias_of_all_rows_is_that_of_groups_that_leave_out_others():
    residuals = np.array([[1.0], [1.0], [0.0], [0.0], [0.0], [0.0]])
    every, first, others = _group(EVERY), _group(FIRST), _group(~FIRST)
    assert _explained(_setting(), residuals, every, [first], 2.0)
    assert not _explained(_setting(), residuals, every, [], 2.0)
    assert not _explained(_setting(), residuals, every, [first, others], 2.0)
    assert not _explained(_setting(), residuals, every, [_group(FIRST, event=1)], 2.0)
    assert not _explained(_setting(), residuals, every, [_group(LAST)], 2.0)
    # The last two thirds leave a mean of 0.25, which is two deviations of 0.125.
    residuals = np.array([[1.0], [1.0], [0.375], [0.375], [0.375], [0.375]])
    every = _group(EVERY, null_std=0.125)
    assert _explained(_setting(), residuals, every, [first], 2.0)
    assert not _explained(_setting(), residuals, every, [first], 1.5)


def test_a_bias_is_what_groups_before_leave():
    residuals = np.array([[1.0], [0.5], [0.0], [0.0], [0.5], [0.5]])
    found, left = _explain(_setting(), residuals, [_group(FIRST), _group(EVERY)])
    assert [one.bias for one in found] == pytest.approx([0.75, 1 / 6])
    assert_allclose(left[:, 0], np.array([0.25, -0.25, 0, 0, 0.5, 0.5]) - 1 / 6)
    assert residuals[0, 0] == 1.0


def test_groups_are_compared_in_both_directions():
    groups = SimpleNamespace(
        bias=lambda residuals: np.array([[one[:, 0].mean()] for one in np.split(residuals, 3)]),
        null_std=np.full((3, 1), 0.1),
    )
    residuals = np.array([[0.3], [0.3], [0.1], [0.1], [-0.4], [-0.4]])
    assert_array_equal(_directions(groups, residuals, 2.5), [[1.0], [0.0], [-1.0]])
    shifted = residuals + 0.4
    assert _differ(groups, shifted, _group(EVERY, bias=0.4), 3.9)
    assert not _differ(groups, shifted, _group(EVERY, bias=0.4), 4.1)


class _Groups:
    """All rows, the first two and the last two; standard deviations as of 6, 2 and 2 rows."""

    masks = (EVERY, FIRST, LAST)
    rules = tuple(_group(mask).rule for mask in masks)
    null_std = np.array([[0.1], [0.15], [0.15]])
    effective_size = np.array([6.0, 2.0, 2.0])

    def bias(self, residuals):
        return np.array([residuals[mask].mean(axis=0) for mask in self.masks])


@pytest.mark.parametrize(
    ("residuals", "direction", "chosen", "bias"),
    [
        ([0.6, 0.6, 0.0, 0.0, 0.0, 0.0], [1, 1, 0], 1, 0.6),
        ([0.6, 0.6, 0.0, 0.0, -0.9, -0.9], [-1, 1, -1], 2, -0.9),
        ([0.6, 0.6, 0.0, 0.0, -0.9, -0.9], [-1, 1, 1], 1, 0.6),
        # Each group deviates by four of its deviations or more, and all rows explain all of it.
        ([0.6, 0.6, 0.6, 0.6, 0.6, 0.6], [1, 1, 1], 0, 0.6),
        # The mean 0.5 is 5 deviations, the first group's 0.9 is 6; it leaves 0.4, which is 2.7.
        ([0.9, 0.9, 0.3, 0.3, 0.3, 0.3], [1, 1, 1], 1, 0.9),
        ([0.72, 0.72, 0.3, 0.3, 0.42, 0.42], [1, 1, 1], 0, 0.48),
    ],
)
def test_the_group_that_is_most_wrong(residuals, direction, chosen, bias):
    groups, direction = _Groups(), np.array(direction)[:, np.newaxis]
    found = _most_wrong(groups, np.array(residuals)[:, np.newaxis], 2.0, direction)
    assert found.rule is groups.rules[chosen]
    assert (found.event, found.effective_size) == (0, groups.effective_size[chosen])
    std = groups.null_std[chosen, 0]
    assert (found.bias, found.null_std) == (pytest.approx(bias), std)
    assert found.ratio == pytest.approx(abs(bias) / std / 2)
    assert found.limit == pytest.approx(2 * std)


def _searched(residuals, *null_stds):
    """Search all rows and three pairs of six, which are the query points as well.

    A view for each standard deviation sees the residuals themselves; the first one tests all
    points, and others all but the first.
    """
    middle = np.isin(np.arange(6), [2, 3])
    rules = [
        SimpleNamespace(members=lambda features: EVERY, feature=None, code=None),
        SimpleNamespace(members=lambda features: FIRST, feature=0, code=(0, 0)),
        SimpleNamespace(members=lambda features: middle, feature=0, code=(0, 1)),
        SimpleNamespace(members=lambda features: LAST, feature=0, code=(0, 2)),
    ]
    for rule in rules:
        rule.lower, rule.upper = -np.inf, np.inf
    groups = SimpleNamespace(
        rules=rules,
        bias=lambda left: np.array([left[rule.members(None)].mean(axis=0) for rule in rules]),
        null_std=np.array([[0.09], [0.15], [0.15], [0.15]]),
        effective_size=np.array([6.0, 2.0, 2.0, 2.0]),
    )
    encoder = SimpleNamespace(names=["site"], levels=[("A", "B", "C")])
    residuals = np.array(residuals)[:, np.newaxis]
    setting = SimpleNamespace(
        residuals=lambda codes: residuals,
        predictions=SimpleNamespace(codes=None, n_classes=2),
        features=SimpleNamespace(encoder=encoder),
        query_features=None,
        weight=None,
    )
    views = [
        SimpleNamespace(
            bias=residuals.copy(),
            bias_of=np.copy,
            null_std=np.full((6, 1), std),
            effective_size=np.full(6, 1.0 + k),
            tested=np.arange(6) >= k,
        )
        for k, std in enumerate(null_stds or [1.0])
    ]
    return search(setting, views, groups, 3.0, 2.0)


def test_groups_that_explain_all_rows_are_named_in_their_place():
    """All rows are 0.43 too low on average, more clearly so than A and C, but B is right."""
    found = _searched([0.6, 0.6, 0.0, 0.0, 0.7, 0.7])
    assert [one.name for one in found.groups] == ["site = C", "site = A"]
    assert [one.bias for one in found.groups] == pytest.approx([0.7, 0.6])
    assert [(one.n_samples, one.share) for one in found.groups] == [(2, pytest.approx(1 / 3))] * 2
    assert_allclose(found.bias[:, 0], [0.6, 0.6, 0.0, 0.0, 0.7, 0.7], atol=1e-15)
    assert_array_equal(found.significant[:, 0], [True, True, False, False, True, True])
    assert_allclose(found.null_std[:, 0], [0.15, 0.15, 1.0, 1.0, 0.15, 0.15])
    # What is found besides the first group has to exceed a limit that is larger by a fifth.
    assert_allclose(found.limit[:, 0], [0.36, 0.36, 3.6, 3.6, 0.3, 0.3])
    assert_allclose(found.effective_size, [2.0, 2.0, 1.0, 1.0, 2.0, 2.0])


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_all_rows_are_named_where_they_leave_no_group_that_is_wrong(sign):
    found = _searched(sign * np.array([0.5, 0.5, 0.3, 0.3, 0.6, 0.6]))
    assert [one.name for one in found.groups] == ["all rows"]
    assert found.groups[0].bias == pytest.approx(sign * 1.4 / 3)
    assert found.significant.all()
    assert_allclose(found.limit, 0.18)


@pytest.mark.parametrize(
    "residuals",
    [
        [0.6, -0.6, 0.0, 0.0, 0.1, 0.0],
        # The pair exceeds its limit by a factor of two, but each of its points by one of four.
        [0.6, 0.6, 0.0, 0.0, 0.1, 0.0],
    ],
)
def test_points_that_stand_out_more_than_any_group_are_named_alone(residuals):
    found = _searched(residuals, 0.05)
    assert found.groups == ()
    assert_array_equal(found.significant[:, 0], [True, True] + [False] * 4)
    assert_allclose(found.bias[:, 0], residuals)
    assert_allclose(found.limit, 0.15)
    assert_allclose(found.null_std, 0.05)


def test_what_a_group_explains_of_its_points_is_not_found_again():
    """The pair is 0.9 too low; 0.3 more or less is below 1.2 * 3 * 0.2, and so is 0.65."""
    found = _searched([1.2, 0.6, 0.0, 0.0, -0.65, 0.65], 0.2)
    assert [one.name for one in found.groups] == ["site = A"]
    assert found.groups[0].column == 1
    assert_allclose(found.bias[:, 0], [0.9, 0.9, 0.0, 0.0, -0.65, 0.65], atol=1e-15)
    assert_array_equal(found.significant[:, 0], [True, True] + [False] * 4)
    assert_allclose(found.limit[:, 0], [0.3, 0.3, 0.72, 0.72, 0.72, 0.72])


def test_a_size_at_its_limit_does_not_exceed_it():
    """Each bias is 0.25, and two deviations of 0.125 are the limit."""
    residuals = np.full((6, 1), 0.25)
    groups = SimpleNamespace(
        rules=_Groups.rules,
        bias=_Groups().bias,
        null_std=np.full((3, 1), 0.125),
        effective_size=_Groups.effective_size,
    )
    assert_array_equal(_directions(groups, residuals, 2.0), np.zeros((3, 1)))
    assert_array_equal(_directions(groups, residuals, 1.99), np.ones((3, 1)))
    assert not _differ(groups, residuals, _group(EVERY), 2.0)
    assert _differ(groups, residuals, _group(EVERY), 1.99)
    ends = np.array([[0.25], [0.25], [0.0], [0.0], [0.25], [0.25]])
    pair = [_group(FIRST, null_std=0.125), _group(LAST, null_std=0.125)]
    assert len(_needed(_setting(), ends, pair, 2.0)) == 1
    assert _needed(_setting(), ends, pair, 1.99) == pair
    # All rows leave 0.25 in the first group, no more than its limit, so they are taken.
    larger = np.array([[1.5], [1.5], [1.125], [1.125], [1.125], [1.125]])
    signs = np.ones((3, 1))
    assert _most_wrong(groups, larger, 2.0, signs).rule is groups.rules[0]
    assert _most_wrong(groups, larger, 1.99, signs).rule is groups.rules[1]
    found = _searched([0.25, -0.25, 0.0, 0.0, 0.0, 0.0], 0.25 / 3.0)
    assert not found.significant.any()


def test_each_point_is_seen_by_the_view_in_which_it_stands_out_most():
    found = _searched([0.25, -0.25, 0.0, 0.25, -0.25, 0.0], 0.1, 0.05)
    assert found.groups == ()
    # The second view has half the deviation, and does not test the first point.
    assert_array_equal(found.significant[:, 0], [False, True, False, True, True, False])
    assert_allclose(found.null_std[:, 0], [0.1, 0.05, 0.1, 0.05, 0.05, 0.1])
    assert_allclose(found.limit[:, 0], 3.0 * found.null_std[:, 0])
    assert_allclose(found.effective_size, [1.0, 2.0, 1.0, 2.0, 2.0, 1.0])


def test_nothing_is_named_where_nothing_is_wrong():
    found = _searched([0.2, 0.2, -0.2, -0.2, 0.25, 0.25])
    assert found.groups == ()
    assert not found.significant.any()
    assert_allclose(found.bias[:, 0], [0.2, 0.2, -0.2, -0.2, 0.25, 0.25])
    assert_allclose(found.limit, 3.0)


def test_a_bias_over_its_standard_deviation_which_may_be_zero():
    bias = np.array([-0.3, 0.4, -0.2, 0.0, ROUNDING, 3 * ROUNDING])
    found = standardized(bias, np.array([0.1, 2.0, 0.0, 0.0, 0.0, 0.0]))
    assert_allclose(found, [3.0, 0.2, np.inf, 0.0, 0.0, np.inf])


class _Rows:
    """Rows with a letter each; the group has those with "a"."""

    def __init__(self, letters):
        self.letters = np.array(list(letters))
        self.encoder = SimpleNamespace(names=["f"], levels=None)


def _view(before, after, size, tested=True):
    columns = [np.array(values)[:, np.newaxis] for values in (before, after)]
    n = len(before)
    return SimpleNamespace(
        bias=columns[0],
        bias_of=lambda left: columns[1].copy(),
        null_std=np.where(np.arange(n) == 5, 0.0, 0.1)[:, np.newaxis],
        tested=np.broadcast_to(tested, n),
        effective_size=np.full(n, size),
    )


def test_points_beside_a_group_count_both_as_they_are_and_less_what_it_explains():
    """The critical value 2 of deviations of 0.1 is 0.2 before and 0.24 after the group is found."""
    rule = SimpleNamespace(
        members=lambda rows: rows.letters == "a", feature=0, code=None, lower=-np.inf, upper=3.0
    )
    groups = SimpleNamespace(
        rules=(rule,),
        null_std=np.array([[0.1]]),
        effective_size=np.array([2.0]),
        bias=lambda left: left[:2].mean(axis=0, keepdims=True),
    )
    setting = SimpleNamespace(
        features=_Rows("aabbbb"),
        query_features=_Rows("bbbbbbaab"),
        weight=np.array([1.0, 3.0, 1.0, 1.0, 1.0, 1.0]),
        predictions=SimpleNamespace(codes=None, n_classes=2),
        residuals=lambda codes: np.array([[1.0], [1.0], [0.0], [0.0], [0.0], [0.0]]),
    )
    # Exactly at its limit before; wrong; turned around; exactly at its limit after; right; without
    # noise; two in the group; and one for which the second view speaks.
    before = [0.2, 0.3, 0.3, 0.3, 0.1, 0.0, 0.0, 0.0, 0.1]
    after = [0.3, 0.3, -0.3, 0.24, 0.1, 0.0, 0.0, 0.0, 0.1]
    second = [0.0] * 8 + [-0.4]
    views = [_view(before, after, 1.0), _view(second, second, 5.0, np.arange(9) > 5)]
    found = search(setting, views, groups, 2.0, 2.0)
    assert_array_equal(found.significant[:, 0], [False, True] + [False] * 4 + [True] * 3)
    assert_allclose(found.bias[:, 0], [*after[:6], 1.0, 1.0, -0.4])
    assert_allclose(found.limit[:, 0], [0.3, 0.24, 0.3, 0.24, 0.24, 0.0, 0.2, 0.2, 0.24])
    assert_allclose(found.null_std[:, 0], [0.1] * 5 + [0.0] + [0.1] * 3)
    assert_array_equal(found.effective_size, [1.0] * 6 + [2.0] * 2 + [5.0])
    (group,) = found.groups
    assert group[:5] == ("f", None, -np.inf, 3.0, 1)
    assert group[5:] == (1.0, 0.1, 2, 0.5)
    # Without groups nothing is taken off, and exactly at its limit is not above it.
    found = search(setting, views, None, 2.0, 2.0)
    assert_array_equal(found.significant[:, 0], [False] + [True] * 3 + [False] * 4 + [True])
    assert_allclose(found.bias[:, 0], [*before[:8], -0.4])
    assert_allclose(found.limit[:, 0], [0.2] * 5 + [0.0] + [0.2] * 3)
    assert found.groups == ()
