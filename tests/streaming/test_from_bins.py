"""A table that SQL has grouped is a state."""

import sqlite3

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._data.sums import NotMergeableError
from sklearn_calib.streaming import CalibrationState
from tests.streaming._data import make_rows

QUERY = """
SELECT MIN(CAST(p * 10 AS INTEGER), 9) AS bin,
       COUNT(*) AS n, SUM(y) AS events, SUM(p) AS sum_proba, SUM(p * (1 - p)) AS sum_variance,
       SUM((y - p) * (y - p)) AS sum_brier
FROM scores GROUP BY 1
"""
METRICS = ("ece", "mce", "observed_expected_ratio", "brier")


@pytest.fixture
def rows():
    return make_rows(2, 200, 0, weighted=False)


@pytest.fixture
def table(rows):
    with sqlite3.connect(":memory:") as connection:
        frame = pd.DataFrame({"p": rows.proba, "y": rows.y})
        frame.to_sql("scores", connection, index=False)
        found = pd.read_sql(QUERY, connection)
    connection.close()
    return found


def test_a_grouped_table_has_the_metrics_of_its_rows(rows, table):
    state = CalibrationState.from_bins(table, METRICS, n_bins=10)
    expected = CalibrationState(METRICS, n_bins=10).update(rows.y, rows.proba)
    for name, value in state.result().items():
        assert_allclose(value, expected.result()[name], rtol=1e-12)
    for name, values in state.bins().items():
        assert_allclose(values, expected.bins()[name], rtol=1e-12)
    assert state.n_samples == 200
    both = state.merge(expected)
    assert_allclose(both.result()["ece"], expected.result()["ece"], rtol=1e-12)
    assert both.n_samples == 400


def test_groups_of_bins_with_own_edges(rows):
    edges = [0, 0.2, 0.5, 1]
    p, y = rows.proba, rows.y
    frame = pd.DataFrame({"bin": np.digitize(p, edges[1:-1]), "n": 1, "events": y, "sum_proba": p})
    frame["sum_variance"] = p * (1 - p)
    names = ("hosmer_lemeshow", "pigeon_heyse")
    found = CalibrationState.from_bins(
        frame.groupby("bin", as_index=False).sum(), names, bins=edges
    ).result()
    expected = CalibrationState(names, bins=edges).update(y, p).result()
    for name in names:
        assert_allclose(found[name], expected[name], rtol=1e-11)


def test_bins_that_are_counted_from_one_or_have_other_edges_are_refused(table):
    with pytest.raises(ValueError, match="bin must hold whole numbers from 0 to 9, got 10"):
        CalibrationState.from_bins(table.assign(bin=table["bin"] + 1), n_bins=10)
    with pytest.raises(ValueError, match="Count bins from 0, and pass the edges"):
        CalibrationState.from_bins(table)
    with pytest.raises(ValueError, match="events at most as many"):
        CalibrationState.from_bins(table.assign(n=1), n_bins=10)


def test_columns_and_metrics_that_are_not_there(table):
    with pytest.raises(ValueError, match="must have the column 'sum_log_loss'"):
        CalibrationState.from_bins(table, "log_loss", n_bins=10)
    with pytest.raises(ValueError, match="must have the column 'n'"):
        CalibrationState.from_bins({"bin": [0]})
    with pytest.raises(NotMergeableError, match="'kce' does not follow from bins"):
        CalibrationState.from_bins(table, ("ece", "kce"), n_bins=10)


SCORES = ("ece", "brier", "log_loss")


def binned(p, y, edges):
    """Return the table of the rows and the names of its columns of scores."""
    loss = -np.log(np.where(y == 1, p, 1 - p))
    frame = pd.DataFrame({"bin": np.digitize(p, edges[1:-1]), "n": 1, "events": y, "sum_proba": p})
    frame = frame.assign(sum_variance=p * (1 - p), sum_brier=(y - p) ** 2, sum_log_loss=loss)
    return frame.groupby("bin", as_index=False).sum()


@pytest.mark.parametrize("metrics", [SCORES, ("brier", "log_loss")])
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("events", 2.5),
        ("sum_variance", -1.0),
        ("sum_variance", 1000.0),
        ("sum_brier", -1.0),
        ("sum_brier", 1e4),
        ("sum_log_loss", -1.0),
    ],
)
def test_sums_that_no_rows_have_are_refused(rows, metrics, column, value):
    edges = np.linspace(0, 1, 11)
    table = binned(rows.proba, rows.y, edges).astype(float)
    CalibrationState.from_bins(table, metrics, n_bins=10)
    table.loc[4, column] = value
    with pytest.raises(ValueError, match=f"{column} (must be whole|is {value:.10g} for .* bin 4)"):
        CalibrationState.from_bins(table, metrics, n_bins=10)


@pytest.mark.parametrize("column", ["sum_variance", "sum_brier", "sum_log_loss"])
def test_sums_that_no_rows_of_the_bin_have_are_refused(rows, column):
    """Rows of the bin from 0.4 to 0.5 have neither variance nor loss zero."""
    table = binned(rows.proba, rows.y, np.linspace(0, 1, 11))
    table.loc[4, column] = 0.0
    with pytest.raises(ValueError, match=f"{column} is 0 for"):
        CalibrationState.from_bins(table, SCORES, n_bins=10)


def test_extreme_sums_of_rows_are_accepted():
    """All rows of a bin are alike, or at its edges, or certain; sums may have seven digits."""
    for p in ([0.05] * 7, [0.0] * 6 + [1.0], [0.1, 0.2, 0.2 - 1e-12], [0.3, 0.6, 0.9], [0.0] * 3):
        p = np.array(p)
        for y in (np.zeros(p.size, int), np.ones(p.size, int), np.arange(p.size) % 2):
            edges = np.linspace(0, 1, 11)
            table = binned(np.clip(p, 1e-300, 1 - 1e-16), y, edges)
            assert CalibrationState.from_bins(table, SCORES, n_bins=10).n_samples == p.size
            short = table.astype(np.float32)
            assert CalibrationState.from_bins(short, ("brier",), bins=[0, 1]).n_samples == p.size
