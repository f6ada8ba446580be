"""The command line does what it says."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

import sklearn_calib
from sklearn_calib import calibration_report
from sklearn_calib._cli import demo
from sklearn_calib._cli.parser import main
from sklearn_calib._cli.progress import Progress
from sklearn_calib.datasets import make_calibration_data
from sklearn_calib.metrics import ece


@pytest.fixture
def few_methods(monkeypatch):
    monkeypatch.setattr(demo, "METHODS", ["platt", "isotonic"])


def test_compare_scores_before_and_after_on_the_same_folds(few_methods, capsys):
    X, y = load_breast_cancer(return_X_y=True)
    progress = Progress(total=2)
    table, curves, chosen = demo.compare("Cancer", X, y, progress)
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


def test_the_picture_shows_the_bins(tmp_path, monkeypatch):
    figures = []
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda fig, path: figures.append(fig))
    bins = demo.calibration_bins([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3], n_bins=4)
    other = demo.calibration_bins([0, 1, 1, 0], [0.2, 0.9, 0.6, 0.3], n_bins=4)
    curves = {"Digits": {"before": bins, "after": other}}
    demo.draw_reliability(curves, tmp_path / "a.png")
    (ax,) = figures[0].axes
    drawn = {line.get_label(): line.get_xydata() for line in ax.lines}
    for when, table in curves["Digits"].items():
        expected = np.column_stack([table.prob_pred, table.prob_true])[table.count > 0]
        np.testing.assert_array_equal(drawn[when], expected)
    assert ax.get_ylabel() == "Accuracy"
    assert ax.get_title() == "Digits, Gaussian naive Bayes"


def test_demo_writes_its_files_and_prints_their_paths(tmp_path, monkeypatch, capsys):
    bins = demo.calibration_bins([0, 1], [0.2, 0.7], n_bins=2)
    table = pd.DataFrame({"accuracy": {"before": 0.25, "after": 0.5}})
    monkeypatch.setattr(
        demo, "compare", lambda *args: (table, {"before": bins, "after": bins}, "platt 5x")
    )
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
    assert re.search(r"Found: too high by 0\.\d\d on average where x > -?0\.\d+\n", out)


def test_bad_arguments_end_with_code_2(tmp_path, capsys):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as stop:
        main(["demo", "--out", str(tmp_path / "file" / "sub")])
    assert stop.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("sklearn-calib demo: error: argument --out: cannot make the folder")
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 2


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == "sklearn_calib 0.1.0\n"


def test_progress_in_a_terminal_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress = Progress(total=1)
    progress.step("work")
    progress.clear()
    err = capsys.readouterr().err
    assert "\n" not in err
    assert err.startswith("\r[1/1, 0 s] work ...")


def test_version_is_the_one_of_the_metadata():
    import tomllib

    metadata = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    assert metadata["project"]["version"] == sklearn_calib.__version__


def test_the_scores_of_the_demo_are_those_of_the_metrics():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = GaussianNB().fit(X[::2], y[::2])
    score = demo.SCORING["ECE"](fitted, X[1::2], y[1::2])
    assert score == -ece(y[1::2], fitted.predict_proba(X[1::2]))


# The report command.


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Return a table of predictions, and work in a folder that holds it."""
    monkeypatch.chdir(tmp_path)
    X, y, p = make_calibration_data(n=200, seed=1)
    frame = pd.DataFrame({"outcome": y.astype(int), "p": p, "age": X[:, 0], "w": 1.0})
    frame.to_csv("t.csv", index=False)
    return frame


ARGUMENTS = ["report", "t.csv", "--y-true", "outcome", "--y-proba", "p"]
FEW = ["--n-resamples", "19"]


def run(capsys, *arguments):
    """Run the command and return (code, standard output, standard error)."""
    try:
        code = main([*map(str, arguments)])
    except SystemExit as stop:
        code = stop.code
    return code, *capsys.readouterr()


def test_report(table, capsys):
    code, out, err = run(
        capsys, *ARGUMENTS, "--features", "age", *FEW, "--sample-weight", "w", "--out", "r.html"
    )
    assert code == 0
    assert out.splitlines()[0] == "Calibration of t.csv"
    assert out.splitlines()[-1] == f"Report: {Path('r.html').resolve()}"
    assert "age" in Path("r.html").read_text(encoding="utf-8")
    steps = [line.split("] ")[1] for line in err.splitlines()]
    assert steps[0] == "reading t.csv ..."
    assert "19 of 19 sets of labels ..." in steps
    assert steps[-1] == "writing the report ..."


def test_report_as_json_is_the_function(table, capsys):
    options = ["--n-bins", "7", "--alpha", "0.1", "--random-state", "3"]
    code, out, _ = run(capsys, *ARGUMENTS, *FEW, *options, "--features", "age", "--json")
    assert code == 0
    assert Path("report.html").exists()
    expected = calibration_report(
        table["outcome"],
        table["p"],
        table[["age"]],
        n_bins=7,
        alpha=0.1,
        n_resamples=19,
        random_state=3,
        title="Calibration of t.csv",
    ).to_dict()
    assert json.loads(out) == json.loads(json.dumps(expected))


