"""Which columns of S hold probabilities, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from sklearn_calib.calibrators._features.probability_columns import find_probability_columns
from tests.calibrators._features._data import small_recalibrator


def test_probability_columns_by_position_and_name(fitted, biased):
    S, y, _ = biased
    expected = fitted.predict_proba(S)
    for order, columns in [([2, 0, 1], [1, 2]), ([2, 0, 1], [-2, -1]), ([2, 1], [1])]:
        moved = S[:, order]
        recalibrator = small_recalibrator(proba_columns=columns).fit(moved, y)
        assert_array_equal(recalibrator.predict_proba(moved), expected)
    frame = pd.DataFrame(S[:, [2, 1]], columns=["age", "score"])
    recalibrator = small_recalibrator(proba_columns=["score"]).fit(frame, y)
    assert_array_equal(recalibrator.predict_proba(frame), expected)
    assert_array_equal(recalibrator.feature_names_in_, ["age", "score"])


def test_a_vector_is_the_positive_class_without_features(biased):
    S, y, _ = biased
    expected = small_recalibrator().fit(S[:, :2], y).predict_proba(S[:, :2])
    for p in (S[:, 1], S[:, [1]]):
        assert_array_equal(small_recalibrator().fit(p, y).predict_proba(p), expected)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([5], r"proba_columns holds 5, but S has 3 columns.*positions from 0 to 2"),
        (["p"], r"proba_columns names 'p', but the columns of S are called \[\]"),
        ([0, 1, 2], r"must list 1 or 2 different columns"),
        ([1, 1], r"must list 1 or 2 different columns"),
        ([0.5], r"proba_columns holds 0.5"),
        ([1, 2], r"The probability columns of S must hold probabilities.*the columns \[1, 2\]"),
    ],
)
def test_wrong_probability_columns(biased, columns, message):
    S, y, _ = biased
    with pytest.raises(ValueError, match=message):
        small_recalibrator(proba_columns=columns).fit(S, y)


@pytest.mark.parametrize("columns", [{}, {0: "no", 1: "yes"}, {1}])
@pytest.mark.parametrize("option", ["proba_columns", "groups"])
def test_columns_without_an_order_are_refused(biased, option, columns):
    S, y, _ = biased
    with pytest.raises(TypeError, match=f"^{option} must list columns of S in order"):
        small_recalibrator(**{option: columns}).fit(S, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"categorical_features": [0]}, "holds 0, but there are no features"),
        ({"categorical_features": ["age"]}, "holds 'age', but there are no features"),
        ({"categorical_features": [True]}, "one boolean for each of the 0 features"),
        ({"categorical_features": "age"}, "must be one of"),
        ({"feature_bandwidth": [0.5]}, r"one per feature, shape \(0,\)"),
        ({"feature_bandwidth": [-0.5, 1.0]}, r"one per feature, shape \(0,\)"),
    ],
)
def test_options_of_features_need_features(biased, options, message):
    """A wrong option is not passed over because there is nothing that it could be about."""
    S, y, _ = biased
    with pytest.raises(ValueError, match=f"{next(iter(options))}.*{message}"):
        small_recalibrator(**options).fit(S[:, :2], y)


CLASSES = np.array(["no", "yes"])


def _found(given, names, classes=CLASSES):
    return find_probability_columns(given, len(names), np.array(names, dtype=object), classes)


def test_columns_that_are_called_like_the_classes_are_found_wherever_they_are():
    assert_array_equal(_found(None, ["age", "yes", "no"]), [2, 1])
    assert_array_equal(_found(None, ["a", "b", "age"]), [0, 1])
    assert_array_equal(find_probability_columns(None, 3, None, CLASSES), [0, 1])
    assert_array_equal(find_probability_columns(None, 1, None, CLASSES), [0])


def test_a_list_of_columns_has_the_order_of_the_classes():
    assert_array_equal(_found(["no", "yes"], ["age", "yes", "no"]), [2, 1])
    assert_array_equal(_found([2, -2], ["age", "yes", "no"]), [2, 1])
    assert_array_equal(_found(["score"], ["age", "score"]), [1])
    with pytest.raises(ValueError, match="must list the columns in the order of the classes"):
        _found(["yes", "no"], ["age", "yes", "no"])
    with pytest.raises(ValueError, match="must list 1 or 2 different columns"):
        _found(["no", "no"], ["age", "yes", "no"])
