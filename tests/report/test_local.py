"""The local parts of the report, and the sample that large data use."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib import calibration_report, local_bias_band, metrics
from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.inference._nulls.simulation import draw_labels
from tests.report._rows import value


def test_the_band_is_that_of_the_package(binary, report):
    y, p, X = binary
    band = local_bias_band(y, p, X, n_resamples=99, feature_bandwidth="scaled", random_state=0)
    assert_allclose(report.band.bias, band.bias, rtol=1e-10)
    assert_array_equal(report.band.significant, band.significant)
    assert_allclose(report.band.critical_value, band.critical_value, rtol=1e-10)
    assert_array_equal(report.points, X)


@pytest.mark.usefixtures("without_drawing")
def test_large_data_use_a_sample_for_the_local_parts_and_say_so(binary):
    y, p, X = binary
    result = calibration_report(y, p, X, n_resamples=19, max_local_samples=100)
    frame = result.to_frame()
    assert frame.loc["klce", "n_samples"] == 100
    assert frame.loc["ece", "n_samples"] == frame.loc["skce", "n_samples"] == 300
    assert result.points.shape == (100, 2)
    note = "The local parts use a random sample of 100 of the 300 rows."
    assert note in result.notes
    assert note in result.to_html()
    again = calibration_report(y, p, X, n_resamples=19, max_local_samples=100)
    assert_array_equal(again.points, result.points)
    pd.testing.assert_frame_equal(again.to_frame(), frame)


def test_the_sample_uses_its_part_of_the_drawn_labels(binary):
    y, p, X = binary
    result = calibration_report(y, p, X, n_resamples=3, alpha=0.3, max_local_samples=100)
    rows = [int(np.flatnonzero((point == X).all(axis=1))[0]) for point in result.points]
    codes = draw_labels(check_generator(0), np.column_stack([1 - p, p]), 3)
    expected = [
        metrics.klce(labels, p[rows], X[rows], feature_bandwidth="scaled", labels=[0, 1])
        for labels in codes[rows].T
    ]
    drawn = result.tests["local"].null_distribution
    assert_allclose(drawn, expected, rtol=1e-9)
    assert value(result, "klce") == pytest.approx(
        metrics.klce(y[rows], p[rows], X[rows], feature_bandwidth="scaled"), rel=1e-9
    )


def test_many_classes_use_a_sample_for_pairs_of_rows(multiclass):
    y, proba, _ = multiclass
    result = calibration_report(y, proba, n_resamples=19, max_local_samples=50)
    frame = result.to_frame()
    assert frame.loc["skce", "n_samples"] == frame.loc["kce", "n_samples"] == 50
    assert frame.loc["mmce", "n_samples"] == 200
    assert "SKCE and KCE use a random sample of 50 of the 200 rows." in result.notes


def test_sampling_leaves_the_draws_alone(binary, report):
    y, p, X = binary
    sampled = calibration_report(y, p, X, n_resamples=99, max_local_samples=100)
    assert_allclose(
        sampled.tests["global"].null_distribution,
        report.tests["global"].null_distribution,
        rtol=1e-12,
    )


def test_too_few_rows_around_the_points_is_said():
    result = calibration_report([0, 1, 1], [0.2, 0.5, 0.9], [1.0, 2.0, 3.0], n_resamples=19)
    assert "No point has enough rows around it to be tested." in str(result)
    assert any("effective size" in note for note in result.notes)
