"""The average calibration error by hand, and what it is not."""

from sklearn_calib import metrics
from sklearn_calib.metrics import average_calibration_error, ece
from tests.metrics._cases import close


def test_average_calibration_error_is_told_from_the_adaptive_one():
    y, p = [0, 0, 0, 1], [0.05, 0.05, 0.05, 0.85]
    close(ece(y, p, n_bins=10), 0.075)
    close(average_calibration_error(y, p, n_bins=10), 0.10)
    assert not hasattr(metrics, "ace")
    text = " ".join(average_calibration_error.__doc__.split())
    assert "adaptive calibration error" in text
    assert "Neumann" in text
