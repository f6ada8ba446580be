"""The command ``demo``: calibrate two classifiers and find a planted error."""

import os
from io import BytesIO

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from .._utils.files import write_file
from .._utils.progress import reporter
from ..calibrators import CalibratedClassifier
from ..datasets import make_calibration_data
from ..display import ReliabilityDisplay
from ..inference import check_calibration
from ..metrics import get_scorer
from ..metrics._metric import metrics_shown_in
from ..report import calibration_report

SCORING = {
    "accuracy": get_scorer("accuracy"),
    "log loss": get_scorer("neg_log_loss"),
    "Brier": get_scorer("neg_brier_score"),
    **{one.label: get_scorer(f"neg_{one.name}") for one in metrics_shown_in("comparison")},
}
FILES = ("reliability.png", "local_bias.png", "report.html")
_MADE_BY = "sklearn-calib demo"  # stands in each of the files
_TITLE = f"A planted error ({_MADE_BY})"


def files_of_others(folder):
    """Return the files in a folder that the demo would overwrite and has not written itself."""
    there = [path for path in (folder / name for name in FILES) if os.path.lexists(path)]
    mark = _MADE_BY.encode()
    return [path for path in there if not path.is_file() or mark not in path.read_bytes()]


def run_demo(folder):
    """Print before/after tables and a test, and write pictures and a report to `folder`."""
    with reporter("", True) as say:
        _run_demo(folder, say)


def _run_demo(folder, say):
    held_out = {}
    for name, load in {"Digits": load_digits, "Breast cancer": load_breast_cancer}.items():
        X, y = load(return_X_y=True)
        table, held_out[name] = compare(name, X, y, say)
        say.close()
        print(f"{name}: Gaussian naive Bayes, {y.size} rows, {np.unique(y).size} classes")
        print(f"{table.to_string(float_format='{:.4f}'.format)}\n")
    print(
        "After: CalibratedClassifier(GaussianNB()), whose calibrator is AdaptiveCalibrator. The\n"
        "values are means over 5 held-out folds. Higher is better for accuracy, lower for all\n"
        "other scores. SKCE is an unbiased estimate, which can be negative for a calibrated model."
    )
    path = folder / FILES[0]
    draw_reliability(held_out, path)
    print(f"Reliability diagram: {path.resolve()}\n")
    find_planted_error(folder, say)


def find_planted_error(folder, say):
    """Test predictions that are too high in a known region, and show where they are wrong."""
    X, y, p = make_calibration_data(n=1500, seed=7)
    print(
        "A planted error: 1500 predictions of simulated outcomes, too high by up to 0.25 where\n"
        "the feature x is above 0. The test draws labels from the predictions, so a calibrated\n"
        "model would get p <= 0.05 in at most 5 % of all data sets:"
    )
    say("Planted error: test of calibration")
    result = check_calibration(y, p, X, random_state=0)
    say.close()
    print(f"check_calibration(y, p, X): KLCE = {result.statistic:.4f}, p = {result.pvalue:.3f}")
    say("Planted error: local bias and report")
    report = calibration_report(y, p, X, feature_names=["x"], title=_TITLE)
    picture, page = (folder / name for name in FILES[1:])
    draw_local_bias(report.displays["local bias, x"], picture)
    report.to_html(page)
    say.close()
    largest = report.regions[0]
    print(
        f"Found: {'too low' if largest.bias > 0 else 'too high'} by {abs(largest.bias):.2f} on "
        f"average where {largest.where}.\nThe region begins a little below 0, because the bias "
        "at a place\nis an average over its neighbours within a bandwidth, some of them above 0."
    )
    print(f"Local bias: {picture.resolve()}")
    print(f"Report: {page.resolve()}")


def compare(name, X, y, say):
    """Score naive Bayes before and after calibration on the same held-out folds.

    The result is a table with one row for each, and (labels, predictions) of all rows by the models
    that have not seen them.
    """
    calibrated = CalibratedClassifier(GaussianNB())
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    rows, held_out = {}, {}
    for when, model in {"before": GaussianNB(), "after": calibrated}.items():
        say(f"{name}, {when} calibration: cross-validation")
        result = cross_validate(
            model, X, y, cv=folds, scoring=SCORING, return_estimator=True, return_indices=True
        )
        rows[when] = {
            metric: (1 if metric == "accuracy" else -1) * result[f"test_{metric}"].mean()
            for metric in SCORING
        }
        proba = np.empty((y.size, np.unique(y).size))
        for fitted, test in zip(result["estimator"], result["indices"]["test"]):
            proba[test] = fitted.predict_proba(X[test])
        held_out[when] = y, proba
    return pd.DataFrame(rows).T, held_out


def draw_reliability(held_out, path):
    """Draw one panel per data set, with the curves before and after calibration, to a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.8 * len(held_out), 5.2), layout="constrained", dpi=150)
    panels = figure.subplots(1, len(held_out), squeeze=False)[0]
    for ax, (name, models) in zip(panels, held_out.items()):
        ax.set_title(f"{name}, Gaussian naive Bayes")
        for when, (y, proba) in models.items():
            target = "binary" if proba.shape[1] == 2 else "confidence"
            ReliabilityDisplay.from_predictions(
                y, proba, n_bins=10, strategy="uniform", target=target, name=when, ax=ax
            )
    _save(figure, path)


def draw_local_bias(display, path):
    """Draw a local bias to a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 4.2), layout="constrained", dpi=150)
    display.plot(ax=figure.subplots())
    _save(figure, path)


def _save(figure, path):
    """Write a picture that says who made it."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": _MADE_BY})
    write_file(path, buffer.getvalue())
