"""The report command."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_calib import calibration_report
from sklearn_calib.metrics import ece
from tests._cli._command import ARGUMENTS, FEW, run

pytestmark = pytest.mark.usefixtures("without_drawing")


def test_report(table, capsys):
    code, out, err = run(
        capsys, *ARGUMENTS, "--features", "age", *FEW, "--sample-weight", "w", "--out", "r.html"
    )
    assert code == 0
    assert out.splitlines()[0] == "Calibration of t.csv"
    assert out.splitlines()[-1] == f"Report: {Path('r.html').resolve()}"
    assert "age" in Path("r.html").read_text(encoding="utf-8")
    steps = [line.split("] ")[1] for line in err.splitlines()]
    assert steps[0] == "reading t.csv"
    assert "19 of 19 draws" in steps
    assert steps[-1] == "writing the report"


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


def test_a_folder_to_write_to_is_refused_before_anything_is_read(table, capsys):
    _, _, err = run(capsys, *ARGUMENTS, "--out", ".")
    assert len(err.splitlines()) == 1
