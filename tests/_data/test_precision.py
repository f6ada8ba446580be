"""Rounded probabilities are accepted and rounded back, without warnings; errors stay errors."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax
from sklearn.naive_bayes import GaussianNB

from sklearn_calib import CalibrationComparisonDisplay, calibration_report
from sklearn_calib._data.precision import declared_eps, visible_decimals
from sklearn_calib._data.predictions import check_predictions, check_probabilities
from sklearn_calib.calibrators import BetaCalibrator, OneVsRestCalibrator
from sklearn_calib.metrics import ece, skce


def _probabilities(n_classes, n=300, seed=0, spread=2.0):
    rng = np.random.default_rng(seed)
    P = softmax(spread * rng.normal(size=(n, n_classes)), axis=1)
    return np.array([rng.choice(n_classes, p=row) for row in P]), P


@pytest.mark.parametrize("n_classes", [2, 3, 10, 100])
@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, lambda P: P.astype(float)])
def test_half_precision(n_classes, form):
    y, P = _probabilities(n_classes)
    rounded = form(P.astype(np.float16))
    proba = check_probabilities(rounded)
    assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-6)
    assert_allclose(proba, P, rtol=0, atol=1e-3)
    value = ece(y, rounded, labels=np.arange(n_classes), n_bins=1)
    assert_allclose(value, ece(y, P, labels=np.arange(n_classes), n_bins=1), rtol=0, atol=1e-3)


@pytest.mark.parametrize("n_classes", [300, 1000, 20_000])
def test_wide_single_precision(n_classes):
    """Summed up one after the other, as many libraries do, the rounding grows with the width."""
    _, P = _probabilities(n_classes, n=20)
    exponentials = P.astype(np.float32)
    sums = np.cumsum(exponentials, axis=1, dtype=np.float32)[:, -1:]
    rounded = exponentials / sums
    assert np.abs(rounded.sum(axis=1, dtype=float) - 1).max() > 1e-7
    proba = check_probabilities(rounded * np.float32(1 + 2e-6))
    assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("decimals", [3, 4, 5, 6])
@pytest.mark.parametrize("n_classes", [3, 10])
def test_decimals(decimals, n_classes):
    y, P = _probabilities(n_classes)
    rounded = P.round(decimals)
    assert np.abs(rounded.sum(axis=1) - 1).max() > 0.9 * 10.0**-decimals
    proba = check_probabilities(rounded)
    assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    own = rounded / rounded.sum(axis=1, keepdims=True)
    assert_allclose(skce(y, rounded), skce(y, own), rtol=1e-12)


@pytest.mark.parametrize(
    ("dtype", "n_classes"), [(np.float16, 2), (np.float16, 10), (np.float32, 1000)]
)
def test_numbers_read_back_from_text(dtype, n_classes):
    """A text file shows the shortest decimals of a number, which float64 does not hold exactly."""
    _, P = _probabilities(n_classes, spread=3.0)
    written = P.astype(dtype)
    if dtype is np.float32:
        written *= dtype(1 + 4e-6)  # the sums of a softmax that was summed up in this precision
    read = np.array([[float(str(value)) for value in row] for row in written])
    assert np.abs(read.sum(axis=1) - 1).max() > 1e-6
    proba = check_probabilities(read)
    assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-6)
    with pytest.raises(ValueError, match="must sum to one"):
        check_probabilities(read * 0.97)


def test_a_model_that_computes_in_single_precision():
    """Logarithms of 300 to 3,000 are off by their size times the epsilon of single precision."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(c, 1.0, size=(60, 600)) for c in (0.0, 0.04, 0.08)])
    y = np.repeat([0, 1, 2], 60)
    P = GaussianNB().fit(X.astype(np.float32), y).predict_proba(X.astype(np.float32))
    assert P.dtype == np.float32
    off = np.abs(P.sum(axis=1, dtype=float) - 1).max()
    assert 1e-5 < off < 3e-4
    exact = GaussianNB().fit(X, y).predict_proba(X)
    for given in (P, pd.DataFrame(P), P.astype(float)):
        assert_allclose(check_probabilities(given), exact, rtol=0, atol=2e-3)
        assert ece(y, given) == pytest.approx(ece(y, exact), abs=2e-3)
    read = np.array([[float(str(value)) for value in row] for row in P])
    assert_allclose(check_probabilities(read), exact, rtol=0, atol=2e-3)
    with pytest.raises(ValueError, match=r"must sum to one within 0\.000345"):
        check_probabilities(P * np.float32(1 - 5e-4))


def test_fewer_decimals_are_for_the_caller_to_tell():
    y, P = _probabilities(4)
    rounded = P.round(2)
    with pytest.raises(ValueError, match="must sum to one"):
        check_probabilities(rounded)
    assert_allclose(check_probabilities(rounded, decimals=2).sum(axis=1), 1.0, rtol=1e-12)
    predictions = check_predictions(y, rounded, labels=range(4), decimals=2)
    assert_allclose(predictions.proba.sum(axis=1), 1.0, rtol=1e-12)
    with pytest.raises(ValueError, match=r"within 0\.015"):
        check_probabilities(P[:, :3].round(2), decimals=2)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("n_classes", [3, 10, 50])
