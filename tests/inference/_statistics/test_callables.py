"""Functions of the user as statistics of `check_calibration`."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import brier_score_loss, log_loss

from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.inference import check_calibration
from sklearn_calib.inference._nulls.simulation import draw_labels
from tests.inference._data import binary_data, multiclass_data


def test_callable_sees_the_data_as_they_were_passed():
    y, p, X = binary_data()
    text, table = np.array(["no", "yes"])[y], pd.DataFrame({"a": X[:, 0], "b": "text"})
    seen = []

    def statistic(y_true, y_proba, X, *, power):
        seen.append((set(y_true), y_proba, X))
        return np.abs(np.mean((y_true == "yes") - y_proba)) ** power

    series = pd.Series(p)
    result = check_calibration(
        text,
        series,
        table,
        statistic=statistic,
        statistic_params={"power": 2},
        pos_label="yes",
        n_resamples=9,
    )
    assert result.statistic == pytest.approx(np.mean(y - p) ** 2)
    assert (result.statistic_name, result.target, result.algorithm) == ("statistic", None, None)
    assert len(seen) == 10
    assert all(labels <= {"no", "yes"} and a is series and b is table for labels, a, b in seen)


def test_callable_of_another_package():
    y, proba, _ = multiclass_data()
    text = np.array(["a", "b", "c"])[y]
    result = check_calibration(text, proba, statistic=log_loss, n_resamples=30, random_state=0)
    assert result.statistic == pytest.approx(log_loss(text, proba))
    codes = draw_labels(check_generator(0), proba, 30)
    values = [log_loss(c, proba, labels=[0, 1, 2]) for c in codes.T]
    assert_allclose(result.null_distribution, values, rtol=1e-12)


def test_callable_gets_weights_and_rows_of_weight_zero_are_left_out():
    y, p, _ = binary_data()
    weight = np.arange(60) % 3.0
    result = check_calibration(
        y, p, statistic=brier_score_loss, sample_weight=weight, n_resamples=9, random_state=0
    )
    assert result.statistic == pytest.approx(brier_score_loss(y, p, sample_weight=weight))
    kept = weight > 0
    fewer = check_calibration(
        y[kept],
        p[kept],
        statistic=brier_score_loss,
        sample_weight=weight[kept],
        n_resamples=9,
        random_state=0,
    )
    assert_array_equal(result.null_distribution, fewer.null_distribution)
    assert result.n_samples == 40


def test_nan_of_a_callable():
    y, p, _ = binary_data()
    with pytest.raises(ValueError, match="The statistic broken is NaN on the data"):
        check_calibration(y, p, statistic=_named("broken", lambda y, p: np.nan))

    def sometimes(y_true, y_proba):
        return 5.0 if np.array_equal(y_true, y) else np.nan

    with pytest.warns(UserWarning, match="NaN for 19 of 19 draws"):
        result = check_calibration(y, p, statistic=sometimes, n_resamples=19)
    assert result.pvalue == 1.0


def _named(name, function):
    function.__name__ = name
    return function


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": lambda y, p: 0.0, "X": True}, "X is passed exactly if it is given"),
        (
            {"statistic": lambda y, p, sample_weight=None: 0.0, "X": True},
            "does not use X: its third argument is 'sample_weight'",
        ),
        ({"statistic": lambda y, p, X: 0.0}, "X is passed exactly if it is given"),
        ({"statistic": lambda y, p: None}, "must return one number, got None"),
        ({"statistic": lambda y, p: p}, "must return one number, got array"),
        ({"statistic": lambda y, p: 0.0, "target": "binary"}, r"sets \['target'\], which a callab"),
        ({"statistic": lambda y, p: 0.0, "null": "wild"}, "changes residuals, which the statistic"),
        ({"statistic": lambda y, p: 0.0, "algorithm": "exact"}, "algorithm='exact' is a way to"),
        ({"statistic": lambda y, p: 0.0, "weighted": True}, "has no parameter sample_weight"),
        ({"statistic": lambda y, p: 0.0, "statistic_params": {"a": 1}}, "which does not fit"),
    ],
)
def test_bad_callable(options, message):
    y, p, X = binary_data()
    features = X if options.pop("X", False) else None
    if options.pop("weighted", False):
        options["sample_weight"] = np.ones(60)
    with pytest.raises(ValueError, match=message):
        check_calibration(y, p, features, n_resamples=3, **options)


def test_callable_needs_to_know_both_labels():
    with pytest.raises(ValueError, match=r"y_true holds only 'spam'\. Pass labels="):
        check_calibration(["spam"] * 3, [0.5] * 3, statistic=brier_score_loss, pos_label="spam")
    result = check_calibration(
        ["spam"] * 3,
        [0.5] * 3,
        statistic=lambda y, p: np.mean(y == "spam"),
        labels=["eggs", "spam"],
        n_resamples=199,
    )
    assert result.pvalue == pytest.approx(1 / 8, abs=0.1)


def test_a_callable_cannot_change_the_data():
    p = np.array([0.9, 0.1, 0.5, 0.3])
    X = np.array([[4.0], [3.0], [2.0], [1.0]])

    def sorts_probabilities(y_true, y_proba, X):
        y_proba.sort()

    def sorts_features(y_true, y_proba, X):
        X.sort(axis=0)

    for statistic in (sorts_probabilities, sorts_features):
        with pytest.raises(ValueError, match="read-only"):
            check_calibration([1, 0, 0, 1], p, X, statistic=statistic, n_resamples=9)
    assert p.tolist() == [0.9, 0.1, 0.5, 0.3]
    assert X.ravel().tolist() == [4.0, 3.0, 2.0, 1.0]
    p.sort()  # the array of the caller is as it was


def test_features_of_another_number_of_rows_are_refused():
    y, p, X = binary_data()
    with pytest.raises(ValueError, match="y_true and X must have the same number of rows"):
        check_calibration(y, p, X[1:], statistic=lambda y, p, X: 0.0, n_resamples=9)
