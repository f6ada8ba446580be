"""Scaling-binning, step by step."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.calibrators import PlattCalibrator, ScalingBinningCalibrator
from tests.calibrators._samples import sample


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_bins", [1, 3, 10])
def test_every_score_becomes_the_mean_curve_of_its_bin(seed, n_bins):
    p, y, weight = sample(seed, n_samples=70)
    curve = PlattCalibrator(input="probability").fit(p, y, weight)
    output = curve.predict_proba(p)[:, 1]
    number = np.array([int(n_bins * weight[p < value].sum() / weight.sum()) for value in p])
    expected = [np.average(output[number == k], weights=weight[number == k]) for k in number]
    calibrator = ScalingBinningCalibrator(n_bins=n_bins).fit(p, y, weight)
    assert_allclose([calibrator.slope_, calibrator.intercept_], [curve.slope_, curve.intercept_])
    assert_allclose(calibrator.predict_proba(p)[:, 1], expected, rtol=0, atol=1e-12)
    assert calibrator.bin_values_.size == np.unique(number).size


def test_edges_are_half_way_between_scores():
    calibrator = ScalingBinningCalibrator(input="native", n_bins=2)
    calibrator.fit([-2.0, -1.0, 3.0, 4.0], [0, 1, 0, 1])
    assert_allclose(calibrator.bin_edges_, [1.0])
    below, above = calibrator.predict_proba([0.99, 1.0])[:, 1]
    assert [below, above] == calibrator.bin_values_.tolist()
