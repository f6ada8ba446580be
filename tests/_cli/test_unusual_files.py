"""Files as other programs write them: an index, columns of one name, long numbers, a first line."""

import pandas as pd
import pytest

from sklearn_calib._cli.source_file import SourceFile
from tests._cli._command import ARGUMENTS, run

LONG = 2**53 + 1  # the first whole number that floating point does not hold


@pytest.fixture
def parquet():
    """Return a function that writes a table, or columns of the given names, to a file."""
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    def write(table, names=None):
        if names is not None:
            table = arrow.table([arrow.array(column) for column in table], names=names)
            parquet.write_table(table, "t.parquet")
        else:
            table.to_parquet("t.parquet")
        return SourceFile("t.parquet")

    return write


def test_the_index_that_pandas_stores_in_parquet_is_a_column(parquet, table):
    """With one level or several, whole or in parts; it could not be named."""
    for index in (["w"], ["age", "w"]):
        source = parquet(table.set_index(index))
        wanted = ["outcome", "w"]
        pd.testing.assert_frame_equal(source.read(wanted, []), table[wanted])
        (_, first), *_ = source.parts(wanted, 50)
        pd.testing.assert_frame_equal(first, table[wanted][:50])


def test_an_index_without_a_name_is_no_column(parquet, table, capsys):
    parquet(table[::-1])
    arguments = [*ARGUMENTS[:-1], "q"]
    arguments[1] = "t.parquet"
    _, _, error = run(capsys, *arguments)
    assert "no column 'q'; the columns are 'outcome', 'p', 'age', 'w'" in error


@pytest.mark.parametrize("options", [[], ["--chunk-rows", 50]])
def test_columns_of_one_name_in_parquet_are_named(parquet, table, capsys, options):
    parquet([[0, 1], [0.2, 0.7], [0.2, 0.7]], ["outcome", "p", "p"])
    code, _, error = run(capsys, "report", "t.parquet", *ARGUMENTS[2:], *options)
    assert code != 0
    assert "t.parquet: 2 columns are called 'p'; rename all but one" in error


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;"])
def test_a_first_line_that_only_excel_understands_is_named(table, capsys, line):
    with open("t.csv", "w") as file:
        file.write(f"{line}\n{table.to_csv(index=False, sep=';')}")
    code, _, error = run(capsys, *ARGUMENTS)
    assert code != 0
    assert f"t.csv: line 1 is {line!r}, which only Excel understands; delete this line" in error


@pytest.mark.parametrize("first", [LONG, 2**70])
def test_long_numbers_with_empty_cells_are_read_to_the_last_digit(table, first, capsys):
    """The floating point of columns with empty cells merges them, and the command refused them."""
    values = [None, *(first + k % 3 for k in range(len(table) - 1))]
    text = pd.Series(values, dtype=object).map(str, na_action="ignore")
    table.assign(site=text).to_csv("t.csv", index=False)
    frame = SourceFile("t.csv").read(["site"], [], ["site"])
    assert [None if pd.isna(one) else int(one) for one in frame.site] == values
    code, out, _ = run(
        capsys, *ARGUMENTS, "--groups", "site", "--n-resamples", 19, "--out", "r.html"
    )
    assert code == 0
    assert all(f"site = {first + k}" in out for k in range(3))


def test_numbers_with_decimals_stay_numbers_however_large(table):
    table.assign(size=[2.0**60, None, *[0.5] * (len(table) - 2)]).to_csv("t.csv", index=False)
    assert SourceFile("t.csv").read(["size"], ["size"], ["size"]).dtypes.tolist() == [float]
