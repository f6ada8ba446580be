"""The classes of a stream are those of all its rows, or the batch is refused."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib import metrics
from sklearn_calib.streaming import CalibrationState


def _of(*batches, **options):
    state = CalibrationState("ece", **options)
    for y, proba in batches:
        state.update(y, proba)
    return state


@pytest.mark.parametrize(
    ("labels", "classes"), [([0, 1], [0, 1]), ([-1, 1], [-1, 1]), ([False, True], [False, True])]
)
@pytest.mark.parametrize("first", [0, 1])
def test_usual_labels_whichever_comes_first(labels, classes, first):
    """A batch of ones alone does not tell whether the other class is 0 or -1."""
    one, other = ([labels[first]], [0.3]), ([labels[1 - first]], [0.3])
    state = _of(one, other)
    assert_array_equal(state.classes, classes)
    merged = _of(one).merge(_of(other))
    assert_array_equal(merged.classes, classes)
    expected = metrics.ece([*one[0], *other[0]], [0.3, 0.3])
    assert_allclose([state.result()["ece"], merged.result()["ece"]], expected, rtol=1e-14)


def test_text_with_a_positive_label():
    batches = (["yes"], [0.3]), (["no", "yes"], [0.6, 0.2]), (["no"], [0.9])
    state = _of(*batches, pos_label="yes")
    assert state.classes.tolist() == ["no", "yes"]
    y, p = ["yes", "no", "yes", "no"], [0.3, 0.6, 0.2, 0.9]
    assert_allclose(state.result()["ece"], metrics.ece(y, p, pos_label="yes"), rtol=1e-14)
    with pytest.raises(ValueError, match=r"y_true contains \['maybe'\]"):
        state.update(["maybe"], [0.5])


def test_text_without_a_positive_label_is_refused():
    with pytest.raises(ValueError, match="Pass pos_label= or labels="):
        _of((["yes", "no"], [0.3, 0.4]))
    with pytest.raises(ValueError, match="Pass labels="):
        _of((["yes"], [[0.3, 0.7]]))


def test_different_texts_on_two_machines_are_refused():
    first, second = (_of((["a", "b"], [0.1, 0.2]), pos_label="b") for _ in range(2))
    assert first.merge(second).n_samples == 4
    other = _of((["c", "b"], [0.1, 0.2]), pos_label="b")
    with pytest.raises(ValueError, match=r"The classes differ: \['a', 'b'\] and \['c', 'b'\]"):
        first.merge(other)


def test_a_class_that_only_later_batches_have():
    first = (["a", "b"], [[0.2, 0.5, 0.3], [0.1, 0.8, 0.1]])
    second = (["c", "a"], [[0.2, 0.5, 0.3], [0.1, 0.8, 0.1]])
    with pytest.raises(ValueError, match="Pass labels=, the sorted list of the 3 classes"):
        _of(first)
    state = _of(first, second, labels=["a", "b", "c"])
    expected = metrics.ece(first[0] + second[0], first[1] + second[1])
    assert_allclose(state.result()["ece"], expected, rtol=1e-14)


def test_once_found_the_classes_hold_for_batches_without_some():
    proba = np.array([[0.2, 0.5, 0.3], [0.1, 0.8, 0.1], [0.4, 0.4, 0.2]])
    state = _of((["a", "b", "c"], proba), (["c"], proba[:1]))
    expected = metrics.ece(["a", "b", "c", "c"], proba[[0, 1, 2, 0]])
    assert_allclose(state.result()["ece"], expected, rtol=1e-14)
    with pytest.raises(ValueError, match="y_proba has 1 column, but there are 3 classes"):
        state.update(["a"], [0.3])


def test_names_of_columns_decide_in_every_batch():
    y, proba = ["a", "b", "c"], np.array([[0.2, 0.5, 0.3], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
    table = pd.DataFrame(proba, columns=["a", "b", "c"])
    state = _of((y, table), (["b"], table[["c", "a", "b"]].iloc[:1]))
    expected = metrics.ece([*y, "b"], proba[[0, 1, 2, 0]])
    assert_allclose(state.result()["ece"], expected, rtol=1e-14)
    given = _of((y, table), labels=["a", "b", "c"])
    with pytest.raises(ValueError, match="contradicts the columns"):
        given.update(["b"], table[["c", "a", "b"]].iloc[:1])


def test_one_column_and_two_are_the_same():
    both = _of(([0, 1], [0.2, 0.6]), ([0, 1], [[0.7, 0.3], [0.1, 0.9]]))
    expected = metrics.ece([0, 1, 0, 1], [0.2, 0.6, 0.3, 0.9])
    assert_allclose(both.result()["ece"], expected, rtol=1e-14)


def test_the_negative_class_may_be_the_positive_label():
    state = _of(([0, 1, 1], [0.2, 0.6, 0.1]), ([0], [0.4]), pos_label=0)
    expected = metrics.ece([0, 1, 1, 0], [0.2, 0.6, 0.1, 0.4], pos_label=0)
    assert_allclose(state.result()["ece"], expected, rtol=1e-14)
    copy = CalibrationState.from_json(state.to_json())
    assert copy.merge(state).classes.tolist() == [1, 0]


def test_rows_that_miss_their_partner():
    with pytest.raises(ValueError, match="y_true is empty, but y_proba has 1 rows"):
        _of(([], [0.5]))
    with pytest.raises(ValueError, match="same number of rows"):
        _of(([0, 1], [0.5]))


def test_few_rows_without_uncertainty_are_no_mistake():
    """A batch of zeros and ones warns nobody, unlike an array of them."""
    y = [0, 1] * 40
    assert _of((y, [0.0, 1.0] * 40), (y, [0.3, 0.8] * 40)).n_samples == 160
