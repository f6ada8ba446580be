"""How the reliability diagram looks: styles, legends, labels and sizes."""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib.display import ReliabilityDisplay


def test_styles_by_any_alias(binary):
    display = ReliabilityDisplay.from_predictions(
        *binary,
        n_resamples=9,
        line_kwargs={"c": "red", "lw": 5, "label": "mine"},
        interval_kwargs={"color": "green"},
        histogram_kwargs={"fc": "yellow"},
        reference_kwargs={"ls": "--"},
    )
    assert display.line_.get_color() == "red"
    assert display.line_.get_linewidth() == 5
    assert display.ax_.get_legend().get_texts()[0].get_text() == "mine"
    assert display.interval_.get_color()[0][:3] == pytest.approx((0, 0.5019, 0), abs=1e-3)
    assert display.bars_[0].get_facecolor()[:3] == (1, 1, 0)
    assert display.ax_.lines[0].get_linestyle() == "--"


def test_curves_on_one_axes_look_different(binary):
    y, p = binary
    first = ReliabilityDisplay.from_predictions(y, p, name="a", n_resamples=9)
    second = ReliabilityDisplay.from_predictions(y, p**1.3, name="b", n_resamples=9, ax=first.ax_)
    assert second.histogram_ax_ is first.histogram_ax_
    for look in ("get_color", "get_marker"):
        assert getattr(first.line_, look)() != getattr(second.line_, look)()
    assert first.step_.get_linestyle() != second.step_.get_linestyle()
    diagonals = [line for line in first.ax_.lines if line.get_linestyle() == ":"]
    assert len(diagonals) == 1


def test_neighbouring_colours_differ_in_greyscale():
    from matplotlib.colors import to_rgb

    from sklearn_calib.display._style import COLORS

    grey = [np.dot(to_rgb(color), [0.299, 0.587, 0.114]) for color in COLORS]
    assert (np.abs(np.diff(grey[:4])) > 0.15).all()
    assert max(grey) < 0.75


def test_weights_are_called_weights(binary):
    y, p = binary
    plain = ReliabilityDisplay.from_predictions(y, p, n_resamples=9)
    weighted = ReliabilityDisplay.from_predictions(
        y, p, n_resamples=9, sample_weight=np.full(y.size, 0.5)
    )
    assert plain.histogram_ax_.get_ylabel() == "Count"
    assert weighted.histogram_ax_.get_ylabel() == "Weight"


SMALL, LARGE = (2.5, 2.8), (4.8, 4.8)
LEGENDS = list(product([1, 3], [SMALL, LARGE], [0.2, 0.5, 1.0, 2.0, 5.0]))
DRAWN = [(1, SMALL, 0.2), (1, LARGE, 5.0), (3, SMALL, 0.2), (3, SMALL, 5.0), (3, LARGE, 1.0)]


@pytest.mark.parametrize(
    ("n_models", "size", "power"),
    [pytest.param(*case, marks=[] if case in DRAWN else pytest.mark.slow) for case in LEGENDS],
)
def test_the_legend_covers_no_data(binary, n_models, size, power):
    y, p = binary
    figure = plt.figure(figsize=size, layout="constrained")
    ax = figure.subplots()
    for k in range(n_models):
        ReliabilityDisplay.from_predictions(y, p ** (power + k), name=f"model {k}", ax=ax)
    figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    for line in ax.lines[1:]:
        assert box.count_contains(ax.transData.transform(line.get_xydata())) == 0
    for collection in ax.collections:
        for path in collection.get_paths():
            assert box.count_contains(ax.transData.transform(path.vertices)) == 0
    low, high = ax.get_ylim()
    assert all(tick <= 1.02 for tick in ax.get_yticks() if low <= tick <= high)


