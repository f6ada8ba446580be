"""The command ``report`` reads the files that people have, and refuses what it would misread."""

import bz2
import gzip
import json
import lzma
import os
import zipfile
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_calib._cli.parser import main
from sklearn_calib._cli.source_file import SourceFile
from sklearn_calib._cli.table_file import read_table
from sklearn_calib.metrics import ece

FEW = ["--n-resamples", "19"]

pytestmark = pytest.mark.usefixtures("without_drawing")


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def predictions(n_classes=2, n_rows=60, seed=0):
    """Return labels that follow the probabilities, as numbers of classes, and the probabilities."""
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(n_classes), n_rows)
    return (rng.random((n_rows, 1)) > proba.cumsum(axis=1)).sum(axis=1), proba


def run(capsys, *arguments):
    """Run the command and return (code, standard output, standard error)."""
    try:
        code = main(["report", *map(str, arguments)])
    except SystemExit as stop:
        code = stop.code
    return code, *capsys.readouterr()


def value_of_ece(capsys, *arguments):
    code, out, err = run(capsys, *arguments, *FEW, "--json")
    assert code == 0, err
    return json.loads(out)["metrics"][0]["value"]


def refusal(capsys, *arguments):
    code, out, err = run(capsys, *arguments, *FEW)
    assert code == 2, out
    assert out == ""
    return err.splitlines()[-1]


# Names of columns


@pytest.mark.parametrize("order", [["no", "yes"], ["yes", "no"]])
def test_columns_called_like_the_labels_are_taken_by_name(order, capsys):
    codes, proba = predictions()
    labels = np.array(["no", "yes"])[codes]
    frame = pd.DataFrame(proba, columns=["no", "yes"]).assign(y=labels)
    frame.to_csv("t.csv", index=False)
    value = value_of_ece(capsys, "t.csv", "--y-true", "y", "--y-proba", *order)
    assert value == pytest.approx(ece(codes, proba[:, 1]), rel=1e-12)


def test_numbers_as_names_of_columns(capsys):
    codes, proba = predictions(3)
    pd.DataFrame(proba, columns=["0", "1", "2"]).assign(y=codes).to_csv("t.csv", index=False)
    value = value_of_ece(capsys, "t.csv", "--y-true", "y", "--y-proba", "2", "0", "1")
    assert value == pytest.approx(ece(codes, proba), rel=1e-12)


def test_names_that_contradict_the_labels_given(capsys):
    codes, proba = predictions()
    labels = np.array(["no", "yes"])[codes]
    pd.DataFrame(proba, columns=["no", "yes"]).assign(y=labels).to_csv("t.csv", index=False)
    start = ["t.csv", "--y-true", "y", "--y-proba", "yes", "no", "--labels"]
    assert "contradicts the columns" in refusal(capsys, *start, "no", "yes")


# Large labels


@pytest.mark.parametrize("shift", [2**53, 2**62, 2**63])
def test_labels_are_exact_however_large(shift, capsys):
    codes, proba = predictions()
    labels = [shift + code for code in codes.tolist()]
    frame = pd.DataFrame({"y": labels, "p": proba[:, 1]})
    frame.to_csv("t.csv", index=False)
    for positive in (1, 0):
        value = value_of_ece(
            capsys, "t.csv", "--y-true", "y", "--y-proba", "p", "--pos-label", shift + positive
        )
        assert value == pytest.approx(ece(codes == positive, proba[:, 1]), rel=1e-12)
    value = value_of_ece(
        capsys, "t.csv", "--y-true", "y", "--y-proba", "p", "--labels", shift, shift + 1
    )
    assert value == pytest.approx(ece(codes, proba[:, 1]), rel=1e-12)


def test_large_label_written_as_a_fraction(capsys):
    """Read as a float, 9007199254740993.0 would be the other class."""
    codes, proba = predictions()
    pd.DataFrame({"y": 2**53 + codes, "p": proba[:, 1]}).to_csv("t.csv", index=False)
    start = ["t.csv", "--y-true", "y", "--y-proba", "p", "--pos-label"]
    value = value_of_ece(capsys, *start, f"{2**53 + 1}.0")
    assert value == pytest.approx(ece(codes, proba[:, 1]), rel=1e-12)
    assert "no such label" in refusal(capsys, *start, f"{2**53}.5")


def test_labels_of_more_than_64_bits(capsys):
    codes, proba = predictions()
    labels = [10**20 + code for code in codes.tolist()]
    pd.DataFrame({"y": labels, "p": proba[:, 1]}).to_csv("t.csv", index=False)
    for positive in (1, 0):
        value = value_of_ece(
            capsys, "t.csv", "--y-true", "y", "--y-proba", "p", "--pos-label", 10**20 + positive
        )
        assert value == pytest.approx(ece(codes == positive, proba[:, 1]), rel=1e-12)


# Dates and durations


