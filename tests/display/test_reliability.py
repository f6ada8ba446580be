"""The reliability diagram draws what it stores, and stores what the metrics compute."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom, binomtest
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_calib.display import ReliabilityDisplay
from sklearn_calib.metrics import calibration_bins, ece

STRATEGIES = ["uniform", "quantile", "isotonic"]


@pytest.fixture(scope="module")
def binary():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 2, 400)
    return (rng.random(400) < p**1.3).astype(int), p


@pytest.fixture(scope="module")
def multiclass():
    rng = np.random.default_rng(1)
    proba = rng.dirichlet([1, 2, 0.5], 300)
    return np.array(["ant", "bee", "cat"])[rng.integers(3, size=300)], proba


def segments(collection):
    """Return x, lower and upper end of vertical lines."""
    ends = np.array(collection.get_segments())
    assert_array_equal(ends[:, 0, 0], ends[:, 1, 0])
    return ends[:, 0, 0], ends[:, 0, 1], ends[:, 1, 1]


def check_drawn(line, interval, bars, true, pred, count, lower, upper):
    assert_array_equal(line.get_xydata(), np.column_stack([pred, true]))
    x, low, high = segments(interval)
    assert_array_equal(x, pred)
    assert_array_equal(low, lower)
    assert_array_equal(high, upper)
    assert_array_equal([bar.get_height() for bar in bars], count)


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_is_drawn_is_what_is_stored(binary, strategy, given):
    ax = plt.subplots()[1] if given else None
    n_figures = len(plt.get_fignums())
    display = ReliabilityDisplay.from_predictions(
        *binary, strategy=strategy, n_bins=7, n_resamples=99, ax=ax
    )
    assert len(plt.get_fignums()) == n_figures + (not given)
    if given:
        assert display.ax_ is ax
    assert display.figure_ is display.ax_.figure
    check_drawn(
        display.line_,
        display.interval_,
        display.bars_,
        display.prob_true,
        display.prob_pred,
        display.count,
        display.lower,
        display.upper,
    )
    bars = np.array([(bar.get_x(), bar.get_x() + bar.get_width()) for bar in display.bars_])
    assert_allclose(bars[:, 0], display.bin_edges[:, 0], rtol=1e-12)
    wide = np.diff(display.bin_edges).ravel() > 0.004
    assert_allclose(bars[wide, 1], display.bin_edges[wide, 1], rtol=1e-12)
    assert display.bars_[0].axes is display.histogram_ax_


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_arrays_are_the_table_of_the_metrics_without_empty_bins(binary, strategy):
    y, p = binary
    display = ReliabilityDisplay.from_predictions(y, p, strategy=strategy, n_bins=40, n_resamples=9)
    bins = calibration_bins(y, p, strategy=strategy, n_bins=40)
    filled = bins.count > 0
    if strategy == "uniform":
        assert not filled.all()
    assert_array_equal(display.count, bins.count[filled])
    assert_array_equal(display.prob_true, bins.prob_true[filled])
    assert_array_equal(display.prob_pred, bins.prob_pred[filled])
    assert display.count.sum() == y.size


def test_same_points_as_scikit_learn(binary):
    y, p = binary
    display = ReliabilityDisplay.from_predictions(y, p, n_bins=10, n_resamples=9)
    prob_true, prob_pred = calibration_curve(y, p, n_bins=10)
    assert_allclose(display.prob_true, prob_true, rtol=1e-12)
    assert_allclose(display.prob_pred, prob_pred, rtol=1e-12)


def test_isotonic_curve_is_the_isotonic_regression(binary):
    y, p = binary
    weight = np.random.default_rng(3).random(y.size)
    display = ReliabilityDisplay.from_predictions(
        y, p, strategy="isotonic", sample_weight=weight, n_resamples=9
    )
    fit = IsotonicRegression(y_min=0, y_max=1).fit(p, y, weight)
    x, level = display.step_.get_data()
    assert_allclose(level, fit.predict(x), atol=1e-12)
    assert_allclose(display.prob_true, fit.predict(display.prob_pred), atol=1e-12)
    grid = np.linspace(p.min(), p.max(), 1001)
    assert_allclose(np.interp(grid, x, level), fit.predict(grid), atol=1e-9)
    assert_allclose(display.count.sum(), weight.sum(), rtol=1e-12)
    for (low, high), mean, count, rate in zip(
        display.bin_edges, display.prob_pred, display.count, display.prob_true
    ):
        rows = (p >= low) & (p <= high)
        assert_allclose(mean, np.average(p[rows], weights=weight[rows]), rtol=1e-12)
        assert_allclose(rate, np.average(y[rows], weights=weight[rows]), atol=1e-12)
        assert_allclose(count, weight[rows].sum(), rtol=1e-12)


def test_isotonic_with_ties():
    y, p = [0, 1, 1, 0, 1], [0.2, 0.2, 0.6, 0.6, 0.9]
    display = ReliabilityDisplay.from_predictions(y, p, strategy="isotonic", n_resamples=9)
    assert_allclose(display.prob_true, [0.5, 1.0])
    assert_allclose(display.bin_edges, [[0.2, 0.6], [0.9, 0.9]])
    assert_array_equal(display.count, [4, 1])


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_legend_shows_the_metric(binary, strategy, weighted):
    """The number in the figure is the metric with the same settings (R02)."""
    y, p = binary
    weight = np.random.default_rng(3).random(y.size) if weighted else None
    display = ReliabilityDisplay.from_predictions(
        y, p, strategy=strategy, n_bins=7, n_resamples=9, sample_weight=weight, name="model"
    )
    value = ece(y, p, strategy=strategy, n_bins=7, sample_weight=weight)
    assert display.ece == value
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == [f"model\nECE = {value:.3f}", "95 % if calibrated"]
    share = display.count / display.count.sum()
    assert_allclose(share @ np.abs(display.prob_true - display.prob_pred), value, rtol=1e-12)


def test_classwise_panels(multiclass):
    y, proba = multiclass
    display = ReliabilityDisplay.from_predictions(
        y, proba, target="classwise", n_bins=5, n_resamples=49
    )
    assert display.panels == ["ant", "bee", "cat"]
    assert len(display.prob_true) == 3
    assert display.ax_.shape == (3,)
    for k, label in enumerate(display.panels):
        one = ReliabilityDisplay.from_predictions(
            (y == label).astype(int), proba[:, k], n_bins=5, n_resamples=1
        )
        assert display.ece[k] == one.ece == ece(y == label, proba[:, k], n_bins=5)
        assert_array_equal(display.prob_true[k], one.prob_true)
        assert display.ax_[k].get_title() == label
        assert display.line_[k].axes is display.ax_[k]
        check_drawn(
            display.line_[k],
            display.interval_[k],
            display.bars_[k],
            display.prob_true[k],
            display.prob_pred[k],
            display.count[k],
            display.lower[k],
            display.upper[k],
        )
    assert_allclose(np.mean(display.ece), ece(y, proba, target="classwise", n_bins=5), rtol=1e-12)


@pytest.mark.parametrize("shape", ["one", "array"])
def test_panels_on_given_axes(multiclass, shape):
    figure, axes = plt.subplots(1, 3 if shape == "array" else 1)
    display = ReliabilityDisplay.from_predictions(
        *multiclass, target="classwise", n_resamples=9, ax=axes
    )
    assert display.figure_ is figure
    assert len(plt.get_fignums()) == 1
    if shape == "array":
        assert list(display.ax_) == list(axes)
    figure.draw_without_rendering()


def test_panels_need_as_many_axes(multiclass):
    with pytest.raises(ValueError, match="ax must be 3 Axes, one per panel, got 2"):
        ReliabilityDisplay.from_predictions(
            *multiclass, target="classwise", n_resamples=9, ax=plt.subplots(1, 2)[1]
        )


def test_chosen_classes(multiclass):
    display = ReliabilityDisplay.from_predictions(
        *multiclass, target="classwise", classes=["cat", "ant"], n_resamples=9
    )
    assert display.panels == ["cat", "ant"]
    for wrong in (["dog"], []):
        with pytest.raises(ValueError, match="classes must list some of the labels"):
            ReliabilityDisplay.from_predictions(*multiclass, target="classwise", classes=wrong)
    with pytest.raises(ValueError, match="classes selects the panels"):
        ReliabilityDisplay.from_predictions(*multiclass, target="confidence", classes=["ant"])


def test_confidence(multiclass):
    y, proba = multiclass
    display = ReliabilityDisplay.from_predictions(
        y, proba, target="confidence", n_bins=6, n_resamples=9
    )
    assert display.ece == ece(y, proba, target="confidence", n_bins=6)
    hits = (np.array(["ant", "bee", "cat"])[proba.argmax(axis=1)] == y).astype(float)
    assert_allclose(display.prob_true @ display.count, hits.sum(), rtol=1e-12)
    assert display.ax_.get_ylabel() == "Accuracy"


def test_more_than_two_classes_need_a_choice(multiclass):
    """One column is never shown silently (R04)."""
    with pytest.raises(ValueError, match=r"Pass target='confidence'.*target='classwise'"):
        ReliabilityDisplay.from_predictions(*multiclass)
    with pytest.raises(ValueError, match="target='binary' needs binary data"):
        ReliabilityDisplay.from_predictions(*multiclass, target="binary")


def test_the_positive_class_is_named_or_asked_for():
    """Text labels never leave open which class is positive (R03)."""
    y, p = ["a", "b", "b"], [0.1, 0.8, 0.9]
    with pytest.raises(ValueError, match=r"\['a', 'b'\], which does not tell the positive class"):
        ReliabilityDisplay.from_predictions(y, p)
    display = ReliabilityDisplay.from_predictions(y, p, pos_label="b", n_resamples=9)
    assert display.ax_.get_xlabel() == "Predicted probability of b"
    assert display.histogram_ax_.get_xlabel() == "Predicted probability of b"
    X = np.array([[0.0], [1.0], [2.0], [0.5]])
    model = LogisticRegression().fit(X, ["a", "b", "b", "a"])
    display = ReliabilityDisplay.from_estimator(model, X, ["a", "b", "b", "a"], n_resamples=9)
    assert display.pos_label == "b"
    assert "of b" in display.ax_.get_xlabel()
    flipped = ReliabilityDisplay.from_estimator(
        model, X, ["a", "b", "b", "a"], pos_label="a", n_resamples=9
    )
    assert_allclose(np.sort(1 - flipped.prob_pred), display.prob_pred)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_both_shapes_of_binary_data_give_the_same_picture(binary, strategy):
    y, p = binary
    one = ReliabilityDisplay.from_predictions(y, p, strategy=strategy, n_resamples=49)
    two = ReliabilityDisplay.from_predictions(
        y, np.column_stack([1 - p, p]), strategy=strategy, target="classwise", n_resamples=49
    )
    for name in ("prob_true", "prob_pred", "count", "lower", "upper"):
        assert_array_equal(getattr(one, name), getattr(two, name))
    assert two.target == "binary"


def test_from_estimator_hands_over(binary):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    model = GaussianNB().fit(X[::2], y[::2])
    options = {"n_bins": 5, "n_resamples": 49}
    display = ReliabilityDisplay.from_estimator(model, X[1::2], y[1::2], **options)
    direct = ReliabilityDisplay.from_predictions(
        y[1::2], model.predict_proba(X[1::2])[:, 1], pos_label="malignant", **options
    )
    assert display.name == "GaussianNB"
    assert display.ece == direct.ece
    for name in ("prob_true", "prob_pred", "count", "lower", "upper"):
        assert_array_equal(getattr(display, name), getattr(direct, name))


def test_an_estimator_without_probabilities_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(AttributeError, match="predict_proba"):
        ReliabilityDisplay.from_estimator(LinearSVC().fit(X, y), X, y, target="confidence")


@pytest.mark.parametrize("target", ["confidence", "classwise"])
def test_from_cv_results(target):
    X, y = load_iris(return_X_y=True)
    X, weight = X[:, :2], np.random.default_rng(0).random(y.size) + 0.5
    result = cross_validate(GaussianNB(), X, y, cv=3, return_estimator=True, return_indices=True)
    display = ReliabilityDisplay.from_cv_results(
        result, X, y, target=target, n_bins=4, sample_weight=weight
    )
    n_panels = 1 if target == "confidence" else 3
    assert len(display.prob_true) == 3 * n_panels
    assert display.interval is None
    assert display.interval_ is None
    for fold, (model, test) in enumerate(zip(result["estimator"], result["indices"]["test"])):
        one = ReliabilityDisplay.from_estimator(
            model,
            X[test],
            y[test],
            target=target,
            n_bins=4,
            sample_weight=weight[test],
            n_resamples=9,
        )
        for panel in range(n_panels):
            k = 3 * panel + fold
            expected = one.prob_true if n_panels == 1 else one.prob_true[panel]
            assert_array_equal(display.prob_true[k], expected)
            assert_array_equal(display.line_[k].get_ydata(), expected)
    legend = display.ax_ if n_panels == 1 else display.ax_[0]
    text = legend.get_legend().get_texts()[1].get_text()
    errors = np.array(display.ece[:3])
    assert text == f"GaussianNB\nECE = {errors.mean():.3f} ± {errors.std():.3f}"


def test_cv_results_without_the_models():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"no \['estimator', 'indices'\].*return_estimator=True"):
        ReliabilityDisplay.from_cv_results(cross_validate(GaussianNB(), X, y), X, y)


@pytest.mark.parametrize("cut", ["X", "y", "sample_weight"])
def test_cv_results_with_other_data(cut):
    X, y = load_iris(return_X_y=True)
    result = cross_validate(GaussianNB(), X, y, return_estimator=True, return_indices=True)
    data = {"X": X, "y": y.tolist(), "sample_weight": np.ones(150)}
    data[cut] = data[cut][:-2]
    with pytest.raises(ValueError, match=f"{cut} must be that of the .* number 149, got 148 rows"):
        ReliabilityDisplay.from_cv_results(result, **data, target="confidence")


@pytest.mark.parametrize("several", [False, True])
def test_lists_are_drawn(several):
    rates, means, counts, ece = [0.1, 0.7], (0.2, 0.6), [3, 4], 0.1
    arrays = [rates, means, counts]
    lower, upper = [0.0, 0.3], [0.4, 1.0]
    if several:
        arrays = [[one, one] for one in arrays]
        lower, upper, ece = [lower, lower], [upper, upper], [ece, ece]
    display = ReliabilityDisplay(
        *arrays, lower=lower, upper=upper, interval="consistency", ece=ece
    ).plot()
    lines, bars = display.line_, display.bars_
    for line, bar in zip(lines, bars) if several else [(lines, bars)]:
        assert_array_equal(line.get_xydata(), np.column_stack([means, rates]))
        assert [one.get_height() for one in bar] == counts
    assert display.histogram_ax_.get_ylabel() == "Count"


def test_lengths_that_differ():
    with pytest.raises(ValueError, match=r"prob_true and prob_pred .* number of rows, got 2 and 3"):
        ReliabilityDisplay([0.1, 0.7], [0.2, 0.6, 0.8], [3, 4]).plot()
    with pytest.raises(ValueError, match=r"prob_true and upper .* number of rows, got 2 and 1"):
        ReliabilityDisplay([0.1, 0.7], [0.2, 0.6], [3, 4], lower=[0, 0], upper=[1]).plot()


def test_consistency_limits_are_quantiles_of_the_binomial():
    """With equal predictions in a bin the number of events is binomial."""
    p = np.repeat([0.1, 0.4, 0.9], [30, 200, 50])
    y = np.zeros(p.size)
    display = ReliabilityDisplay.from_predictions(
        y, p, n_bins=3, alpha=0.1, n_resamples=20000, labels=[0, 1]
    )
    for k, (q, n) in enumerate([(0.1, 30), (0.4, 200), (0.9, 50)]):
        expected = binom.ppf([0.05, 0.95], n, q) / n
        assert_allclose([display.lower[k], display.upper[k]], expected, atol=1.01 / n)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_calibrated_model_stays_inside_the_band(strategy):
    """Pointwise: each bin misses with probability about alpha; a planted error must not."""
    rng = np.random.default_rng(0)
    outside, wrong, total = 0, 0, 0
    for _ in range(60):
        p = rng.random(300)
        for y, planted in ((rng.random(300) < p, False), (rng.random(300) < p**2, True)):
            d = ReliabilityDisplay.from_predictions(
                y, p, n_bins=6, strategy=strategy, n_resamples=199, histogram=False
            )
            misses = np.mean((d.prob_true < d.lower) | (d.prob_true > d.upper))
            wrong += misses if planted else 0
            outside += 0 if planted else misses
            plt.close("all")
        total += 1
    assert outside / total < 0.09
    assert wrong / total > 0.3


def test_seeded(binary):
    draws = [
        ReliabilityDisplay.from_predictions(*binary, n_resamples=19, random_state=seed).upper
        for seed in (0, 0, 1)
    ]
    assert_array_equal(draws[0], draws[1])
    assert (draws[0] != draws[2]).any()


@pytest.mark.parametrize(("hits", "size"), [(0, 3), (3, 3), (1, 4), (17, 40)])
def test_clopper_pearson(hits, size):
    """All-one bins keep an interval of positive width (R06)."""
    y = np.repeat([1, 0], [hits, size - hits])
    display = ReliabilityDisplay.from_predictions(
        y, np.full(size, 0.5), interval="clopper-pearson", alpha=0.1
    )
    exact = binomtest(hits, size).proportion_ci(0.9, method="exact")
    assert_allclose([display.lower[0], display.upper[0]], exact, rtol=1e-9)
    assert display.upper[0] > display.lower[0]
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["perfectly calibrated", display_label(display), "90 % interval"]


def display_label(display):
    return f"ECE = {display.ece:.3f}"


def test_weighted_clopper_pearson_uses_the_effective_number():
    y, p = np.tile([0, 1], 10), np.full(20, 0.4)
    plain = ReliabilityDisplay.from_predictions(y, p, interval="clopper-pearson")
    scaled = ReliabilityDisplay.from_predictions(
        y, p, interval="clopper-pearson", sample_weight=np.full(20, 7.0)
    )
    assert_allclose(scaled.lower, plain.lower, rtol=1e-12)
    weight = np.repeat([1.0, 1e-9], 10)
    half = ReliabilityDisplay.from_predictions(
        y, p, interval="clopper-pearson", sample_weight=weight
    )
    exact = binomtest(5, 10).proportion_ci(0.95, method="exact")
    assert_allclose([half.lower[0], half.upper[0]], exact, rtol=1e-6)


def test_isotonic_blocks_have_no_clopper_pearson_interval(binary):
    with pytest.raises(ValueError, match="depend on the labels"):
        ReliabilityDisplay.from_predictions(
            *binary, strategy="isotonic", interval="clopper-pearson"
        )


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("alpha", 0, "alpha must be"),
        ("alpha", 1.0, "alpha must be"),
        ("interval", "bootstrap", "interval must be one of 'consistency', 'clopper-pearson'"),
        ("strategy", "kmeans", "strategy must be one of"),
        ("n_bins", 0, "n_bins must be a whole number"),
        ("n_resamples", 0, "n_resamples must be a whole number"),
        ("random_state", "a", "random_state must be"),
    ],
)
def test_bad_options(binary, option, value, message):
    with pytest.raises(ValueError, match=message):
        ReliabilityDisplay.from_predictions(*binary, **{option: value})


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


def test_plot_again_returns_self_and_computes_nothing(binary, monkeypatch):
    display = ReliabilityDisplay.from_predictions(*binary, n_resamples=9)
    before = display.lower.copy()
    monkeypatch.setattr("sklearn_calib.display._reliability.ReliabilityCurves", None)
    assert display.plot(histogram=False, name="other") is display
    assert display.histogram_ax_ is None
    assert display.bars_ is None
    assert_array_equal(display.lower, before)


def test_curves_on_one_axes_look_different(binary):
    y, p = binary
    first = ReliabilityDisplay.from_predictions(y, p, name="a", n_resamples=9)
    second = ReliabilityDisplay.from_predictions(y, p**1.3, name="b", n_resamples=9, ax=first.ax_)
    assert second.histogram_ax_ is first.histogram_ax_
    for look in ("get_color", "get_marker", "get_linestyle"):
        assert getattr(first.line_, look)() != getattr(second.line_, look)()
    diagonals = [line for line in first.ax_.lines if list(line.get_xdata()) == [0, 1]]
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


def test_the_legend_is_on_the_side_without_points(binary):
    y, p = binary
    for power, place in ((0.5, "upper left"), (2.0, "lower right")):
        display = ReliabilityDisplay.from_predictions(y, p**power, n_resamples=9)
        corner = display.ax_.get_legend()._loc
        assert corner == {"upper left": 2, "lower right": 4}[place]


def test_from_arrays_alone():
    display = ReliabilityDisplay(
        np.array([0.1, 0.6]), np.array([0.2, 0.7]), np.array([3, 5])
    ).plot()
    assert [bar.get_height() for bar in display.bars_] == [3, 5]
    assert_allclose([bar.get_x() for bar in display.bars_], [0, 0.45])
    assert display.interval_ is None


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


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_constant_predictions_and_three_rows(strategy):
    display = ReliabilityDisplay.from_predictions(
        [0, 1, 1], [0.5] * 3, strategy=strategy, n_resamples=99
    )
    assert_allclose(display.prob_true, [2 / 3])
    assert_array_equal(display.count, [3])
    display.figure_.draw_without_rendering()


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


def test_pandas_input_is_read_by_position(binary):
    y, p = binary
    shuffled = pd.Series(p, index=np.arange(p.size)[::-1])
    display = ReliabilityDisplay.from_predictions(pd.Series(y), shuffled, n_resamples=9)
    direct = ReliabilityDisplay.from_predictions(y, p, n_resamples=9)
    assert_array_equal(display.prob_true, direct.prob_true)


def test_weights_equal_repetition(binary):
    y, p = binary
    weight = np.random.default_rng(0).integers(0, 4, y.size)
    weighted = ReliabilityDisplay.from_predictions(y, p, sample_weight=weight, n_resamples=9)
    repeated = ReliabilityDisplay.from_predictions(
        np.repeat(y, weight), np.repeat(p, weight), n_resamples=9
    )
    assert_allclose(weighted.prob_true, repeated.prob_true, rtol=1e-12)
    assert_allclose(weighted.count, repeated.count, rtol=1e-12)


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
