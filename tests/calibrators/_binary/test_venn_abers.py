"""Venn-Abers prediction against two isotonic fits per query."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.isotonic import IsotonicRegression

from sklearn_calib.calibrators import VennAbersCalibrator
from tests._reference import parametrize_cases
from tests.calibrators._samples import sample


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("weights", ["none", "counts", "fractions"])
def test_the_interval_is_two_isotonic_fits_with_the_query_as_a_row(seed, weights):
    p, y, fractions = sample(seed, n_samples=8 + 3 * seed, ends=True)
    rng = np.random.default_rng(seed)
    weight = {
        "none": np.ones(y.size),
        "counts": rng.integers(1, 5, size=y.size).astype(float),
        "fractions": fractions,
    }[weights]
    queries = np.r_[0.0, 1.0, p, rng.uniform(size=15)]
    calibrator = VennAbersCalibrator().fit(p, y, weight)
    lower, upper = calibrator.predict_interval(queries)
    for query, p0, p1 in zip(queries, lower, upper):
        expected = [
            IsotonicRegression()
            .fit(np.r_[p, query], np.r_[y, label], np.r_[weight, 1.0])
            .predict([query])[0]
            for label in (0, 1)
        ]
        assert_allclose([p0, p1], expected, rtol=0, atol=1e-12)
    proba = calibrator.predict_proba(queries)[:, 1]
    assert_allclose(proba, upper / (1 - lower + upper), rtol=1e-14)
    assert (lower <= upper).all()
    assert proba.min() > 0
    assert proba.max() < 1


def test_monotone_labels_pool_nothing():
    """All rows in order: the tables are ones where the label is one, and halves by hand."""
    calibrator = VennAbersCalibrator().fit([0.2, 0.4, 0.6, 0.8], [0, 0, 1, 1])
    assert_allclose(calibrator.p1_, [1 / 3, 1 / 2, 1, 1], rtol=1e-15)
    assert_allclose(calibrator.p0_, [0, 0, 1 / 2, 2 / 3], rtol=1e-15, atol=1e-15)


def test_many_rows_take_a_table_each():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=20_000)
    y = rng.uniform(size=p.size) < p
    calibrator = VennAbersCalibrator().fit(p, y)
    lower, upper = calibrator.predict_interval(p)
    assert (upper - lower).max() < 0.1
    assert np.abs(lower - p).max() < 0.1
    assert (np.diff(calibrator.p0_) >= 0).all()
    assert (np.diff(calibrator.p1_) >= 0).all()


@parametrize_cases("venn_abers")
def test_agrees_with_the_published_software(case):
    inputs, expected = case["inputs"], case["expected"]
    calibrator = VennAbersCalibrator().fit(inputs["p"], inputs["y"])
    lower, upper = calibrator.predict_interval(inputs["newdata"])
    assert_allclose(lower, expected["p0"], rtol=0, atol=1e-10)
    assert_allclose(upper, expected["p1"], rtol=0, atol=1e-10)
    proba = calibrator.predict_proba(inputs["newdata"])[:, 1]
    assert_allclose(proba, expected["proba"], rtol=0, atol=1e-10)
