"""Columns of the file that define groups of rows: text, numbers and empty cells."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_calib import calibration_report
from tests._cli._command import ARGUMENTS, FEW, run

pytestmark = pytest.mark.usefixtures("without_drawing")


@pytest.fixture
def mixed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame({"p": rng.uniform(0.1, 0.9, n)})
    frame["sex"] = rng.choice(["f", "m"], n)
    frame["lab"] = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(2))
    frame["site"] = rng.integers(1, 4, n)
    frame["note"] = np.where(rng.random(n) < 0.5, "seen", None)
    frame["empty"] = np.nan
    truth = np.where(frame["sex"] == "f", frame["p"] - 0.09, frame["p"])
    frame["outcome"] = (rng.random(n) < truth).astype(int)
    frame.to_csv("t.csv", index=False)
    return frame


@pytest.mark.parametrize("file", ["t.csv", "t.parquet"])
def test_groups_of_every_kind(mixed, capsys, file):
    columns = ["sex", "lab", "site", "note", "empty"]
    if file == "t.parquet":
        pytest.importorskip("pyarrow")
        mixed.to_parquet(file)
    arguments = [ARGUMENTS[0], file, *ARGUMENTS[2:]]
    code, out, err = run(capsys, *arguments, *FEW, "--groups", *columns, "--json")
    assert code == 0, err
    content = json.loads(out)["groups"]
    expected = calibration_report(
        mixed["outcome"], mixed["p"], groups=mixed[columns], n_resamples=19, random_state=0
    ).groups
    assert content["label"] == expected.label.tolist()
    assert content["pvalue"] == expected.pvalue.tolist()
    assert "lab = missing" in content["label"]
    assert "note = missing" in content["label"]
    assert "empty = missing" in content["label"]
    assert "site = 2" in content["label"]


def test_text_output_names_the_groups(mixed, capsys):
    code, out, _ = run(capsys, *ARGUMENTS, *FEW, "--groups", "sex", "site")
    assert code == 0
    assert "For whom the predictions are wrong" in out
    assert "sex = f" in out


def test_combinations_of_columns(mixed, capsys):
    options = ["--groups", "sex", "site", "note", "--max-interaction", "2", "--json"]
    code, out, err = run(capsys, *ARGUMENTS, *FEW, *options)
    assert code == 0, err
    labels = json.loads(out)["groups"]["label"]
    assert "sex = f & site = 3" in labels
    assert "site = 1 & note = missing" in labels
    assert max(label.count("&") for label in labels) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-interaction", "2"], "--max-interaction combines the columns of --groups"),
        (["--groups", "sex", "--max-interaction", "0"], "--max-interaction must be a whole number"),
        (["--groups", "sex", "--max-interaction", "x"], "argument --max-interaction: invalid"),
    ],
    ids=str,
)
def test_wrong_combinations(mixed, capsys, options, message):
    code, _, err = run(capsys, *ARGUMENTS, *FEW, *options)
    assert code == 2
    assert message in err
    assert err.count("\n") <= 2


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["size"], "t.csv: no column 'size'"),
        (["sex", "sex"], "--groups: column 'sex' is named twice"),
        (["p", "id"], "no column 'id'"),
    ],
    ids=str,
)
def test_wrong_columns(mixed, capsys, columns, message):
    code, _, err = run(capsys, *ARGUMENTS, *FEW, "--groups", *columns)
    assert code == 2
    assert message in err
    assert err.count("\n") <= 2


def test_codes_with_leading_zeros_stay_apart_and_other_numbers_are_numbers(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    rows = [f"1,0.8,0123,{k}\n0,0.3,123,{k}\n1,0.6,0124,0\n0,0.2,,\n" for k in range(30)]
    Path("t.csv").write_text("outcome,p,site,age\n" + "".join(rows), encoding="utf-8")
    code, out, err = run(capsys, *ARGUMENTS, *FEW, "--groups", "site", "age", "--json")
    assert code == 0, err
    labels = json.loads(out)["groups"]["label"]
    sites = {label for label in labels if label.startswith("site")}
    assert sites == {"site = 0123", "site = 123", "site = 0124", "site = missing"}
    assert 3 < len(labels) - len(sites) < 8  # quantiles of age, and where it is missing
