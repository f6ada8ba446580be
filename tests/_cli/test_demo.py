"""The demo command."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from sklearn_calib._cli import demo
from sklearn_calib._cli.parser import main
from sklearn_calib._utils.progress import reporter
from sklearn_calib.metrics import calibration_bins, ece


def test_compare_scores_before_and_after_on_the_same_folds(capsys):
    X, y = load_breast_cancer(return_X_y=True)
    table, held_out = demo.compare("Cancer", X, y, reporter("", True))
    assert list(table.index) == ["before", "after"]
    assert list(table.columns) == ["accuracy", "log loss", "Brier", "ECE", "SKCE", "MMCE"]
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    log_loss = -cross_val_score(GaussianNB(), X, y, cv=folds, scoring="neg_log_loss").mean()
    np.testing.assert_allclose(table.loc["before", "log loss"], log_loss, rtol=1e-12)
    assert table.loc["after", "log loss"] < 0.5 * table.loc["before", "log loss"]
    assert table.loc["after", "MMCE"] < table.loc["before", "MMCE"]
    for labels, proba in held_out.values():
        np.testing.assert_array_equal(labels, y)
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    last = list(folds.split(X, y))[-1]
    model = GaussianNB().fit(X[last[0]], y[last[0]])
    np.testing.assert_array_equal(held_out["before"][1][last[1]], model.predict_proba(X[last[1]]))
    steps = capsys.readouterr().err.splitlines()
    assert [line.split("] ")[1] for line in steps] == [
        "Cancer, before calibration: cross-validation",
        "Cancer, after calibration: cross-validation",
    ]


def test_the_picture_shows_the_bins(tmp_path, monkeypatch):
    figures = []
    monkeypatch.setattr(
        "matplotlib.figure.Figure.savefig", lambda fig, *_, **__: figures.append(fig)
    )
    rng = np.random.default_rng(0)
    y, proba = rng.integers(3, size=50), rng.dirichlet([1, 1, 1], 50)
    models = {"before": (y, proba), "after": (y, proba**2 / (proba**2).sum(axis=1)[:, None])}
    demo.draw_reliability({"Digits": models}, tmp_path / "a.png")
    (ax,) = figures[0].axes
    drawn = {line.get_label().split("\n")[0]: line.get_xydata() for line in ax.lines}
    for when, (labels, values) in models.items():
        table = calibration_bins(labels, values, n_bins=10)
        expected = np.column_stack([table.prob_pred, table.prob_true])[table.count > 0]
        np.testing.assert_array_equal(drawn[when], expected)
    assert ax.get_ylabel() == "Accuracy"
    assert ax.get_title() == "Digits, Gaussian naive Bayes"


def test_demo_writes_its_files_and_prints_their_paths(tmp_path, monkeypatch, capsys):
    rows = np.array([0, 1]), np.array([[0.8, 0.2], [0.3, 0.7]])
    table = pd.DataFrame({"accuracy": {"before": 0.25, "after": 0.5}})
    monkeypatch.setattr(demo, "compare", lambda *args: (table, {"before": rows, "after": rows}))
    folder = tmp_path / "new" / "folder"
    assert main(["demo", "--out", str(folder)]) == 0
    out = capsys.readouterr().out
    for name in ("reliability.png", "local_bias.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
        assert str(folder / name) in out
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert str(folder / "report.html") in out
    assert "Digits: Gaussian naive Bayes, 1797 rows, 10 classes" in out
    assert "0.2500" in out
    assert re.search(r"check_calibration\(y, p, X\): KLCE = 0\.00\d\d, p = 0\.001\n", out)
    # It may run again in the same folder.
    assert sorted(path.name for path in folder.iterdir()) == sorted(demo.FILES)
    assert demo.files_of_others(folder) == []
    assert re.search(r"Found: too high by 0\.\d\d on average where x > -?0\.\d+\.\n", out)


@pytest.mark.parametrize("name", demo.FILES)
@pytest.mark.parametrize("kind", ["file", "empty", "folder", "link", "dangling link"])
def test_the_demo_overwrites_nothing_of_the_user(name, kind, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sklearn_calib._cli.parser.run_demo", lambda folder: pytest.fail("it ran"))
    folder, mine = tmp_path / "folder", tmp_path / "mine"
    folder.mkdir()
    mine.write_text("mine")
    path = folder / name
    if kind == "folder":
        path.mkdir()
    elif "link" in kind:
        path.symlink_to(mine if kind == "link" else tmp_path / "nothing")
    else:
        path.write_text("mine" if kind == "file" else "")
    with pytest.raises(SystemExit) as stop:
        main(["demo", "--out", str(folder)])
    assert stop.value.code == 2
    assert f"{path} is there and not from this demo" in capsys.readouterr().err
    assert mine.read_text() == "mine"
    assert list(folder.iterdir()) == [path]


def test_other_files_in_the_folder_do_not_matter(tmp_path):
    (tmp_path / "thesis.html").write_text("mine")
    assert demo.files_of_others(tmp_path) == []


def test_the_scores_of_the_demo_are_those_of_the_metrics():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = GaussianNB().fit(X[::2], y[::2])
    score = demo.SCORING["ECE"](fitted, X[1::2], y[1::2])
    assert score == -ece(y[1::2], fitted.predict_proba(X[1::2]))
