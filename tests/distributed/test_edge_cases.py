"""Partitions of odd sizes and contents give the numbers of one array."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from sklearn_calib._data import partitions
from sklearn_calib.inference import calibration_by_group, check_calibration
from sklearn_calib.metrics import calibration_bins, ece, kce, skce
from sklearn_calib.streaming import CalibrationState
from tests.distributed._rows import as_array, as_table

METRICS = {"ece": ece, "skce": skce, "kce": lambda *rows, **own: kce(*rows, bandwidth=0.2, **own)}


@pytest.fixture
def rows(monkeypatch):
    monkeypatch.setattr(partitions, "_RANGE_ROWS", 150)
    rng = np.random.default_rng(5)
    p = rng.beta(1.0, 2.0, size=600).round(2)
    return (rng.random(600) < p**1.2).astype(int), p, rng.uniform(0.5, 2.0, size=600)


def check_metrics(y, p, sizes, make=as_array, weight=None, **options):
    """Compare metrics of partitions of given sizes with those of the rows."""
    for name, metric in METRICS.items():
        own = {} if weight is None else {"sample_weight": weight}
        expected = metric(y, p, **own, **options)
        own = {} if weight is None else {"sample_weight": make(weight, sizes)}
        found = metric(make(y, sizes), make(p, sizes), **own, **options)
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-15), name


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("make", [as_array, as_table])
@pytest.mark.parametrize(
    "sizes", [[600], [0, 600, 0], [1] * 9 + [591]], ids=["one", "empty around it", "skew"]
)
def test_any_sizes_of_partitions(rows, sizes, make, weighted):
    y, p, w = rows
    check_metrics(y, p, sizes, make, w if weighted else None)


def test_many_partitions_of_three_rows(rows):
    check_metrics(*rows[:2], [3] * 200, as_table, rows[2])


@pytest.mark.parametrize("make", [as_array, as_table])
def test_a_partition_may_have_one_class_only(rows, make):
    y, p, w = rows
    order = np.argsort(y, kind="stable")
    border = int((y == 0).sum())
    check_metrics(y[order], p[order], [border, 600 - border], make, w[order])
    names = np.array(["healthy", "ill"])[y[order]]
    check_metrics(names, p[order], [border, 600 - border], make, w[order], pos_label="ill")


def test_one_class_only_in_all_partitions(rows):
    _, p, _ = rows
    check_metrics(np.zeros(600, dtype=int), p, [200] * 3)
    check_metrics(np.array(["ill"] * 600), p, [200] * 3, labels=["healthy", "ill"])


@pytest.mark.parametrize("make", [as_array, as_table])
def test_labels_of_text_in_columns_named_by_classes(make):
    rng = np.random.default_rng(2)
    proba = rng.dirichlet([1.0, 1.0, 1.0], size=600)
    y = np.array(["ant", "bee", "cat"])[
        (rng.random(600)[:, np.newaxis] > proba.cumsum(axis=1)).sum(axis=1)
    ]
    table = pd.DataFrame(proba[:, [2, 0, 1]], columns=["cat", "ant", "bee"])
    expected = skce(y, proba, target="confidence")
    found = skce(make(y, [100] * 6), as_table(table, [100] * 6), target="confidence")
    assert found == pytest.approx(expected, rel=1e-10)
    expected = calibration_bins(y, proba, target="classwise", n_bins=4)
    found = calibration_bins(
        make(y, [100] * 6), as_table(table, [100] * 6), target="classwise", n_bins=4
    )
    np.testing.assert_allclose(found.prob_true, expected.prob_true, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("statistic", ["skce", "rank_skce", "omnibus"])
@pytest.mark.parametrize("case", ["equal", "two values"])
def test_equal_probabilities_lie_on_both_sides_of_borders(rows, statistic, weighted, case):
    y, p, w = rows
    p = np.full(600, 0.3) if case == "equal" else np.where(np.arange(600) % 5 == 0, 0.2, 0.3)
    options = {"statistic": statistic, "n_resamples": 19, "random_state": 0}
    own = {"sample_weight": w} if weighted else {}
    expected = check_calibration(y, p, **options, **own)
    own = {"sample_weight": as_array(w, [300, 1, 299])} if weighted else {}
    found = check_calibration(
        as_array(y, [300, 1, 299]), as_array(p, [300, 1, 299]), **options, **own
    )
    if statistic == "omnibus":
        mine, theirs = ([part.statistic for part in one.parts] for one in (found, expected))
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-12)
    else:
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-15)


GROUPS = {
    "categorical": lambda site: pd.Series(site, name="site").astype("category"),
    "category that never occurs": lambda site: pd.Series(
        pd.Categorical(site, ["south", "west", "north"]), name="site"
    ),
    "pyarrow text": lambda site: pd.Series(site, name="site").astype("string[pyarrow]"),
    "objects": lambda site: pd.Series(site, name="site", dtype=object),
}


@pytest.mark.parametrize("kind", GROUPS)
def test_groups_of_any_type_of_column(rows, kind):
    y, p, _ = rows
    site = np.random.default_rng(1).choice(["north", "south"], size=600)
    table = pd.DataFrame({"y": y, "p": p, "site": GROUPS[kind](site)})
    collection = dd.from_pandas(table, npartitions=4, sort=False)
    options = {"n_resamples": 19, "alpha": 0.1, "random_state": 0}
    expected = calibration_by_group(y, p, table[["site"]], **options).to_frame()
    found = calibration_by_group(
        collection["y"], collection["p"], collection[["site"]], **options
    ).to_frame()
    assert found["category"].tolist() == expected["category"].tolist()
    columns = ["n", "observed", "predicted", "error"]
    np.testing.assert_allclose(found[columns], expected[columns], rtol=1e-10)
    state = CalibrationState("ece").update(collection["y"], collection["p"],
                                           groups=collection["site"])  # fmt: skip
    assert sorted(state.group_table()["n"]) == sorted(expected["n"])


def test_partitions_that_contradict_each_other_have_the_order_of_letters(rows):
    y, p, _ = rows
    parts = [pd.Categorical(["b", "a"] * 150, order) for order in (["b", "a"], ["a", "b"])]
    tables = [pd.DataFrame({"site": part}) for part in parts]
    groups = dd.from_map(lambda k: tables[k], range(2), meta=tables[0].iloc[:0])
    options = {"n_resamples": 19, "alpha": 0.1, "random_state": 0}
    sizes = [300, 300]
    found = calibration_by_group(as_table(y, sizes), as_table(p, sizes), groups, **options)
    expected = calibration_by_group(y, p, {"site": ["b", "a"] * 300}, **options).to_frame()
    columns = ["category", "n", "observed"]
    pd.testing.assert_frame_equal(found.to_frame()[columns], expected[columns])


def test_chunks_of_unknown_sizes(rows):
    y, p, w = rows
    kept = p > 0.1
    unknown = da.from_array(p, chunks=100)
    unknown = [da.from_array(one, chunks=100)[unknown > 0.1] for one in (y, p, w)]
    assert np.isnan(unknown[0].chunks[0]).all()
    expected = skce(y[kept], p[kept], sample_weight=w[kept])
    found = skce(*unknown[:2], sample_weight=unknown[2])
    assert found == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_any_scheduler(rows, scheduler):
    with dask.config.set(scheduler=scheduler):
        check_metrics(*rows[:2], [200] * 3, as_table, rows[2])


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_processes_as_scheduler(rows):
    with dask.config.set(scheduler="processes", num_workers=2):
        check_metrics(*rows[:2], [200] * 3, as_table, rows[2])
