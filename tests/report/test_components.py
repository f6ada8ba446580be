"""Slope, average, and the components of the scores, in words."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import calibration_line, calibration_report
from sklearn_calib.metrics import score_decomposition
from sklearn_calib.report._components import line_numbers
from sklearn_calib.report._numbers import show_apart


def test_the_line_is_the_function(binary, report):
    y, p, _ = binary
    expected = calibration_line(y, p)
    assert report.line.slope == expected.slope
    assert report.line.intercept_interval == expected.intercept_interval
    row = report.to_frame().loc["calibration_slope"]
    assert row["value"] == pytest.approx(expected.slope, rel=1e-9)
    assert (row["ci_lower"], row["ci_upper"]) == expected.slope_interval
    assert report.to_dict()["line"]["slope"] == expected.slope


def test_the_components_are_the_function_and_add_up(binary, report):
    y, p, _ = binary
    for name, score in (("log loss", "log_loss"), ("Brier score", "brier")):
        ours, expected = report.decomposition[name], score_decomposition(y, p, score=score)
        assert ours.miscalibration == expected.miscalibration
        total = ours.miscalibration - ours.discrimination + ours.uncertainty
        value = report.to_frame().loc[name, "value"]
        assert_allclose(total, value, rtol=1e-9)
    assert "recalibrated" not in report.to_dict()["decomposition"]["log loss"]


@pytest.mark.usefixtures("without_drawing")
def test_they_are_shown_with_words(report):
    (slope, intercept, ratio) = line_numbers(report.line)
    assert slope.words == "too extreme"
    for text in (str(report), report.to_html()):
        assert f"{report.line.slope:.4f}" in text
        assert f"{report.line.slope_interval[0]:.4f} to {report.line.slope_interval[1]:.4f}" in text
        assert all(one.words in text for one in (slope, intercept, ratio))
        assert "Recalibration removes miscalibration" in " ".join(text.split())


def test_a_level_changes_the_interval(binary):
    y, p, _ = binary
    wide = calibration_report(y, p, alpha=0.2, n_resamples=19).line
    assert wide.slope_interval == calibration_line(y, p, confidence_level=0.8).slope_interval


@pytest.mark.parametrize(
    ("change", "position", "words"),
    [
        ({"slope": 0.7, "slope_interval": (0.5, 0.9)}, 0, "too extreme"),
        ({"slope": 1.5, "slope_interval": (1.2, 1.9)}, 0, "too timid"),
        ({"slope": 1.5, "slope_interval": (0.9, 2.1)}, 0, "no clear error"),
        ({"slope": -0.5, "slope_interval": (-0.9, -0.1)}, 0, "in the wrong order"),
        ({"slope": np.nan, "slope_interval": (-np.inf, np.inf)}, 0, "not determined"),
        ({"slope": np.inf, "slope_interval": (2.0, np.inf)}, 0, "labels separated"),
        ({"intercept": -0.5, "intercept_interval": (-0.9, -0.1)}, 1, "too high on average"),
        ({"intercept": 0.5, "intercept_interval": (0.1, 0.9)}, 1, "too low on average"),
        ({"intercept": 0.5, "intercept_interval": (-0.1, 0.9)}, 1, "no clear error"),
        ({"ratio": 0.74, "ratio_interval": (0.6, 0.9)}, 2, "26 % fewer events"),
        ({"ratio": 1.5, "ratio_interval": (1.2, 1.9)}, 2, "50 % more events"),
        ({"ratio": 1.5, "ratio_interval": (0.9, 1.9)}, 2, "no clear error"),
    ],
)
def test_words(report, change, position, words):
    numbers = line_numbers(replace(report.line, **change))
    assert numbers[position].words.startswith(words)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((0.0014, 0.0006), ["0.0014", "0.000600"]),
        ((0.10641, 0.10644), ["0.10641", "0.10644"]),
        ((0.25, 0.25), ["0.2500", "0.2500"]),
        ((0.1 + 1e-9, 0.1, np.nan), ["0.100000001", "0.100000000", "-"]),
        ((0.5, np.inf, -np.inf), ["0.5000", "inf", "-inf"]),
        ((2e-7, 1e-7), ["2.0e-07", "1.0e-07"]),
    ],
)
def test_different_numbers_do_not_look_the_same(values, texts):
    assert show_apart(*values) == texts


def test_numbers_of_groups_and_regions_are_told_apart():
    from sklearn_calib import calibration_by_group
    from sklearn_calib.report._groups import group_cells

    y, p = np.repeat([0, 1], [5000, 5002]), np.full(10_002, 0.5)
    table = calibration_by_group(y, p, {"all": np.ones(10_002)}, n_resamples=19, random_state=0)
    _, (row,), _ = group_cells(table)
    assert row[2] != row[3]


@pytest.mark.parametrize(
    ("change", "position", "words"),
    [
        ({"slope": -np.inf}, 0, "labels separated, in the wrong order"),
        ({"ratio": np.inf}, 2, "events, and none is expected"),
        ({"ratio": np.nan}, 2, "not determined"),
        ({"ratio": 0.0, "ratio_interval": (0.0, 0.1)}, 2, "100 % fewer events"),
    ],
)
def test_words_for_lines_without_a_finite_value(report, change, position, words):
    assert line_numbers(replace(report.line, **change))[position].words == words
