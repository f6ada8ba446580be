"""The report command on files that are read in parts."""

import gzip
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._cli.batch_file import BatchFile
from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.report._batches.collect import Extent
from sklearn_calib.report._batches.result import report_rows
from sklearn_calib.report._batches.rows import BatchedRows
from tests._cli._command import FEW, run

pytestmark = pytest.mark.usefixtures("without_drawing")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _frame(n=300, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(4)
    hit = rng.random(n) < p**1.3
    return pd.DataFrame(
        {"note": "a,b", "y": np.where(hit, "yes", "no"), "p": p, "w": rng.integers(0, 3, n)}
    )


def _check(capsys, path, y, proba, *arguments, weight=None, rows=37):
    """Check that the numbers are those of a report of all rows as one batch; return the content."""
    command = ["report", path, *arguments, *FEW, "--json", "--chunk-rows", rows]
    code, out, err = run(capsys, *command)
    assert code == 0, err
    content = json.loads(out)
    predictions = check_predictions(y, proba, sample_weight=weight, labels=np.unique(y), decimals=3)
    own = np.ones(predictions.n_samples) if weight is None else predictions.weight
    extent = Extent(own.size, predictions.classes, own.sum(), own @ own, weight is not None)
    title = f"Calibration of {path}"
    rows = BatchedRows(lambda: iter([predictions]), extent)
    expected = report_rows(rows, n_resamples=19, title=title)
    expected = json.loads(json.dumps(expected.to_dict()))
    assert content.keys() == expected.keys()
    for kind in ("metrics", "scores"):
        for row, other in zip(content[kind], expected[kind], strict=True):
            for key, value in row.items():
                if isinstance(value, str):
                    assert value == other[key]
                else:
                    assert_allclose(value, other[key], rtol=1e-12, atol=1e-12)
    for key, values in content["reliability"].items():
        assert_allclose(values, expected["reliability"][key], rtol=1e-12, atol=1e-12)
    for key in content.keys() - {"metrics", "scores", "reliability"}:
        assert content[key] == expected[key]
    return content


BINARY = ["--y-true", "y", "--y-proba", "p", "--pos-label", "yes"]


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "comma.csv"])
@pytest.mark.parametrize("weights", [[], ["--sample-weight", "w"]])
def test_every_format(folder, capsys, name, weights):
    frame = _frame()
    if name == "t.parquet":
        frame.to_parquet(name)
    elif name == "comma.csv":
        frame.to_csv(name, index=False, sep=";", decimal=",")
    else:
        frame.to_csv(name, index=False, sep="\t" if "tsv" in name else ",")
    weight = frame["w"] if weights else None
    _check(capsys, name, frame["y"], frame["p"], *BINARY, *weights, weight=weight)


def test_labels_that_the_first_part_does_not_show(folder, capsys):
    frame = _frame().sort_values("y", kind="stable")
    frame.to_csv("t.csv", index=False)
    _check(capsys, "t.csv", frame["y"], frame["p"], *BINARY)
    # Whole numbers in the first parts, text in a later one: all of them are text.
    frame["y"] = np.where(frame["y"] == "yes", "1", "0")
    frame.loc[frame.index[-5:], "y"] = "x"
    columns = ["x", "1", "0"]
    frame[columns] = np.random.default_rng(1).dirichlet(np.ones(3), len(frame)).round(3)
    frame.to_csv("t.csv", index=False)
    content = _check(
        capsys, "t.csv", frame["y"], frame[["0", "1", "x"]], "--y-true", "y", "--y-proba", *columns
    )
    assert content["classes"] == ["0", "1", "x"]


def test_labels_that_are_numbers_of_two_kinds(folder, capsys):
    frame = _frame()
    hit = (frame["y"] == "yes").astype(float)
    text = hit.astype(int).astype(str)
    text.iloc[-3:] += ".0"
    frame.assign(y=text).to_csv("t.csv", index=False)
    content = _check(capsys, "t.csv", hit, frame["p"], "--y-true", "y", "--y-proba", "p")
    assert content["classes"] == [0.0, 1.0]


@pytest.mark.parametrize("columns", [["a", "b", "c"], ["c", "a", "b"]])
def test_several_classes_in_any_order_of_columns(folder, capsys, columns):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), 250).round(3)
    y = np.array(list("abc"))[(proba.cumsum(axis=1) < rng.random((250, 1))).sum(axis=1).clip(0, 2)]
    pd.DataFrame(proba, columns=list("abc")).assign(y=y).to_csv("t.csv", index=False)
    _check(capsys, "t.csv", y, proba, "--y-true", "y", "--y-proba", *columns)


