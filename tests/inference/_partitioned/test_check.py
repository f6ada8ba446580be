import numpy as np
import pandas as pd
import pytest

from sklearn_calib._data import partitions
from sklearn_calib.inference import GivenDraws, check_calibration
from sklearn_calib.inference._partitioned import drawing
from tests.distributed._rows import as_array, as_table

STATISTICS = {
    "skce": {},
    "kce": {"bandwidth": 0.2},
    "mmce": {},
    "ece": {"n_bins": 8},
    "mce": {},
    "spiegelhalter": {},
    "hosmer_lemeshow": {"bins": [0.0, 0.2, 0.5, 1.0]},
    "slope_score": {},
    "cox_score": {},
    "rank_skce": {"bandwidth": 0.1},
}


@pytest.fixture
def rows(monkeypatch):
    monkeypatch.setattr(partitions, "_RANGE_ROWS", 150)
    monkeypatch.setattr(drawing, "_CELLS", 30_000)
    rng = np.random.default_rng(1)
    p = rng.beta(1.0, 2.0, size=1000).round(2)
    p[:3] = 0.0, 1.0, 0.5
    y = (rng.random(1000) < p**1.1).astype(int)
    y[:3] = 0, 1, 1
    return y, p, rng.uniform(0.5, 2.0, size=1000)


def both(rows, make, statistic, *, weighted=False, **options):
    y, p, w = rows
    own = {"sample_weight": w} if weighted else {}
    expected = check_calibration(y, p, statistic=statistic, random_state=0, **options, **own)
    own = {"sample_weight": make(w)} if weighted else {}
    found = check_calibration(
        make(y), make(p), statistic=statistic, random_state=0, **options, **own
    )
    return expected, found


# Without weights all of them are one: three statistics stand for the others.
CASES = [(statistic, True) for statistic in STATISTICS]
CASES += [("skce", False), ("ece", False), ("cox_score", False)]
REST = [(statistic, False) for statistic in STATISTICS if (statistic, False) not in CASES]


@pytest.mark.parametrize(
    ("statistic", "weighted"),
    [*CASES, *(pytest.param(*case, marks=pytest.mark.slow) for case in REST)],
)
def test_the_statistic_is_that_of_the_rows_and_the_draws_have_its_distribution(
    rows, statistic, weighted
):
    expected, found = both(
        rows, as_table, statistic, weighted=weighted, statistic_params=STATISTICS[statistic]
    )
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-15)
    for field in ("statistic_name", "target", "null", "n_samples", "prob_bandwidth"):
        assert getattr(found, field) == getattr(expected, field)
    assert found.null_distribution.shape == expected.null_distribution.shape == (999,)
    # Two samples of 999 draws each from one distribution.
    spread = expected.null_distribution.std()
    for share in (0.25, 0.5, 0.75):
        quantiles = [np.quantile(one.null_distribution, share) for one in (expected, found)]
        assert quantiles[1] == pytest.approx(quantiles[0], abs=0.3 * spread)
    assert found.pvalue == pytest.approx(expected.pvalue, abs=0.08)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_parts_of_the_omnibus_test_are_those_of_the_rows(rows, weighted):
    expected, found = both(rows, as_array, "omnibus", weighted=weighted)
    for mine, theirs in zip(found.parts, expected.parts, strict=True):
        assert mine.statistic == pytest.approx(theirs.statistic, rel=1e-10)
        assert mine.pvalue == pytest.approx(theirs.pvalue, abs=0.08)
        assert mine[:4] == theirs[:4]
        assert mine.finding == theirs.finding  # all rows are in the sample for the words
    assert found.pvalue == pytest.approx(expected.pvalue, abs=0.08)
    assert found.pvalue == min(part.adjusted_pvalue for part in found.parts)


def test_a_wrong_model_is_rejected_and_the_fault_is_named(rows):
    _, p, _ = rows
    y = (np.random.default_rng(2).random(1000) < p**2).astype(int)
    result = check_calibration(as_table(y), as_table(p), statistic="omnibus", random_state=0)
    assert result.pvalue == 0.001
    assert "too high on average (0.33" in result.finding


