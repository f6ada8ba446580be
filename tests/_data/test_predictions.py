"""Labels, probabilities and weights together: what the checks return."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from sklearn_calib._data.arrays import check_features
from sklearn_calib._data.predictions import (
    check_predictions,
    check_probabilities,
    match_query_columns,
)

P2 = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
P3 = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])


def test_rows_of_weight_zero_are_left_out_everywhere():
    X = np.arange(6.0).reshape(3, 2)
    data = check_predictions([0, 1, 1], P2, X, sample_weight=[1.0, 0.0, 2.0])
    assert data.codes.tolist() == [0, 1]
    assert_array_equal(data.proba, P2[[0, 2]])
    assert data.weight.tolist() == [1.0, 2.0]
    assert_array_equal(np.column_stack([one.numbers for one in data.features.columns]), X[[0, 2]])
    assert data.n_samples == 2


def test_the_class_of_a_row_of_weight_zero_still_counts_as_a_class():
    data = check_predictions([0, 1, 2], P3, sample_weight=[1.0, 1.0, 0.0])
    assert data.classes.tolist() == [0, 1, 2]
    assert data.codes.tolist() == [0, 1]


def test_predictions_are_frozen():
    with pytest.raises(AttributeError):
        check_predictions([0, 1, 1], P2).proba = P2


def test_probabilities_and_features_have_two_axes():
    assert check_probabilities([0.1, 0.2]).shape == (2, 1)
    assert check_features([1, 2]).shape == (2, 1)
    assert check_features([[1, 2]]).shape == (1, 2)


@pytest.mark.parametrize(("off", "accepted"), [(5e-7, True), (-5e-7, True), (2e-6, False)])
def test_row_sums_have_a_tolerance(off, accepted):
    P = [[0.5, 0.5 + off]]
    if accepted:
        assert check_probabilities(P).tolist() == P  # and nothing is renormalised
    else:
        with pytest.raises(ValueError, match=r"within 1e-06; row 0 sums to 1\.000002"):
            check_probabilities(P)


def test_columns_of_query_points_are_matched_by_their_names():
    classes = np.array(["ill", "well"])
    frame = pd.DataFrame({"well": [0.7, 0.4], "ill": [0.3, 0.6]})
    assert_array_equal(
        match_query_columns(frame, frame.to_numpy(), classes), [[0.3, 0.7], [0.6, 0.4]]
    )
    one = frame["well"].to_numpy()[:, np.newaxis]
    assert match_query_columns(frame["well"], one, classes)[:, -1].tolist() == [0.7, 0.4]
    with pytest.raises(ValueError, match="y_proba is the column 'ill', but one column is that of"):
        match_query_columns(frame["ill"], one, classes)
