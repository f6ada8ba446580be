"""Rows that are sorted once give the same draws as rows that are sorted again for each draw."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.inference._comparison import redraws
from sklearn_calib.inference._comparison.measures import find_measures
from sklearn_calib.inference._comparison.redraws import (
    FromSums,
    OneByOne,
    OneByOneSorted,
    redraws_of,
)

RNG = np.random.default_rng(0)
N = 70
FLIPPED = RNG.random((6, N)) < 0.5
CHOSEN = RNG.integers(N, size=(6, N))


def _models(weighted):
    p = RNG.beta(1, 2, size=N).round(2)  # with ties, within a model and between the two
    other = np.clip(p + RNG.choice([0.0, 0.05, -0.05], size=N), 0.0, 1.0)
    y = (RNG.random(N) < p).astype(int)
    weight = RNG.uniform(0.2, 2.0, size=N) if weighted else None
    return {
        name: check_predictions(y, proba, sample_weight=weight)
        for name, proba in {"a": p, "b": other}.items()
    }


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", ["skce", "mmce", "ks_calibration_error", "calibration_slope"])
def test_sorted_rows_give_the_same_values(metric, weighted):
    models = _models(weighted)
    (measure,) = find_measures([], [metric], None)
    plain, by_order = OneByOne(measure.value, models), OneByOneSorted(measure.value, models)
    close = {"rtol": 1e-10, "atol": 1e-14}
    for pair in (("a", "b"), ("b", "a")):
        expected = plain.exchanged(*pair, FLIPPED)
        assert np.unique(expected).size == 6
        assert_allclose(by_order.exchanged(*pair, FLIPPED), expected, **close)
    expected = plain.resampled(CHOSEN)
    actual = by_order.resampled(CHOSEN)
    assert actual.keys() == expected.keys()
    for name in models:
        assert_allclose(actual[name], expected[name], **close)


def test_which_way_is_taken(monkeypatch):
    models = _models(weighted=False)

    def way(metric, **options):
        (measure,) = find_measures([], [metric], {metric: options})
        return type(redraws_of(measure, models))

    assert way("skce") is OneByOne
    monkeypatch.setattr(redraws, "_MANY_ROWS", N)
    assert way("skce") is OneByOneSorted
    assert way("ece") is FromSums
    # These depend on the order of the rows.
    assert way("skce", estimator="ul") is OneByOne
    assert way("skce", estimator="block", block_size=7) is OneByOne
