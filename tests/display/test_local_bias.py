"""The local bias display draws what it stores, and stores what the band computes."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from sklearn_calib import local_bias_band, local_calibration_bias
from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.datasets import make_calibration_data
from sklearn_calib.display import LocalBiasDisplay


@pytest.fixture(scope="module")
def data():
    X, y, p = make_calibration_data(n=600)
    X = np.column_stack([X[:, 0], np.random.default_rng(0).normal(size=600)])
    return y, p, X


@pytest.mark.parametrize("given", [True, False])
def test_one_feature(data, given):
    y, p, X = data
    ax = plt.subplots()[1] if given else None
    display = LocalBiasDisplay.from_predictions(y, p, X, n_resamples=99, ax=ax)
    assert len(plt.get_fignums()) == 1
    if given:
        assert display.ax_ is ax
    assert display.figure_ is display.ax_.figure
    order = np.argsort(X[:, 0], kind="stable")
    band = local_bias_band(
        y,
        p,
        X[:, 0],
        X_query=X[order, 0],
        proba_query=p[order],
        n_resamples=99,
        random_state=check_generator(0),
    )
    assert_array_equal(display.feature, X[order, 0])
    assert_array_equal(display.bias, band.bias)
    assert_array_equal(display.significant, band.significant)
    assert_allclose(display.limit, band.critical_value * band.null_std, rtol=1e-15)
    assert_array_equal(display.line_.get_xydata(), np.column_stack([X[order, 0], band.bias]))
    for sign in (1, -1):
        marked = display.significant & (np.sign(display.bias) == sign)
        assert_array_equal(
            display.marks_[sign].get_xydata(),
            np.column_stack([display.feature, display.bias])[marked],
        )
    assert display.significant.any()
    assert display.ax_.get_xlabel() == "feature 0"
    assert display.ax_.get_ylabel().startswith("Observed − predicted rate\n")


def test_the_bias_is_the_public_function(data):
    y, p, X = data
    display = LocalBiasDisplay.from_predictions(y, p, X[:, 0], n_resamples=99)
    direct = local_calibration_bias(
        y, p, X[:, 0], X_query=display.feature, proba_query=p[np.argsort(X[:, 0], kind="stable")]
    )
    assert_allclose(display.bias, direct, rtol=1e-12)


@pytest.mark.parametrize("given", [True, False])
def test_map_over_two_features(data, given):
    y, p, X = data
    frame = pd.DataFrame(X, columns=["age", "<dose>"])
    ax = plt.subplots()[1] if given else None
    display = LocalBiasDisplay.from_predictions(
        y, p, frame, features=("age", "<dose>"), n_resamples=99, ax=ax
    )
    if given:
        assert display.ax_ is ax
    assert display.feature.shape == (600, 2)
    assert_array_equal(display.line_.get_offsets(), display.feature)
    assert_array_equal(display.line_.get_array(), display.bias)
    low, high = display.line_.get_clim()
    assert low == -high == -display.vmax_
    assert display.surface_.get_clim() == (low, high)
    for sign in (1, -1):
        marked = display.significant & (np.sign(display.bias) == sign)
        assert_array_equal(
            np.asarray(display.marks_[sign].get_offsets()).reshape(-1, 2), display.feature[marked]
        )
    assert display.significant.any()
    assert display.ax_.get_xlabel().splitlines()[0] == "age"
    assert display.ax_.get_ylabel() == "<dose>"
    assert display.colorbar_.ax.get_ylabel().startswith("Observed − predicted rate\n")
    assert display.plot(colorbar=False).colorbar_ is None


def test_precomputed_values(data):
    y, p, X = data
    bias = local_calibration_bias(y, p, X)
    display = LocalBiasDisplay(X[:, 0], bias)
    assert display.plot(xlabel="age", ylabel="bias") is display
    assert display.ax_.get_xlabel() == "age"
    assert display.ax_.get_ylabel() == "bias"
    assert_array_equal(display.line_.get_xydata(), np.column_stack([X[:, 0], bias]))
    assert display.band_ is None
    (entry,) = display.ax_.get_legend().get_texts()
    assert entry.get_text() == "average of neighbours"
    mapped = LocalBiasDisplay(X.tolist(), bias.tolist()).plot()
    assert_array_equal(mapped.line_.get_array(), bias)
    assert mapped.ax_.get_legend() is None


def test_points_with_too_few_data_have_no_band():
    X = np.append(np.linspace(0, 1, 60), 50.0)
    y, p = np.tile([0, 1], 31)[:61], np.full(61, 0.5)
    display = LocalBiasDisplay.from_predictions(y, p, X, feature_bandwidth=0.5, n_resamples=99)
    assert_array_equal(display.tested, X < 2)
    corners = display.band_.get_paths()[0].vertices
    assert corners[:, 0].max() == 1
    assert not display.significant[-1]
    assert display.line_.get_xdata().max() == 50


def test_many_rows_are_shown_by_a_seeded_sample(data):
    y, p, X = data
    displays = [
        LocalBiasDisplay.from_predictions(y, p, X, max_points=50, n_resamples=99, random_state=seed)
        for seed in (0, 0, 1)
    ]
    assert displays[0].feature.shape == (50,)
    assert set(displays[0].feature) <= set(X[:, 0])
    assert_array_equal(displays[0].feature, displays[1].feature)
    assert_array_equal(displays[0].limit, displays[1].limit)
    assert (displays[0].feature != displays[2].feature).any()


def test_the_other_class_of_binary_data_has_the_opposite_bias(data):
    y, p, X = data
    one = LocalBiasDisplay.from_predictions(y, p, X, n_resamples=99, event=1)
    other = LocalBiasDisplay.from_predictions(
        y, np.column_stack([1 - p, p]), X, n_resamples=99, event=0
    )
    assert_allclose(other.bias, -one.bias, rtol=1e-12)
    assert_allclose(other.limit, one.limit, rtol=1e-12)
    flipped = LocalBiasDisplay.from_predictions(
        y, np.column_stack([1 - p, p]), X, n_resamples=99, pos_label=0
    )
    assert flipped.event == 0
    assert_allclose(flipped.bias, -one.bias, rtol=1e-12)


def test_more_classes_need_a_choice():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    model = LogisticRegression(C=1e-3, max_iter=1000).fit(X[::2], names[y[::2]])
    options = {"features": "petal width (cm)", "n_resamples": 99}
    with pytest.raises(ValueError, match="event must be the class whose bias is shown, one of"):
        LocalBiasDisplay.from_estimator(model, X[1::2], names[y[1::2]], **options)
    display = LocalBiasDisplay.from_estimator(
        model, X[1::2], names[y[1::2]], event="virginica", **options
    )
    assert display.ax_.get_ylabel().startswith("Observed − predicted rate of virginica\n")
    assert display.ax_.get_xlabel() == "petal width (cm)"
    rows = X[1::2].sort_values("petal width (cm)", kind="stable")
    band = local_bias_band(
        names[y[1::2]],
        model.predict_proba(X[1::2]),
        X[1::2]["petal width (cm)"],
        X_query=rows["petal width (cm)"],
        proba_query=model.predict_proba(rows),
        n_resamples=99,
        random_state=0,
    )
    assert_allclose(display.bias, band.bias[:, 2], rtol=1e-12)


def test_from_band(data):
    y, p, X = data
    band = local_bias_band(y, p, X, n_resamples=99, random_state=0)
    display = LocalBiasDisplay.from_band(band, X, features=1, feature_names=["a", "b"])
    assert_array_equal(display.feature, X[:, 1])
    assert_array_equal(display.bias, band.bias)
    assert display.ax_.get_xlabel().splitlines()[0] == "b"


def test_lengths_that_differ(data):
    with pytest.raises(ValueError, match=r"feature and bias .* number of rows, got 3 and 2"):
        LocalBiasDisplay([0, 1, 2], [0.1, 0.2]).plot()
    with pytest.raises(ValueError, match=r"feature and limit .* number of rows, got 2 and 1"):
        LocalBiasDisplay([0, 1], [0.1, 0.2], limit=[0.1]).plot()
    y, p, X = data
    band = local_bias_band(y, p, X, n_resamples=99)
    with pytest.raises(ValueError, match=r"query points of band and X .* rows, got 600 and 5"):
        LocalBiasDisplay.from_band(band, X[:5])


def test_an_infinite_critical_value_is_drawn(data):
    y, p, X = data
    with_zero = p.copy()
    with_zero[:300] = 0.0
    with pytest.warns(UserWarning, match="nothing can be significant"):
        display = LocalBiasDisplay.from_predictions(
            np.where(with_zero == 0, 0, y), with_zero, X, n_resamples=1
        )
    assert not np.isnan(display.limit).any()
    display.figure_.draw_without_rendering()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": 2}, "features holds 2, which is neither a position below 2"),
        ({"features": "age"}, "features holds 'age'"),
        ({"features": (0, 1, 0)}, "features must be one feature or a pair"),
        ({"feature_names": ["a"]}, "one name for each of the 2 features, got 1"),
        ({"event": 7}, r"one of \[0.0, 1.0\], got 7"),
        ({"max_points": 0}, "max_points must be a whole number"),
    ],
)
def test_bad_options(data, options, message):
    with pytest.raises(ValueError, match=message):
        LocalBiasDisplay.from_predictions(*data, **options)


def test_text_columns_matter_only_if_shown(data):
    y, p, X = data
    frame = pd.DataFrame({"city": ["a", "b"] * 300, "age": X[:, 0]})
    display = LocalBiasDisplay.from_predictions(y, p, frame, features="age", n_resamples=99)
    assert display.ax_.get_xlabel() == "age"
    display = LocalBiasDisplay.from_predictions(y, p, frame, features="city", n_resamples=99)
    assert display.ax_.get_xlabel() == "city"


def test_categories_are_marked_on_the_axes(data):
    y, p, X = data
    frame = pd.DataFrame({"city": ["b", "a", "c"] * 200, "age": X[:, 0], "two": [0, 1] * 300})
    display = LocalBiasDisplay.from_predictions(y, p, frame, features="city", n_resamples=99)
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["a", "b", "c"]
    assert_array_equal(np.unique(display.feature), [0, 1, 2])
    assert np.abs(display.line_.get_xdata() - display.feature).max() < 0.3
    both = ["age", "two"]
    display = LocalBiasDisplay.from_predictions(y, p, frame, features=both, n_resamples=99)
    assert display.categories == [None, ("0", "1")]
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == ["0", "1"]
    drawn = np.asarray(display.line_.get_offsets())
    assert_allclose(drawn[:, 0], display.feature[:, 0])
    spread = drawn[:, 1] - display.feature[:, 1]
    assert np.abs(spread).max() <= 0.3  # so that points of a category do not hide each other
    as_numbers = LocalBiasDisplay.from_predictions(
        y, p, frame, features="two", categorical_features=["city"], n_resamples=99
    )
    assert as_numbers.categories == [None]


def test_marked_points_of_a_category_lie_outside_the_drawn_band():
    """Limits differ within a category, so the widest of them would cover points that are marked."""
    rng = np.random.default_rng(0)
    p, female = rng.uniform(0.3, 0.7, 600), rng.random(600) < 0.2
    y = rng.random(600) < p - 0.3 * female
    sex, age = np.where(female, "F", "M"), rng.standard_t(3, size=600)
    frame = pd.DataFrame({"city": ["b", "a"] * 300, "sex": sex, "age": age})
    band = local_bias_band(y, p, frame, n_resamples=99, random_state=0)
    display = LocalBiasDisplay.from_band(band, frame, features="city")
    paths = display.band_.get_paths()
    assert len(paths) == 2
    limit = np.full(p.size, np.nan)
    position, bias = display.line_.get_data()
    for code, path in enumerate(paths):
        assert_allclose(np.ptp(path.vertices[:, 0]), 0.6)
        inside = display.feature == code
        upper = path.vertices[path.vertices[:, 1] > 0]
        upper = upper[np.argsort(upper[:, 0], kind="stable")]
        limit[inside] = np.interp(position[inside], *upper.T)
    assert 0 < display.significant.sum() < p.size
    outside = np.abs(bias) > limit
    assert_array_equal(outside[display.tested], display.significant[display.tested])


def test_points_of_two_categories_fill_their_place_in_a_map(data):
    y, p, _ = data
    frame = pd.DataFrame({"city": ["b", "a"] * 300, "sex": ["F", "F", "M"] * 200})
    display = LocalBiasDisplay.from_predictions(y, p, frame, features=[0, 1], n_resamples=99)
    spread = np.asarray(display.line_.get_offsets()) - display.feature
    assert np.abs(spread).max() <= 0.3
    for city in (0, 1):
        own = spread[display.feature[:, 0] == city]
        assert abs(np.corrcoef(own.T)[0, 1]) < 0.1  # no line of points


def test_points_whose_number_is_missing_have_no_place(data):
    y, p, X = data
    age = X[:, 0].copy()
    age[::7] = np.nan
    display = LocalBiasDisplay.from_predictions(y, p, age, n_resamples=99)
    assert np.isnan(display.feature).sum() == np.isnan(age).sum()
    assert np.isfinite(display.bias).all()
    assert np.isfinite(display.band_.get_paths()[0].vertices).all()


def test_styles(data):
    display = LocalBiasDisplay.from_predictions(
        *data,
        n_resamples=99,
        line_kwargs={"c": "red"},
        band_kwargs={"fc": "yellow"},
        marks_kwargs={"ms": 11},
    )
    assert display.line_.get_color() == "red"
    assert_allclose(display.band_.get_facecolor()[0][:3], (1, 1, 0))
    assert display.marks_[-1].get_markersize() == 11
