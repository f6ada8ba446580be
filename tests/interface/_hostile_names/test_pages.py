"""No element and no attribute of a page comes from a name, whatever the names are."""

import html.parser
import os

import numpy as np
import pandas as pd
import pytest

from sklearn_calib import calibration_report
from sklearn_calib._cli.parser import main
from sklearn_calib._utils.results import Result
from sklearn_calib.inference import calibration_by_group, compare_calibration
from sklearn_calib.report._page import figures
from tests.interface._hostile_names._names import HALF, UNSEEN, all_in_one
from tests.report._checker import check_page

N = 120
RNG = np.random.default_rng(0)
P = RNG.random(N)
Y = (RNG.random(N) < P).astype(int)
X = RNG.normal(size=(N, 2))
FEW = {"n_resamples": 19, "max_local_samples": 100}


class Skeleton(html.parser.HTMLParser):
    """Collect elements with their attributes, and the text; descriptions of pictures are text."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = [(name, value.split(",")[0]) for name, value in attrs if name != "alt"]
        self.elements.append((tag, *attributes))
        self.text += " ".join(value for name, value in attrs if name == "alt")

    def handle_data(self, data):
        self.text += data


def test_the_skeleton_sees_what_a_name_adds():
    plain = Skeleton("<p>name</p>")
    for name in ("<b>x</b>", "<img src=x onerror=y>"):
        assert Skeleton(f"<p>{name}</p>").elements != plain.elements
    for attribute in ('onerror="y"', 'src="javascript:x"'):
        assert Skeleton(f'<img alt="" {attribute}>').elements != Skeleton('<img alt="">').elements


def _with_features(name):
    groups = pd.DataFrame({name(2): np.resize([name(3), name(4)], N)})
    return calibration_report(
        Y, P, X, feature_names=[name(0), name(1)], groups=groups, title=name(5) + HALF, **FEW
    )


def _with_classes(name):
    labels = [name(0) + HALF, name(1), name(2)]
    proba = np.random.default_rng(1).dirichlet(np.ones(3), N)
    y = np.array(labels, dtype=object)[np.resize([0, 1, 2], N)]
    return calibration_report(y, proba, X, labels=labels, title=name(3), **FEW)


def _of_models(name):
    models = {name(0): P, name(1): P**2}
    return calibration_report(Y, models, title=name(2), **FEW)


REPORTS = {"features": _with_features, "classes": _with_classes, "models": _of_models}


@pytest.mark.parametrize("report", REPORTS)
def test_no_element_of_a_report_comes_from_a_name(report, tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "_png", lambda *_: b"picture")  # drawn in another test
    hostile = REPORTS[report](all_in_one)
    plain = REPORTS[report]("{} name".format)
    hostile.to_html(tmp_path / "a.html")
    pages = [(tmp_path / "a.html").read_text(encoding="utf-8"), hostile._repr_html_()]
    for page, expected in zip(pages, [plain.to_html(), plain._repr_html_()]):
        found, expected = Skeleton(page), Skeleton(expected)
        assert found.elements == expected.elements
        assert not set(found.text) & set(UNSEEN)
        assert "<script>alert(1)</script> </th><td onclick=x>" in found.text
        assert "\\x1b[31m\\x07" in found.text
    check_page(pages[0])
    text = str(hostile)
    assert "\\x1b[31m\\x07" in text
    assert text.splitlines() == text.split("\n")[:-1]
    for one in (text, hostile.verdict, hostile.advice, repr(hostile)):
        assert not set(one) & set(UNSEEN)


def test_sentences_about_results_show_what_would_not_be_seen_in_a_terminal():
    name = "\x1b[2J\x00red\u202e\u2028\ud800"
    seen = r"\x1b[2J\x00red\u202e \ud800"  # a line separator is a space
    first = np.arange(N) < N // 2
    groups = {name: np.where(first, name, "other")}
    by_group = calibration_by_group(np.where(first, 1, Y), P, groups=groups, n_resamples=19)
    compared = compare_calibration(Y, {name: P, "other": P**3}, n_resamples=19, random_state=0)
    report = calibration_report(np.where(first, 1, Y), P, groups=by_group, n_resamples=19)
    texts = [by_group.verdict, by_group.describe(0), compared.verdict, str(compared)]
    for text in [*texts, report.verdict, report.advice]:
        assert seen in text
        assert not set(text) & set(name) - set(seen)
    for text in map(repr, (by_group, compared)):
        assert not set(text) & set(name) - set(seen)


def test_names_of_files_and_columns_in_a_report_by_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    name = all_in_one(0).replace("w" * 3000, "").replace("/", "|")[:200]
    label, proba = all_in_one(1), all_in_one(2)
    pd.DataFrame({label: Y, proba: P}).to_csv(f"{name}.csv", index=False)
    command = ["report", f"{name}.csv", "--y-true", label, "--y-proba", proba]
    command += ["--n-resamples", "19", "--out", f"{name}.html"]
    for more in ([], ["--chunk-rows", "50"]):
        assert main([*command, *more]) == 0
        out = capsys.readouterr().out
        assert not set(out) & set(UNSEEN)
        with open(f"{name}.html", encoding="utf-8") as file:
            page = file.read()
        check_page(page)
        found = Skeleton(page)
        assert not set(found.text) & set(UNSEEN)
        assert "<script>alert(1)<|script> <|th><td onclick=x>" in found.text
    with pytest.raises(SystemExit):
        main([*command[:3], all_in_one(3), *command[4:]])
    assert not set(capsys.readouterr().err) & set(UNSEEN)
    assert sorted(os.listdir()) == sorted([f"{name}.csv", f"{name}.html"])


def _all_results(base=Result):
    for one in base.__subclasses__():
        yield one
        yield from _all_results(one)


def test_results_show_names_in_the_one_way_that_is_harmless():
    hostile = all_in_one(0) + HALF

    class Named(Result):
        _summary = ("name", "names", "number")
        name, names, number = hostile, (hostile, hostile), 1

    page = Named()._repr_html_()
    found = Skeleton(page)
    assert [tag for tag, *_ in found.elements].count("td") == 3
    assert {tag for tag, *_ in found.elements} == {"table", "caption", "tbody", "tr", "th", "td"}
    assert all(attributes in ([], [("scope", "row")]) for _, *attributes in found.elements)
    assert not set(found.text) & set(UNSEEN)
    own = [one for one in _all_results() if one._repr_html_ is not Result._repr_html_]
    assert {one.__name__ for one in own} == {
        "Page",
        "BatchesReport",
        "CalibrationReport",
        "ModelsReport",
    }
