"""Names of columns tell where the probabilities are, and their order."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_calib.calibrators._features.probability_columns import find_probability_columns

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
