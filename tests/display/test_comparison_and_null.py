"""Models side by side, and the null distribution of a test."""

import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from sklearn_calib import check_calibration
from sklearn_calib.display import (
    CalibrationComparisonDisplay,
    NullDistributionDisplay,
    ReliabilityDisplay,
)
from sklearn_calib.inference import calibration_test_score
from sklearn_calib.metrics import ece, mmce, skce


@pytest.fixture(scope="module")
def models():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    return (rng.random(300) < p).astype(int), {"raw": p**2, "calibrated": p}


def cells(table):
    return {place: cell.get_text().get_text() for place, cell in table.get_celld().items()}


@pytest.mark.parametrize("where", ["new", "one", "array"])
def test_what_is_drawn_is_what_is_stored(models, where):
    y, probas = models
    ax = {"new": None, "one": plt.figure().subplots(), "array": plt.figure().subplots(1, 3)}[where]
    n_figures = len(plt.get_fignums())
    display = CalibrationComparisonDisplay.from_predictions(
        y, probas, n_bins=6, strategy="quantile", n_resamples=49, ax=ax
    )
    assert len(plt.get_fignums()) == n_figures + (where == "new")
    if where != "new":
        assert display.figure_ is np.ravel(ax)[0].figure
    if where == "array":
        assert list(display.ax_) == list(ax[:2])
    drawn = cells(display.table_)
    for k, (name, p) in enumerate(probas.items()):
        one = ReliabilityDisplay.from_predictions(
            y, p, n_bins=6, strategy="quantile", n_resamples=49
        )
        assert_array_equal(display.displays[name].prob_true, one.prob_true)
        assert_array_equal(display.displays[name].upper, one.upper)
        assert_array_equal(
            display.line_[k].get_xydata(), np.column_stack([one.prob_pred, one.prob_true])
        )
        assert display.ax_[k].get_title() == name
        expected = {
            "log loss": log_loss(y, p),
            "Brier score": brier_score_loss(y, p),
            "ECE": ece(y, p, n_bins=6, strategy="quantile"),
            "SKCE": skce(y, p),
            "MMCE": mmce(y, p),
        }
        assert display.table.loc[name].to_dict() == expected
        assert drawn[k + 1, -1] == name
        for column, (label, value) in enumerate(expected.items()):
            assert drawn[0, column] == label
            assert drawn[k + 1, column] == f"{value:z.4f}"
    display.figure_.draw_without_rendering()


def test_estimators_and_folds():
    X, y = load_iris(return_X_y=True)
    X = X[:, :2]
    models = {"bayes": GaussianNB().fit(X, y), "logistic": LogisticRegression().fit(X, y)}
    display = CalibrationComparisonDisplay.from_estimators(
        models, X, y, target="confidence", n_bins=5, n_resamples=9
    )
    proba = models["bayes"].predict_proba(X)
    assert display.table.loc["bayes", "log loss"] == log_loss(y, proba)
    assert_allclose(
        display.table.loc["bayes", "Brier score"],
        np.mean(((proba - np.eye(3)[y]) ** 2).sum(axis=1)),
        rtol=1e-12,
    )
    assert display.table.loc["bayes", "SKCE"] == skce(y, proba, target="confidence")
    results = {
        name: cross_validate(model, X, y, cv=3, return_estimator=True, return_indices=True)
        for name, model in models.items()
    }
    display = CalibrationComparisonDisplay.from_cv_results(
        results, X, y, target="confidence", n_bins=5
    )
    errors = [
        ece(y[test], model.predict_proba(X[test]), n_bins=5)
        for model, test in zip(
            results["logistic"]["estimator"], results["logistic"]["indices"]["test"]
        )
    ]
    assert_allclose(display.table.loc["logistic", "ECE"], np.mean(errors), rtol=1e-12)
    assert len(display.line_[1]) == 3


def test_without_the_table(models):
    display = CalibrationComparisonDisplay.from_predictions(*models, n_resamples=9, table=False)
    assert display.table_ is None
    assert len(display.figure_.axes) == 2
    assert display.plot() is display


def test_bad_input(models):
    y, probas = models
    with pytest.raises(ValueError, match="y_probas must be a dict of name to model"):
        CalibrationComparisonDisplay.from_predictions(y, [0.5] * 300)
    with pytest.raises(ValueError, match="needs a panel per class and model"):
        CalibrationComparisonDisplay.from_predictions(y, probas, target="classwise")
    with pytest.raises(ValueError, match="ax must be 3 Axes"):
        CalibrationComparisonDisplay.from_predictions(
            y, probas, n_resamples=9, ax=plt.subplots(1, 2)[1]
        )


@pytest.mark.parametrize("given", [True, False])
def test_null_distribution(models, given):
    y, probas = models
    result = check_calibration(y, probas["raw"], n_resamples=99, random_state=0)
    ax = plt.subplots()[1] if given else None
    display = NullDistributionDisplay.from_result(result, ax=ax, bins=12)
    if given:
        assert display.ax_ is ax
    assert len(plt.get_fignums()) == 1
    everything = np.append(result.null_distribution, result.statistic)
    heights, edges = np.histogram(
        result.null_distribution, bins=12, range=(everything.min(), everything.max())
    )
    assert_array_equal([bar.get_height() for bar in display.bars_], heights)
    assert_allclose([bar.get_x() for bar in display.bars_], edges[:-1], rtol=1e-9)
    assert display.line_.get_xdata()[0] == result.statistic == display.statistic
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == [
        "99 draws if calibrated",
        f"observed {result.statistic:.3g}\np = {result.pvalue:.3g}",
    ]
    assert display.ax_.get_xlabel() == "skce"
    assert display.plot(line_kwargs={"c": "red"}) is display
    assert display.line_.get_color() == "red"


def test_a_cross_validated_test_has_no_single_null_distribution():
    X, y = load_iris(return_X_y=True)
    result = calibration_test_score(GaussianNB(), X, y, n_resamples=19, random_state=0)
    with pytest.raises(ValueError, match=r"Pass one of result\.fold_results"):
        NullDistributionDisplay.from_result(result)
    display = NullDistributionDisplay.from_result(result.fold_results[0])
    assert display.pvalue == result.fold_pvalues[0]


def test_a_constant_null_distribution_is_drawn():
    display = NullDistributionDisplay(np.zeros(9), 0.0, 1.0).plot()
    display.figure_.draw_without_rendering()
    assert display.ax_.get_xlabel() == "Statistic"


def test_displays_need_matplotlib_only_when_drawn():
    """Without matplotlib the import works, and drawing names the package (R05)."""
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from sklearn_calib.display import NullDistributionDisplay\n"
        "try:\n    NullDistributionDisplay([0.0], 0.0, 1.0).plot()\n"
        "except ImportError as error:\n    print(error)\n"
    )
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    assert "matplotlib" in run.stdout
