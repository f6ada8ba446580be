"""Tables of predictions: what is read, and which line of a bad file is named."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from sklearn_calib._cli.source_file import SourceFile
from sklearn_calib.metrics import ece
from tests._cli._command import ARGUMENTS, FEW, run


def test_labels_are_read_as_they_stand_in_the_file(table, capsys):
    for positive, negative in (("yes", "no"), ("NA", "None"), (2, 1), (True, False), ("1.5e", "b")):
        frame = table.assign(outcome=np.where(table["outcome"] == 1, str(positive), str(negative)))
        frame.to_csv("t.csv", index=False)
        code, out, err = run(capsys, *ARGUMENTS, *FEW, "--json", "--pos-label", positive)
        assert code == 0, err
        content = json.loads(out)
        assert content["classes"] == [negative, positive]
        assert content["metrics"][0]["value"] == ece(table["outcome"], table["p"])


def test_compressed_csv(table, capsys):
    Path("t.csv.gz").write_bytes(gzip.compress(Path("t.csv").read_bytes()))
    code, *_ = run(capsys, "report", "t.csv.gz", *ARGUMENTS[2:], *FEW)
    assert code == 0


def test_a_column_may_have_two_roles(table, capsys):
    code, _, err = run(capsys, *ARGUMENTS, "--features", "p", "--sample-weight", "p", *FEW)
    assert code == 0, err


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
    "infinity": (
        HEADER + GOOD + "1,0.5,inf,1\n",
        "t.csv: line 5, column 'age' is infinite; a finite",
    ),
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
    "cut off": (HEADER + GOOD + "1,0.5\n", "t.csv: line 5 has 2 cells, but the header has 4; the"),
    "a short row": (HEADER + "1,0.5,1\n" + GOOD, "t.csv: line 2 has 3 cells, but the header has 4"),
    "cut off behind what is read": (
        "outcome,p,age,w,note\n0,0.2,1,1,a\n1,0.7,2,1,\n0,0.4,3,1\n",
        "line 4 has 4 cells, but the header has 5; the row is damaged, or the file is cut off",
    ),
    "separators of thousands": (
        HEADER + "".join(f'{k % 2},0.5,"{k + 1},0{k + 10}",1\n' for k in range(12)),
        "t.csv: line 2, column 'age' is '1,010'; write numbers without separators of thousands",
    ),
    "thousands with a decimal comma": (
        "outcome;p;age;w\n" + "".join(f"{k % 2};0,5;{k + 1}.0{k + 10},5;1\n" for k in range(12)),
        "t.csv: line 2, column 'age' is '1.010,5'; write numbers without separators of thousands",
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
    assert "to compare models give --y-proba once for each" in err


def test_rows_may_end_before_columns_that_are_not_read(table, capsys):
    """As Excel writes them, which leaves out separators behind the last cell that is filled."""
    rows = [f"{k % 2},0.{k + 2},{k},1" + (",seen" if k in (0, 7) else "") for k in range(8)]
    Path("t.csv").write_text("\n".join(["outcome,p,age,w,note", *rows]), encoding="utf-8")
    code, _, err = run(capsys, *ARGUMENTS, "--features", "age", *FEW)
    assert code == 0, err


@pytest.mark.parametrize("chunks", [[], ["--chunk-rows", "2"]])
def test_a_cut_off_row_is_named_in_chunks_as_well(chunks, table, capsys):
    text = "outcome,p,note\n" + "".join(f"{k % 2},0.{k + 2},a\n" for k in range(7))
    Path("t.csv").write_text(text + "1,0.3", encoding="utf-8")
    code, _, err = run(capsys, *ARGUMENTS, *FEW, *chunks)
    assert code == 2
    assert "t.csv: line 9 has 2 cells, but the header has 3" in err


def test_numbers_are_the_nearest_doubles(table, capsys):
    """Seventeen digits as Python reads them; a quick reader would be off in the last one."""
    digits = [repr(value) for value in np.random.default_rng(0).random(500).tolist()]
    lines = ["outcome,p", *(f"{k % 2},{text}" for k, text in enumerate(digits))]
    Path("t.csv").write_text("\n".join(lines), encoding="utf-8")
    frame = SourceFile("t.csv").read(["outcome", "p"], ["p"])
    assert frame["p"].tolist() == [float(text) for text in digits]
