"""Intervals of a metric whose value for each set of rows is known."""

from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_calib.inference._intervals.resampling import Resampling

SILENT = SimpleNamespace(count=lambda *progress: None)


def made(resamples, method="percentile", values=(0.0, 0.3, 0.9)):
    """Make the intervals of the mean of three values, which is 0.4."""
    resamples = [np.array(rows) for rows in resamples]
    return Resampling(
        lambda rows: float(np.mean(np.array(values)[rows])),
        *("mean", 3, iter(resamples), len(resamples), method, SILENT),
    )


def test_the_bias_is_in_standard_deviations_of_the_replicates():
    found = made([[1], [2]])  # 0.3 and 0.9, whose mean is 0.6 and whose deviation 0.3
    assert (found.estimate, found.replicates.tolist()) == (pytest.approx(0.4), [0.3, 0.9])
    assert found.bias == pytest.approx(2 / 3)
    assert made([[0], [1]]).bias == pytest.approx(-5 / 3)


def test_replicates_without_spread_have_no_bias():
    assert made([[2], [2], [2]]).bias == 0.0


@pytest.mark.parametrize(("method", "ends"), [("percentile", [0.3, 0.9]), ("basic", [0.5, -0.1])])
def test_ends_are_replicates_or_their_mirror_at_the_estimate(method, ends):
    found = made([[1], [2]], method)
    assert found.ends.tolist() == pytest.approx(ends)
    low, high = sorted(ends)
    assert found.lower(0.25) == pytest.approx(low + 0.25 * (high - low))
    assert found.upper(0.25) == pytest.approx(high - 0.25 * (high - low))


@pytest.mark.parametrize(
    ("values", "resamples", "n_nan"),
    [((0.0, 0.3, np.nan), [[0], [2]], 2), ((0.0, 0.3, np.nan), [[0], [1]], 1)],
)
def test_a_metric_without_a_value_has_no_interval(values, resamples, n_nan):
    with pytest.raises(ValueError, match=f"NaN on the data or on {n_nan} resamples"):
        made(resamples, values=values)