TIMES = {
    "dates": pd.Series(pd.date_range("2020-01-01", periods=60)),
    "dates with a gap": pd.Series([pd.NaT, *pd.date_range("2020-01-01", periods=59)]),
    "dates with a zone": pd.Series(pd.date_range("2020-01-01", periods=60, tz="UTC")),
    "durations": pd.Series(pd.to_timedelta(np.arange(60), unit="h")),
    "periods": pd.Series(pd.period_range("2020-01", periods=60, freq="M")),
    "objects of dates": pd.Series([date(2020, 1, 1)] * 60, dtype=object),
    "objects of durations": pd.Series([timedelta(1)] * 60, dtype=object),
    "bytes": pd.Series([b"0.5"] * 60, dtype=object),
}


@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize("option", ["--y-true", "--y-proba", "--features", "--sample-weight"])
def test_dates_and_durations_are_no_numbers(kind, option, capsys, monkeypatch):
    codes, proba = predictions()
    frame = pd.DataFrame({"y": codes, "p": proba[:, 1], "t": TIMES[kind]})
    monkeypatch.setattr(SourceFile, "_read_parquet", lambda self, wanted: frame)
    Path("t.parquet").touch()
    options = {"--y-true": "y", "--y-proba": "p", option: "t"}
    message = refusal(capsys, "t.parquet", *(text for pair in options.items() for text in pair))
    assert "column 't'" in message
    assert "holds" in message or (option == "--y-true" and "is empty" in message)
    assert not Path("report.html").exists()


def test_columns_of_a_data_frame_that_are_fine(capsys, monkeypatch):
    codes, proba = predictions()
    frame = pd.DataFrame(
        {
            "y": pd.array(codes == 1, dtype="boolean"),
            "p": pd.array(proba[:, 1], dtype="Float64"),
            "x": codes.astype(bool),
        }
    )
    monkeypatch.setattr(SourceFile, "_read_parquet", lambda self, wanted: frame)
    Path("t.parquet").touch()
    start = ["t.parquet", "--y-true", "y", "--y-proba", "p", "--features", "x"]
    assert value_of_ece(capsys, *start) == ece(codes, proba[:, 1])
    assert value_of_ece(capsys, *start, "--pos-label", "False") == ece(codes == 0, proba[:, 1])


# The data are never overwritten


@pytest.mark.parametrize("way", ["same", "spelling", "absolute", "symlink", "hard link"])
def test_the_report_never_overwrites_its_data(way, capsys):
    codes, proba = predictions()
    pd.DataFrame({"y": codes, "p": proba[:, 1]}).to_csv("t.csv", index=False)
    before = Path("t.csv").read_bytes()
    Path("sub").mkdir()
    if way == "symlink":
        os.symlink("t.csv", "link")
    if way == "hard link":
        os.link("t.csv", "link")
    out = {"same": "t.csv", "spelling": "sub/../t.csv", "absolute": Path("t.csv").resolve()}
    message = refusal(
        capsys, "t.csv", "--y-true", "y", "--y-proba", "p", "--out", out.get(way, "link")
    )
    assert "is the file of the predictions, which the report would overwrite" in message
    assert Path("t.csv").read_bytes() == before


# Decimals


@pytest.mark.parametrize("decimals", [2, 3, 4, 6])
@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_rounded_rows_are_accepted_and_normalised(decimals, n_classes, capsys):
    codes, proba = predictions(n_classes, 400)
    names = [f"p{k}" for k in range(n_classes)]
    rounded = pd.DataFrame(proba.round(decimals), columns=names).assign(y=codes)
    rounded.to_csv("t.csv", index=False)
    table = read_table("t.csv", "y", names, [], None)
    expected = proba.round(decimals)
    off = np.abs(expected.sum(axis=1) - 1.0)
    if n_classes > 2:
        assert off.max() > 0.9 * 10.0**-decimals
        expected = expected / expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(table.y_proba, expected, rtol=1e-12)
    value = value_of_ece(capsys, "t.csv", "--y-true", "y", "--y-proba", *names)
    # Rounded probabilities sit on the edges of bins, so every bit counts.
    assert value == ece(codes, table.y_proba.to_numpy())


@pytest.mark.parametrize(
    "rows",
    [
        "0,0.500,0.400\n1,0.250,0.750\n",  # a class is missing
        "0,0.5,0.4\n1,0.5,0.5\n",  # one decimal shows nothing
        "0,0.1234567,0.8765\n1,0.5,0.5\n",  # seven decimals show an error in the fifth
        "0,1,1\n1,0,1\n",  # indicators of several labels
        "0,0.5000,0.4997\n1,0.5,0.5\n",  # more than two roundings to four decimals
    ],
)
def test_rows_that_rounding_does_not_explain_are_errors(rows, capsys):
    Path("t.csv").write_text("y,a,b\n" + rows)
    message = refusal(capsys, "t.csv", "--y-true", "y", "--y-proba", "a", "b")
    assert "t.csv: line 2, columns 'a', 'b' sum to " in message


def test_decimals_are_read_from_the_text():
    Path("t.csv").write_text("y,a,b\n0,0.250,1\n1,1.5e-3,.75\n")
    source = SourceFile("t.csv")
    assert source.decimals(["a"]) == 4
    assert source.decimals(["b"]) == 2


