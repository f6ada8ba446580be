"""The local bias and its band where features are categories or missing."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom

from sklearn_calib import local_bias_band, local_calibration_bias

polars = pytest.importorskip("polars")


def one_wrong_group(gap=0.15, n=1200, seed=0):
    """Return data whose predictions are too high by `gap` for a fifth of the rows."""
    rng = np.random.default_rng(seed)
    women = rng.random(n) < 0.2
    p = rng.uniform(0.2, 0.8, size=n)
    y = (rng.random(n) < p - gap * women).astype(int)
    X = pd.DataFrame({"sex": np.where(women, "F", "M"), "site": rng.choice(list("abc"), size=n)})
    return y, p, X, women


def test_the_bias_averages_rows_of_the_same_categories():
    y, p, X, _ = one_wrong_group(n=80)
    queries = X[:5]
    bias = local_calibration_bias(
        y, p, X, X_query=queries, proba_query=p[:5] + 0.01, prob_bandwidth=0.3
    )
    for q in range(5):
        same = ((queries.iloc[q] == X).all(axis=1)).to_numpy()
        weight = np.exp(-(((p - p[q] - 0.01) / 0.3) ** 2)) * same
        assert_allclose(bias[q], weight @ (y - p) / weight.sum(), rtol=1e-10)
    soft = local_calibration_bias(
        y,
        p,
        X,
        X_query=queries[:1],
        proba_query=p[:1],
        prob_bandwidth=0.3,
        category_similarity=0.25,
    )
    differ = (queries.iloc[0] != X).sum(axis=1).to_numpy()
    weight = np.exp(-(((p - p[0]) / 0.3) ** 2)) * 0.25**differ
    assert_allclose(soft[0], weight @ (y - p) / weight.sum(), rtol=1e-10)


def test_points_and_groups_have_one_maximum_where_draws_are_too_few_to_share_the_level():
    """With 49 draws, a fifth of alpha = 0.1 is the largest of all, and 48 are too few for that."""
    y, p, X, _ = one_wrong_group(n=80)
    options = {"alpha": 0.1, "random_state": 0, "min_effective_size": 3}
    few = local_bias_band(y, p, X, n_resamples=48, **options)
    assert few.critical_value == few.group_critical_value < np.inf
    enough = local_bias_band(y, p, X, n_resamples=49, **options)
    assert few.critical_value < enough.critical_value < np.inf
    assert enough.group_critical_value < few.critical_value


def test_the_band_names_the_wrong_group_in_every_form_of_the_features():
    y, p, X, women = one_wrong_group()
    codes = X.assign(sex=women * 1, site=X.site.map({"a": 0, "b": 1, "c": 2}))
    forms = {
        "text": (X, "sex = F"),
        "categories": (X.astype("category"), "sex = F"),
        "polars": (polars.DataFrame({name: X[name].tolist() for name in X}), "sex = F"),
        "numbers": (codes, "sex = 1"),
        "array": (codes.to_numpy(dtype=float), "feature 0 = 1"),
        "one-hot": (pd.get_dummies(X).astype(int), "sex_F = 1"),
    }
    for name, (form, wanted) in forms.items():
        band = local_bias_band(y, p, form, n_resamples=99, random_state=0)
        assert_array_equal(band.significant, women, err_msg=name)
        (group,) = band.groups
        assert group.name == wanted
        assert band.groups_found == wanted
        assert (group.n_samples, group.column) == (women.sum(), 1)
        assert_allclose(group.share, women.mean())
        assert_allclose(group.bias, (y - p)[women].mean())
        assert_allclose(group.null_std, np.sqrt(np.sum((p * (1 - p))[women])) / women.sum())
        assert_allclose(band.bias[women], group.bias)
        assert_allclose(band.limit[women], band.group_critical_value * group.null_std)
        assert (np.abs(band.bias[~women]) <= band.limit[~women]).all()


def test_missing_values_are_a_group():
    y, p, X, women = one_wrong_group()
    rng = np.random.default_rng(1)
    age = np.where(women, np.nan, rng.normal(50, 10, size=len(y)))
    band = local_bias_band(
        y, p, pd.DataFrame({"age": age, "site": X.site}), n_resamples=99, random_state=0
    )
    assert [group.name for group in band.groups] == ["age is missing"]
    assert_array_equal(band.significant, women)


@pytest.mark.parametrize("wrong", ["missing", None, "present"])
def test_the_texts_missing_and_present_are_not_missing_values(wrong):
    y, p, X, women = one_wrong_group()
    others = [one for one in ("missing", None, "present") if one != wrong]
    site = np.where(women, wrong, np.where(X.site == "a", *others))
    band = local_bias_band(y, p, pd.DataFrame({"site": site}), n_resamples=99, random_state=0)
    name = "site is missing" if wrong is None else f"site = {wrong}"
    assert [group.name for group in band.groups] == [name]
    assert_array_equal(band.significant, women)


def test_an_error_that_is_the_same_everywhere_is_no_error_of_a_group():
    rng = np.random.default_rng(7)
    _, p, X, _ = one_wrong_group()
    y = (rng.random(len(p)) < p - 0.1).astype(int)
    band = local_bias_band(y, p, X, n_resamples=99, random_state=0)
    assert [group.name for group in band.groups] == ["all rows"]
    assert band.significant.all()


def test_an_error_along_a_number_is_not_blamed_on_a_category():
    rng = np.random.default_rng(0)
    n = 1200
    x, sex = rng.uniform(-1, 1, size=n), rng.choice(["F", "M"], size=n)
    p = rng.uniform(0.3, 0.7, size=n)
    y = (rng.random(n) < p - 0.25 * (x > 0.5)).astype(int)
    band = local_bias_band(y, p, pd.DataFrame({"x": x, "sex": sex}), n_resamples=99, random_state=0)
    assert all(group.feature == "x" for group in band.groups)
    assert band.significant[x > 0.6].mean() > 0.9
    assert band.significant[x < 0.2].mean() < 0.1


def test_one_class_of_several_is_named():
    rng = np.random.default_rng(0)
    n = 1200
    proba = rng.dirichlet([4, 4, 4], size=n)
    women = rng.random(n) < 0.3
    truth = proba.copy()
    shift = np.minimum(0.2, truth[:, 0]) * women
    truth[:, 0] -= shift
    truth[:, 2] += shift
    y = (truth.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=2)
    X = pd.DataFrame({"sex": np.where(women, "F", "M")})
    band = local_bias_band(y, proba, X, n_resamples=99, random_state=0)
    assert {(group.name, group.column, group.bias > 0) for group in band.groups} == {
        ("sex = F", 0, False),
        ("sex = F", 2, True),
    }
    assert_array_equal(band.significant[:, 0], women)
    assert not band.significant[:, 1].any()


@pytest.mark.slow
def test_any_flag_of_a_calibrated_model_has_probability_alpha():
    n_seeds, flagged = 100, 0
    for seed in range(n_seeds):
        y, p, X, _ = one_wrong_group(gap=0.0, n=150, seed=seed)
        X["x"] = np.random.default_rng([seed, 1]).normal(size=len(y))
        band = local_bias_band(y, p, X, alpha=0.2, n_resamples=49, random_state=seed)
        flagged += bool(band.significant.any() or band.groups)
    assert flagged <= binom.ppf(0.999, n_seeds, 0.2)


def test_weights_count_as_rows_in_groups():
    y, p, X, women = one_wrong_group(n=600)
    weight = np.where(np.arange(600) % 3, 1.0, 0.0)
    X.loc[weight == 0, "site"] = "nowhere"
    band = local_bias_band(y, p, X, n_resamples=99, random_state=0, sample_weight=weight)
    kept = weight > 0
    again = local_bias_band(y[kept], p[kept], X[kept], n_resamples=99, random_state=0)
    assert [g.name for g in band.groups] == [g.name for g in again.groups] == ["sex = F"]
    assert_allclose(band.groups[0].bias, (y - p)[kept & women].mean())
    assert_allclose(band.bias[kept], again.bias)
    assert not band.tested[~kept].any()


def test_a_query_with_a_category_that_no_row_has_is_refused():
    y, p, X, _ = one_wrong_group(n=60)
    query = pd.DataFrame({"sex": ["X"], "site": ["a"]})
    with pytest.raises(ValueError, match=r"'sex' is 'X' in row 0 of X_query.*'F', 'M'"):
        local_calibration_bias(y, p, X, X_query=query, proba_query=[0.5])


def test_a_combination_that_no_row_has_is_not_tested_through_all_features():
    y, p, X, _ = one_wrong_group(n=300)
    X = X[(X.sex == "M") | (X.site != "c")]
    y, p = y[X.index], p[X.index]
    query = {"X_query": pd.DataFrame({"sex": ["F"], "site": ["c"]}), "proba_query": [0.5]}
    near = (X.sex == "F") | (X.site == "c")  # differ in one category
    weight = np.exp(-(((p - 0.5) / 0.2) ** 2)) * near
    bias = local_calibration_bias(y, p, X, **query, prob_bandwidth=0.2)
    assert_allclose(bias, weight @ (y - p) / weight.sum())


def test_a_thousand_categories_have_too_few_rows_each_but_nothing_breaks():
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    X = pd.DataFrame({"id": [f"{k}" for k in rng.integers(1000, size=2000)]})
    band = local_bias_band(rng.random(2000) < p, p, X, n_resamples=99, random_state=0)
    assert not band.significant.any()
    assert np.isfinite(band.bias).all()
    assert band.tested.all()  # through the predictions alone


def draw_wrong(rows, wrong, seed):
    """Return (y, p) of predictions that are too low by 0.2 for some rows."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.2, 0.8, size=len(rows))
    return rng.random(len(rows)) < np.clip(p + 0.2 * wrong, 0, 1), p


