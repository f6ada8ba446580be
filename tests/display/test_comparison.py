"""Models side by side."""

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

from sklearn_calib.display import CalibrationComparisonDisplay, ReliabilityDisplay
from sklearn_calib.metrics import ece, mmce, skce


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


def test_the_best_proper_score_is_bold(models):
    """Errors do not choose a model, so they have no winner."""
    y, probas = models
    display = CalibrationComparisonDisplay.from_predictions(y, probas)
    best = {
        (row, column)
        for (row, column), cell in display.table_.get_celld().items()
        if cell.get_text().get_fontweight() == "bold"
    }
    columns = {name: k for k, name in enumerate(display.table.columns)}
    expected = {
        (1 + list(probas).index(display.table[name].idxmin()), columns[name])
        for name in ("log loss", "Brier score")
    }
    assert best == expected


def test_the_bins_of_the_table_are_those_of_the_diagrams():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 99, 500)
    y = rng.random(500) < p
    display = CalibrationComparisonDisplay.from_predictions(y, {"rare": p}, strategy="auto")
    assert display.displays["rare"].strategy == "quantile"
    assert display.table.loc["rare", "ECE"] == display.displays["rare"].ece
