"""The page of the report is valid, complete and harmless."""

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_calib import calibration_report
from tests.report._checker import Checker, check_page

NASTY = '<script>alert(1)</script> & "q"\n$x_1$ \u65e5\u672c \U0001f389' + "w" * 80


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<p>a<div>b</div></p>", "div inside text"),
        ("<p>a & b</p>", "unescaped text"),
        ("<ul><p>a</p></ul><li>b</li>", "li in None"),
        ("<p>a</b></p>", "stray </b>"),
        ('<img src="a">', "image without alt"),
        ('<p id="a" id="b"></p>', "repeated attribute"),
    ],
)
def test_the_checker_of_pages_sees_faults(page, fault):
    checker = Checker()
    checker.feed(page)
    assert any(fault in found for found in checker.faults)


def test_page(report, tmp_path):
    assert report.to_html(tmp_path / "a.html") is None
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page == report.to_html()
    checker = check_page(page)
    assert [tag for tag, _ in checker.seen].count("img") == len(report.displays) == 6
    text = "".join(checker.texts)
    assert report.verdict in text
    for row in report.metrics:
        assert f"{row.pvalue:.3g}" in text
    assert "age >" in text


def test_notebook_form(report):
    part = report._repr_html_()
    assert part.startswith("<style>")
    assert "<html" not in part
    checker = Checker()
    checker.feed(part)
    assert checker.faults == []
    assert checker.open == []


def test_pictures_leave_the_users_figures_alone(report):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    report.to_html()
    assert plt.get_fignums() == before


@pytest.mark.parametrize("n_classes", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_hostile_names_and_labels(n_classes):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(n_classes), 150)
    labels = sorted([NASTY, "b", "\u00e9\n<td>"][:n_classes])
    y = np.array(labels)[[rng.choice(n_classes, p=row**3 / (row**3).sum()) for row in proba]]
    X = pd.DataFrame(rng.normal(size=(150, 2)), columns=[NASTY, 'a"b\n<'])
    result = calibration_report(y, proba, X, labels=labels, title=NASTY, n_resamples=39)
    checker = check_page(result.to_html())
    assert " ".join(NASTY.split()) in "".join(checker.texts)
    assert "\n" not in result.title
    json.dumps(result.to_dict(), allow_nan=False)
    str(result)


@pytest.mark.usefixtures("without_drawing")
def test_two_hundred_classes():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.full(200, 0.05), 150)
    y = np.array([rng.choice(200, p=row) for row in proba])
    result = calibration_report(y, proba, rng.normal(size=150), labels=range(200), n_resamples=19)
    assert result.n_classes == 200
    check_page(result.to_html())


@pytest.mark.parametrize(
    ("y", "p", "X"),
    [
        ([0, 1, 1], [0.2, 0.5, 0.9], [1.0, 2.0, 3.0]),
        ([0, 1] * 20, [0.5] * 40, np.ones((40, 2))),
        ([0, 1, 0, 1], [0.0, 1.0, 0.0, 1.0], None),
        ([1] * 12, [0.7] * 12, None),
    ],
    ids=["three rows", "constant", "certain", "one class"],
)
def test_small_and_constant_data(y, p, X):
    result = calibration_report(y, p, X, n_resamples=19)
    check_page(result.to_html())
    # So little data may have no slope, and one class has no finite intercept.
    fitted = ["calibration_slope", "calibration_intercept"]
    assert np.isfinite(result.to_frame()["value"].drop(index=fitted)).all()
    json.dumps(result.to_dict(), allow_nan=False)