def test_rows_of_weight_zero_may_fill_a_part(folder, capsys):
    frame = _frame()
    frame.loc[40:120, "w"] = 0
    frame.to_csv("t.csv", index=False)
    arguments = [*BINARY, "--sample-weight", "w"]
    _check(capsys, "t.csv", frame["y"], frame["p"], *arguments, weight=frame["w"])


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("p", "1.25", "is 1.25, which is not a probability"),
        ("p", "", "is empty; a finite number"),
        ("y", "", "every row needs a label"),
        ("w", "-1", "weights must not be negative"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_messages_name_the_line_of_the_file(folder, capsys, column, value, words, packed):
    frame = _frame().astype(str)
    frame.loc[210, column] = value
    lines = frame.to_csv(index=False).splitlines()
    lines.insert(5, "")  # a blank line is no row
    name = "t.csv.gz" if packed else "t.csv"
    content = ("\n".join(lines) + "\n").encode()
    Path(name).write_bytes(gzip.compress(content) if packed else content)
    command = ["report", name, *BINARY, "--sample-weight", "w", *FEW]
    code, _, whole = run(capsys, *command)
    assert code == 2
    code, _, err = run(capsys, *command, "--chunk-rows", 50)
    assert code == 2
    # Row 210 counts from zero, with the header and the blank line before it.
    assert f"{name}: line 213" in err
    assert words in err
    assert err.splitlines()[-1] == whole.splitlines()[-1]


def test_a_long_row_in_a_late_part_is_refused(folder, capsys):
    text = _frame().to_csv(index=False).splitlines()
    text[250] += ",7"
    Path("t.csv").write_text("\n".join(text))
    code, _, err = run(capsys, "report", "t.csv", *BINARY, *FEW, "--chunk-rows", 50)
    assert code == 2
    assert "t.csv: not a readable table" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--features", "w"], "--features needs all rows at once"),
        (["--groups", "note"], "--groups needs all rows at once"),
        (["--strategy", "quantile"], "--strategy quantile needs all rows at once"),
        (["--y-proba", "w"], "several --y-proba needs all rows at once"),
        (["--pos-label", "maybe"], "maybe"),
        (["--chunk-rows", "0"], "--chunk-rows must be at least 1, got 0"),
        (["--n-resamples", "5"], "--n-resamples 5 is too small"),
    ],
)
def test_refusals(folder, capsys, arguments, words):
    _frame().to_csv("t.csv", index=False)
    command = ["report", "t.csv", *BINARY, *FEW, "--chunk-rows", "50", *arguments]
    code, _, err = run(capsys, *command)
    assert code == 2
    assert words in err


@pytest.mark.parametrize("content", ["y,p\n", "y,p\n1,0.3\n"])
def test_a_file_without_two_rows_is_refused(folder, capsys, content):
    Path("t.csv").write_text(content)
    command = ["report", "t.csv", "--y-true", "y", "--y-proba", "p", *FEW]
    code, _, whole = run(capsys, *command)
    assert code == 2
    code, _, err = run(capsys, *command, "--chunk-rows", 5)
    assert code == 2
    assert err.splitlines()[-1] == whole.splitlines()[-1]


def test_the_text_report_says_what_is_left_out(folder, capsys):
    _frame().to_csv("t.csv", index=False)
    code, out, err = run(capsys, "report", "t.csv", *BINARY, *FEW, "--chunk-rows", 100)
    assert code == 0
    assert out.startswith("Calibration of t.csv\n")
    assert "is left out" in " ".join(out.split())
    assert "300 of 300 rows" in err
    assert Path("report.html").read_text(encoding="utf-8").count("data:image/") == 1


def test_no_part_has_more_rows_than_allowed(folder):
    _frame().to_csv("t.csv", index=False)
    file = BatchFile("t.csv", "y", ["p"], "w", 45)
    extent = file.find_extent(file.labels(), "yes", None)
    sizes = [batch.n_samples for batch in file.batches()]
    assert max(sizes) <= 45
    assert len(sizes) == 7
    assert sum(sizes) == extent.n_samples == np.count_nonzero(_frame()["w"])


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(folder):
    def peak(n, traced=True):
        frame = _frame(n)
        for k in range(4):
            frame[f"text {k}"] = [f"{k} {row}" for row in range(n)]
        frame.to_csv("t.csv", index=False)
        del frame
        if traced:
            tracemalloc.start()
        file = BatchFile("t.csv", "y", ["p"], None, 500)
        extent = file.find_extent(file.labels(), "yes", None)
        report_rows(BatchedRows(file.batches, extent), n_resamples=19)
        if traced:
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return most

    peak(600, traced=False)  # what is imported and cached when it is first used
    small, large = peak(3000), peak(12_000)
    assert large < 1.25 * small
