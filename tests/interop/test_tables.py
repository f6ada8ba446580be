"""Tables of polars and pyarrow, in memory and in Parquet files, give the numbers of pandas."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from sklearn_calib import (
    BetaCalibrator,
    CalibratedClassifier,
    IsotonicCalibrator,
    calibration_by_group,
    check_calibration,
    ece,
    klce,
)
from sklearn_calib.__main__ import main

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

RNG = np.random.default_rng(0)
P = RNG.random(200).round(3)
FRAME = pd.DataFrame(
    {
        "outcome": np.where(RNG.random(200) < P, "yes", "no"),
        "no": 1.0 - P,
        "yes": P,
        "age": RNG.normal(40.0, 9.0, 200),
        "site": RNG.choice(["north", "south"], 200),
    }
)


def from_parquet(path, reader):
    FRAME.to_parquet(path)
    return reader(path)


TABLES = {
    "polars": lambda path: pl.from_pandas(FRAME),
    "pyarrow": lambda path: pa.Table.from_pandas(FRAME),
    "polars, Parquet": lambda path: from_parquet(path, pl.read_parquet),
    "pyarrow, Parquet": lambda path: from_parquet(path, parquet.read_table),
    "pandas with Arrow types": lambda path: from_parquet(path, pd.read_parquet).convert_dtypes(
        dtype_backend="pyarrow"
    ),
}


@pytest.fixture(params=TABLES)
def table(request, tmp_path):
    return TABLES[request.param](tmp_path / "rows.parquet")


def columns(table, names):
    return table.select(names) if hasattr(table, "select") else table[names]


def test_metrics_and_tests(table):
    y, proba, X = FRAME["outcome"], FRAME[["no", "yes"]], FRAME[["age", "site"]]
    other = table["outcome"], columns(table, ["no", "yes"]), columns(table, ["age", "site"])
    options = {"n_resamples": 19, "random_state": 0, "feature_bandwidth": "scaled"}
    assert ece(*other[:2]) == ece(y, proba)
    assert klce(*other) == pytest.approx(klce(y, proba, X), rel=1e-12)
    result, expected = (
        check_calibration(*other, **options),
        check_calibration(y, proba, X, **options),
    )
    assert result.pvalue == expected.pvalue
    assert result.feature_names == ("age", "site")
    assert_allclose(result.feature_bandwidth, expected.feature_bandwidth)


def test_columns_in_another_order_follow_their_names(table):
    assert ece(table["outcome"], columns(table, ["yes", "no"])) == ece(
        FRAME["outcome"], FRAME[["no", "yes"]]
    )


def test_calibrators_follow_the_names_as_well(table):
    y = FRAME["outcome"].to_numpy()
    expected = BetaCalibrator().fit(FRAME[["no", "yes"]], y)
    found = BetaCalibrator().fit(columns(table, ["yes", "no"]), y)
    proba = found.predict_proba(columns(table, ["yes", "no"]))
    assert_allclose(proba, expected.predict_proba(FRAME[["no", "yes"]]), rtol=1e-12)


def test_a_single_column_of_the_wrong_class_is_refused(table):
    with pytest.raises(ValueError, match="y_proba is the column 'no'"):
        ece(table["outcome"], columns(table, ["no"]), pos_label="yes")


def test_groups(table):
    found = calibration_by_group(
        table["outcome"],
        columns(table, ["no", "yes"]),
        columns(table, ["site"]),
        n_resamples=19,
        random_state=0,
    )
    expected = calibration_by_group(
        FRAME["outcome"], FRAME[["no", "yes"]], FRAME[["site"]], n_resamples=19, random_state=0
    )
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())


def test_calibrators(table):
    y = FRAME["outcome"].to_numpy()
    expected = IsotonicCalibrator().fit_transform(FRAME[["no", "yes"]], y)
    proba = columns(table, ["no", "yes"])
    assert_array_equal(IsotonicCalibrator().fit(proba, y).predict_proba(proba), expected)


def test_classifiers_fit_on_polars():
    X, y = pl.from_pandas(FRAME[["age", "yes"]]), FRAME["outcome"].to_numpy()
    model = CalibratedClassifier(LogisticRegression(max_iter=500)).fit(X, y)
    expected = CalibratedClassifier(LogisticRegression(max_iter=500)).fit(FRAME[["age", "yes"]], y)
    assert list(model.feature_names_in_) == ["age", "yes"]
    calibrated = expected.predict_proba(FRAME[["age", "yes"]])
    assert_allclose(model.predict_proba(X), calibrated, rtol=1e-12)


def test_the_command_line_reads_parquet(tmp_path):
    FRAME.to_parquet(tmp_path / "rows.parquet")
    out = tmp_path / "report.html"
    arguments = [
        "report",
        str(tmp_path / "rows.parquet"),
        "--y-true",
        "outcome",
        "--y-proba",
        "yes",
    ]
    main([*arguments, "--pos-label", "yes", "--n-resamples", "19", "--out", str(out)])
    assert "<html" in out.read_text(encoding="utf-8")
