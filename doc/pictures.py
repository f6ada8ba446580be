"""The pictures of the guide, drawn when the pages are built.

Each function draws one picture on small simulated data; a page asks for it with the ``plot``
directive.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit, softmax
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from sklearn_calib import (
    BetaCalibrator,
    CalibratedClassifier,
    CalibrationComparisonDisplay,
    CalibrationMonitor,
    CalibrationMonitorDisplay,
    GroupCalibrationDisplay,
    IsotonicCalibrator,
    LocalBiasDisplay,
    ModelDifferenceDisplay,
    NullDistributionDisplay,
    PlattCalibrator,
    ReliabilityDisplay,
    TemperatureCalibrator,
    check_calibration,
    compare_calibration,
)
from sklearn_calib.datasets import make_calibration_data


def overconfident(n=2000):
    """Return labels and predictions with doubled log-odds."""
    rng = np.random.default_rng(0)
    truth = rng.beta(1.5, 1.5, size=n)
    return rng.random(n) < truth, truth**2 / (truth**2 + (1 - truth) ** 2)


def reliability():
    """Draw the diagram of an overconfident model."""
    y_true, y_proba = overconfident()
    ReliabilityDisplay.from_predictions(y_true, y_proba, n_bins=10, name="overconfident")


def rare_events():
    """Draw the diagram of a rare event, whose axes are spread."""
    rng = np.random.default_rng(0)
    logit = -5 + 1.2 * rng.normal(size=20_000)
    y_true = rng.random(logit.size) < expit(logit)
    ReliabilityDisplay.from_predictions(y_true, expit(0.6 * logit - 1.2), name="1 % of events")


def classes():
    """Draw one panel for each of the four worst of ten classes."""
    rng = np.random.default_rng(0)
    logit = 2 * rng.normal(size=(3000, 10))
    proba = softmax(logit, axis=1)
    y_true = (proba.cumsum(axis=1) < rng.random((3000, 1))).sum(axis=1).clip(0, 9)
    ReliabilityDisplay.from_predictions(
        y_true, softmax(1.8 * logit, axis=1), target="classwise", classes=4, n_bins=10
    )


def comparison():
    """Draw the diagrams of a model before and after calibration."""
    y_true, y_proba = overconfident()
    half = len(y_true) // 2
    after = BetaCalibrator().fit(y_proba[:half], y_true[:half]).predict_proba(y_proba[half:])
    CalibrationComparisonDisplay.from_predictions(
        y_true[half:], {"before": y_proba[half:], "after": after}, n_bins=10
    )


def differences():
    """Draw the differences of three models with their intervals."""
    y_true, y_proba = overconfident()
    half = len(y_true) // 2
    models = {"raw": y_proba[half:]}
    for name, calibrator in {"beta": BetaCalibrator(), "isotonic": IsotonicCalibrator()}.items():
        calibrator.fit(y_proba[:half], y_true[:half])
        models[name] = calibrator.predict_proba(y_proba[half:])
    result = compare_calibration(y_true[half:], models, n_resamples=199, random_state=0)
    ModelDifferenceDisplay.from_result(result)


def null_distribution():
    """Draw the statistic of a model that is too high, among draws from its predictions."""
    rng = np.random.default_rng(0)
    y_proba = rng.uniform(0.1, 0.9, 500)
    y_true = rng.random(500) < y_proba - 0.07
    NullDistributionDisplay.from_result(check_calibration(y_true, y_proba, random_state=0))


def local_line():
    """Draw the local bias over one feature."""
    X, y_true, y_proba = make_calibration_data(n=2000)
    LocalBiasDisplay.from_predictions(
        y_true, y_proba, X, feature_names=["x"], feature_bandwidth=0.3, n_resamples=199
    )


def local_map():
    """Draw the local bias over two features, one corner of which is wrong."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(3000, 2))
    y_proba = expit(-0.5 + X.sum(axis=1))
    corner = (X > 0.2).all(axis=1)
    y_true = rng.random(3000) < np.clip(y_proba + 0.25 * corner, 0, 1)
    LocalBiasDisplay.from_predictions(
        y_true,
        y_proba,
        X,
        features=(0, 1),
        feature_names=["age", "lab value"],
        feature_bandwidth=0.3,
        n_resamples=199,
    )


def _audit():
    rng = np.random.default_rng(0)
    site = rng.choice(["north", "south", "east", "west"], size=4000, p=[0.4, 0.3, 0.2, 0.1])
    y_proba = rng.uniform(0.1, 0.8, size=4000)
    shift = np.select([site == "east", site == "west"], [-0.09, 0.12], 0.0)
    return rng.random(4000) < y_proba + shift, y_proba, {"site": site}


def group_gaps():
    """Draw the gap of each site."""
    GroupCalibrationDisplay.from_predictions(*_audit(), n_resamples=199)


def group_curves():
    """Draw a diagram for each site."""
    GroupCalibrationDisplay.from_predictions(*_audit(), kind="curves", n_resamples=199)


def monitor():
    """Draw a month in which the predictions become too high after twenty days."""
    rng = np.random.default_rng(0)
    day = np.repeat(np.arange(30), 100)
    y_proba = rng.uniform(0.1, 0.9, size=3000)
    y_true = rng.random(3000) < y_proba - 0.1 * (day >= 20)
    watched = CalibrationMonitor().update(y_true, y_proba, period=day)
    CalibrationMonitorDisplay.from_monitor(watched)


def odd_digits():
    """Draw naive Bayes on odd digits before and after calibration, as on the first page."""
    X, digit = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, digit % 2, test_size=0.4, random_state=0)
    _, axes = plt.subplots(1, 2, figsize=(8.4, 4.6), layout="constrained")
    models = [GaussianNB(), CalibratedClassifier(GaussianNB(), BetaCalibrator())]
    for ax, model, title in zip(axes, models, ["before", "after"]):
        model.fit(X_train, y_train)
        ReliabilityDisplay.from_estimator(
            model, X_test, y_test, n_bins=10, strategy="uniform", ax=ax
        )
        ax.set_title(title)


def calibrator_maps():
    """Draw what four calibrators learn from the same overconfident scores."""
    y_true, y_proba = overconfident(1000)
    grid = np.linspace(0.001, 0.999, 400)
    _, ax = plt.subplots(figsize=(5.2, 4.6), layout="constrained")
    ax.plot([0, 1], [0, 1], color="0.25", linestyle=":", label="no change")
    right = np.sqrt(grid) / (np.sqrt(grid) + np.sqrt(1 - grid))
    ax.plot(grid, right, "k", linewidth=3, alpha=0.3, label="right probability")
    for name, calibrator, style, color in [
        ("Platt", PlattCalibrator(input="probability"), "-", "#0072B2"),
        ("beta", BetaCalibrator(), "--", "#E69F00"),
        ("temperature", TemperatureCalibrator(input="probability"), "-.", "#009E73"),
        ("isotonic", IsotonicCalibrator(), "-", "#D55E00"),
    ]:
        learnt = calibrator.fit(y_proba, y_true).predict_proba(grid)[:, 1]
        ax.plot(grid, learnt, style, color=color, label=name)
    ax.set(xlabel="Predicted probability", ylabel="Calibrated probability")
    ax.legend()
