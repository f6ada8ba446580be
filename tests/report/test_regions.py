"""Regions of significant bias in the report."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import calibration_report
from sklearn_calib._data.features import FeatureEncoder
from sklearn_calib.report._regions import EncodedRows, find_regions


def test_regions_hold_significant_points_only(binary, report):
    y, p, X = binary
    region = report.regions[0]
    assert region.bias < 0
    assert (region.event, region.where.split()[0]) == (1, "age")
    total = sum(region.n_significant for region in report.regions)
    assert total == np.count_nonzero(report.band.significant)
    inside = np.ones(y.size, bool)
    for bound in region.bounds:
        column = X[:, ["age", "dose"].index(bound.name)]
        inside &= (column > bound.lower) & (column <= bound.upper)
    hits = inside & report.band.significant
    assert (region.n_points, region.n_significant) == (inside.sum(), hits.sum())
    assert_allclose(region.bias, report.band.bias[hits].mean())
    assert_allclose(region.predictions, np.quantile(p[hits], [0.05, 0.95]))


def test_regions_where_two_features_meet():
    """An error of opposite sign in two quadrants is described by both features."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(1500, 2))
    quadrant = X[:, 0] * X[:, 1] > 0
    y = np.zeros(1500)
    for rows, rate in ((quadrant, 0.8), (~quadrant, 0.2)):
        y[np.flatnonzero(rows)[: round(rate * rows.sum())]] = 1
    result = calibration_report(y, np.full(1500, 0.5), X, n_resamples=99, feature_bandwidth=0.3)
    assert result.verdict.startswith("The predictions are right on average")
    first_four = result.regions[:4]
    for region in first_four:
        bounds = {bound.name: bound for bound in region.bounds}
        signs = [
            1 if np.isfinite(bounds[name].lower) else -1 for name in ("feature 0", "feature 1")
        ]
        assert np.prod(signs) == np.sign(region.bias)
        assert region.n_significant > 100


def test_no_regions_for_a_calibrated_model():
    rng = np.random.default_rng(5)
    X, p = rng.normal(size=(300, 2)), rng.random(300)
    result = calibration_report(rng.random(300) < p, p, X, n_resamples=99)
    assert result.regions == []
    assert "No point of the band is significant at level 0.05." in str(result)
    assert result.verdict.startswith("No sign of miscalibration in 300 rows")


def test_regions_of_more_classes_name_the_class(multiclass):
    y, proba, X = multiclass
    codes = np.searchsorted(["ant", "bee", "cat"], y)
    wrong = np.where(X[:, [0]] > 0, np.eye(3)[codes] * 0.05 + 0.95 / 3, proba)
    wrong[:, 0] = np.where(X[:, 0] > 0, 0.9, wrong[:, 0])
    wrong /= wrong.sum(axis=1, keepdims=True)
    result = calibration_report(y, wrong, X, n_resamples=99)
    assert result.regions[0].event in ("ant", "bee", "cat")
    assert f"{result.regions[0].event}: predicted too" in str(result)
    assert any("bias" in name for name in result.displays)


def regions_of_a_half(share):
    """Return the regions if a share of the 40 points at x = 1 is wrong, and no point at x = 0.

    The points of a half cannot be told apart, so a tree ends in the two halves.
    """
    x = np.repeat([0.0, 1.0], [60, 40])
    significant = np.zeros(100, dtype=bool)
    significant[60 : 60 + round(40 * share)] = True
    band = SimpleNamespace(
        bias=np.where(significant, -0.25, 0.0), significant=significant, groups=(), alpha=0.05
    )
    encoder = FeatureEncoder([]).fit(pd.DataFrame({"x": x}))
    features = encoder.transform(pd.DataFrame({"x": x}))
    rows = EncodedRows(features, np.full((100, 2), 0.5), np.zeros(100, dtype=int), None)
    return find_regions(band, rows, rows, np.array([0, 1]))


@pytest.mark.parametrize("share", [0.55, 0.75, 1.0])
def test_a_box_of_mostly_significant_points_is_a_region(share):
    (region,) = regions_of_a_half(share)
    assert region.where == "x > 0.5"
    assert (region.n_significant, region.n_points) == (40 * share, 40)
    assert region.bias == -0.25


@pytest.mark.parametrize("share", [0.3, 0.4, 0.5])
def test_a_box_of_which_half_or_less_is_significant_is_no_region(share):
    (region,) = regions_of_a_half(share)
    assert region.bounds is None
    assert region.where == "scattered points"
    assert (region.n_significant, region.n_points) == (40 * share, 40 * share)
    assert region.bias == -0.25
