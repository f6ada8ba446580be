"""Sums of bins that are kept of batches."""

import numpy as np
import pytest

from sklearn_calib.streaming import CalibrationState


@pytest.mark.parametrize(
    ("n_bins", "expected"),
    [
        # 0.2 and 0.4 with one event of two, and 0.9 with none.
        (2, (2 / 3) * 0.2 + (1 / 3) * 0.9),
        (1, 0.5 - 1 / 3),
    ],
)
def test_one_bin_and_two_bins_by_hand(n_bins, expected):
    state = CalibrationState({"ece": {"n_bins": n_bins}}, labels=[0, 1])
    state.update([0, 1], [0.2, 0.4]).update([0], [0.9])
    np.testing.assert_allclose(state.result()["ece"], expected, rtol=1e-15)
