"""Corrected p-values by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.inference._comparison.adjust import adjust


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        ("none", [0.01, np.nan, 0.04, 0.03, 0.6]),
        ("bonferroni", [0.04, np.nan, 0.16, 0.12, 1.0]),
        ("holm", [0.04, np.nan, 0.09, 0.09, 0.6]),
    ],
)
def test_four_comparisons(correction, expected):
    """Holm: 4 times 0.01, 3 times 0.03, and 2 times 0.04 is less than that."""
    given = np.array([0.01, np.nan, 0.04, 0.03, 0.6])
    assert_allclose(adjust(given, correction), expected, rtol=1e-12)
    assert given[0] == 0.01