def test_bins_of_few_rows_are_hollow(binary):
    """A rate of less than 10 rows is not drawn as if it were as good as the others."""
    y, p = binary
    display = ReliabilityDisplay.from_predictions(y, p, n_bins=30)
    few = display.count < 10
    assert 0 < few.sum() < few.size
    assert_array_equal(display.few, few)
    assert display.line_.get_markevery() == np.flatnonzero(~few).tolist()
    x, rate = display.few_.get_data()
    assert_array_equal(x, display.prob_pred[few])
    assert_array_equal(rate, display.prob_true[few])
    assert display.few_.get_markerfacecolor() == "white"


def test_weights_count_by_their_effective_number_of_rows():
    p = np.repeat([0.1, 0.9], [12, 12])
    weight = np.r_[np.full(12, 0.2), 50.0, np.ones(11)]
    display = ReliabilityDisplay.from_predictions(
        np.tile([0, 1], 12),
        p,
        n_bins=2,
        strategy="uniform",
        sample_weight=weight,
        n_resamples=9,
    )
    assert display.few.tolist() == [False, True]


def test_the_line_is_the_isotonic_regression(binary):
    y, p = binary
    bins = ReliabilityDisplay.from_predictions(y, p, n_bins=5)
    blocks = ReliabilityDisplay.from_predictions(y, p, strategy="isotonic", n_resamples=9)
    assert_allclose(bins.step_.get_xydata(), blocks.step_.get_xydata(), rtol=1e-12)
    stored = ReliabilityDisplay([0.1, 0.5, 0.9], [0.2, 0.6, 0.7], [30, 5, 40]).plot()
    assert_array_equal(stored.step_.get_xydata(), [[0.2, 0.1], [0.7, 0.9]])


def test_labels_are_drawn_as_they_are():
    """Markup, newlines and length of labels do no harm."""
    nasty = "<b>$x$\n$\\frac" + "z" * 200
    y = np.array(["a", nasty])[[0, 1, 1, 0]]
    display = ReliabilityDisplay.from_predictions(
        y, [0.2, 0.6, 0.9, 0.4], pos_label=nasty, name=nasty, n_resamples=9
    )
    display.figure_.draw_without_rendering()
    shown = display.ax_.get_xlabel()
    assert r"<b>\$x\$ \$\frac" in " ".join(shown.split())
    assert len(shown) < 60


def test_the_histogram_stays_inside_the_area_of_the_axes(binary):
    for layout in (None, "constrained", "tight"):
        figure, axes = plt.subplots(2, 2, figsize=(6, 6), layout=layout)
        before = axes[0, 0].get_position(original=True).frozen()
        display = ReliabilityDisplay.from_predictions(*binary, n_resamples=9, ax=axes[0, 0])
        figure.draw_without_rendering()
        area = axes[0, 0].get_position(original=True)
        below = display.histogram_ax_.get_position()
        assert below.y0 == pytest.approx(area.y0, abs=1e-6)
        assert below.y1 < axes[0, 0].get_position().y0
        assert axes[0, 0].get_position().y1 == pytest.approx(area.y1, abs=1e-6)
        if layout is None:
            assert_allclose(area.extents, before.extents)
        assert not axes[1, 1].has_data()


def test_figures_pickle(binary):
    import pickle

    display = ReliabilityDisplay.from_predictions(*binary, n_resamples=9)
    copy = pickle.loads(pickle.dumps(display.figure_))
    copy.draw_without_rendering()


@pytest.mark.parametrize(("size", "font"), [(3, 6.94), (5, 8.33)])
def test_a_small_panel_has_a_small_legend(binary, size, font):
    figure = plt.figure(figsize=(size, size), layout="constrained")
    display = ReliabilityDisplay.from_predictions(
        *binary, n_resamples=9, name="LogisticRegression", ax=figure.subplots()
    )
    (text, *_) = display.ax_.get_legend().get_texts()
    assert text.get_fontsize() * 10 / plt.rcParams["font.size"] == pytest.approx(font, rel=1e-9)
    figure.draw_without_rendering()
    box = display.ax_.get_legend().get_window_extent()
    line = display.ax_.transData.transform(display.line_.get_xydata())
    assert not box.count_contains(line)
