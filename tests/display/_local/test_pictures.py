"""The averages, axes and colours of pictures of the local bias.

An average has to be that of its neighbours and a band has to be averaged with the same weights, so
that a calibrated model stays inside; the axes may cut off rows only where they say so; and pictures
that share a scale show equal values alike.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib.display import LocalBiasDisplay


def upper_side(band):
    """Return the corners of the upper side of a band that surrounds zero."""
    corners = band.get_paths()[0].vertices
    corners = np.unique(corners[corners[:, 1] > 0], axis=0)
    return corners[:, 0], corners[:, 1]


def averages_by_loop(x, bias, limit):
    """Average the neighbours of each distinct x, weighted by their distance in rank."""
    n = len(x)
    rank = np.array([np.mean([np.sum(x < one), np.sum(x <= one)]) for one in x])
    place, average, half = [], [], []
    for one in np.unique(x):
        own = rank[x == one][0]
        width = max(min(own / 2, (n - own) / 2, 0.025 * n), 0.3 * 0.025 * n, 2)
        weight = np.exp(-0.5 * ((rank - own) / width) ** 2)
        place.append(one)
        average.append(np.average(bias, weights=weight))
        half.append(np.average(limit, weights=weight))
    return np.array(place), np.array(average), np.array(half)


@pytest.mark.parametrize("ties", [False, True])
def test_curve_and_band_are_averages_with_the_same_weights(ties):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    if ties:
        x = x.round(1)
    bias, limit = 0.4 * np.sin(x) + rng.normal(0, 0.1, 300), rng.uniform(0.05, 0.3, 300)
    display = LocalBiasDisplay(x, bias, limit=limit).plot()
    place, average, half = averages_by_loop(x, bias, limit)
    assert_allclose(display.trend_.get_xdata(), place, rtol=1e-12)
    assert_allclose(display.trend_.get_ydata(), average, rtol=1e-10)
    x_band, upper = upper_side(display.band_)
    assert_allclose(x_band, place, rtol=1e-12)
    assert_allclose(upper, half, rtol=1e-10)
    for sign in (1, -1):
        drawn = np.isfinite(display.outside_[sign].get_ydata())
        assert_array_equal(drawn, sign * average > half)
    assert 0 < np.isfinite(display.outside_[1].get_ydata()).sum() < len(place)


@pytest.mark.parametrize("seed", range(5))
def test_no_average_leaves_the_band_if_no_row_does(seed):
    rng = np.random.default_rng(seed)
    limit = rng.exponential(0.1, 400)
    bias = limit * rng.uniform(-1, 1, 400)
    bias[:50] = limit[:50]
    X = rng.standard_t(3, size=(400, 2))
    line = LocalBiasDisplay(X[:, 0], bias, limit=limit).plot()
    for sign in (1, -1):
        assert not np.isfinite(line.outside_[sign].get_ydata()).any()
    assert LocalBiasDisplay(X, bias, limit=limit).plot().outside_ == {1: None, -1: None}


def test_rows_without_enough_data_are_drawn_but_not_averaged():
    rng = np.random.default_rng(0)
    x, bias = np.arange(50.0), rng.normal(0, 0.01, 50)
    bias[40:] = 0.9
    tested = x < 40
    display = LocalBiasDisplay(x, bias, limit=np.full(50, 0.02), tested=tested).plot()
    alone = LocalBiasDisplay(x[tested], bias[tested], limit=np.full(40, 0.02)).plot()
    assert_allclose(display.trend_.get_xydata(), alone.trend_.get_xydata())
    assert_array_equal(display.line_.get_ydata(), bias)


def test_the_average_of_a_category_is_that_of_its_rows():
    rng = np.random.default_rng(0)
    code, bias = np.repeat([0, 1, 2], [50, 30, 20]), rng.normal(0, 0.1, 100)
    bias[code == 1] += 0.4
    limit = rng.uniform(0.1, 0.3, 100)
    names = [["a", "b", "c"]]
    display = LocalBiasDisplay(code, bias, limit=limit, categories=names).plot()
    level = display.trend_.get_ydata()
    assert_allclose(level[::3], [bias[code == k].mean() for k in range(3)], rtol=1e-12)
    assert_array_equal(np.isfinite(display.outside_[1].get_ydata()[::3]), [False, True, False])
    assert display.ax_.get_xlim() == (-0.5, 2.5)
    two = np.column_stack([code, np.arange(100) % 2])
    names = [*names, ["n", "y"]]
    display = LocalBiasDisplay(two, bias, limit=limit, categories=names).plot()
    drawn = display.surface_.get_array()[::2, ::2]
    mean = [[bias[(code == k) & (two[:, 1] == j)].mean() for k in range(3)] for j in range(2)]
    assert_allclose(drawn, mean, rtol=1e-12)
    assert display.surface_.get_array()[1].mask.all()  # nothing between categories
    middle = [path.vertices[:, 0].mean() for path in display.outside_[1].get_paths()]
    assert_allclose(middle, 1, atol=0.1)


def test_the_axis_ends_at_quantiles_if_rows_lie_far_away():
    rng = np.random.default_rng(0)
    income = np.exp(2 * rng.normal(size=2000))
    bias = rng.normal(0, 0.01, 2000)
    display = LocalBiasDisplay(income, bias, feature_names=["income"]).plot()
    low, high = display.ax_.get_xlim()
    shown = (income >= low) & (income <= high)
    assert np.quantile(income, 0.98) < high < 1.1 * np.quantile(income, 0.98)
    assert low < income.min()
    far = income > high
    assert far.sum() > 30
    arrows = display.beyond_["right"]
    assert_array_equal(arrows.get_xdata(), np.full(far.sum(), high))
    assert_array_equal(arrows.get_ydata(), np.clip(bias[far], *display.ax_.get_ylim()))
    assert set(display.beyond_) <= {"right", "top", "bottom"}
    hidden = sum(len(one.get_xdata()) for one in display.beyond_.values())
    assert hidden == 2000 - (shown & (np.abs(bias) <= display.ax_.get_ylim()[1])).sum()
    name, note = display.ax_.get_xlabel().splitlines()
    assert (name, note) == ("income", f"{hidden} of 2,000 rows beyond the axes")
    assert display.plot(xlabel="EUR").ax_.get_xlabel() == "EUR"
    both = LocalBiasDisplay(np.column_stack([bias, income]), bias).plot()
    assert set(both.beyond_) == {"top"}


@pytest.mark.parametrize("kind", ["normal", "uniform", "two values"])
def test_an_ordinary_axis_shows_all_rows(kind):
    rng = np.random.default_rng(1)
    x = {
        "normal": rng.normal(size=1000),
        "uniform": rng.random(1000),
        "two values": rng.integers(2, size=1000),
    }[kind]
    display = LocalBiasDisplay(x, 0.01 * np.sin(x)).plot()
    low, high = display.ax_.get_xlim()
    assert low < x.min() < x.max() < high
    assert display.beyond_ == {}
    assert display.ax_.get_xlabel() == ""


def test_outliers_do_not_eat_the_vertical_axis_but_significant_rows_are_shown():
    rng = np.random.default_rng(0)
    x, bias = np.sort(rng.random(1000)), rng.normal(0, 0.01, 1000)
    limit = np.full(1000, 0.03)
    limit[::100], bias[::100] = 0.9, 0.8
    display = LocalBiasDisplay(x, bias, limit=limit).plot()
    assert 0.04 < display.vmax_ < 0.2
    assert len(display.beyond_["top"].get_xdata()) == 10
    assert_array_equal(display.beyond_["top"].get_xdata(), x[::100])
    significant = np.zeros(1000, bool)
    significant[0] = True
    display = LocalBiasDisplay(x, bias, limit=limit, significant=significant).plot()
    assert display.ax_.get_ylim()[1] > 0.8
    assert display.beyond_ == {}


def test_a_surface_is_the_average_of_neighbours_where_there_are_some():
    rng = np.random.default_rng(0)
    X, bias = rng.random((400, 2)), rng.normal(0, 0.1, 400)
    X = np.vstack([X, [[1.4, 1.4]]])
    bias, limit = np.append(bias, 0.1), rng.uniform(0.01, 0.3, 401)
    display = LocalBiasDisplay(X, bias, limit=limit).plot()
    value = display.surface_.get_array()
    edges = display.surface_.get_coordinates()
    x, y = (edges[0, 1:, 0] + edges[0, :-1, 0]) / 2, (edges[1:, 0, 1] + edges[:-1, 0, 1]) / 2
    width = [
        0.6 * np.diff(np.quantile(column, [0.16, 0.84]))[0] / 2 * 401 ** (-1 / 6) for column in X.T
    ]
    for i, j in [(30, 30), (30, 100), (75, 20), (100, 100), (149, 149), (5, 140)]:
        distance = ((X[:, 0] - x[i]) / width[0]) ** 2 + ((X[:, 1] - y[j]) / width[1]) ** 2
        weight = np.exp(-distance / 2)
        if weight.sum() < 1.5:
            assert value.mask[j, i]
        else:
            assert_allclose(value[j, i], np.average(bias, weights=weight), rtol=1e-10)
    assert value.mask[149, 149]  # one row alone is a point, not a surface
    assert not value.mask[75, 75]


def test_only_the_wrong_region_is_hatched():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (1000, 2))
    wrong = (X > 0.2).all(axis=1)
    bias = np.where(wrong, 0.3, 0.0) + rng.normal(0, 0.02, 1000)
    limit = np.full(1000, 0.1)
    significant = np.abs(bias) > limit
    display = LocalBiasDisplay(X, bias, limit=limit, significant=significant).plot()
    assert display.outside_[-1] is None
    corners = np.concatenate([path.vertices for path in display.outside_[1].get_paths()])
    assert corners.min() > 0.1
    assert_allclose(corners.max(axis=0), 1, atol=0.06)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["significant row", "too low"]


def test_pictures_share_a_scale():
    rng = np.random.default_rng(0)
    X, limit = rng.random((500, 2)), np.full(500, 0.05)
    before = LocalBiasDisplay(X, 0.4 * np.sin(6 * X[:, 0]), limit=limit).plot()
    bias = 0.02 * np.sin(6 * X[:, 0])
    after = LocalBiasDisplay(X, bias, limit=limit).plot(vmax=before.vmax_)
    assert after.vmax_ == before.vmax_ > 0.3
    for picture in (before, after):
        for artist in (picture.surface_, picture.line_, *picture.marks_.values()):
            assert artist.get_clim() == (-before.vmax_, before.vmax_)
    assert after.colorbar_.extend == "neither"
    assert after.plot(vmax=0.01).colorbar_.extend == "both"
    # Without a shared scale, a bias that is not significant is pale all the same.
    assert np.abs(after.plot().surface_.get_array()).max() < 0.35 * after.vmax_
    line = LocalBiasDisplay(X[:, 0], bias).plot(vmax=0.4)
    assert_allclose(line.ax_.get_ylim(), (-0.424, 0.424))
    with pytest.raises(ValueError, match="vmax must be a finite number above 0, got 0"):
        line.plot(vmax=0)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (None, "Observed − predicted rate"),
        (1, "Observed − predicted rate"),
        (True, "Observed − predicted rate"),
        (0, "Observed − predicted rate of 0"),
        ("ill", "Observed − predicted rate of ill"),
    ],
)
def test_the_axis_says_what_is_shown(event, words):
    display = LocalBiasDisplay([0.0, 1.0], [0.1, -0.1], event=event).plot()
    first, second = display.ax_.get_ylabel().splitlines()
    assert first == words
    assert second == "← predicted too high   too low →"


@pytest.mark.parametrize("n_features", [1, 2])
def test_nothing_can_be_averaged_if_no_row_has_enough_data(n_features):
    x = np.arange(30.0).reshape(-1, n_features)
    x, bias = x[:, 0] if n_features == 1 else x, np.linspace(-0.2, 0.3, len(x))
    nothing = np.zeros(len(x), bool)
    display = LocalBiasDisplay(x, bias, limit=np.full(len(x), 0.1), tested=nothing).plot()
    assert not display.beyond_.keys() & {"left", "right"}
    display.figure_.draw_without_rendering()


def test_categories_beside_a_number_are_stripes():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.uniform(20, 80, 600), "sex": ["F", "M"] * 300})
    p = rng.uniform(0.3, 0.7, 600)
    y = rng.random(600) < p - 0.28 * (frame["sex"] == "F")
    display = LocalBiasDisplay.from_predictions(
        y, p, frame, features=["age", "sex"], n_resamples=99
    )
    value = display.surface_.get_array()
    assert value.shape == (3, 150)
    assert value[0].max() < -0.1 < value[2].min()
    (path,) = display.outside_[-1].get_paths()
    assert_allclose(path.vertices[:, 1].min(), -0.4)
    assert_allclose(path.vertices[:, 1].max(), 0.4)
    plt.close("all")
