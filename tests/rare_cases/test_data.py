"""Refusals and ways of the readers that few data meet."""

from fractions import Fraction

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from sklearn_calib._data.arrays import check_features
from sklearn_calib._data.features import FeatureEncoder, read_features
from sklearn_calib._data.fitting.scores import check_class_labels
from sklearn_calib._data.partitions import (
    _split,
    map_rows,
    read_part,
    read_partitions,
    take_known,
)
from sklearn_calib._data.predictions import check_predictions
from sklearn_calib._data.targets import reduce_target
from sklearn_calib.metrics._binned.bin_table import bin_table
from tests.distributed._rows import as_table


def test_features_have_a_column():
    with pytest.raises(ValueError, match=r"^X has no column; at least one feature is needed"):
        check_features(np.empty((3, 0)))
    assert check_features([1, 2]).shape == (2, 1)


def test_bytes_and_values_without_an_order_are_refused():
    with pytest.raises(ValueError, match="X holds bytes; decode them to text first"):
        read_features(np.array([[b"a"], [b"b"]]))


def test_a_missing_flag_beside_flags_is_no_number():
    column = read_features(np.array([[True], [np.nan], [False]], dtype=object)).columns[0]
    assert column.numbers is None or np.isnan(column.numbers[1])
    with pytest.raises(ValueError, match="holds booleans and numbers"):
        read_features(np.array([[True], [2.5], [False]], dtype=object))


def test_an_encoder_of_some_features_encodes_them_as_the_whole_one():
    table = pd.DataFrame(
        {
            "age": [30.0, np.nan, 50.0, 70.0],
            "sex": ["m", "f", "m", "m"],
            "site": ["x", "y", "z", "x"],
            "dose": [1.0, 2.0, 3.0, 4.0],
        }
    )
    features = read_features(table)
    whole = FeatureEncoder("auto").fit(features)
    for positions in ([2, 0], [3, 2, 1], [1], [0]):
        part = whole.of(positions)
        alone = FeatureEncoder("auto").fit(features.select(positions))
        assert part.names == alone.names
        assert part.levels == alone.levels
        assert part.number_features == alone.number_features
        assert part.code_features == alone.code_features
        found, expected = (one.transform(features.select(positions)) for one in (part, alone))
        assert_array_equal(found.codes, expected.codes)
        assert_array_equal(found.numbers, expected.numbers)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array([0.5, 1.5, 2.0]), r"y must hold class labels, got the continuous value 0\.5"),
        (np.zeros((2, 2, 2)), "y"),
    ],
)
def test_labels_that_are_no_classes_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        check_class_labels(y)


def test_partitions_without_rows_or_weights_are_refused():
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        take_known([None, None])
    assert take_known([None, 2, None, 3]) == [2, 3]
    none = da.from_array(np.empty(0), chunks=1)
    with pytest.raises(ValueError, match="y_true has no rows in any partition"):
        read_partitions(none.astype(int), none)
    with pytest.raises(ValueError, match="Partition 7 has no labels, but 2 predictions"):
        read_part(7, [], np.array([0.2, 0.3]), None, np.array([0, 1]), None)
    assert read_part(7, [], np.empty(0), None, np.array([0, 1]), None) is None


@pytest.mark.parametrize("n_columns", [None, 2])
def test_a_function_is_mapped_over_partitions_some_of_which_are_empty(n_columns):
    def of_rows(rows):
        doubled = 2.0 * np.asarray(rows)
        return doubled if n_columns is None else np.column_stack([doubled, -doubled])

    values = np.arange(10.0)
    chunked = da.from_array(values, chunks=4)
    made = map_rows(of_rows, chunked, n_columns=n_columns, dtype=float)
    assert made.chunks[0] == (4, 4, 2)
    assert_array_equal(made.compute(), of_rows(values))
    table = as_table(np.arange(1000.0))  # the partitions of which have other sizes, some none
    made = map_rows(of_rows, table, n_columns=n_columns, dtype=float)
    assert np.isnan(made.chunks[0]).all()
    assert_array_equal(made.compute(), of_rows(np.arange(1000.0)))


@pytest.mark.parametrize("form", [pd.Series, pd.DataFrame])
def test_one_column_with_the_name_of_the_negative_class_is_refused(form):
    y = ["no", "yes", "yes"]

    def read(name, **options):
        column = pd.DataFrame({name: [0.2, 0.7, 0.6]})
        return check_predictions(y, column if form is pd.DataFrame else column[name], **options)

    with pytest.raises(ValueError, match="y_proba is the column 'no', but one column is that of"):
        read("no", pos_label="yes")
    assert_array_equal(read("no", pos_label="no").codes, [1, 0, 0])
    assert_array_equal(read("yes", labels=["no", "yes"]).codes, [0, 1, 1])
    assert_array_equal(read("score", pos_label="yes").codes, [0, 1, 1])


def test_rows_of_a_target_have_their_own_events():
    proba = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.3, 0.4, 0.3]])
    rows = np.array([2, 0])
    (top,) = reduce_target(proba, "confidence")
    assert_array_equal(top.take(rows).event, [[1], [0]])
    assert_array_equal(top.take(rows).proba, [[0.4], [0.7]])
    one = reduce_target(proba, "classwise")[1].take(rows)
    assert_array_equal(one.proba, [[0.4], [0.2]])
    assert_array_equal(one.happened(np.array([[1], [0]])).ravel(), [True, False])


def test_the_excess_of_events_is_exact():
    """Ten times 0.1, as a number of the machine, is a little more than the one event."""
    p, y = np.full(10, 0.1), np.arange(10) == 3
    table = bin_table(2, n_bins=1, target="binary")
    found = table.excess(table.of_batch(check_predictions(y, p)))
    assert found.shape == (1, 1)
    assert found[0, 0] == float(1 - 10 * Fraction(0.1))


def test_rows_that_equal_borders_take_turns_in_the_ranges_beside_them():
    """By hand: 0.5 is twice a border, so that its rows go to three of the four ranges."""
    p = np.array([0.5, 0.1, 0.5, 0.9, 0.5, 0.7])
    borders = np.array([0.5, 0.5, 0.7])
    pieces = _split(check_predictions([0, 0, 1, 1, 1, 1], p), "binary", borders)
    assert [piece.p.tolist() for piece in pieces] == [[0.5, 0.1], [0.5], [0.5], [0.9, 0.7]]
    assert [piece.happened.tolist() for piece in pieces] == [[0, 0], [1], [1], [1, 1]]
    none = _split(check_predictions([0, 1], [0.8, 0.9]), "binary", borders)
    assert [piece is None for piece in none] == [True, True, True, False]
    assert _split(None, "binary", borders) == [None] * 4
