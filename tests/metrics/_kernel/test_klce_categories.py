"""The local calibration error with categories and missing values."""

import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import check_calibration
from sklearn_calib.kernels import klce_kernel, klce_statistic
from sklearn_calib.metrics import klce

polars = pytest.importorskip("polars")

WIDTHS = {"prob_bandwidth": 0.3, "feature_bandwidth": 1.5}


def mixed_data(n=60, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    rows = {
        "site": rng.choice(["a", "b", "c"], size=n).tolist(),
        "smokes": rng.random(n) < 0.5,
        "age": rng.normal(size=n).tolist(),
    }
    rows["smokes"] = rows["smokes"].tolist()
    rows["site"][3] = rows["site"][9] = None
    rows["age"][5] = rows["age"][7] = math.nan
    return (rng.random(n) < p).astype(int), p, pd.DataFrame(rows)


def loop_klce(y, p, rows, similarity):
    """Return the error by a plain loop over pairs; a row is (site, smokes, age)."""
    n, total = len(y), 0.0
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            k = math.exp(-(((p[i] - p[j]) / WIDTHS["prob_bandwidth"]) ** 2))
            (site, smokes, age), (other_site, other_smokes, other_age) = rows[i], rows[j]
            missing = math.isnan(age), math.isnan(other_age)
            pairs = ((site, other_site), (smokes, other_smokes), missing)
            for one, other in pairs:
                k *= 1.0 if one == other else similarity
            ages = [age for age, *_ in [(row[2],) for row in rows] if not math.isnan(age)]
            middle = float(np.median(ages))
            age, other_age = (
                middle if gone else value for gone, value in zip(missing, (age, other_age))
            )
            k *= math.exp(-(((age - other_age) / WIDTHS["feature_bandwidth"]) ** 2))
            total += k * (y[i] - p[i]) * (y[j] - p[j])
    return total / (n * (n - 1))


@pytest.mark.parametrize("similarity", [0.0, 0.3])
def test_the_kernel_is_a_product_over_all_features(similarity):
    y, p, X = mixed_data()
    rows = [
        (None if site is None or site != site else site, smokes, age)
        for site, smokes, age in X.itertuples(index=False)
    ]
    expected = loop_klce(y, p, rows, similarity)
    options = {**WIDTHS, "category_similarity": similarity}
    assert_allclose(klce(y, p, X, **options), expected, rtol=1e-10)
    matrix = klce_kernel(X, p, **options)
    assert_allclose(klce_statistic(matrix, y - p), expected, rtol=1e-10)


def test_every_form_of_the_features_gives_the_same_number():
    y, p, X = mixed_data(n=100)
    X = X[["site", "smokes"]].fillna({"site": "c"})
    forms = {
        "categories": X.astype("category"),
        "objects": X.to_numpy(dtype=object),
        "lists": X.to_numpy(dtype=object).tolist(),
        "polars": polars.DataFrame({"site": X.site.tolist(), "smokes": X.smokes.tolist()}),
        "whole numbers": X.assign(site=X.site.map({"a": 0, "b": 1, "c": 2}), smokes=X.smokes * 1),
        "one-hot": pd.get_dummies(X, columns=["site"]).astype(int),
    }
    expected = klce(y, p, X)
    for form in forms.values():
        assert_allclose(klce(y, p, form), expected, rtol=1e-10)


def test_an_array_of_numbers_has_no_categories_unless_they_are_listed():
    y, p, X = mixed_data(n=100)
    sex = (X.smokes.to_numpy() * 1.0)[:, np.newaxis]
    distance = np.exp(-(np.subtract.outer(p, p) ** 2) / 0.09)
    numbers = distance * np.exp(-(np.subtract.outer(sex[:, 0], sex[:, 0]) ** 2) / 2.25)
    assert_allclose(klce(y, p, sex, **WIDTHS), klce_statistic(numbers, y - p), rtol=1e-10)
    match = distance * (sex == sex.T)
    listed = klce(y, p, sex, categorical_features=[0], **WIDTHS)
    assert_allclose(listed, klce_statistic(match, y - p), rtol=1e-10)
    assert_allclose(klce(y, p, pd.DataFrame(sex), **WIDTHS), listed, rtol=1e-10)


def test_columns_without_information_change_nothing():
    y, p, X = mixed_data()
    expected = klce(y, p, X[["site"]])
    constant = X[["site"]].assign(one="x", gone=np.nan)
    assert_allclose(klce(y, p, constant), expected, rtol=1e-12)


def test_rows_that_share_no_category_are_not_compared():
    y, p, _ = mixed_data()
    assert abs(klce(y, p, [f"row {k}" for k in range(len(y))])) < 1e-20


def test_bandwidths_come_from_the_numbers_that_are_known():
    y, p, X = mixed_data()
    age = X.age.dropna().to_numpy()
    distances = np.abs(np.subtract.outer(age, age))[np.triu_indices(len(age), 1)]
    result = check_calibration(y, p, X, n_resamples=19, random_state=0, statistic="klce")
    assert_allclose(result.feature_bandwidth, [np.nan, np.nan, np.median(distances)])
    fed_back = klce(y, p, X, feature_bandwidth=result.feature_bandwidth)
    assert_allclose(fed_back, result.statistic, rtol=1e-10)


def test_categories_alone_are_compared_on_the_line():
    rng = np.random.default_rng(0)
    n = 3000
    p, site = rng.random(n), rng.integers(4, size=n)
    y = (rng.random(n) < p).astype(int)
    X = pd.DataFrame({"site": [f"site {k}" for k in site]})
    result = check_calibration(
        y, p, X, statistic="klce", prob_bandwidth=0.2, n_resamples=19, random_state=0
    )
    assert result.algorithm in ("windows", "fourier")
    kernel = np.exp(-(np.subtract.outer(p, p) ** 2) / 0.04) * (site[:, np.newaxis] == site)
    assert_allclose(result.statistic, klce_statistic(kernel, y - p), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([["a"], [1], ["b"]], "holds numbers and text"),
        (pd.DataFrame({"t": pd.to_datetime(["2020"] * 3)}), "holds dates or times"),
        (np.array([1.0, np.inf, 2.0]), "must be finite"),
    ],
)
def test_what_is_no_feature_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        klce([0, 1, 1], [0.2, 0.6, 0.7], X)
