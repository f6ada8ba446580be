"""What a mergeable state is: the rows in any batches, in any order, from anywhere."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import brier_score_loss, log_loss

from sklearn_calib import metrics
from sklearn_calib.streaming import CalibrationState, CalibrationSummary
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


def test_float32_predictions_are_added_up_in_float64():
    rows = make_rows(2, 400, 6, weighted=False)
    single = rows._replace(proba=rows.proba.astype(np.float32))
    found = state(single, 5, metrics="ece").result()["ece"]
    assert_allclose(found, metrics.ece(single.y, single.proba), **EXACT)
    assert abs(found - metrics.ece(rows.y, rows.proba)) > 1e-12


def test_a_weight_is_as_many_rows():
    rows = make_rows(2, 50, 7, weighted=False)
    copies = np.random.default_rng(0).integers(0, 4, 50)
    weighted = state(rows._replace(weight=copies.astype(float)), 3)
    repeated = state(
        rows._replace(y=np.repeat(rows.y, copies), proba=np.repeat(rows.proba, copies))
    )
    for name, value in weighted.result().items():
        assert_allclose(value, repeated.result()[name], **EXACT)


def test_many_batches_of_small_errors_do_not_add_up():
    """A gap of 5e-10, which sums of many numbers in float64 blur, has the same bits."""
    batch = {"y_true": [0, 1] * 50, "y_proba": [0.3, 0.7 - 1e-9] * 50}
    made = CalibrationState("ece", n_bins=1)
    for _ in range(100):
        made.update(**batch)
    assert_allclose(made.result()["ece"], 5e-10, rtol=1e-6)
    once = CalibrationState("ece", n_bins=1)
    once.update(**{name: np.tile(values, 100) for name, values in batch.items()})
    assert made.result() == once.result()


# Rows that change nothing.
def test_batches_without_rows_change_nothing():
    made = CalibrationState().update([0, 1], [0.2, 0.7])
    before = made.to_json()
    made.update([], [])
    made.update(np.zeros(0), np.zeros((0, 2)), sample_weight=[])
    made.update([1, 0], [0.5, 0.5], sample_weight=[0, 0])
    assert made.to_json() == before
    assert CalibrationState().merge(made).to_json() == before
    assert made.merge(CalibrationState()).to_json() == before


def test_a_batch_that_is_refused_changes_nothing():
    made = CalibrationState().update([0, 1], [0.2, 0.7], groups={"g": ["a", "b"]})
    before = made.to_json()
    for bad in (
        {"y_true": [0, 1], "y_proba": [0.2, 1.7], "groups": {"g": ["a", "b"]}},
        {"y_true": [0, 1], "y_proba": [0.2, 0.7]},
        {"y_true": [0, 2], "y_proba": [0.2, 0.7], "groups": {"g": ["a", "b"]}},
        {"y_true": [0, 1], "y_proba": [0.2, 0.7], "groups": {"g": [0.5, 1.5]}},
        {"y_true": [0, 1], "y_proba": [0.2, 0.7], "groups": {"h": ["a", "b"]}},
    ):
        with pytest.raises(ValueError, match=r".+"):
            made.update(**bad)
        assert made.to_json() == before


def test_a_state_without_rows_has_no_result():
    for method in ("result", "bins", "bounds", "group_table"):
        with pytest.raises(ValueError, match="holds no rows yet"):
            getattr(CalibrationState(), method)()
    assert CalibrationState().n_samples == 0
    with pytest.raises(ValueError, match="needs at least 2 samples"):
        CalibrationState("kce").update([1], [0.7]).result()


@pytest.mark.parametrize("weight", [1e-130, 1e130])
def test_weights_whose_squares_are_no_numbers(weight):
    with pytest.raises(ValueError, match="sample_weight must be zero or lie between"):
        CalibrationState().update([0, 1], [0.2, 0.7], sample_weight=[1.0, weight])


# Settings.
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_bins": 10}, "differ in n_bins"),
        ({"metrics": "ece"}, "differ in metrics"),
        ({"target": "confidence"}, "differ in target"),
        ({"bandwidth": 0.1}, "differ in bandwidth"),
        ({"labels": [0, 1]}, "differ in labels: None and \\[0, 1\\]"),
        ({"pos_label": 0}, "differ in pos_label"),
    ],
)
def test_states_with_other_settings_are_not_merged(options, words):
    with pytest.raises(ValueError, match=words):
        CalibrationState().merge(CalibrationState(**options))


def test_only_states_are_merged():
    with pytest.raises(TypeError, match="other must be a CalibrationState, got dict"):
        CalibrationState().merge({})
    with pytest.raises(TypeError):
        CalibrationState() + 1


@pytest.mark.parametrize(
    "options",
    [
        {"metrics": ()},
        {"target": "binray"},
        {"closed": "both"},
        {"n_bins": 0},
        {"bins": [0.5, 0.2]},
        {"bandwidth": -1.0},
        {"labels": [1, 0]},
        {"labels": ["a", "b"], "pos_label": "c"},
    ],
)
def test_options_are_checked_before_the_first_row(options):
    with pytest.raises(ValueError, match=next(iter(options)).replace("labels", "label")):
        CalibrationState(**options)


def test_own_names_of_results():
    made = CalibrationState({"a": {"metric": "ece"}, "b": {"metric": "ece", "norm": "l2"}})
    rows = make_rows(2, 30, 8, weighted=False)
    found = made.update(rows.y, rows.proba).result()
    assert_allclose(found["a"], metrics.ece(rows.y, rows.proba), **EXACT)
    assert_allclose(found["b"], metrics.ece(rows.y, rows.proba, norm="l2"), **EXACT)


def test_bins_need_a_metric_with_bins():
    with pytest.raises(ValueError, match="Add 'ece' to metrics"):
        CalibrationState("brier").update([0, 1], [0.2, 0.7]).bins()


@pytest.mark.parametrize("kind", [CalibrationState, CalibrationSummary])
def test_a_sum_of_one_is_another_object_and_leaves_the_part_alone(kind):
    part = kind("ece") if kind is CalibrationState else kind()
    part.update([0, 1], [0.2, 0.7])
    total = sum([part])
    total.update([1, 1, 1], [0.3, 0.4, 0.5])
    assert (part.n_samples, total.n_samples) == (2, 5)
