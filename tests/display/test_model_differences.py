"""The picture of a comparison draws the stored differences and intervals."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import compare_calibration
from sklearn_calib.display import ModelDifferenceDisplay


@pytest.fixture
def result():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, size=200)
    y = (rng.random(200) < p).astype(int)
    wrong = p.copy()
    wrong[0] = 1.0 - y[0]
    models = {"fine": p, "flat": 0.5 + 0.3 * (p - 0.5), "wrong $x$": wrong}
    return compare_calibration(y, models, n_resamples=99, random_state=0, statistic=None)


def test_points_and_intervals(result):
    display = ModelDifferenceDisplay.from_result(result)
    assert [ax.get_title() for ax in display.ax_] == ["log loss", "Brier score", "ECE"]
    for panel, label in enumerate(["log loss", "Brier score", "ECE"]):
        shown = [one for one in display.differences if one.label == label]
        points = display.point_[panel].get_offsets()
        finite = [one for one in shown if np.isfinite(one.difference)]
        drawn = np.ma.filled(points[:, 0].astype(float), np.nan)
        assert_allclose(drawn[np.isfinite(drawn)], [one.difference for one in finite])
        segments = [s[:, 0] for s in display.interval_[panel].get_segments()]
        assert_allclose(segments, [(one.low, one.high) for one in finite])
    assert [text.get_text() for text in display.ax_[0].texts] == 2 * ["no finite difference"]


def test_the_best_model_is_named_first(result):
    display = ModelDifferenceDisplay.from_result(result)
    assert result.best == "fine"
    names = [tick.get_text() for tick in display.ax_[0].get_yticklabels()]
    assert names[:2] == ["fine $-$ flat", r"fine $-$ wrong \$x\$"]
    brier = [one for one in display.differences if one.measure == "brier"]
    assert brier[0].difference < 0


def test_filled_points_are_significant(result):
    display = ModelDifferenceDisplay.from_result(result, point_kwargs={"s": 10})
    brier = [one for one in display.differences if one.measure == "brier"]
    faces = display.point_[1].get_facecolors()
    assert brier[0].adjusted_pvalue <= 0.05
    white = (faces[:, :3] == 1.0).all(axis=1)
    assert white.tolist() == [one.adjusted_pvalue > 0.05 for one in brier]
    assert display.point_[1].get_sizes().tolist() == [10]


def test_axes(result):
    figure, axes = plt.subplots(1, 3)
    display = ModelDifferenceDisplay.from_result(result, ax=axes)
    assert display.figure_ is figure
    assert len(plt.get_fignums()) == 1
    assert ModelDifferenceDisplay.from_result(result, ax=plt.subplots()[1]).ax_.shape == (3,)
    with pytest.raises(TypeError, match="result must be a CalibrationComparison"):
        ModelDifferenceDisplay.from_result(None)