def test_the_largest_probability_of_several_classes():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([1.0, 1.0, 1.0], size=1000)
    y = (rng.random(1000)[:, np.newaxis] > proba.cumsum(axis=1)).sum(axis=1)
    options = {"statistic": "omnibus", "target": "confidence", "random_state": 0}
    expected = check_calibration(y, proba, **options)
    found = check_calibration(as_table(y), as_table(pd.DataFrame(proba)), **options)
    for mine, theirs in zip(found.parts, expected.parts, strict=True):
        assert mine.statistic == pytest.approx(theirs.statistic, rel=1e-10)
    with pytest.raises(ValueError, match="use target='confidence'"):
        check_calibration(as_table(y), as_table(pd.DataFrame(proba)), statistic="omnibus")


def test_draws_depend_on_the_seed_and_on_nothing_else(rows):
    import dask

    y, p, _ = rows
    first = check_calibration(as_array(y), as_array(p), statistic="ece", random_state=3)
    with dask.config.set(scheduler="synchronous"):
        again = check_calibration(as_array(y), as_array(p), statistic="ece", random_state=3)
    other = check_calibration(as_array(y), as_array(p), statistic="ece", random_state=4)
    np.testing.assert_array_equal(first.null_distribution, again.null_distribution)
    assert (first.null_distribution != other.null_distribution).any()


def test_certain_predictions(rows):
    right = as_array(np.arange(1000) % 2), as_array((np.arange(1000) % 2).astype(float))
    wrong = as_array(np.ones(1000, dtype=int)), right[1]
    for statistic in ("cox_score", "slope_score"):
        result = check_calibration(*right, statistic=statistic, random_state=0)
        assert (result.statistic, result.pvalue) == (0.0, 1.0)
    result = check_calibration(*wrong, statistic="cox_score", random_state=0)
    assert (result.statistic, result.pvalue) == (np.inf, 0.001)


def check_refusal(rows, match, **options):
    y, p, _ = rows
    with pytest.raises(ValueError, match=match):
        check_calibration(as_array(y), as_array(p), **options)


def test_what_partitions_cannot_do_is_refused(rows):
    y, p, _ = rows
    with pytest.raises(ValueError, match="X compares all pairs"):
        check_calibration(as_array(y), as_array(p), as_array(p))
    check_refusal(rows, "null='simulation'", null="permutation")
    check_refusal(rows, "null='simulation'", null=GivenDraws("wild", [[1]]))
    check_refusal(rows, "algorithm='low_rank'", algorithm="low_rank")
    check_refusal(rows, "no function of sums", statistic="miscalibration")
    check_refusal(rows, "name of a statistic", statistic=lambda y, p: 0.0)
    check_refusal(rows, "parts", statistic="omnibus", statistic_params={"parts": ["ece"]})
    check_refusal(rows, "strategy='quantile'", statistic="ece",
                  statistic_params={"strategy": "quantile"})  # fmt: skip


def test_a_statistic_that_needs_all_rows_is_refused_before_any_is_read(rows, monkeypatch):
    import dask

    def refuse(*_, **__):
        raise AssertionError("rows were collected")

    collections = [as_array(one) for one in rows[:2]]
    for owner in (dask, dask.base):
        monkeypatch.setattr(owner, "compute", refuse)
    with pytest.raises(ValueError, match="miscalibration is no function of sums"):
        check_calibration(*collections, statistic="miscalibration")


def test_a_single_partition_has_the_parts_of_the_rows(rows):
    y, p, _ = rows
    made = [as_array(one, sizes=(len(one),)) for one in (y, p)]
    found = check_calibration(*made, statistic="omnibus", random_state=0)
    expected = check_calibration(y, p, statistic="omnibus", random_state=0)
    assert [one.finding for one in found.parts] == [one.finding for one in expected.parts]
    for mine, theirs in zip(found.parts, expected.parts, strict=True):
        assert mine.statistic == pytest.approx(theirs.statistic, rel=1e-10)