def test_a_little_beyond_one_is_shown_with_enough_digits(capsys):
    Path("t.csv").write_text("y,p\n0,0.5\n1,1.0000001\n0,0.2\n")
    message = refusal(capsys, "t.csv", "--y-true", "y", "--y-proba", "p")
    assert "line 3, column 'p' is 1.0000001, which is not a probability" in message
    Path("t.csv").write_text("y,p\n0,0.5\n1,1.000000000001\n0,0.2\n")
    assert run(capsys, "t.csv", "--y-true", "y", "--y-proba", "p", *FEW)[0] == 0


@pytest.mark.filterwarnings("always")
def test_warnings_name_the_options_and_no_line_of_code(capsys):
    labels = np.tile([0, 1], 40)
    pd.DataFrame({"y": labels, "p": labels}).to_csv("t.csv", index=False)
    code, _, err = run(capsys, "t.csv", "--y-true", "y", "--y-proba", "p", *FEW)
    assert code == 0
    (line,) = [line for line in err.splitlines() if "exactly 0 or 1" in line]
    assert line.startswith("sklearn-calib report: warning: All values of --y-proba are exactly")


# Damaged files


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_compressed_files_that_are_cut_off(suffix, pack, share, capsys):
    codes, proba = predictions(n_rows=2000)
    text = pd.DataFrame({"y": codes, "p": proba[:, 1]}).to_csv(index=False).encode()
    packed = pack(text)
    Path(f"t.csv{suffix}").write_bytes(packed[: int(share * len(packed))])
    message = refusal(capsys, f"t.csv{suffix}", "--y-true", "y", "--y-proba", "p")
    assert f"t.csv{suffix}: the compressed file is cut off or damaged" in message


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zip"])
def test_compressed_files_that_are_none_or_damaged(suffix, capsys):
    Path(f"t.csv{suffix}").write_bytes(b"y,p\n0,0.5\n1,0.5\n")
    message = refusal(capsys, f"t.csv{suffix}", "--y-true", "y", "--y-proba", "p")
    assert message.startswith(f"sklearn-calib report: error: t.csv{suffix}: ")

    codes, proba = predictions(n_rows=2000)
    text = pd.DataFrame({"y": codes, "p": proba[:, 1]}).to_csv(index=False).encode()
    if suffix == ".zip":
        with zipfile.ZipFile("t.csv.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("t.csv", text)
        packed = bytearray(Path("t.csv.zip").read_bytes())
    else:
        pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[suffix]
        packed = bytearray(pack(text))
    packed[1000:1200] = bytes(200)
    Path(f"t.csv{suffix}").write_bytes(packed)
    message = refusal(capsys, f"t.csv{suffix}", "--y-true", "y", "--y-proba", "p")
    assert message.startswith(f"sklearn-calib report: error: t.csv{suffix}: ")


# Separators and decimal commas


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz"])
@pytest.mark.parametrize(
    ("separator", "decimal"),
    [(",", "."), *((separator, decimal) for separator in ";\t|" for decimal in ".,")],
)
def test_separators_and_decimals_are_found_out(name, separator, decimal, capsys):
    codes, proba = predictions(3)
    frame = pd.DataFrame(proba, columns=["a", "b", "c"]).assign(y=codes, x=codes * 1.5)
    start = ["--y-true", "y", "--y-proba", "a", "b", "c", "--features", "x"]
    frame.to_csv(name, index=False, sep=separator, decimal=decimal)
    assert value_of_ece(capsys, name, *start) == pytest.approx(ece(codes, proba), rel=1e-12)
    frame.round(3).to_csv(name, index=False, sep=separator, decimal=decimal)
    rounded = proba.round(3) / proba.round(3).sum(axis=1, keepdims=True)
    assert value_of_ece(capsys, name, *start) == pytest.approx(ece(codes, rounded), rel=1e-9)


def test_errors_in_such_files_have_their_line(capsys):
    Path("t.csv").write_text("y;p\n0;0,5\n\n1;1,5\n0;0,1\n")
    message = refusal(capsys, "t.csv", "--y-true", "y", "--y-proba", "p")
    assert "t.csv: line 4, column 'p' is 1.5, which" in message
    assert "no column 'q'; the columns are 'y', 'p'" in refusal(
        capsys, "t.csv", "--y-true", "y", "--y-proba", "q"
    )


def test_decimal_commas_between_commas_are_explained(capsys):
    Path("t.csv").write_text("y,p\n0,0,5\n1,0,25\n")
    message = refusal(capsys, "t.csv", "--y-true", "y", "--y-proba", "p")
    assert "numbers with decimal commas need another separator of the columns" in message
    Path("t.csv").write_text('y,p\n0,"0,5"\n1,"0,25"\n')
    message = refusal(capsys, "t.csv", "--y-true", "y", "--y-proba", "p")
    assert "column 'p' is '0,5'; a finite number is needed; write it with a decimal" in message
