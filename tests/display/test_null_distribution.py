"""The null distribution of a test is drawn as it is stored."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from sklearn_calib import check_calibration
from sklearn_calib.display import NullDistributionDisplay
from sklearn_calib.inference import calibration_test_score


@pytest.mark.parametrize("given", [True, False])
def test_null_distribution(models, given):
    y, probas = models
    result = check_calibration(y, probas["raw"], n_resamples=99, random_state=0)
    ax = plt.subplots()[1] if given else None
    display = NullDistributionDisplay.from_result(result, ax=ax, bins=12)
    if given:
        assert display.ax_ is ax
    assert len(plt.get_fignums()) == 1
    everything = np.append(result.null_distribution, result.statistic)
    heights, edges = np.histogram(
        result.null_distribution, bins=12, range=(everything.min(), everything.max())
    )
    assert_array_equal([bar.get_height() for bar in display.bars_], heights)
    assert_allclose([bar.get_x() for bar in display.bars_], edges[:-1], rtol=1e-9)
    assert display.line_.get_xdata()[0] == result.statistic == display.statistic
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == [
        "99 draws if calibrated",
        f"observed {result.statistic:.3g}\np = {result.pvalue:.3g}",
    ]
    assert display.ax_.get_xlabel() == "skce"
    assert display.plot(line_kwargs={"c": "red"}) is display
    assert display.line_.get_color() == "red"


def test_a_cross_validated_test_has_no_single_null_distribution():
    X, y = load_iris(return_X_y=True)
    result = calibration_test_score(GaussianNB(), X, y, n_resamples=19, random_state=0)
    with pytest.raises(ValueError, match=r"Pass one of result\.fold_results"):
        NullDistributionDisplay.from_result(result)
    display = NullDistributionDisplay.from_result(result.fold_results[0])
    assert display.pvalue == result.fold_pvalues[0]


def test_a_constant_null_distribution_is_drawn():
    display = NullDistributionDisplay(np.zeros(9), 0.0, 1.0).plot()
    display.figure_.draw_without_rendering()
    assert display.ax_.get_xlabel() == "Statistic"
