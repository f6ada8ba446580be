"""Which input is a matrix of numbers, and which one is read as a table."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from sklearn_calib.calibrators._features.reading import _is_plain

ROW = [[0.2, 0.8]]


@pytest.mark.parametrize(
    ("S", "expected"),
    [
        (ROW, True),
        (np.array(ROW), True),
        (np.array(ROW, dtype=object), True),
        ([[0.2, np.nan]], True),
        ([[0.2, None]], False),
        (np.array([[0.2, None]], dtype=object), False),
        ([[0.2, "a"]], False),
        (np.array([["a", "b"]]), False),
        (["a", "b"], True),  # one dimension is refused as numbers are
        (csr_array(ROW), True),
        (None, True),
        (pd.DataFrame(ROW), False),
    ],
)
def test_numbers_without_names_are_a_matrix(S, expected):
    assert _is_plain(S) is expected
