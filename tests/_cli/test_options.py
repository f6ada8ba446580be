"""Options of the report command are those of the function, and several models can be compared."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_calib import calibration_report
from tests._cli._command import ARGUMENTS, FEW, run

pytestmark = pytest.mark.usefixtures("without_drawing")


@pytest.fixture
def both(table):
    """Add the predictions of a second model."""
    frame = table.assign(q=0.5 * table["p"] + 0.25, **{"a=b": table["p"]})
    frame.to_csv("t.csv", index=False)
    return frame


def test_bins_and_bandwidths_reach_the_report(table, capsys):
    given = ["--n-bins", "5", "--strategy", "quantile", "--bandwidth", "0.1"]
    given += ["--prob-bandwidth", "0.3", "--feature-bandwidth", "0.7", "--features", "age"]
    given += ["--min-effective-size", "5", "--max-local-samples", "150", "--title", "Mine"]
    code, out, err = run(capsys, *ARGUMENTS, *FEW, *given, "--json")
    assert code == 0, err
    expected = calibration_report(
        table["outcome"],
        table["p"],
        table[["age"]],
        n_bins=5,
        strategy="quantile",
        bandwidth=0.1,
        prob_bandwidth=0.3,
        feature_bandwidth=0.7,
        min_effective_size=5,
        max_local_samples=150,
        n_resamples=19,
        title="Mine",
    ).to_dict()
    assert json.loads(out) == json.loads(json.dumps(expected))
    assert expected["tests"]["local"]["prob_bandwidth"] == 0.3
    # Two of the five bins are one, since many rows share the largest prediction.
    assert expected["reliability"]["count"] == [40, 40, 40, 80]


def test_the_number_of_bins_may_be_chosen(table, capsys):
    code, out, _ = run(capsys, *ARGUMENTS, *FEW, "--n-bins", "auto", "--json")
    assert code == 0
    assert len(json.loads(out)["reliability"]["count"]) <= 6  # the cube root of 200 rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bandwidth", "0"], "argument --bandwidth: must be a number above 0 or median or auto"),
        (["--bandwidth", "wide"], "argument --bandwidth: must be a number above 0 or median"),
        (["--bandwidth", "nan"], "got 'nan'"),
        (["--prob-bandwidth", "-1"], "argument --prob-bandwidth: must be a number above 0"),
        (["--prob-bandwidth", "0.2"], "--prob-bandwidth is about the features, but --features"),
        (["--min-effective-size", "5"], "--min-effective-size is about the features"),
        (["--features", "age", "--feature-bandwidth", "1", "2"], "--feature-bandwidth"),
        (
            ["--features", "age", "--feature-bandwidth", "1", "median"],
            "--feature-bandwidth takes one word or one number per feature, got 1.0 median",
        ),
        (["--strategy", "isotonic"], "argument --strategy: invalid choice: 'isotonic'"),
        (["--n-bins", "few"], "argument --n-bins: must be a whole number or auto, got 'few'"),
        (["--n-bins", "0"], "--n-bins must be"),
        (["--max-local-samples", "1"], "--max-local-samples must be"),
        (["--y-proba", "p"], "two models are called 'p'; write another name and '=' before"),
        (["--y-proba", "=p"], "--y-proba =p: write the name of the model, '=' and a column"),
        (["--y-proba", "after=nope"], "no column 'nope'"),
        (["--y-proba", "after=p", "p"], "--y-proba: column 'p' is named twice"),
        *[
            ([*given, "outcome"], f"{given[-1]}: column 'outcome' is that of the labels, --y-true")
            for given in (
                *(["--y-proba"], ["--features"], ["--groups"], ["--sample-weight"]),
                ["--chunk-rows", "10", "--sample-weight"],
            )
        ],
    ],
    ids=str,
)
def test_wrong_options_end_with_one_line(table, capsys, options, message):
    code, out, err = run(capsys, *ARGUMENTS, *FEW, *options)
    assert code == 2
    assert out == ""
    assert message in err.splitlines()[-1]


def test_several_models_are_compared(both, capsys):
    arguments = [*ARGUMENTS[:-2], "--y-proba", "before=p", "--y-proba", "q", *FEW]
    code, out, err = run(capsys, *arguments, "--json", "--out", "r.html")
    assert code == 0, err
    expected = calibration_report(
        both["outcome"],
        {"before": both["p"], "q": both["q"]},
        n_resamples=19,
        title="Calibration of t.csv",
    ).to_dict()
    assert json.loads(out) == json.loads(json.dumps(expected))
    assert "<h2>Side by side</h2>" in Path("r.html").read_text(encoding="utf-8")
    assert "] before: preparing" in err


def test_a_column_may_hold_an_equals_sign(both, capsys):
    """One model has no name, so the text is the column; with several it comes behind a name."""
    code, _, err = run(capsys, *ARGUMENTS[:-1], "a=b", *FEW)
    assert code == 0, err
    code, out, err = run(capsys, *ARGUMENTS, "--y-proba", "other=a=b", *FEW, "--json")
    assert code == 0, err
    assert [*json.loads(out)["reports"]] == ["p", "other"]


def test_models_with_several_columns(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), 60)
    frame = pd.DataFrame(proba, columns=["a", "b", "c"])
    frame[["a2", "b2", "c2"]] = 0.5 * proba + 0.5 / 3
    frame["y"] = [["a", "b", "c"][rng.choice(3, p=row)] for row in proba]
    frame.to_csv("t.csv", index=False)
    start = ["report", "t.csv", "--y-true", "y", *FEW, "--json"]
    models = ["--y-proba", "right=a", "b", "c", "--y-proba", "a2", "b2", "c2"]
    code, out, err = run(capsys, *start, *models)
    assert code == 0, err
    found = json.loads(out)["reports"]
    assert [*found] == ["right", "model 2"]
    alone = calibration_report(frame["y"], proba, n_resamples=19)
    assert found["right"]["metrics"][0]["value"] == alone.metrics[0].value
    code, _, err = run(capsys, *start, "--y-proba", "a", "b", "c", "--y-proba", "x=a2")
    assert code == 2
    assert "'x'" in err.splitlines()[-1]


def test_help_explains_the_options(capsys):
    _, out, _ = run(capsys, "report", "--help")
    text = " ".join(out.split())
    for option in ("--bandwidth", "--strategy", "--n-bins", "--n-resamples", "--feature-bandwidth"):
        assert option in text
    assert "--y-proba before=p --y-proba after=q" in text
