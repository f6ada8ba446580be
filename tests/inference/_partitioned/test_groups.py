import numpy as np
import pandas as pd
import pytest

from sklearn_calib.inference import calibration_by_group
from tests.distributed._rows import as_table

EXACT = ["n", "weight", "observed", "predicted", "gap", "log_loss", "error"]


@pytest.fixture(params=[False, True], ids=["plain", "weighted"])
def rows(request):
    rng = np.random.default_rng(0)
    p = rng.beta(1.0, 2.0, size=1000).round(3)
    groups = pd.DataFrame(
        {
            "sex": rng.choice(["F", "M", None], size=1000, p=[0.3, 0.6, 0.1]),
            "site": rng.integers(0, 3, size=1000),
            "new": rng.random(1000) < 0.4,
        }
    )
    truth = np.clip(p + 0.25 * (groups["sex"] == "F"), 0.0, 1.0)
    weight = rng.choice([0.0, 0.5, 2.0], size=1000) if request.param else None
    return (rng.random(1000) < truth).astype(int), p, groups, weight


def of_partitions(y, p, groups, weight, **options):
    table = pd.DataFrame(p) if p.ndim == 2 else p
    own = None if weight is None else as_table(weight)
    return calibration_by_group(
        as_table(y), as_table(table), as_table(groups), sample_weight=own, random_state=0, **options
    )


@pytest.mark.parametrize("max_interaction", [1, 2])
def test_the_table_is_that_of_the_rows(rows, max_interaction):
    y, p, groups, weight = rows
    options = {"max_interaction": max_interaction, "n_resamples": 499}
    expected = calibration_by_group(y, p, groups, sample_weight=weight, random_state=0, **options)
    found = of_partitions(*rows, **options)
    mine, theirs = found.to_frame(), expected.to_frame()
    assert mine[["feature", "category"]].equals(theirs[["feature", "category"]])
    np.testing.assert_allclose(mine[EXACT], theirs[EXACT], rtol=1e-10, atol=1e-13)
    # The draws are others, of the same distribution.
    for column, tolerance in (("pvalue_marginal", 0.12), ("gap_low", 0.03), ("gap_high", 0.03)):
        np.testing.assert_allclose(mine[column], theirs[column], atol=tolerance)
    assert set(found.verdict.split()[:4]) == set(expected.verdict.split()[:4])
    assert "sex = F" in found.verdict
    np.testing.assert_allclose(found.curves.prob_true, expected.curves.prob_true, rtol=1e-10)
    np.testing.assert_array_equal(found.curves.counts, expected.curves.counts)
    assert found.overall[0].n == expected.overall[0].n
    assert found.overall[0].gap == pytest.approx(expected.overall[0].gap, rel=1e-10)


@pytest.mark.parametrize("target", ["confidence", "classwise"])
def test_several_classes(target):
    rng = np.random.default_rng(1)
    proba = rng.dirichlet([1.0, 1.0, 1.0], size=1000)
    y = (rng.random(1000)[:, np.newaxis] > proba.cumsum(axis=1)).sum(axis=1)
    groups = pd.DataFrame({"site": rng.choice(list("ab"), size=1000)})
    options = {"target": target, "n_resamples": 19, "alpha": 0.1}
    expected = calibration_by_group(y, proba, groups, random_state=0, **options).to_frame()
    found = of_partitions(y, proba, groups, None, **options).to_frame()
    np.testing.assert_allclose(found[EXACT], expected[EXACT], rtol=1e-10, atol=1e-13)
    assert found["category"].tolist() == expected["category"].tolist()


@pytest.mark.parametrize("metric", ["overconfidence", "underconfidence"])
def test_metrics_of_the_confidence_read_both_columns(rows, metric):
    y, p, groups, weight = rows
    options = {"metric": metric, "n_resamples": 39}
    expected = calibration_by_group(y, p, groups, sample_weight=weight, random_state=0, **options)
    found = of_partitions(*rows, **options).to_frame()["error"]
    np.testing.assert_allclose(found, expected.to_frame()["error"], rtol=1e-10, atol=1e-13)


def test_the_draws_do_not_depend_on_the_scheduler(rows):
    import dask

    first = of_partitions(*rows, n_resamples=99)
    with dask.config.set(scheduler="synchronous"):
        again = of_partitions(*rows, n_resamples=99)
    assert first.to_frame().equals(again.to_frame())


def test_what_partitions_cannot_do_is_refused(rows):
    y, p, groups, weight = rows
    with pytest.raises(ValueError, match=r"Partition \d: Column 'age' .* Cut them"):
        of_partitions(y, p, pd.DataFrame({"age": p + 0.5}), weight)
    with pytest.raises(ValueError, match="metric='skce' needs the rows"):
        of_partitions(y, p, groups, weight, metric="skce")
    with pytest.raises(TypeError, match="groups must be a Dask"):
        calibration_by_group(as_table(y), as_table(p), groups)
    plain = of_partitions(y, p, groups, weight, metric=None, n_resamples=19, alpha=0.1)
    assert plain.to_frame().get("error", pd.Series(dtype=float)).isna().all()
