"""Tables with text, categories and missing values; groups; and the words for what was used."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit

from sklearn_calib.calibrators import KernelRecalibrator
from tests.calibrators._features._data import small_recalibrator


@pytest.fixture(scope="module")
def mixed():
    """Log-odds 0.9 too high for women; age is missing in a tenth of the rows."""
    rng = np.random.default_rng(0)
    sex = rng.choice(["female", "male"], size=1500)
    age = rng.normal(50, 10, size=1500)
    age[rng.uniform(size=1500) < 0.1] = np.nan
    score = rng.normal(size=1500)
    y = rng.uniform(size=1500) < expit(score - 0.9 * (sex == "female"))
    return pd.DataFrame({"score": expit(score), "sex": sex, "age": age}), y


@pytest.fixture(scope="module")
def with_groups(mixed):
    S, y = mixed
    return small_recalibrator(proba_columns=["score"], groups=["sex"]).fit(S, y)


def test_means_of_groups_come_out_right(mixed, with_groups):
    S, y = mixed
    new = with_groups.predict_proba(S)[:, 1]
    for own in (S["sex"] == "female", S["sex"] == "male"):
        assert_allclose(new[own].mean(), y[own].mean(), atol=0.01)


def test_the_parts_and_what_they_give_are_those_recorded(mixed, with_groups):
    """No formula knows them; they depend on every strength and limit of the parts."""
    proba = [0.45296, 0.63591, 0.74093, 0.20787, 0.27184, 0.46965]
    assert_allclose(with_groups.predict_proba(mixed[0][:6])[:, 1], proba, atol=2e-5)
    assert_allclose(with_groups.held_out_log_loss_, [0.61423304, 0.58251095], rtol=1e-6)
    sizes = {"score": 0.045272, "linear": 0.538426, "groups": 0.015415}
    for name, size in with_groups.component_sizes_.items():
        assert size == pytest.approx(sizes.get(name, 0.0), abs=2e-5)


def test_kinds_of_tables_agree(mixed, with_groups):
    S, y = mixed
    expected = with_groups.predict_proba(S)
    category = S.assign(sex=S["sex"].astype("category"))
    for table in (pl.DataFrame(S.to_dict("list")), category):
        fitted = small_recalibrator(proba_columns=["score"], groups=["sex"]).fit(table, y)
        assert_allclose(fitted.predict_proba(table), expected, rtol=1e-9)
    objects = S.to_numpy(dtype=object)
    fitted = small_recalibrator(proba_columns=[0], groups=[1]).fit(objects, y)
    assert_allclose(fitted.predict_proba(objects), expected, rtol=1e-9)


class _ByCategory(KernelRecalibrator):
    _allowed = ("score", "categories")


def test_an_unseen_category_has_no_shift_and_slope():
    rng = np.random.default_rng(0)
    sex = rng.choice(["female", "male"], size=1500)
    score = rng.normal(size=1500)
    y = rng.uniform(size=1500) < expit(score + np.where(sex == "female", 0.6, -0.6))
    S = pd.DataFrame({"score": expit(score), "sex": sex})
    model = _ByCategory(proba_columns=["score"], random_state=0).fit(S, y)
    known, strange = (model.predict_proba(S.assign(sex=own)) for own in ("male", "unknown"))
    del model._parts["categories"]
    without = model.predict_proba(S)
    assert_allclose(strange, without, rtol=1e-12)
    assert np.all(known[:, 1] < without[:, 1])


def test_other_parts_give_an_unseen_category_the_mean_of_those_seen(mixed, with_groups):
    S, _ = mixed
    female, male, other = (
        np.log(proba[:, 1] / proba[:, 0])
        for proba in (
            with_groups.predict_proba(S.head(50).assign(sex=sex))
            for sex in ("female", "male", "unknown")
        )
    )
    assert_allclose(other, (female + male) / 2, atol=0.15)


def test_what_was_used_is_said(with_groups):
    text = with_groups.summary()
    assert "shifts by group" in text
    assert "Held-out log loss" in text
    before, after = with_groups.held_out_log_loss_
    assert after < before - 0.02
    assert list(with_groups.components_)[-1] == "groups"
    assert with_groups.components_.keys() == with_groups.component_sizes_.keys()
    fixed = small_recalibrator(early_stopping=False, max_iter=20)
    rows = np.linspace(0.1, 0.9, 40)
    fixed.fit(rows, rows > 0.45)
    assert fixed.summary().startswith("Networks (")


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["score"], "groups holds 'score', which is a probability column"),
        (["place"], "groups names 'place'"),
        ([9], "groups holds 9"),
    ],
)
def test_wrong_groups(mixed, groups, message):
    S, y = mixed
    with pytest.raises(ValueError, match=message):
        small_recalibrator(proba_columns=["score"], groups=groups).fit(S, y)


def test_probabilities_must_be_numbers(mixed):
    S, y = mixed
    with pytest.raises(ValueError, match="probability columns of S must hold numbers, got text"):
        small_recalibrator(proba_columns=["sex"]).fit(S, y)


@pytest.mark.parametrize("heavy", [False, True])
def test_few_calibrated_rows_are_left_alone(heavy):
    """At n = 100 any correction is more likely noise than not."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.standard_t(1.5, (100, 20)) if heavy else rng.normal(size=(100, 20))
        f = expit(np.clip(X[:, 0], -3, 3))
        y = rng.uniform(size=100) < f
        S = np.column_stack([1 - f, f, X])
        new = small_recalibrator(random_state=seed).fit(S, y).predict_proba(S)[:, 1]
        excess = f * np.log(f / new) + (1 - f) * np.log((1 - f) / (1 - new))
        assert excess.mean() < 0.002


def test_many_categories_a_constant_and_an_empty_column():
    rng = np.random.default_rng(0)
    n = 3000
    S = pd.DataFrame(
        {
            "score": rng.uniform(0.05, 0.95, size=n),
            "town": [f"town {k}" for k in rng.integers(1000, size=n)],
            "constant": 3.5,
            "empty": np.nan,
        }
    )
    y = rng.uniform(size=n) < S["score"]
    fitted = small_recalibrator(proba_columns=["score"]).fit(S, y)
    moved = np.abs(fitted.predict_proba(S)[:, 1] - S["score"])
    assert moved.mean() < 0.02
