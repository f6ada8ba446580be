"""Draws do not depend on their batches; batches bound the memory."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib.inference import check_calibration
from sklearn_calib.inference._nulls import batches
from sklearn_calib.inference._nulls.simulation import draw_labels
from tests.inference._data import binary_data, multiclass_data


@pytest.mark.parametrize("null", ["simulation", "permutation", "wild"])
def test_batches_and_number_of_draws_do_not_change_a_draw(null, monkeypatch):
    y, proba, X = multiclass_data()
    options = {"null": null, "random_state": 7}
    whole = check_calibration(y, proba, X, n_resamples=50, **options)
    monkeypatch.setattr(batches, "_BATCH_CELLS", 60 * 3 * 8)
    split = check_calibration(y, proba, X, n_resamples=50, **options)
    fewer = check_calibration(y, proba, X, n_resamples=19, **options)
    monkeypatch.setattr(batches, "_BATCH_CELLS", 1)
    single = check_calibration(y, proba, X, n_resamples=50, **options)
    for other in (split, single):
        assert other.pvalue == whole.pvalue
        assert_allclose(other.statistic, whole.statistic, rtol=1e-12)
        assert_allclose(other.null_distribution, whole.null_distribution, rtol=1e-10, atol=1e-15)
    assert_allclose(fewer.null_distribution, whole.null_distribution[:19], rtol=1e-10, atol=1e-15)


def test_progress(capsys, monkeypatch):
    y, p, _ = binary_data()
    check_calibration(y, p, n_resamples=10)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(batches, "_BATCH_CELLS", 60 * 5)
    check_calibration(y, p, n_resamples=10, verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["[check_calibration]"] * 3
    assert [line.split("s: ")[1] for line in lines[:2]] == ["5 of 10 draws", "10 of 10 draws"]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_draws():
    """A batch holds 480 draws of 50,000 rows, and there may be a few at a time."""
    y, p, _ = binary_data(50_000)
    peaks = []
    for n_resamples in (1920, 3840):
        tracemalloc.start()
        check_calibration(y, p, n_resamples=n_resamples, random_state=0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 2**24


def test_draws_do_not_depend_on_how_they_are_split():
    proba = np.random.default_rng(0).dirichlet(np.ones(4), size=30)
    whole = draw_labels(np.random.default_rng(1), proba, 20)
    rng = np.random.default_rng(1)
    parts = np.hstack([draw_labels(rng, proba, k) for k in (1, 12, 7)])
    assert_array_equal(whole, parts)
