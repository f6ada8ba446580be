"""The multicalibration error against a slow calculation, and as a statistic and a scorer."""

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import binom
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from sklearn_calib import check_calibration
from sklearn_calib.metrics import make_calibration_scorer, multicalibration_error

N = 300
RNG = np.random.default_rng(0)
P = np.round(RNG.beta(2, 3, N), 2)  # with ties
X = {"site": RNG.choice(["a", "b", "c"], N), "dose": RNG.integers(0, 3, N)}
Y = (RNG.random(N) < np.clip(P + 0.15 * (X["site"] == "b"), 0, 1)).astype(int)
WEIGHT = RNG.integers(0, 4, N) / 2


def slow_error(y, p, X, w, *, distance, max_interaction, min_rows=10):
    """Loop over groups and, for Kuiper, over all intervals of predictions."""
    masks = [np.ones(y.size, bool)]
    for order in range(1, max_interaction + 1):
        for names in combinations(X, order):
            rows = list(zip(*(X[name] for name in names)))
            masks += [np.array([row == one for row in rows]) for one in set(rows)]
    largest = 0.0
    for mask in masks:
        mask = mask & (w > 0)
        if mask.sum() < min_rows and mask.sum() != np.count_nonzero(w):
            continue
        residual, own = (w * (y - p))[mask], p[mask]
        size = abs(residual.sum())
        if distance == "kuiper":
            values = np.unique(own)
            size = max(
                abs(residual[(own >= low) & (own <= high)].sum())
                for low in values
                for high in values[values >= low]
            )
        largest = max(largest, size / np.sqrt(np.sum((w**2 * p * (1 - p))[mask])))
    return largest


@pytest.mark.parametrize("distance", ["gap", "kuiper"])
@pytest.mark.parametrize("max_interaction", [1, 2])
@pytest.mark.parametrize("weight", [np.ones(N), WEIGHT], ids=["equal", "weighted"])
def test_value_against_a_slow_loop(distance, max_interaction, weight):
    options = {"distance": distance, "max_interaction": max_interaction}
    value = multicalibration_error(Y, P, X, sample_weight=weight, **options)
    assert value == pytest.approx(slow_error(Y, P, X, weight, **options), rel=1e-10)


def test_by_hand():
    y, p, group = [1, 1, 0, 0], [0.5, 0.5, 0.5, 0.5], ["u", "u", "v", "v"]
    assert multicalibration_error(y, p, group, min_rows=2) == pytest.approx(1 / np.sqrt(0.5))
    assert multicalibration_error(y, p, group) == 0.0  # of all rows, the groups are too small
    value = multicalibration_error(y, p, group, min_rows=2, scale="absolute")
    assert value == pytest.approx(np.sqrt(4 / 4) / 4 / np.sqrt(0.5))


def test_kuiper_sees_errors_that_cancel():
    p = np.repeat([0.3, 0.7], 100)
    y = np.r_[np.repeat([1, 0], [50, 50]), np.repeat([1, 0], [50, 50])]
    assert multicalibration_error(y, p, np.zeros(200)) == pytest.approx(0.0, abs=1e-12)
    value = multicalibration_error(y, p, np.zeros(200), distance="kuiper")
    assert value == pytest.approx(20 / np.sqrt(200 * 0.21))


@pytest.mark.parametrize("distance", ["gap", "kuiper"])
def test_classes(distance):
    rng = np.random.default_rng(1)
    proba = rng.dirichlet([2, 3, 4], N)
    y = rng.integers(0, 3, N)
    each = [
        multicalibration_error((y == k).astype(int), proba[:, k], X, distance=distance)
        for k in range(3)
    ]
    options = {"distance": distance, "target": "classwise"}
    assert multicalibration_error(y, proba, X, **options) == pytest.approx(max(each), rel=1e-12)
    top = multicalibration_error(
        (y == proba.argmax(axis=1)).astype(int), proba.max(axis=1), X, distance=distance
    )
    assert multicalibration_error(y, proba, X, distance=distance) == pytest.approx(top, rel=1e-12)