def test_real_errors_stay_errors(dtype, n_classes):
    _, P = _probabilities(n_classes)
    for wrong in (P[:, :-1], 0.9 * P, P * n_classes / 2):
        with pytest.raises(ValueError, match=r"must sum to one|must hold probabilities"):
            check_probabilities(wrong.astype(dtype))
        with pytest.raises(ValueError, match=r"must sum to one|must hold probabilities"):
            check_probabilities(wrong.round(3))
    for typed in ([[0.5, 0.6]], [[0.5, 0.25]], [[0.3, 0.3, 0.3]], [[0.25, 0.25, 0.49]]):
        with pytest.raises(ValueError, match="must sum to one within 1e-06"):
            check_probabilities(typed)


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    y, P = _probabilities(4)
    rounded = P.astype(ml_dtypes.bfloat16)
    assert_allclose(check_probabilities(rounded).sum(axis=1), 1.0, rtol=1e-12)
    assert_allclose(ece(y, rounded, n_bins=1), ece(y, P, n_bins=1), rtol=0, atol=4e-3)
    with pytest.raises(ValueError, match="S has the dtype bfloat16"):
        OneVsRestCalibrator("beta").fit(rounded, y)


def test_values_beyond_one_by_rounding():
    for beyond in (1 + 1e-12, 1 + 1e-15):
        assert check_probabilities([0.5, beyond]).max() == 1.0
        assert check_probabilities([[beyond, 1 - beyond]]).min() == 0.0
        assert ece([0, 1], [0.5, beyond]) == 0.25
    assert check_probabilities(np.array([0.3, 1 + 1.2e-7], np.float32)).max() == 1.0
    fitted = BetaCalibrator().fit([0.2, 0.4, 0.7, 1 + 1e-12], [0, 1, 0, 1])
    assert_allclose(fitted.predict_proba([1 + 1e-12]), fitted.predict_proba([1.0]))


@pytest.mark.parametrize("value", [1 + 1e-8, 1 + 1e-9, -1e-9])
def test_messages_show_enough_digits(value):
    with pytest.raises(ValueError, match=r"row 1, column 0 is ") as caught:
        check_probabilities([0.5, value])
    shown = str(caught.value).split("column 0 is ")[1].split(". ")[0]
    assert float(shown) == pytest.approx(value, rel=1e-12)
    assert shown not in ("0", "1")


@pytest.mark.parametrize(
    ("dtype", "n_classes"),
    [
        (np.float16, 4),
        (np.float32, 2),
        pytest.param(np.float16, 2, marks=pytest.mark.slow),
        pytest.param(np.float32, 4, marks=pytest.mark.slow),
    ],
)
def test_the_report_and_the_comparison_give_no_warning(n_classes, dtype):
    """Warnings are errors here: scikit-learn's log loss warns of sums that are off by 1e-7."""
    y, P = _probabilities(n_classes)
    rounded = P.astype(dtype)
    report = calibration_report(y, rounded, n_resamples=19)
    expected = calibration_report(y, P, n_resamples=19).to_frame()["value"]
    assert_allclose(report.to_frame()["value"]["log loss"], expected["log loss"], rtol=3e-3)
    display = CalibrationComparisonDisplay.from_predictions(
        y, {"model": rounded}, target="confidence", n_resamples=9
    )
    assert np.isfinite(display.table.to_numpy()).all()


def test_two_columns_in_single_precision_count_as_the_second():
    y, P = _probabilities(2)
    P = P.astype(np.float32)
    for metric in (ece, skce):
        assert metric(y, P) == metric(y, P[:, 1])


@pytest.mark.parametrize("decimals", range(1, 14))
def test_from_three_to_ten_decimals_are_seen(decimals):
    values = np.array([[0.25, 0.5 + 10.0**-decimals], [1.0, 0.0]]).round(decimals)
    expected = decimals if 3 <= decimals <= 10 else None
    assert visible_decimals(values, float(np.finfo(np.float64).eps)) == expected


def test_the_least_precise_dtype_of_the_input_counts():
    single, half, double = (float(np.finfo(t).eps) for t in ("float32", "float16", "float64"))
    assert declared_eps(np.zeros(2, np.float32)) == single
    assert declared_eps(np.zeros(2, np.float16)) == half
    assert declared_eps(np.zeros(2)) == declared_eps([0.5]) == declared_eps(None) == double
    assert declared_eps(np.zeros(2, int)) == double
    table = pd.DataFrame({"a": np.zeros(2), "b": np.zeros(2, np.float32)})
    assert declared_eps(table) == single
    assert declared_eps(pd.DataFrame(index=[0, 1])) == double
    assert declared_eps(pd.DataFrame({"a": pd.Series([0.5], dtype="Float32")})) == single
    assert declared_eps(SimpleNamespace(dtype="bfloat16")) == 2.0**-7
