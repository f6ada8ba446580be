"""Rows that end too early: in compressed files, beside long cells and in files read in parts."""

import csv
import zipfile
from pathlib import Path

import pytest

from sklearn_calib._cli.source_file import SourceFile
from tests._cli._command import ARGUMENTS, FEW, run

ROWS = "outcome,p,note\n" + "".join(f"{k % 2},0.{k + 2},\n" for k in range(6))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def zipped(text):
    with zipfile.ZipFile("t.csv.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", text)
    return [*ARGUMENTS[:1], "t.csv.zip", *ARGUMENTS[2:]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROWS + "1,0.3", "t.csv.zip: line 8 has 2 cells, but the header has 3"),
        (ROWS + "1,1.3,a\n", "t.csv.zip: line 8, column 'p' is 1.3"),
        (ROWS.encode() + b"1,0.3,\xe9\n", "t.csv.zip: line 8 is not UTF-8 text"),
        ("outcome,p\n" + "1,0,3\n0,0,4\n", "decimal commas need another separator"),
    ],
    ids=["cut off", "no probability", "not UTF-8", "split decimals"],
)
def test_lines_of_a_zip_archive_are_named(text, message, capsys):
    code, _, err = run(capsys, *zipped(text), *FEW)
    assert code == 2
    assert message in err


@pytest.mark.parametrize("last", ["1,0.9,a\n", "1,0.9"])
def test_cells_may_be_longer_than_the_limit_of_the_reader(last, capsys):
    """The limit of the module csv, 131,072 characters, ended the command with its own error."""
    limit = csv.field_size_limit()
    Path("t.csv").write_text(ROWS + "0,0.1," + "x" * 140_000 + "\n" + last, encoding="utf-8")
    code, _, err = run(capsys, *ARGUMENTS, *FEW)
    assert code == (0 if last.endswith("\n") else 2), err
    assert ("line 9 has 2 cells" in err) == (code == 2)
    assert csv.field_size_limit() == limit


def test_a_file_in_parts_is_searched_for_short_rows_once(monkeypatch):
    """Each part lacks last cells; a search for each part takes the square of their number."""
    searches = []
    open_file = SourceFile._open
    monkeypatch.setattr(
        SourceFile,
        "_open",
        lambda *args, **options: searches.append(1) or open_file(*args, **options),
    )
    Path("t.csv").write_text(ROWS, encoding="utf-8")
    source = SourceFile("t.csv")
    for _ in range(2):
        assert len(list(source.parts(["outcome", "p"], 2))) == 3
    assert len(searches) == 1
