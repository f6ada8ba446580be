"""Models compared by callables that are not of this package."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import brier_score_loss

from sklearn_calib import compare_calibration
from sklearn_calib.metrics import ece


def data(n=200):
    rng = np.random.default_rng(0)
    p = rng.uniform(size=n)
    return (rng.random(n) < p).astype(int), {"good": p, "high": np.clip(p + 0.1, 0, 1)}


def own_error(y_true, y_proba, *, n_bins=15, sample_weight=None):
    return ece(y_true, y_proba, n_bins=n_bins, sample_weight=sample_weight)


def test_a_callable_gives_what_the_metric_gives_that_it_calls():
    y, models = data()
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=y.size)
    for sample_weight in (None, weight):
        settings = {
            "scores": [],
            "statistic": None,
            "n_resamples": 49,
            "sample_weight": sample_weight,
            "random_state": 0,
        }
        result = compare_calibration(
            y, models, metrics=[own_error], metric_params={"own_error": {"n_bins": 5}}, **settings
        )
        expected = compare_calibration(
            y, models, metrics=["ece"], metric_params={"ece": {"n_bins": 5}}, **settings
        )
        (found,), (known,) = result.differences, expected.differences
        assert found.measure == found.label == "own_error"
        for field in ("difference", "low", "high", "pvalue"):
            assert_allclose(getattr(found, field), getattr(known, field), rtol=1e-9)


def test_labels_keep_their_names_and_the_positive_class():
    y, models = data()
    names = np.array(["no", "yes"])[y]
    result = compare_calibration(
        names,
        models,
        metrics=[brier_score_loss],
        scores=["brier"],
        pos_label="yes",
        statistic=None,
        n_resamples=9,
    )
    for values in result.values.values():
        assert_allclose(values["brier_score_loss"], values["brier"], rtol=1e-12)


def test_several_classes_come_as_a_matrix():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), size=60)
    y = np.array([rng.choice(3, p=row) for row in proba])

    def of_three(y_true, y_proba):
        assert y_proba.shape == (y_true.size, 3)
        return float(np.mean((y_proba - np.eye(3)[y_true]) ** 2) * 3)

    models = {"a": proba, "b": np.full((60, 3), 1 / 3)}
    result = compare_calibration(
        y, models, metrics=of_three, scores=["brier"], statistic=None, n_resamples=9
    )
    assert_allclose(result.values["b"]["of_three"], result.values["b"]["brier"], rtol=1e-12)


def test_what_is_refused():
    y, models = data()

    def brier(y_true, y_proba):
        return 0.0

    with pytest.raises(ValueError, match="Give it another name"):
        compare_calibration(y, models, metrics=[brier])
    with pytest.raises(ValueError, match="'own_error' twice"):
        compare_calibration(y, models, metrics=[own_error, own_error])
    with pytest.raises(ValueError, match="scores must hold names"):
        compare_calibration(y, models, scores=[own_error])
    with pytest.raises(ValueError, match="does not fit"):
        compare_calibration(y, models, metrics=[own_error], metric_params={"own_error": {"x": 1}})
