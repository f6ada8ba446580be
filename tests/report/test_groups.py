"""The part of the report about groups."""

import json

import numpy as np
import pytest

from sklearn_calib import calibration_by_group, calibration_report
from sklearn_calib.display import GroupCalibrationDisplay
from tests.inference._groups._data import one_wrong_group
from tests.report._checker import Checker

Y, P, GROUPS = one_wrong_group(2, wrong_by=0.12)


@pytest.fixture(scope="module")
def report():
    return calibration_report(Y, P, groups=GROUPS, n_resamples=99)


def test_groups_are_in_the_report(report):
    assert report.groups.label[report.groups.significant].tolist() == ["sex = Female"]
    assert report.groups.n_resamples == 99
    assert report.verdict.endswith(f"By group: {report.groups.verdict}")
    text = str(report)
    section = text.split("For whom the predictions are wrong\n\n")[1].splitlines()
    assert section[0].split() == [
        "group", "rows", "predicted", "observed", "gap", "interval", "p",
    ]  # fmt: skip
    k = report.groups.label.tolist().index("sex = Female")
    assert section[1].split()[:6] == [
        "sex", "=", "Female", f"{report.groups.n[k]:,}", f"{report.groups.predicted[k]:.3f}",
        f"{report.groups.observed[k]:.3f}",
    ]  # fmt: skip
    assert "* The p-values and the intervals of the groups hold for all groups together" in text
    assert max(map(len, text.splitlines())) <= 80


def test_page_and_dict(report):
    page = report.to_html()
    checker = Checker()
    checker.feed(page)
    assert not checker.faults
    assert "<h2>For whom the predictions are wrong</h2>" in page
    assert '<th scope="row">sex = Female</th>' in page
    assert isinstance(report.displays["groups"], GroupCalibrationDisplay)
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert content["groups"]["label"] == report.groups.label.tolist()


def test_the_other_numbers_stay_the_same(report):
    without = calibration_report(Y, P, n_resamples=99)
    assert without.groups is None
    assert "groups" not in without.displays
    assert "For whom" not in str(without)
    assert without.metrics == report.metrics
    assert without.tests["global"].pvalue == report.tests["global"].pvalue


@pytest.mark.usefixtures("without_drawing")
def test_many_groups_with_long_names_and_small_ones():
    rng = np.random.default_rng(0)
    site = np.array([f"<hospital> & clinic of the city number {k}" for k in range(40)])
    kind = site[rng.integers(0, 39, Y.size)]
    kind[:3] = site[39]
    report = calibration_report(Y, P, groups={"site": kind}, n_resamples=19)
    text = str(report)
    assert "and 20 more groups" in text
    assert "1 of 40 groups have fewer than 10 rows and are not tested." in " ".join(text.split())
    assert "\nsite = <hospital> & clinic of the city number " in text
    assert "&lt;hospital&gt; &amp; clinic" in report.to_html()


def test_classes_and_weights():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([2, 3, 4], 300)
    y = np.array(["ant", "bee", "cat"])[rng.integers(0, 3, 300)]
    weight = rng.integers(0, 3, 300)
    report = calibration_report(
        y, proba, groups=rng.choice(["u", "v"], 300), sample_weight=weight, n_resamples=19
    )
    assert report.groups.target == "confidence"
    assert report.groups.n.sum() == np.count_nonzero(weight)


def test_wrong_groups_are_refused():
    with pytest.raises(ValueError, match="y_true and groups must have the same number of rows"):
        calibration_report(Y, P, groups=GROUPS["sex"][1:], n_resamples=19)


def test_a_table_of_groups_with_its_own_options():
    table = calibration_by_group(Y, P, GROUPS, max_interaction=2, n_resamples=199, random_state=3)
    report = calibration_report(Y, P, groups=table, n_resamples=19)
    assert report.groups is table
    assert report.verdict.endswith(table.verdict)
    assert any("&" in label for label in report.to_dict()["groups"]["label"])


def test_a_table_of_other_rows_is_refused():
    table = calibration_by_group(Y[1:], P[1:], {"sex": GROUPS["sex"][1:]}, n_resamples=19)
    with pytest.raises(ValueError, match=f"table of {Y.size - 1} rows, and the report has"):
        calibration_report(Y, P, groups=table, n_resamples=19)
