"""How the tests run the report command."""

from sklearn_calib._cli.parser import main

ARGUMENTS = ["report", "t.csv", "--y-true", "outcome", "--y-proba", "p"]
FEW = ["--n-resamples", "19"]


def run(capsys, *arguments):
    """Run the command and return (code, standard output, standard error)."""
    try:
        code = main([*map(str, arguments)])
    except SystemExit as stop:
        code = stop.code
    return code, *capsys.readouterr()
