"""The command line does what it says."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from sklearn_calib import __main__ as command_line
from sklearn_calib.metrics import ece


@pytest.fixture
def few_methods(monkeypatch):
    monkeypatch.setattr(command_line, "METHODS", ["platt", "isotonic"])


def test_compare_scores_before_and_after_on_the_same_folds(few_methods, capsys):
    X, y = load_breast_cancer(return_X_y=True)
    progress = command_line.Progress(total=2)
    table, curves, chosen = command_line.compare("Cancer", X, y, progress)
    assert list(table.index) == ["before", "after"]
    assert list(table.columns) == ["accuracy", "log loss", "Brier", "ECE", "SKCE", "MMCE"]
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    log_loss = -cross_val_score(GaussianNB(), X, y, cv=folds, scoring="neg_log_loss").mean()
    np.testing.assert_allclose(table.loc["before", "log loss"], log_loss, rtol=1e-12)
    assert table.loc["after", "log loss"] < 0.5 * table.loc["before", "log loss"]
    assert table.loc["after", "MMCE"] < table.loc["before", "MMCE"]
    assert curves["before"].count.sum() == curves["after"].count.sum() == y.size
    assert sum(int(part.split()[1].rstrip("x")) for part in chosen.split(", ")) == 5
    steps = capsys.readouterr().err.splitlines()
    assert [line.split("] ")[1] for line in steps] == [
        "Cancer, before calibration: cross-validation ...",
        "Cancer, after calibration: cross-validation ...",
    ]


def test_the_picture_shows_the_bins(tmp_path, few_methods, monkeypatch):
    figures = []
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda fig, path: figures.append(fig))
    bins = command_line.calibration_bins([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3], n_bins=4)
    command_line.draw_reliability({"Digits": {"before": bins, "after": bins}}, tmp_path / "a.png")
    (ax,) = figures[0].axes
    drawn = {line.get_label(): line.get_xydata() for line in ax.lines}
    expected = np.column_stack([bins.prob_pred, bins.prob_true])[bins.count > 0]
    for when in ("before", "after"):
        np.testing.assert_array_equal(drawn[when], expected)
    assert ax.get_xlabel() == "mean confidence"


def test_demo_writes_the_picture_and_prints_its_path(tmp_path, monkeypatch, capsys):
    bins = command_line.calibration_bins([0, 1], [0.2, 0.7], n_bins=2)
    table = command_line.pd.DataFrame({"accuracy": {"before": 0.25, "after": 0.5}})
    monkeypatch.setattr(
        command_line, "compare", lambda *args: (table, {"before": bins, "after": bins}, "platt 5x")
    )
    assert command_line.main(["demo", "--out", str(tmp_path / "new" / "folder")]) == 0
    path = tmp_path / "new" / "folder" / "reliability.png"
    assert path.read_bytes().startswith(b"\x89PNG")
    out = capsys.readouterr().out
    assert str(path) in out
    assert "Digits: Gaussian naive Bayes, 1797 rows, 10 classes" in out
    assert "0.2500" in out


def test_bad_arguments_end_with_code_2(tmp_path, capsys):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as stop:
        command_line.main(["demo", "--out", str(tmp_path / "file" / "sub")])
    assert stop.value.code == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert "argument --out: cannot make the folder" in last
    with pytest.raises(SystemExit) as stop:
        command_line.main([])
    assert stop.value.code == 2


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        command_line.main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == "sklearn_calib 0.1.0\n"


def test_progress_in_a_terminal_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress = command_line.Progress(total=1)
    progress.step("work")
    progress.clear()
    err = capsys.readouterr().err
    assert "\n" not in err
    assert err.startswith("\r[1/1, 0 s] work ...")


def test_version_is_the_one_of_the_metadata():
    import tomllib
    from pathlib import Path

    metadata = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    assert metadata["project"]["version"] == command_line.__version__


def test_the_scores_of_the_demo_are_those_of_the_metrics():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = GaussianNB().fit(X[::2], y[::2])
    score = command_line.SCORING["ECE"](fitted, X[1::2], y[1::2])
    assert score == -ece(y[1::2], fitted.predict_proba(X[1::2]))
