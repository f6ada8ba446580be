"""The table of groups: its numbers, its p-values, and the groups that it names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import beta, binom
from sklearn.metrics import log_loss

from sklearn_calib import calibration_by_group
from sklearn_calib.metrics import ece, kce

from ._data import one_wrong_group

Y, P, GROUPS = one_wrong_group(0)
OPTIONS = {"n_resamples": 199, "random_state": 0, "metric": None}


def draw_three_classes(n=600, seed=0):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet([2.0, 3.0, 4.0], n)
    y = (rng.random((n, 1)) > P.cumsum(axis=1)).sum(axis=1)
    return y, P, {"site": rng.choice(["a", "b", "c"], n)}


def test_numbers_of_a_small_table_by_hand():
    y, p = [1, 0, 1, 1, 0, 0], [0.5, 0.5, 0.8, 0.8, 0.2, 0.2]
    frame = calibration_by_group(
        y, p, {"g": list("aabbcc")}, min_rows=2, n_resamples=99, random_state=0, metric="ece"
    ).to_frame()
    assert frame.columns.tolist() == [
        "feature", "category", "n", "weight", "observed", "predicted", "gap", "gap_low",
        "gap_high", "pvalue", "pvalue_marginal", "explained_by", "log_loss", "error",
    ]  # fmt: skip
    assert frame["category"].tolist() == ["a", "b", "c"]
    assert frame["n"].tolist() == [2, 2, 2]
    assert_allclose(frame["observed"], [0.5, 1.0, 0.0])
    assert_allclose(frame["predicted"], [0.5, 0.8, 0.2], rtol=1e-15)
    assert_allclose(frame["gap"], [0.0, 0.2, -0.2], atol=1e-15)
    assert_allclose(frame["log_loss"], -np.log([0.5, 0.8, 0.8]))
    assert_allclose(frame["error"], [0.0, 0.2, 0.2], atol=1e-15)


def test_rows_of_the_table_agree_with_functions_of_the_rows():
    weight = np.random.default_rng(1).integers(0, 4, Y.size)
    result = calibration_by_group(
        Y, P, GROUPS, max_interaction=2, sample_weight=weight, metric="kce", n_resamples=19
    )
    frame = result.to_frame()
    assert len(frame) == 2 + 5 + 10
    for _, row in frame.iterrows():
        mask = weight > 0
        for name, value in zip(row["feature"].split(" & "), row["category"].split(" & ")):
            mask &= GROUPS[name] == value
        w = weight[mask]
        assert row["n"] == mask.sum()
        assert row["weight"] == pytest.approx(w.sum(), rel=1e-12)
        assert row["observed"] == pytest.approx(np.average(Y[mask], weights=w), rel=1e-12)
        assert row["predicted"] == pytest.approx(np.average(P[mask], weights=w), rel=1e-12)
        assert row["log_loss"] == pytest.approx(log_loss(Y[mask], P[mask], sample_weight=w))
        assert row["error"] == pytest.approx(kce(Y[mask], P[mask], sample_weight=w), rel=1e-9)
    (overall,) = result.overall
    assert overall.n == np.count_nonzero(weight)
    assert overall.gap == pytest.approx(np.average(Y - P, weights=weight), rel=1e-9)


def test_curves_hold_the_bins_of_each_group():
    result = calibration_by_group(Y, P, GROUPS, **OPTIONS)
    female = GROUPS["sex"] == "Female"
    k = result.label.tolist().index("sex = Female")
    bins = np.floor(10 * P[female]).astype(int)
    for b in np.unique(bins):
        assert result.curves.counts[k, b] == np.count_nonzero(bins == b)
        assert result.curves.prob_true[k, b] == pytest.approx(Y[female][bins == b].mean())
        assert result.curves.prob_pred[k, b] == pytest.approx(P[female][bins == b].mean())
    assert np.isnan(result.curves.prob_true[k][np.bincount(bins, minlength=10) == 0]).all()


def test_interval_of_equal_predictions_is_that_of_clopper_and_pearson():
    y = np.repeat([1, 0], [7, 23])
    result = calibration_by_group(y, np.full(30, 0.4), np.zeros(30), interval="pointwise")
    low, high = beta.ppf([0.025, 0.975], [7, 8], [24, 23])
    assert_allclose([result.gap_low[0], result.gap_high[0]], [low - 0.4, high - 0.4], rtol=1e-9)


def test_simultaneous_intervals_are_wider():
    wide = calibration_by_group(Y, P, GROUPS, **OPTIONS)
    narrow = calibration_by_group(Y, P, GROUPS, interval="pointwise", **OPTIONS)
    assert (wide.gap_low < narrow.gap_low).all()
    assert (wide.gap_high > narrow.gap_high).all()
    assert_array_equal(wide.gap, narrow.gap)


@pytest.mark.slow
@pytest.mark.parametrize("spread", ["equal", "uniform", "near 0 and 1"])
@pytest.mark.parametrize("truth", ["as predicted", "shifted", "flatter"])
def test_intervals_cover_the_true_gap(spread, truth):
    """Also where the predictions vary more than the truth does, and promise too little noise."""
    rng = np.random.default_rng(0)
    missed, n_groups, n = 0, 40, 40
    group = np.repeat(np.arange(n_groups).astype(str), n)
    for _ in range(15):
        p = {
            "equal": lambda: np.full(group.size, 0.3),
            "uniform": lambda: rng.random(group.size),
            "near 0 and 1": lambda: rng.beta(0.2, 0.2, group.size),
        }[spread]()
        q = {"as predicted": p, "shifted": 0.7 * p + 0.15, "flatter": 0.2 * p + 0.4}[truth]
        y = (rng.random(q.size) < q).astype(int)
        result = calibration_by_group(
            y, p, group, interval="pointwise", n_resamples=19, metric=None
        )
        true = np.array([(q - p)[group == one].mean() for one in result.category])
        missed += np.count_nonzero((true < result.gap_low) | (true > result.gap_high))
    assert missed <= binom.ppf(0.999, 15 * n_groups, 0.05)


def test_pvalues_are_those_of_the_step_down_maximum():
    """Against a slow calculation with the same draws, group by group."""
    rng = np.random.default_rng(3)
    p, group = rng.uniform(0.1, 0.9, 90), np.repeat(list("abc"), [20, 30, 40])
    y = (rng.random(90) < p).astype(int)
    result = calibration_by_group(y, p, group, n_resamples=99, random_state=5, metric=None)

    from sklearn_calib._utils.arguments.random_streams import check_generator

    uniform = check_generator(5).random((99, 90))
    labels = np.vstack([y, uniform < p])

    def root(rate, expected, size):
        value = 0.0
        for observed, mean in ((rate, expected), (1 - rate, 1 - expected)):
            value += observed * np.log(observed / mean) if observed > 0 else 0.0
        return np.sqrt(2 * size * max(value, 0.0))

    table = np.zeros((100, 3))
    for j, one in enumerate("abc"):
        rows = group == one
        mean = p[rows].mean()
        size = mean * (1 - mean) * rows.sum() ** 2 / np.sum(p[rows] * (1 - p[rows]))
        for b in range(100):
            table[b, j] = root(labels[b, rows].mean(), mean, size)
    order = np.argsort(-table[0])
    expected, largest = np.zeros(3), 0.0
    for step, j in enumerate(order):
        left = table[1:, order[step:]].max(axis=1)
        largest = max(largest, (1 + np.count_nonzero(left >= table[0, j] * (1 - 1e-10))) / 100)
        expected[j] = largest
    assert_allclose(result.pvalue_marginal, expected, rtol=1e-12)
    assert result.critical_value == pytest.approx(np.sort(table[1:].max(axis=1))[94])


def test_pvalues_do_not_depend_on_the_order_of_columns_or_the_scale_of_weights():
    weight = np.random.default_rng(0).random(Y.size)
    first = calibration_by_group(Y, P, GROUPS, sample_weight=weight, **OPTIONS).to_frame()
    turned = dict(reversed(GROUPS.items()))
    second = calibration_by_group(Y, P, turned, sample_weight=1e-9 * weight, **OPTIONS).to_frame()
    second = pd.concat([second[second["feature"] == name] for name in GROUPS], ignore_index=True)
    pd.testing.assert_frame_equal(
        first.drop(columns="weight"), second.drop(columns="weight"), rtol=1e-9
    )
    assert_allclose(second["weight"], 1e-9 * first["weight"], rtol=1e-9)


def test_columns_of_predictions_and_rows_of_weight_zero_change_nothing():
    both = np.column_stack([1 - P, P])
    first = calibration_by_group(Y, P, GROUPS, **OPTIONS).to_frame()
    pd.testing.assert_frame_equal(
        first, calibration_by_group(Y, both, GROUPS, **OPTIONS).to_frame()
    )
    more = {name: np.r_[column, ["other"]] for name, column in GROUPS.items()}
    weight = np.r_[np.ones(Y.size), 0.0]
    extra = calibration_by_group(
        np.r_[Y, 1], np.r_[P, 0.5], more, sample_weight=weight, **OPTIONS
    ).to_frame()
    pd.testing.assert_frame_equal(first, extra)


def named(groups, y=Y, p=P, **options):
    result = calibration_by_group(y, p, groups, **{**OPTIONS, **options})
    return result.label[result.significant].tolist(), result


FRAME = pd.DataFrame(GROUPS)
FORMS = {
    "text": (GROUPS, "sex = Female"),
    "frame": (FRAME, "sex = Female"),
    "polars": (pl.DataFrame(GROUPS), "sex = Female"),
    "category": (FRAME.astype("category"), "sex = Female"),
    "polars category": (pl.DataFrame(GROUPS).cast(pl.Categorical), "sex = Female"),
    "boolean": (FRAME.assign(sex=FRAME["sex"] == "Female"), "sex = True"),
    "0/1": (FRAME.assign(sex=(FRAME["sex"] == "Male").astype(float)), "sex = 0"),
    "one-hot": (pd.get_dummies(FRAME, dtype=int), "sex_Female = 1"),
    "array": (FRAME.to_numpy(), "feature 0 = Female"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("max_interaction", [1, 2])
def test_every_form_of_the_columns_gives_the_same_finding(form, max_interaction):
    groups, expected = FORMS[form]
    found, result = named(groups, max_interaction=max_interaction)
    assert found == [expected]
    k = result.label.tolist().index(expected)
    assert result.gap[k] == pytest.approx((Y - P)[GROUPS["sex"] == "Female"].mean(), rel=1e-9)
    assert result.verdict.startswith(f"1 of {result.n_tested} groups is wrong: {expected} (")


def test_a_group_that_shares_rows_with_the_wrong_one_is_explained_by_it():
    """A site is right for everybody but women, who are most of its rows."""
    y, p, groups = one_wrong_group(1, wrong_by=0.12)
    rng = np.random.default_rng(1)
    share = np.where(groups["sex"] == "Female", 0.8, 0.1)
    site = np.where(rng.random(y.size) < share, "s", "n")
    found, result = named({"site": site, **groups}, y=y, p=p)
    frame = result.to_frame().set_index(["feature", "category"])
    assert found == ["sex = Female"]
    assert frame.loc[("site", "s"), "pvalue_marginal"] <= 0.05
    assert frame.loc[("site", "s"), "pvalue"] > 0.05
    assert frame.loc[("site", "s"), "explained_by"] == "sex = Female"
    assert (result.pvalue >= result.pvalue_marginal).all()


def test_groups_without_common_rows_explain_nothing():
    rng = np.random.default_rng(4)
    race = GROUPS["race"]
    wrong = 0.1 * (race == "B") - 0.08 * (race == "C") + 0.07 * (race == "D")
    y = (rng.random(Y.size) < np.clip(P + wrong, 0, 1)).astype(int)
    found, result = named({"race": race}, y=y)
    assert len(found) > 1
    assert_array_equal(result.pvalue, result.pvalue_marginal)
    assert result.explained_by == [None] * 5


def test_two_wrong_groups_are_both_named():
    rng = np.random.default_rng(2)
    race = GROUPS["race"]
    wrong = 0.15 * (race == "B") - 0.15 * (GROUPS["sex"] == "Female")
    y = (rng.random(Y.size) < np.clip(P + wrong, 0, 1)).astype(int)
    found, _ = named(GROUPS, y=y)
    assert found == ["sex = Female", "race = B"]


def test_an_error_of_an_interaction_is_named_as_such():
    rng = np.random.default_rng(2)
    both = (GROUPS["race"] == "B") & (GROUPS["sex"] == "Male")
    y = (rng.random(Y.size) < np.clip(P + 0.2 * both, 0, 1)).astype(int)
    found, result = named(GROUPS, y=y, max_interaction=2)
    assert found == ["sex = Male & race = B"]
    k = int(np.flatnonzero(result.significant)[0])
    assert result.feature[k] == "sex & race"
    assert result.category[k] == "Male & B"


def test_three_classes_by_top_label_and_by_class():
    y, proba, groups = draw_three_classes()
    top = calibration_by_group(y, proba, groups, **OPTIONS)
    assert top.target == "confidence"
    assert top.n_groups == 3
    rows = groups["site"] == "b"
    assert top.observed[1] == pytest.approx((proba.argmax(axis=1) == y)[rows].mean())
    assert top.predicted[1] == pytest.approx(proba.max(axis=1)[rows].mean())
    each = calibration_by_group(y, proba, groups, target="classwise", **OPTIONS)
    frame = each.to_frame()
    assert len(frame) == 9
    assert frame["class"].tolist() == [0, 1, 2] * 3
    gaps = frame["gap"].to_numpy().reshape(3, 3)
    assert_allclose(gaps.sum(axis=1), 0.0, atol=1e-12)
    for k in range(3):
        assert gaps[1, k] == pytest.approx(((y == k) - proba[:, k])[rows].mean())
    assert [one.event for one in each.overall] == [0, 1, 2]
    wrong = np.where(rows, 0, y)
    found = calibration_by_group(wrong, proba, groups, target="classwise", **OPTIONS)
    assert set(found.label[found.significant]) == {"site = b"}
    assert "site = b, class 0" in found.describe(int(found.worst[0]))


def test_metric_of_three_classes_is_that_of_the_event():
    y, proba, groups = draw_three_classes()
    result = calibration_by_group(y, proba, groups, n_resamples=19, metric="ece", random_state=0)
    rows = groups["site"] == "b"
    assert result.error[1] == pytest.approx(ece(y[rows], proba[rows], target="confidence"))


def test_small_groups_are_shown_but_not_tested_and_small_combinations_left_out():
    rare = np.array(["usual"] * Y.size, dtype=object)
    rare[:9] = "rare"
    result = calibration_by_group(
        Y, P, {"kind": rare, **GROUPS}, max_interaction=2, n_resamples=199, random_state=0
    )
    frame = result.to_frame().set_index(["feature", "category"])
    assert frame.loc[("kind", "rare"), "n"] == 9
    assert frame.loc[("kind", "rare"), ["pvalue", "pvalue_marginal", "error"]].isna().all()
    assert frame.loc[("kind", "rare"), "gap_low"] < frame.loc[("kind", "rare"), "gap_high"]
    assert result.n_tested == result.n_groups - 1
    assert not any(one.startswith("rare") for one in frame.index.get_level_values(1)[1:])


def test_one_constant_column_and_one_without_values():
    result = calibration_by_group(Y, P, {"site": ["a"] * Y.size, "lab": [None] * Y.size}, **OPTIONS)
    assert result.label.tolist() == ["site = a", "lab = missing"]
    assert_allclose(result.gap, (Y - P).mean(), rtol=1e-9)
    assert_allclose(result.pvalue_marginal, result.overall[0].pvalue)


def test_missing_values_are_found_as_a_group():
    rng = np.random.default_rng(0)
    lab = np.where(rng.random(Y.size) < 0.15, np.nan, rng.normal(size=Y.size))
    y = (rng.random(Y.size) < np.clip(P + 0.12 * np.isnan(lab), 0, 1)).astype(int)
    found, result = named({"lab": lab, "race": GROUPS["race"]}, y=y)
    assert found == ["lab = missing"]
    assert result.n_groups == 5 + 5


def test_a_thousand_categories():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 1000, 40_000).astype(str)
    p = rng.uniform(0.1, 0.9, code.size)
    y = (rng.random(code.size) < np.where(code == "7", 1 - (1 - p) / 8, p)).astype(int)
    found, result = named(code, y=y, p=p)
    assert result.n_groups == 1000
    assert found == ["group = 7"]


def test_predictions_of_zero_and_one():
    """An event that was ruled out is infinitely far away, a certain one that happens is not."""
    y, p = np.r_[np.zeros(19), 1.0, np.ones(20)], np.r_[np.zeros(20), np.ones(20)]
    result = calibration_by_group(y, p, np.repeat(["a", "b"], 20), n_resamples=99)
    assert result.pvalue.tolist() == [0.01, 1.0]


def test_same_seed_same_result_whatever_the_batches(monkeypatch):
    first = calibration_by_group(Y, P, GROUPS, **OPTIONS)
    monkeypatch.setattr("sklearn_calib.inference._groups.deviations._BATCH_CELLS", 7 * Y.size)
    second = calibration_by_group(Y, P, GROUPS, **OPTIONS)
    assert_array_equal(first.pvalue, second.pvalue)
    assert first.critical_value == second.critical_value


def test_verdict_without_a_finding_and_with_many():
    rng = np.random.default_rng(0)
    fair = (rng.random(Y.size) < P).astype(int)
    result = calibration_by_group(fair, P, GROUPS, **OPTIONS)
    assert result.worst.size == 0
    assert result.verdict.startswith("None of 7 groups is wrong at level 0.05 (smallest p = ")
    off = (rng.random(Y.size) < np.clip(P + 0.3, 0, 1)).astype(int)
    result = calibration_by_group(off, P, {"race": GROUPS["race"]}, **OPTIONS)
    assert result.n_significant == 5
    assert result.verdict.startswith("5 of 5 groups are wrong: race = ")
    assert result.verdict.endswith("; and 2 more.")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": GROUPS["sex"][:-1]}, "y_true and groups must have the same number of rows"),
        ({"max_interaction": 0}, "max_interaction must be a whole number"),
        ({"n_quantiles": 1}, "n_quantiles"),
        ({"min_rows": 0}, "min_rows"),
        ({"min_rows": 10_000}, "No group has min_rows=10000 rows; the largest has"),
        ({"target": "canonical"}, "target must be one of"),
        ({"metric": "klce"}, "metric must be one of"),
        ({"interval": "joint"}, "interval must be one of"),
        ({"alpha": 1.0}, "alpha"),
        ({"n_resamples": 0}, "n_resamples"),
    ],
    ids=str,
)
def test_wrong_arguments(options, message):
    arguments = {"y_true": Y, "y_proba": P, "groups": GROUPS, "n_resamples": 19, **options}
    with pytest.raises(ValueError, match=message):
        calibration_by_group(**arguments)


def test_too_few_draws_warn():
    with pytest.warns(UserWarning, match="n_resamples of at least 19"):
        result = calibration_by_group(Y, P, GROUPS, n_resamples=9, metric=None)
    assert result.critical_value == np.inf
    assert result.n_significant == 0


def test_progress(capsys):
    calibration_by_group(Y, P, GROUPS, verbose=1, **OPTIONS)
    assert "199 of 199 draws" in capsys.readouterr().err
