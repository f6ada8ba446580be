"""Panels of one picture have the same bins, scales and limits, and say things once."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from sklearn_calib.display import CalibrationComparisonDisplay, ReliabilityDisplay
from sklearn_calib.display._style import get_axes
from sklearn_calib.metrics import ece


@pytest.fixture(scope="module")
def ten_classes():
    rng = np.random.default_rng(0)
    proba = softmax(2 * rng.normal(size=(300, 10)), axis=1)
    y = (proba.cumsum(axis=1) < rng.random((300, 1))).sum(axis=1).clip(0, 9)
    return y, proba


@pytest.fixture(scope="module")
def rare():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 99, 3000)
    return (rng.random(p.size) < p).astype(int), p


@pytest.mark.parametrize(
    ("n_panels", "rows", "columns"),
    [(1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 2, 2), (6, 2, 3), (7, 2, 4), (10, 2, 5), (12, 3, 4)],
)
def test_a_grid_is_nearly_square_with_few_empty_places(n_panels, rows, columns):
    _, axes = get_axes(None, n_panels)
    assert axes.shape == (n_panels,)
    grid = axes[0].get_subplotspec().get_gridspec()
    assert (grid.nrows, grid.ncols) == (rows, columns)


def test_panels_share_axes_and_one_legend(ten_classes):
    display = ReliabilityDisplay.from_predictions(*ten_classes, target="classwise", name="model")
    display.figure_.draw_without_rendering()
    assert len({(ax.get_xlim(), ax.get_ylim()) for ax in display.ax_}) == 1
    assert len({ax.get_ylim() for ax in display.histogram_ax_}) == 1
    for k, (ax, below) in enumerate(zip(display.ax_, display.histogram_ax_)):
        numbers = [
            any(label.get_visible() and label.get_text() for label in labels)
            for labels in (ax.get_yticklabels(), below.get_yticklabels(), below.get_xticklabels())
        ]
        shown = [tick.label1.get_visible() for tick in ax.yaxis.get_major_ticks()]
        assert any(shown) == (k % 5 == 0)
        assert bool(ax.get_ylabel()) == (k % 5 == 0)
        assert bool(below.get_xlabel()) == (k >= 5)
        assert numbers[2] == (k >= 5)
        assert ax.get_legend() is None
    (legend,) = display.figure_.legends
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == ["model", "95 % if calibrated"]
    assert display.figure_.bbox.y0 < legend.get_window_extent().y0
    boxes = [below.get_tightbbox() for below in display.histogram_ax_[5:]]
    assert legend.get_window_extent().y1 <= min(box.y0 for box in boxes)


def test_a_second_model_adds_its_error_to_the_titles(ten_classes):
    y, proba = ten_classes
    axes = plt.subplots(1, 2)[1]
    sharp = softmax(2 * np.log(proba), axis=1)
    for one in (proba, sharp):
        ReliabilityDisplay.from_predictions(y, one, target="classwise", classes=[3, 7], ax=axes)
    for ax, label in zip(axes, [3, 7]):
        errors = [ece(y == label, one[:, label]) for one in (proba, sharp)]
        assert ax.get_title() == f"{label}\nECE = {errors[0]:.3f}, {errors[1]:.3f}"


def test_intervals_of_bins_with_few_rows_are_thin_and_not_part_of_the_band(ten_classes):
    display = ReliabilityDisplay.from_predictions(*ten_classes, target="classwise", classes=[0])
    few = np.asarray(display.count) < 10
    assert 0 < few.sum() < few.size - 1
    width = np.asarray(display.interval_.get_linewidth())
    assert width[few].max() < 0.5 * width[~few].min()
    assert len(display.interval_.get_segments()) == few.size
    (band,) = [one for one in display.ax_.collections if one is not display.interval_]
    corners = np.concatenate([path.vertices for path in band.get_paths()])[:, 0]
    assert_array_equal(np.isin(display.prob_pred, corners), ~few)


def test_folds_have_the_same_kind_of_bins(rare):
    """Nearly all rows of one fold lie in one bin, and not those of the other fold."""
    y, p = rare
    spread = np.linspace(0.01, 0.99, p.size)
    folds = [(y, p, None, None), (y, spread, None, None)]
    options = {"n_bins": 10, "bins": None, "closed": "left", "target": "auto", "classes": None}
    options |= {"interval": None, "alpha": 0.05, "n_resamples": 1, "pos_label": None}
    options |= {"random_state": 0, "name": None, "strategy": "auto", "verbose": False}
    display = ReliabilityDisplay._from_rows(folds, **options)
    assert display.strategy == "uniform"
    for edges in display.bin_edges:
        assert_allclose(edges[:, 1] - edges[:, 0], 0.1)
    assert ReliabilityDisplay._from_rows(folds[:1], **options).strategy == "quantile"


def test_models_are_compared_with_the_same_bins_and_on_the_same_scale(rare):
    y, p = rare
    display = CalibrationComparisonDisplay.from_predictions(y, {"a": p, "b": p / 2}, n_resamples=99)
    assert [one.strategy for one in display.displays.values()] == ["quantile", "quantile"]
    assert {ax.get_xscale() for ax in display.ax_} == {"function"}
    assert len({(ax.get_xlim(), ax.get_ylim()) for ax in display.ax_}) == 1
    largest = max(one.upper.max() for one in display.displays.values())
    assert display.ax_[0].get_xlim()[1] >= largest
    # A model that predicts up to 1 has other bins, so both get those of equal width.
    balanced = 50 * p / (1 + 49 * p)
    display = CalibrationComparisonDisplay.from_predictions(
        y, {"a": p, "b": balanced}, n_resamples=99
    )
    assert [one.strategy for one in display.displays.values()] == ["uniform", "uniform"]
    assert {ax.get_xscale() for ax in display.ax_} == {"function"}
    assert display.table["ECE"].to_dict() == {"a": ece(y, p), "b": ece(y, balanced)}
    shown = display.plot(scale="log")
    assert {ax.get_xscale() for ax in shown.ax_} == {"log"}


@pytest.mark.parametrize(
    ("largest", "size"),
    [
        (0.004, 2.0),
        (0.07, 5.0),
        (1.0, 2.0),
        pytest.param(0.004, 5.0, marks=pytest.mark.slow),
        pytest.param(0.07, 2.0, marks=pytest.mark.slow),
        pytest.param(1.0, 5.0, marks=pytest.mark.slow),
    ],
)
def test_numbers_on_a_square_root_axis_do_not_overlap(size, largest):
    p = largest * np.linspace(0.01, 1, 400) ** 2
    y = np.random.default_rng(0).random(400) < p
    ax = plt.subplots(figsize=(size, size), layout="constrained")[1]
    ReliabilityDisplay.from_predictions(y, p, scale="sqrt", ax=ax, legend=False)
    ax.figure.draw_without_rendering()
    for axis in (ax.child_axes[0].xaxis, ax.yaxis):
        side = "x" if axis.axis_name == "x" else "y"
        boxes = [label.get_window_extent() for label in axis.get_ticklabels()]
        ends = sorted((getattr(box, f"{side}0"), getattr(box, f"{side}1")) for box in boxes)
        assert len(ends) >= 2
        assert all(left[1] < right[0] for left, right in pairwise(ends))
