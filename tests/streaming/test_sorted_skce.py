"""Ranges of sorted probabilities give the kernel error of all rows."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from sklearn_calib import metrics
from sklearn_calib._data.sums import NotMergeableError
from sklearn_calib.streaming import SortedSkceState
from tests.streaming._data import make_rows


def ranges(rows, borders, **options):
    """Return states of ranges of the sorted rows, in the order of the probabilities."""
    score = rows.proba if rows.proba.ndim == 1 else rows.proba.max(axis=1)
    order = np.argsort(score, kind="stable")
    parts = np.split(order, sorted(borders))
    return [SortedSkceState.from_range(**rows.part(part), **options) for part in parts]


def merge_neighbours(states, order):
    """Merge neighbours in any order, from either side."""
    states = list(states)
    for number in order:
        if len(states) == 1:
            break
        k = number % (len(states) - 1)
        first, second = states[k], states[k + 1]
        states[k : k + 2] = [first.merge(second) if number % 2 else second.merge(first)]
    merged = states[0]
    for one in states[1:]:
        merged = merged.merge(one)
    return merged


def scale_of(rows):
    """Return the size of the terms that the unbiased error adds up."""
    w = np.ones(rows.y.size) if rows.weight is None else rows.weight
    residuals = rows.y - rows.proba
    return (w**2 @ residuals**2) / (w.sum() ** 2 - w @ w)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    weighted=st.booleans(),
    bandwidth=st.sampled_from([1e-3, 0.2, 5.0]),
    borders=st.lists(st.integers(0, 60), max_size=8),
    order=st.lists(st.integers(0, 99), min_size=9, max_size=9),
)
def test_any_ranges_and_any_association(seed, weighted, bandwidth, borders, order):
    """Every fifth row has a rounded probability, so that ties lie on both sides of borders."""
    rows = make_rows(2, 60, seed, weighted=weighted)
    merged = merge_neighbours(ranges(rows, borders, bandwidth=bandwidth), order)
    whole = SortedSkceState.from_range(**rows.part(slice(None)), bandwidth=bandwidth)
    assert merged.n_samples == whole.n_samples
    assert_allclose(merged.skce(), whole.skce(), rtol=1e-12, atol=1e-12 * scale_of(rows))
    assert_allclose(
        merged.skce("biased"), whole.skce("biased"), rtol=1e-12, atol=1e-12 * scale_of(rows)
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bandwidth", [0.01, 0.2, 3.0])
def test_the_numbers_are_those_of_arrays(weighted, bandwidth):
    rows = make_rows(2, 64, 1, weighted=weighted)
    merged = merge_neighbours(ranges(rows, [10, 11, 40], bandwidth=bandwidth), [1, 0, 1])
    options = {"sample_weight": rows.weight, "bandwidth": bandwidth}
    close = {"rtol": 1e-10, "atol": 1e-10 * scale_of(rows)}
    for estimator in ("uq", "biased"):
        expected = metrics.skce(rows.y, rows.proba, estimator=estimator, **options)
        assert_allclose(merged.skce(estimator), expected, **close)
    expected = metrics.kce(rows.y, rows.proba, kernel="laplacian", **options)
    assert_allclose(merged.skce(), expected, **close)
    expected = metrics.kce(rows.y, rows.proba, kernel="laplacian", squared=False, **options)
    assert_allclose(merged.mmce(), expected, rtol=1e-10)
    assert_allclose(merged.mmce(), metrics.mmce(rows.y, rows.proba, **options), rtol=1e-10)
    assert merged.result() == {"skce": merged.skce(), "mmce": merged.mmce()}


def test_confidence():
    rows = make_rows(3, 64, 2, weighted=True)
    options = {"target": "confidence", "labels": [0, 1, 2]}
    merged = merge_neighbours(ranges(rows, [20, 45], **options), [0, 0])
    options["sample_weight"] = rows.weight
    assert_allclose(merged.skce(), metrics.skce(rows.y, rows.proba, **options), rtol=1e-10)
    assert_allclose(merged.mmce(), metrics.mmce(rows.y, rows.proba, **options), rtol=1e-10)


def test_all_rows_tied():
    parts = [SortedSkceState.from_range([0, 1], [0.5, 0.5]) for _ in range(3)]
    merged = parts[0].merge(parts[1]).merge(parts[2])
    expected = metrics.skce([0, 1] * 3, [0.5] * 6)
    assert_allclose(merged.skce(), expected, rtol=1e-12)


def test_ranges_without_rows():
    one = SortedSkceState.from_range([0, 1], [0.2, 0.7])
    empty = SortedSkceState.from_range([], [])
    for merged in (one.merge(empty), empty.merge(one)):
        assert merged.to_json() == one.to_json()
    assert empty.merge(empty).range is None
    with pytest.raises(ValueError, match="needs at least 2 rows of positive weight, got 0"):
        empty.skce()
    with pytest.raises(ValueError, match="needs at least 2 rows of positive weight, got 1"):
        SortedSkceState.from_range([1], [0.2]).skce()
    assert_allclose(SortedSkceState.from_range([1], [0.2]).mmce(), 0.8)


def test_ranges_that_overlap_are_refused():
    low = SortedSkceState.from_range([0, 1], [0.2, 0.7])
    with pytest.raises(ValueError, match=r"overlap: \[0.2, 0.7\] and \[0.6, 0.9\]"):
        low.merge(SortedSkceState.from_range([0, 1], [0.6, 0.9]))
    high = SortedSkceState.from_range([0, 1], [0.8, 0.9])
    with pytest.raises(ValueError, match="overlap"):  # nothing fits in between any more
        low.merge(high).merge(SortedSkceState.from_range([0], [0.75]))


def test_other_settings_and_kinds_are_refused():
    state = SortedSkceState()
    with pytest.raises(ValueError, match=r"differ in bandwidth: 0\.2 and 0\.3"):
        state.merge(SortedSkceState(bandwidth=0.3))
    with pytest.raises(ValueError, match="differ in labels"):
        state.merge(SortedSkceState(labels=["a", "b"]))
    with pytest.raises(TypeError, match="other must be a SortedSkceState, got float"):
        state.merge(0.5)
    with pytest.raises(NotMergeableError, match="depends on all rows"):
        SortedSkceState(bandwidth="median")
    with pytest.raises(NotMergeableError, match="Use target='confidence'"):
        SortedSkceState.from_range([0, 1, 2], np.eye(3))
    with pytest.raises(ValueError, match="estimator must be one of 'uq', 'biased'"):
        state.skce("ul")


def test_a_document_has_the_same_bits():
    rows = make_rows(2, 50, 3, weighted=True)
    state = SortedSkceState.from_range(**rows.part(slice(None)), labels=[0, 1])
    for copy in (SortedSkceState.from_json(state.to_json()), pickle.loads(pickle.dumps(state))):
        assert copy.to_json() == state.to_json()
        assert copy.result() == state.result()
        assert copy.range == state.range