def test_labels_are_read_as_they_stand_in_the_file(table, capsys):
    for positive, negative in (("yes", "no"), ("NA", "None"), (2, 1), (True, False), ("1.5e", "b")):
        frame = table.assign(outcome=np.where(table["outcome"] == 1, str(positive), str(negative)))
        frame.to_csv("t.csv", index=False)
        code, out, err = run(capsys, *ARGUMENTS, *FEW, "--json", "--pos-label", positive)
        assert code == 0, err
        content = json.loads(out)
        assert content["classes"] == [negative, positive]
        assert content["metrics"][0]["value"] == ece(table["outcome"], table["p"])


def test_several_columns_and_given_labels(table, capsys):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), 50)
    frame = pd.DataFrame(proba, columns=["a", "b", "c"]).assign(y=rng.integers(1, 3, 50))
    frame.to_csv("t.tsv", index=False, sep="\t")
    start = ["report", "t.tsv", "--y-true", "y", "--y-proba", "a", "b", "c", *FEW]
    code, _, err = run(capsys, *start)
    assert code == 2
    assert "but --y-proba has 3 columns. Pass --labels, the sorted list of the 3 classes" in err
    code, out, _ = run(capsys, *start, "--labels", "1", "2", "3", "--json")
    assert code == 0
    assert json.loads(out)["classes"] == [1, 2, 3]
    shuffled = ["report", "t.tsv", "--y-true", "y", "--y-proba", "c", "a", "b", *FEW]
    code, out, _ = run(capsys, *shuffled, "--labels", "1", "2", "3", "--json")
    value = ece(frame["y"], proba[:, [2, 0, 1]], labels=[1, 2, 3])
    assert json.loads(out)["metrics"][0]["value"] == value


def test_compressed_csv(table, capsys):
    Path("t.csv.gz").write_bytes(gzip.compress(Path("t.csv").read_bytes()))
    code, *_ = run(capsys, "report", "t.csv.gz", *ARGUMENTS[2:], *FEW)
    assert code == 0


def test_a_column_may_have_two_roles(table, capsys):
    code, _, err = run(capsys, *ARGUMENTS, "--features", "p", "--sample-weight", "p", *FEW)
    assert code == 0, err


def test_a_folder_to_write_to_is_refused_before_anything_is_read(table, capsys):
    _, _, err = run(capsys, *ARGUMENTS, "--out", ".")
    assert len(err.splitlines()) == 1


def test_parquet(table, capsys):
    try:
        table.to_parquet("t.parquet")
    except ImportError:
        Path("t.parquet").write_bytes(b"PAR1")
        expected = (2, "reading Parquet needs the package pyarrow (python -m pip install pyarrow)")
    else:
        expected = (0, "")
    code, _, err = run(capsys, "report", "t.parquet", *ARGUMENTS[2:], *FEW)
    assert code == expected[0]
    assert expected[1] in err


