"""The scale of a reliability diagram follows the data, or the user."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from sklearn_calib.display import ReliabilityDisplay


@pytest.fixture(scope="module")
def rare():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 99, 3000)
    return (rng.random(p.size) < p).astype(int), p


def test_rare_events_are_spread(rare):
    display = ReliabilityDisplay.from_predictions(*rare)
    ax = display.ax_
    top = max(display.prob_pred.max(), display.prob_true.max(), display.upper.max())
    assert ax.get_xlim()[1] == pytest.approx(1.05 * top)
    display.figure_.draw_without_rendering()
    left, middle, right = ax.transAxes.inverted().transform(
        ax.transData.transform([[0, 0], [top / 4, 0], [top, 0]])
    )[:, 0]
    assert (middle - left) / (right - left) == pytest.approx(0.5, abs=1e-6)
    linear = ReliabilityDisplay.from_predictions(*rare, scale="linear")
    assert linear.ax_.get_xlim() == (-0.02, 1.02)


def test_common_events_stay_linear(binary):
    assert ReliabilityDisplay.from_predictions(*binary).ax_.get_xscale() == "linear"


@pytest.mark.parametrize("scale", ["sqrt", "log"])
def test_a_scale_by_name_shows_all_points(binary, scale):
    y, p = binary
    display = ReliabilityDisplay.from_predictions(y, p, scale=scale)
    display.figure_.draw_without_rendering()
    points = display.line_.get_xydata()
    if scale == "log":
        points = points[(points > 0).all(axis=1)]
    box = display.ax_.get_window_extent()
    assert box.count_contains(display.ax_.transData.transform(points)) == len(points)


def test_a_second_curve_widens_the_limits(rare):
    y, p = rare
    for scale in ("auto", "log"):
        ax = plt.subplots()[1]
        ReliabilityDisplay.from_predictions(y, p, ax=ax, scale=scale)
        before = ax.get_xlim()
        ReliabilityDisplay.from_predictions(y, p / 3, ax=ax, scale=scale)
        after = ax.get_xlim()
        assert after[0] <= before[0]
        assert after[1] >= before[1]
        assert ax.get_xscale() == {"auto": "function", "log": "log"}[scale]


def test_an_unknown_scale(binary):
    with pytest.raises(ValueError, match="scale must be one of 'auto', 'linear', 'sqrt', 'log'"):
        ReliabilityDisplay.from_predictions(*binary, scale="logit")
