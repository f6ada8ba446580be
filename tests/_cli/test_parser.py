"""Arguments, help and version of the command line."""

import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_calib
from sklearn_calib._cli.parser import main
from tests._cli._command import ARGUMENTS, FEW, run


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


def test_version_is_the_one_of_the_metadata():
    import tomllib

    metadata = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert metadata["project"]["version"] == sklearn_calib.__version__


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


def test_help_shows_an_example(capsys):
    for command in ("report", "demo"):
        code, out, _ = run(capsys, command, "--help")
        assert code == 0
        assert f"example: sklearn-calib {command}" in " ".join(out.split())


def test_the_installed_command_is_this_module():
    import tomllib

    metadata = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert metadata["project"]["scripts"] == {"sklearn-calib": "sklearn_calib.__main__:main"}
    result = subprocess.run(
        [sys.executable, "-W", "error", "-m", "sklearn_calib", "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert result.stdout == f"sklearn_calib {sklearn_calib.__version__}\n"
