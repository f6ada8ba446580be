"""What a mergeable state is: the rows in any batches, in any order, from anywhere."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import brier_score_loss, log_loss

from sklearn_calib import metrics
from sklearn_calib.streaming import CalibrationState
from tests.streaming._data import make_rows

EXACT = {"rtol": 1e-12, "atol": 1e-15}


def state(rows, n_batches=1, **options):
    """Return the state of rows in batches."""
    made = CalibrationState(**options)
    for part in np.array_split(np.arange(rows.y.size), n_batches):
        made.update(**rows.part(part))
    return made


def merge_in_any_order(parts, order):
    """Merge states two at a time; the numbers choose which."""
    parts = list(parts)
    for number in order:
        if len(parts) == 1:
            break
        first = parts.pop(number % len(parts))
        second = parts.pop(number % len(parts))
        parts.append(first.merge(second))
    return parts[0] if len(parts) == 1 else sum(parts)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    n_classes=st.sampled_from([2, 3]),
    weighted=st.booleans(),
    borders=st.lists(st.integers(0, 80), max_size=8),
    order=st.lists(st.integers(0, 50), min_size=9, max_size=9),
)
def test_any_split_any_merges_and_any_order_of_rows(seed, n_classes, weighted, borders, order):
    rows = make_rows(n_classes, 80, seed, weighted=weighted)
    options = {"metrics": ("ece", "mce", "log_loss", "brier"), "labels": np.arange(n_classes)}
    whole = state(rows, **options).result()
    shuffled = np.random.default_rng(seed).permutation(80)
    parts = [
        CalibrationState(**options).update(**rows.part(part))
        for part in np.split(shuffled, sorted(borders))
    ]
    merged = merge_in_any_order(parts, order)
    assert merged.n_samples == (80 if rows.weight is None else np.count_nonzero(rows.weight))
    for name, value in merged.result().items():
        assert_allclose(value, whole[name], **EXACT, err_msg=name)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_numbers_are_those_of_arrays(n_classes, weighted):
    rows = make_rows(n_classes, 500, 3, weighted=weighted)
    found = state(rows, 7).result()
    data = {"sample_weight": rows.weight}
    assert_allclose(found["ece"], metrics.ece(rows.y, rows.proba, **data), **EXACT)
    assert_allclose(found["mce"], metrics.mce(rows.y, rows.proba, **data), **EXACT)
    assert_allclose(found["log_loss"], log_loss(rows.y, rows.proba, **data), **EXACT)
    assert_allclose(found["brier"], brier_score_loss(rows.y, rows.proba, **data), **EXACT)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("n_classes", "target"), [(2, "auto"), (3, "classwise"), (3, "top_label"), (3, "auto")]
)
def test_the_table_of_bins(n_classes, target, weighted):
    rows = make_rows(n_classes, 200, 4, weighted=weighted)
    options = {"target": target, "n_bins": 7, "closed": "right"}
    found = state(rows, 3, metrics="ece", **options).bins()
    expected = metrics.calibration_bins(rows.y, rows.proba, sample_weight=rows.weight, **options)
    assert list(found) == list(expected)
    for name in expected:
        assert found[name].dtype == expected[name].dtype
        assert_allclose(found[name], expected[name], **EXACT)


def test_a_document_has_the_same_bits():
    rows = make_rows(3, 100, 5, weighted=True)
    made = state(rows, 4, metrics={"a": {"metric": "ece", "debiased": True}, "brier": {}})
    copies = CalibrationState.from_json(made.to_json()), pickle.loads(pickle.dumps(made))
    for copy in copies:
        assert copy.to_json() == made.to_json()
        assert copy.result() == made.result()
        merged = copy.merge(made)
        assert merged.n_samples == 2 * made.n_samples
        assert_array_equal(merged.bins().prob_true, made.bins().prob_true)