@pytest.mark.parametrize("distance", ["gap", "kuiper"])
def test_rows_of_weight_zero_define_no_groups(distance):
    dose = RNG.normal(size=N)
    w = np.where(np.arange(N) % 3 == 0, 0.0, 1.0)
    kept = w > 0
    value = multicalibration_error(Y, P, dose, sample_weight=w, distance=distance)
    assert value == multicalibration_error(Y[kept], P[kept], dose[kept], distance=distance)


def test_every_form_of_the_columns_gives_the_same_number():
    expected = multicalibration_error(Y, P, X)
    frame = pd.DataFrame(X)
    for form in (frame, pl.DataFrame(X), frame.astype("category"), frame.to_numpy()):
        assert multicalibration_error(Y, P, form) == expected
        assert check_calibration(
            Y, P, form, statistic="multicalibration_error", n_resamples=19
        ).statistic == pytest.approx(expected, rel=1e-12)


def test_absolute_scale_does_not_grow_with_the_rows():
    twice = {name: np.tile(column, 4) for name, column in X.items()}
    one, four = (
        multicalibration_error(np.tile(Y, k), np.tile(P, k), groups, scale="absolute", min_rows=40)
        for k, groups in ((1, X), (4, twice))
    )
    assert one == pytest.approx(four, rel=1e-10)


def test_certain_predictions():
    y, p, group = np.r_[np.zeros(19), 1], np.zeros(20), np.repeat(["a", "b"], 10)
    assert multicalibration_error(np.zeros(20), p, group, labels=[0, 1]) == 0.0
    assert multicalibration_error(y, p, group) == np.inf
    assert multicalibration_error(y, p, group, scale="absolute") == 0.1


def test_effect_size_of_a_test_is_the_absolute_scale():
    options = {"statistic": "multicalibration_error", "n_resamples": 19}
    assert check_calibration(Y, P, X, **options).effect_size is None
    result = check_calibration(Y, P, X, statistic_params={"scale": "absolute"}, **options)
    assert result.effect_size == result.statistic


@pytest.mark.slow
@pytest.mark.parametrize("distance", ["gap", "kuiper"])
def test_level_of_the_test(distance):
    rejected, n_repeats = 0, 300
    for seed in range(n_repeats):
        rng = np.random.default_rng([seed, 4])
        p, groups = rng.beta(1, 4, 150), {"a": rng.integers(0, 5, 150), "b": rng.normal(size=150)}
        y = (rng.random(150) < p).astype(int)
        rejected += (
            check_calibration(
                y,
                p,
                groups,
                statistic="multicalibration_error",
                statistic_params={"distance": distance, "max_interaction": 2},
                n_resamples=99,
                labels=[0, 1],
                random_state=seed,
            ).pvalue
            <= 0.1
        )
    low, high = binom.ppf([0.0005, 0.9995], n_repeats, 0.1)
    assert low <= rejected <= high


def test_scorer_reads_text_columns():
    table = pd.DataFrame(X)
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["site", "dose"])), LogisticRegression()
    ).fit(table, Y)
    p = model.predict_proba(table)
    scorer = make_calibration_scorer(multicalibration_error, distance="kuiper")
    assert scorer(model, table, Y) == -multicalibration_error(Y, p, table, distance="kuiper")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"X": None}, "X must hold the columns that define the groups"),
        ({"X": X["site"][:-1]}, "same number of rows"),
        ({"distance": "ks"}, "distance must be one of"),
        ({"scale": "relative"}, "scale must be one of"),
        ({"n_quantiles": 1}, "n_quantiles"),
        ({"min_rows": 0}, "min_rows"),
        ({"max_interaction": 0}, "max_interaction"),
        ({"target": "canonical"}, "target must be one of"),
        ({"X": pd.Series(pd.date_range("2020", periods=N))}, "dates and times"),
    ],
    ids=str,
)
def test_wrong_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        multicalibration_error(**{"y_true": Y, "y_proba": P, "X": X, **options})
