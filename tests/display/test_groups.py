"""The picture of groups shows the stored numbers, the worst groups first."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import beta
from sklearn.linear_model import LogisticRegression

from sklearn_calib import GroupCalibrationDisplay, calibration_by_group
from tests.inference._groups._data import one_wrong_group

Y, P, GROUPS = one_wrong_group(0)
RESULT = calibration_by_group(Y, P, GROUPS, n_resamples=199, random_state=0, metric=None)


def names(display):
    return [text.get_text() for text in display.ax_.get_yticklabels()]


@pytest.mark.parametrize("given", [True, False])
def test_gaps_are_drawn_as_stored_from_the_largest_to_the_smallest(given):
    ax = plt.subplots()[1] if given else None
    display = GroupCalibrationDisplay.from_result(RESULT, ax=ax)
    assert len(plt.get_fignums()) == 1
    if given:
        assert display.ax_ is ax
    order = np.argsort(-RESULT.gap)
    assert_array_equal(display.order_, order)
    assert names(display) == [f"{RESULT.label[k]}  ({RESULT.n[k]:,})" for k in order]
    right = ~RESULT.significant[order]
    assert_array_equal(display.line_.get_xdata(), RESULT.gap[order][right])
    assert_array_equal(display.line_.get_ydata(), np.flatnonzero(right))
    assert_array_equal(display.marks_high_.get_xdata(), RESULT.gap[order][~right])
    assert display.marks_low_.get_xdata().size == 0
    limits = np.array([segment[:, 0] for segment in display.interval_.get_segments()])
    assert_array_equal(limits.T, [RESULT.gap_low[order], RESULT.gap_high[order]])
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["95 % joint interval", "predicted too high"]
    assert display.ax_.get_xlabel() == "Gap: observed − predicted"


def test_order_of_the_table_and_styles():
    display = GroupCalibrationDisplay.from_result(
        RESULT, sort=False, line_kwargs={"c": "red"}, interval_kwargs={"lw": 5}
    )
    assert_array_equal(display.order_, np.arange(7))
    assert display.line_.get_color() == "red"
    assert display.interval_.get_linewidths().tolist() == [5]


def test_only_some_groups_are_drawn_and_wrong_ones_first():
    display = GroupCalibrationDisplay.from_result(RESULT, max_groups=2)
    assert "sex = Female" in RESULT.label[display.order_]
    assert display.ax_.get_xlabel().endswith("(2 of 7 groups)")
    many = GroupCalibrationDisplay(
        [str(k) for k in range(99)], np.linspace(0, 1, 99), np.zeros(99), np.ones(99)
    ).plot()
    assert len(names(many)) == 30
    assert names(many)[0] == "98"


def test_curves_are_small_reliability_diagrams_with_exact_intervals():
    display = GroupCalibrationDisplay.from_result(RESULT, kind="curves", max_groups=3)
    assert len(display.ax_) == 3
    assert RESULT.label[display.order_[0]] == "sex = Female"
    for panel, k in enumerate(display.order_):
        filled = RESULT.curves.count[k] > 0
        x, y = RESULT.curves.prob_pred[k][filled], RESULT.curves.prob_true[k][filled]
        count = RESULT.curves.count[k][filled]
        assert_array_equal(display.reliability_.prob_pred[panel], x)
        assert_array_equal(display.reliability_.prob_true[panel], y)
        inside = y < 1
        hits = np.rint(y * count)
        upper = beta.ppf(0.975, hits + 1, count - hits)
        assert_allclose(display.reliability_.upper[panel][inside], upper[inside], rtol=1e-6)
        title = display.ax_[panel].get_title().replace("\n", " ")
        assert title == f"{RESULT.label[k]}  ({RESULT.n[k]:,})"
    one = GroupCalibrationDisplay.from_result(RESULT, kind="curves", max_groups=1)
    one.figure_.draw_without_rendering()


def test_from_predictions_and_from_an_estimator_agree():
    table = pd.DataFrame({"score": np.log(P / (1 - P)), **GROUPS})

    class OnScore(LogisticRegression):
        def fit(self, X, y):
            return super().fit(X[["score"]], y)

        def predict_proba(self, X):
            return super().predict_proba(X[["score"]])

    model = OnScore().fit(table, Y)
    options = {"n_resamples": 99, "max_interaction": 2}
    expected = GroupCalibrationDisplay.from_predictions(
        Y, model.predict_proba(table), GROUPS, **options
    )
    for groups in (["sex", "race"], table[["sex", "race"]], GROUPS):
        display = GroupCalibrationDisplay.from_estimator(model, table, Y, groups, **options)
        assert_array_equal(display.gap, expected.gap)
        assert_array_equal(display.significant, expected.significant)
    single = GroupCalibrationDisplay.from_estimator(model, table, Y, "sex", n_resamples=19)
    assert single.label.tolist() == ["sex = Female", "sex = Male"]
    with pytest.raises(ValueError, match=r"groups='size' is the name of a column"):
        GroupCalibrationDisplay.from_estimator(model, table, Y, "size")


def test_one_class_of_several():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([1, 2, 3], 300)
    y, site = rng.integers(0, 3, 300), rng.choice(["a", "b"], 300)
    result = calibration_by_group(y, proba, site, target="classwise", n_resamples=19)
    display = GroupCalibrationDisplay.from_result(result, event=1)
    assert_array_equal(display.gap, result.gap[[1, 4]])
    assert display.ax_.get_xlabel() == "Gap of 1: observed − predicted"
    with pytest.raises(ValueError, match=r"event must be the class to show, one of \[0, 1, 2\]"):
        GroupCalibrationDisplay.from_result(result)
    with pytest.raises(ValueError, match="event chooses a class of target='classwise'"):
        GroupCalibrationDisplay.from_result(RESULT, event=1)
    top = GroupCalibrationDisplay.from_predictions(y, proba, site, n_resamples=19)
    assert top.ax_.get_xlabel() == "Gap: accuracy − confidence"


def test_names_lose_markup_and_length():
    label = ["price = 5$ to 10$", "x" * 90]
    display = GroupCalibrationDisplay(label, [0.1, 0.2], [0, 0], [1, 1], n=[5, 6]).plot()
    display.figure_.draw_without_rendering()
    assert names(display) == ["x" * 39 + "…  (6)", r"price = 5\$ to 10\$  (5)"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "bars"}, "kind must be one of"),
        ({"max_groups": 0}, "max_groups"),
        ({"sort": "no"}, "sort must be True or False"),
        ({"kind": "curves"}, "this display does not have"),
    ],
    ids=str,
)
def test_wrong_options(options, message):
    display = GroupCalibrationDisplay(["a"], [0.1], [0.0], [0.2])
    with pytest.raises(ValueError, match=message):
        display.plot(**options)
