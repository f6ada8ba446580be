import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest

from sklearn_calib._data import partitions
from sklearn_calib._data.partitions import map_rows, read_partitions, sort_by_event
from sklearn_calib._data.predictions import check_predictions
from sklearn_calib._utils.dask_collections import is_partitioned
from sklearn_calib.metrics import ece, klce
from tests.distributed._rows import as_array, as_table


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    p = rng.beta(1.0, 2.0, size=1000).round(2)
    return (rng.random(1000) < p).astype(int), p, rng.uniform(0.5, 2.0, size=1000)


def test_only_dask_collections_are_partitioned(rows):
    _, p, _ = rows
    assert is_partitioned(None, p, as_array(p))
    assert is_partitioned(as_table(p))
    assert not is_partitioned(p, [0.5], None, pd.Series(p))


@pytest.mark.parametrize("make", [as_array, as_table])
def test_sorted_ranges_hold_each_row_once_in_order(rows, make, monkeypatch):
    monkeypatch.setattr(partitions, "_RANGE_ROWS", 150)
    y, p, w = rows
    read = read_partitions(make(y), make(p), sample_weight=make(w))
    made = sort_by_event(read, "binary")
    np.testing.assert_array_equal(made.classes, [0, 1])
    ranges = dask.compute(*made.parts)
    assert len(ranges) == 7
    found = np.concatenate([one.p for one in ranges])
    assert (np.diff(found) >= 0.0).all()
    together = [
        np.concatenate([getattr(one, name) for one in ranges])
        for name in ("p", "happened", "weight")
    ]
    order = np.lexsort((w, y, p))
    again = np.lexsort((together[2], together[1], together[0]))
    np.testing.assert_array_equal(together[0][again], p[order])
    np.testing.assert_array_equal(together[1][again], y[order])
    np.testing.assert_array_equal(together[2][again], w[order])


@pytest.mark.parametrize(
    ("rows_of_a_range", "expected"),
    [(40, []), (20, [0.2]), (14, [0.2, 0.4]), (10, [0.1, 0.2, 0.4])],
)
def test_ranges_end_where_their_share_of_all_rows_is_reached(
    rows_of_a_range, expected, monkeypatch
):
    """Two marks of a partition of twenty rows stand for ten of them each."""
    monkeypatch.setattr(partitions, "_RANGE_ROWS", rows_of_a_range)
    borders = partitions._borders([(20, np.array([0.1, 0.4])), (20, np.array([0.2, 0.8]))])
    np.testing.assert_array_equal(borders, expected)


def test_marks_split_the_rows_of_a_partition_evenly(monkeypatch):
    monkeypatch.setattr(partitions, "_N_MARKS", 3)
    p = np.array([0.9, 0.1, 0.5, 0.3, 0.7])
    n, marks = partitions._marks(check_predictions(p > 0.4, p), "binary")
    assert n == 5
    np.testing.assert_array_equal(marks, [0.1, 0.5, 0.9])


def test_equal_probabilities_are_spread_over_ranges(monkeypatch):
    monkeypatch.setattr(partitions, "_RANGE_ROWS", 100)
    p = np.full(1000, 0.25)
    p[:10] = 0.1
    y = np.arange(1000) % 2
    read = read_partitions(as_array(y), as_array(p))
    sizes = [one.n_samples for one in dask.compute(*sort_by_event(read, "binary").parts)]
    assert sum(sizes) == 1000
    assert max(sizes) < 250


def test_rows_without_weight_are_left_out_and_so_are_partitions_without_any(rows):
    y, p, w = rows
    w[:401] = 0.0
    read = read_partitions(as_table(y), as_table(p), sample_weight=as_table(w))
    parts = dask.compute(*read.parts)
    assert [None if one is None else one.n_samples for one in parts] == [
        None, None, None, 250, None, 349
    ]  # fmt: skip


def test_classes_are_those_of_all_partitions():
    y = np.array(["no"] * 500 + ["yes"] * 500)
    p = np.linspace(0.0, 1.0, 1000)
    for pos_label, classes in (("yes", ["no", "yes"]), ("no", ["yes", "no"])):
        read = read_partitions(as_table(y), as_table(p), pos_label=pos_label)
        assert read.classes.tolist() == classes
    with pytest.raises(ValueError, match="Pass pos_label= or labels="):
        read_partitions(as_table(y), as_table(p))


def test_columns_follow_their_names():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([1.0, 1.0, 1.0], size=1000)
    y = np.array(["a", "b", "c"])[rng.integers(3, size=1000)]
    table = pd.DataFrame(proba[:, [2, 0, 1]], columns=["c", "a", "b"])
    assert ece(as_table(y), as_table(table)) == pytest.approx(ece(y, proba), rel=1e-12)


def test_columns_in_several_chunks_are_read_together():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([1.0, 1.0, 1.0], size=90)
    y = rng.integers(3, size=90)
    chunked = da.from_array(proba, chunks=(30, 2))
    assert ece(da.from_array(y, chunks=30), chunked) == pytest.approx(ece(y, proba), rel=1e-12)


def check_refusal(error, match, *arguments, **options):
    with pytest.raises(error, match=match):
        ece(*arguments, **options)


OTHER_SIZES = (400, 0, 1, 249, 0, 350)


def test_what_does_not_fit_is_named(rows):
    y, p, w = rows
    check_refusal(TypeError, "y_proba must be a Dask", as_array(y), p)
    check_refusal(
        TypeError, "sample_weight must be a Dask", as_array(y), as_array(p), sample_weight=w
    )
    match = r"same partitions, got \{'y_true': \[100, .*'y_proba': \[400"
    check_refusal(ValueError, match, da.from_array(y, chunks=100), as_array(p))
    match = "'y_true': '6 partitions', 'y_proba': '1 partitions'"
    check_refusal(ValueError, match, as_table(y), as_table(p, [1000]))
    wrong = p.copy()
    wrong[700] = 1.5
    check_refusal(
        ValueError, r"Partition 5: y_proba must hold .* row 49", as_table(y), as_table(wrong)
    )
    check_refusal(
        ValueError, r"Partition \d: .*same", as_table(y), as_table(p, [400, 0, 1, 249, 0, 350])
    )
    nothing = as_table(y[:0], [0]), as_table(p[:0], [0])
    check_refusal(ValueError, "y_true has no rows in any partition", *nothing)
    check_refusal(
        ValueError, "more than 10000 different values", da.arange(20_000), da.zeros(20_000)
    )
    check_refusal(ValueError, "4 distinct labels", as_array(y + 2 * (p > 0.9)), as_array(p))


def test_a_metric_that_needs_all_rows_is_refused(rows):
    y, p, _ = rows
    with pytest.raises(ValueError, match="klce is no function of sums over rows"):
        klce(as_array(y), as_array(p), as_array(p))
    check_refusal(ValueError, "strategy='quantile'", as_array(y), as_array(p), strategy="quantile")


def test_the_same_rows_mapped_twice_are_one_task():
    """Dask computes what has the same name once."""
    chunked = da.from_array(np.arange(10.0), chunks=4)
    one, again = (map_rows(np.negative, chunked, n_columns=None, dtype=float) for _ in range(2))
    assert set(one.dask) == set(again.dask)
    other = map_rows(np.abs, chunked, n_columns=None, dtype=float)
    assert set(one.dask) != set(other.dask)
