"""Text and empty cells in the feature columns of a file."""

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_calib._cli.parser import main

pytestmark = pytest.mark.usefixtures("without_drawing")


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    n = 600
    women = rng.random(n) < 0.4
    p = rng.uniform(0.3, 0.7, size=n)
    return pd.DataFrame(
        {
            "y": (rng.random(n) < p - 0.2 * women).astype(int),
            "p": p,
            "sex": np.where(women, "F", "M"),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(50, 10, size=n)),
            "smokes": rng.random(n) < 0.5,
        }
    )


def run(table, folder, *options, features=("sex", "age", "smokes")):
    file = folder / "predictions.csv"
    table.to_csv(file, index=False)
    arguments = ["report", str(file), "--y-true", "y", "--y-proba", "p", "--n-resamples", "99"]
    return main([*arguments, "--features", *features, "--out", str(folder / "r.html"), *options])


def test_text_and_empty_cells_work(table, tmp_path, capsys):
    assert run(table, tmp_path, "--json") == 0
    content = json.loads(capsys.readouterr().out)
    assert content["regions"][0]["where"] == "sex = F"
    assert content["regions"][0]["n_samples"] == int((table.sex == "F").sum())


def test_a_fault_in_a_column_of_numbers_is_no_category(table, tmp_path, capsys):
    table["age"] = table["age"].astype(object)
    table.loc[4, "age"] = "n/a"
    with pytest.raises(SystemExit, match="2"):
        run(table, tmp_path)
    error = capsys.readouterr().err
    assert "line 6, column 'age' is 'n/a' in a column of numbers" in error


def test_infinity_is_refused_with_its_line(table, tmp_path, capsys):
    table.loc[2, "age"] = np.inf
    with pytest.raises(SystemExit, match="2"):
        run(table, tmp_path)
    assert "line 4, column 'age' is infinite" in capsys.readouterr().err


def test_categorical_features_must_be_features(table, tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        run(table, tmp_path, "--categorical-features", "p")
    assert "--categorical-features: 'p' is not among --features" in capsys.readouterr().err