def few_queries(table, p):
    return {"X_query": table.iloc[::20], "proba_query": p[::20], "n_resamples": 99}


@pytest.mark.parametrize("seed", range(3))
def test_the_larger_part_of_the_groups_is_not_called_all_rows(seed):
    """Three wrong groups of five move the mean of all rows more clearly than that of each."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"site": rng.choice(list("ABCDE"), 4000)})
    y, p = draw_wrong(table, table["site"].isin(["B", "C", "D"]), seed)
    weight = rng.gamma(3.0, size=p.size)
    band = local_bias_band(
        y, p, table, sample_weight=weight, random_state=0, **few_queries(table, p)
    )
    assert {group.name for group in band.groups} == {"site = B", "site = C", "site = D"}
    for group in band.groups:
        inside = (table["site"] == group.category).to_numpy()
        assert_allclose(group.bias, np.average((y - p)[inside], weights=weight[inside]))


@pytest.mark.parametrize("seed", range(4))
def test_what_a_group_takes_off_is_no_error_of_the_opposite_sign(seed):
    """Where young women alone are wrong, older rows are not wrong in the other direction."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"sex": rng.choice(["F", "M"], 2500), "age": rng.uniform(18, 80, 2500)})
    y, p = draw_wrong(table, (table["sex"] == "F") & (table["age"] < 40), seed)
    band = local_bias_band(y, p, table, random_state=0, **few_queries(table, p))
    assert band.groups
    assert min(group.bias for group in band.groups) > 0


def test_a_category_that_all_rows_share_changes_nothing():
    rng = np.random.default_rng(0)
    y, p = draw_wrong(np.empty(300), rng.random(300) < 0.3, 0)
    age = rng.normal(size=300)
    plain = local_bias_band(y, p, age, n_resamples=99, random_state=0)
    table = pd.DataFrame({"age": age, "country": "here"})
    band = local_bias_band(y, p, table, n_resamples=99, random_state=0)
    assert band.critical_value == plain.critical_value
    assert band.group_critical_value is None
    assert_array_equal(band.significant, plain.significant)
