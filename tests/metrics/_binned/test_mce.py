"""The maximum calibration error by hand."""

import pytest
from numpy.testing import assert_allclose

from sklearn_calib.metrics import ece, mce


def test_the_largest_gap_counts_however_few_rows_it_has():
    y, p = [0] * 8 + [1, 1] + [0], [0.1] * 8 + [0.7, 0.9] + [0.95]
    # Ten bins: gaps 0.1 (8 rows), 0.3 (1 row) and |1/2 - 0.925| (2 rows).
    assert_allclose(mce(y, p, n_bins=10), 0.425, rtol=1e-12)
    assert_allclose(ece(y, p, n_bins=10), (8 * 0.1 + 0.3 + 2 * 0.425) / 11, rtol=1e-12)
    # Two bins: 0.1 (8 rows) and |2/3 - 0.85| (3 rows).
    assert_allclose(mce(y, p, n_bins=2), 0.85 - 2 / 3, rtol=1e-12)


def test_a_bin_without_weight_has_no_gap():
    y, p, weight = [0, 1, 0], [0.1, 0.9, 0.95], [1.0, 1.0, 0.0]
    assert_allclose(mce(y, p, sample_weight=weight, n_bins=20), 0.1, rtol=1e-12)


@pytest.mark.parametrize(("target", "expected"), [("confidence", 0.65), ("classwise", 0.75)])
def test_more_classes_give_the_largest_gap_of_all(target, expected):
    """Confidence: the first row, 0.65 and wrong. Class by class: its 0.25 for what happens."""
    P = [[0.65, 0.25, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]
    value = mce([1, 1, 2], P, target=target, labels=[0, 1, 2], n_bins=10)
    assert_allclose(value, expected, rtol=1e-12)
