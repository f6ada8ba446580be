"""The reliability diagram draws what it stores, and stores what the metrics compute."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_calib.display import ReliabilityDisplay
from sklearn_calib.metrics import ece

STRATEGIES = ["uniform", "quantile", "isotonic"]


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


@pytest.mark.parametrize(
    ("strategy", "given"),
    [
        ("uniform", True),
        ("quantile", False),
        ("isotonic", False),
        pytest.param("uniform", False, marks=pytest.mark.slow),
        pytest.param("quantile", True, marks=pytest.mark.slow),
        pytest.param("isotonic", True, marks=pytest.mark.slow),
    ],
)
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


@pytest.mark.parametrize(
    ("strategy", "weighted"),
    [
        ("uniform", False),
        ("quantile", True),
        pytest.param("uniform", True, marks=pytest.mark.slow),
        pytest.param("quantile", False, marks=pytest.mark.slow),
    ],
)
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
        assert display.ax_[k].get_title() == f"{label}\nECE = {one.ece:.3f}"
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
    y, proba = multiclass
    error = [ece(y == label, proba[:, k]) for k, label in enumerate(["ant", "bee", "cat"])]
    largest = ReliabilityDisplay.from_predictions(y, proba, target="classwise", classes=2)
    assert largest.panels == [
        one for k, one in enumerate(["ant", "bee", "cat"]) if k != np.argmin(error)
    ]
    assert_allclose(largest.ece, np.delete(error, np.argmin(error)), rtol=1e-12)
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


@pytest.mark.parametrize(
    "strategy", ["uniform", "isotonic", pytest.param("quantile", marks=pytest.mark.slow)]
)
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
    errors = np.array(display.ece[:3])
    error = f"ECE = {errors.mean():.3f} ± {errors.std():.3f}"
    if n_panels == 1:
        assert display.ax_.get_legend().get_texts()[1].get_text() == f"GaussianNB\n{error}"
    else:
        assert display.ax_[0].get_title().endswith(f"\n{error}")
        (legend,) = display.figure_.legends
        assert legend.get_texts()[1].get_text() == "GaussianNB"


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


def test_plot_again_returns_self_and_computes_nothing(binary, monkeypatch):
    display = ReliabilityDisplay.from_predictions(*binary, n_resamples=9)
    before = display.lower.copy()
    monkeypatch.setattr("sklearn_calib.display._reliability.ReliabilityCurves", None)
    assert display.plot(histogram=False, name="other") is display
    assert display.histogram_ax_ is None
    assert display.bars_ is None
    assert_array_equal(display.lower, before)


def test_from_arrays_alone():
    display = ReliabilityDisplay(
        np.array([0.1, 0.6]), np.array([0.2, 0.7]), np.array([3, 5])
    ).plot()
    assert [bar.get_height() for bar in display.bars_] == [3, 5]
    assert_allclose([bar.get_x() for bar in display.bars_], [0, 0.45])
    assert display.interval_ is None


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_constant_predictions_and_three_rows(strategy):
    display = ReliabilityDisplay.from_predictions(
        [0, 1, 1], [0.5] * 3, strategy=strategy, n_resamples=99
    )
    assert_allclose(display.prob_true, [2 / 3])
    assert_array_equal(display.count, [3])
    display.figure_.draw_without_rendering()


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