HEADER = "outcome,p,age,w\n"
GOOD = "0,0.2,1,1\n1,0.7,2,1\n0,0.4,3,1\n"
BAD_FILES = {
    "missing label": (HEADER + GOOD + ",0.5,1,1\n", "t.csv: line 5, column 'outcome' is empty"),
    "missing probability": (HEADER + GOOD + "1,,1,1\n", "t.csv: line 5, column 'p' is empty"),
    "nan": (HEADER + "1,NaN,1,1\n" + GOOD, "t.csv: line 2, column 'p' is empty"),
    "text": (
        HEADER + GOOD + "1,much,1,1\n",
        "t.csv: line 5, column 'p' is 'much'; a finite number",
    ),
    "infinity": (HEADER + GOOD + "1,0.5,inf,1\n", "t.csv: line 5, column 'age' is inf; a finite"),
    "text feature": (HEADER + "1,0.5,old,1\n" + GOOD, "t.csv: line 2, column 'age' is 'old'"),
    "not a probability": (
        HEADER + GOOD + "1,1.5,1,1\n",
        "t.csv: line 5, column 'p' is 1.5, which is",
    ),
    "negative": (HEADER + "1,-0.5,1,1\n" + GOOD, "t.csv: line 2, column 'p' is -0.5"),
    "weight": (HEADER + GOOD + "1,0.5,1,-2\n", "t.csv: line 5, column 'w' is -2, but weights"),
    "no column": (
        "outcome,q,age,w\n1,0.5,1,1\n",
        "t.csv: no column 'p'; the columns are 'outc",
    ),
    "no rows": (HEADER, "t.csv: no rows below the header"),
    "empty": ("", "t.csv: not a readable table: No columns to parse from file"),
    "ragged": (HEADER + GOOD + "1,0.5,1,1,9,9\n", "t.csv: not a readable table: "),
    "ragged everywhere": (HEADER + "1,0.5,1,1,9\n0,0.5,1,1,9\n", "t.csv: not a readable table: "),
    "three labels": (
        HEADER + GOOD + "2,0.5,1,1\n",
        "--y-true holds 3 distinct labels [0, 1, 2] but --y-proba",
    ),
    "text labels": (
        HEADER + "a,0.5,1,1\nb,0.5,1,1\n",
        "--y-true holds ['a', 'b'], which does not tell the positive class: without --pos-label or "
        "--labels the labels must lie in {0, 1}, {-1, 1} or {False, True}. Pass --pos-label or "
        "--labels.",
    ),
    "one row": (HEADER + "1,0.5,1,1\n", "t.csv: one row below the header; a report needs at least"),
    "weights": (HEADER + "1,0.5,1,1\n0,0.5,1,0\n", "t.csv: column 'w' has fewer than two weights"),
    "blank lines": (
        "\n" + HEADER + "1,0.4,1,1\n\n \n0,2.3,1,1\n",
        "t.csv: line 6, column 'p' is 2.3",
    ),
    "lines in cells": (
        'outcome,p,age,w,"a\nb"\n1,0.4,1,1,"c\nd"\n0,2.3,1,1,e\n',
        "t.csv: line 5, column 'p' is 2.3",
    ),
    "twice": ("outcome,p,p,age,w\n1,0.1,0.9,1,1\n", "t.csv: 2 columns are called 'p'; rename"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_end_with_one_line_and_code_2(case, table, capsys):
    text, message = BAD_FILES[case]
    Path("t.csv").write_text(text, encoding="utf-8")
    options = ["--features", "age", "--sample-weight", "w", *FEW]
    code, out, err = run(capsys, *ARGUMENTS, *options)
    assert code == 2
    assert out == ""
    *progress, line = err.splitlines()
    assert all(step.startswith("[") for step in progress)
    assert line.startswith("sklearn-calib report: error: ")
    assert message in line
    assert not Path("report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "no.csv", *ARGUMENTS[2:]], "no.csv: no such file"),
        (["report", ".", *ARGUMENTS[2:]], ".: is a folder"),
        ([*ARGUMENTS, "--out", "no/r.html"], "--out: no folder"),
        ([*ARGUMENTS, "--out", "."], "--out: . is a folder; name a file in it"),
        ([*ARGUMENTS, "--random-state", "-3"], "--random-state must not be negative, got -3"),
        (["report", "t.xlsx", *ARGUMENTS[2:]], "t.xlsx: unknown file type '.xlsx'; known are .csv"),
        ([*ARGUMENTS, "--features", "age", "age"], "--features: column 'age' is named twice"),
        ([*ARGUMENTS, "--pos-label", "x"], "--pos-label x: no such label; the labels are 0, 1"),
        ([*ARGUMENTS, "--pos-label", "7"], "--pos-label 7 is not one of the labels"),
        ([*ARGUMENTS, "--labels", "1", "0"], "must be distinct and in sorted order"),
        ([*ARGUMENTS, "--n-resamples", "0"], "--n-resamples must be a whole number"),
        ([*ARGUMENTS, "--alpha", "2"], "error: --alpha must be"),
        ([*ARGUMENTS, "--n-resamples", "5"], "--n-resamples 5 is too small for --alpha 0.05: no p"),
        (["report", "t.csv", "--y-true", "outcome"], "required: --y-proba (--help explains)"),
        ([], "required: command (--help explains)"),
    ],
)
def test_bad_arguments_end_with_one_line_and_code_2(arguments, message, table, capsys):
    Path("t.xlsx").touch()
    code, out, err = run(capsys, *arguments, *(FEW if "--n-resamples" not in arguments else []))
    if not arguments or "--y-proba" not in arguments:
        code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert message in err.splitlines()[-1]


def test_undecodable_file(table, capsys):
    Path("t.csv").write_bytes(b"outcome,p\n1,0.5\n\xff\xfe,0.3\n")
    code, _, err = run(capsys, *ARGUMENTS)
    assert code == 2
    assert "t.csv: line 3 is not UTF-8 text; save the file as UTF-8" in err
    Path("t.csv.gz").write_bytes(gzip.compress(Path("t.csv").read_bytes()))
    assert "t.csv.gz: line 3 is not" in run(capsys, "report", "t.csv.gz", *ARGUMENTS[2:])[2]


def test_rows_that_do_not_sum_to_one(table, capsys):
    Path("t.csv").write_text("outcome,a,b\n0,0.5,0.5\n1,0.5,0.4\n", encoding="utf-8")
    code, _, err = run(
        capsys, "report", "t.csv", "--y-true", "outcome", "--y-proba", "a", "b", *FEW
    )
    assert code == 2
    assert "line 3, columns 'a', 'b' sum to 0.9" in err.splitlines()[-1]


def test_help_shows_an_example(capsys):
    for command in ("report", "demo"):
        code, out, _ = run(capsys, command, "--help")
        assert code == 0
        assert f"example: sklearn-calib {command}" in " ".join(out.split())


def test_the_installed_command_is_this_module():
    import tomllib

    metadata = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    assert metadata["project"]["scripts"] == {"sklearn-calib": "sklearn_calib.__main__:main"}
    result = subprocess.run(
        [sys.executable, "-W", "error", "-m", "sklearn_calib", "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    assert result.stdout == f"sklearn_calib {sklearn_calib.__version__}\n"
