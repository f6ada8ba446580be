"""Command line: ``python -m sklearn_calib demo``."""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.calibration import CalibrationDisplay
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from . import CalibratedClassifier, OneVsRestCalibrator, __version__
from .metrics import calibration_bins, get_scorer

SCORING = {
    "accuracy": get_scorer("accuracy"),
    "log loss": get_scorer("neg_log_loss"),
    "Brier": get_scorer("neg_brier_score"),
    "ECE": get_scorer("neg_ece"),
    "SKCE": get_scorer("neg_skce"),
    "MMCE": get_scorer("neg_mmce"),
}
METHODS = ["platt", "beta", "isotonic", "histogram", "temperature"]
STYLES = {"before": {"marker": "o", "linestyle": "--"}, "after": {"marker": "s"}}


def main(argv=None):
    """Run the command line.

    Parameters
    ----------
    argv : list of str, default=None
        Arguments; those of the process by default.

    Returns
    -------
    code : int
        0 on success. Bad arguments end the process with code 2.
    """
    parser = argparse.ArgumentParser(
        prog="sklearn-calib", description="Probability calibration for scikit-learn."
    )
    parser.add_argument("--version", action="version", version=f"sklearn_calib {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    demo = commands.add_parser(
        "demo",
        help="calibrate two classifiers on data that ships with scikit-learn",
        description="Score Gaussian naive Bayes on the digits and breast cancer data of "
        "scikit-learn by cross-validation, calibrate it, print a before/after table and draw a "
        "reliability diagram. Takes well under a minute.",
        epilog="example: sklearn-calib demo --out pictures",
    )
    demo.add_argument(
        "--out",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="folder for the picture, made if it does not exist (default: the current folder)",
    )
    arguments = parser.parse_args(argv)
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        demo.error(f"argument --out: cannot make the folder {arguments.out}: {error.strerror}")
    run_demo(arguments.out)
    return 0


def run_demo(folder):
    """Print before/after tables for two data sets and write a reliability diagram to `folder`."""
    progress = Progress(total=4)
    curves = {}
    for name, load in {"Digits": load_digits, "Breast cancer": load_breast_cancer}.items():
        X, y = load(return_X_y=True)
        table, curves[name], chosen = compare(name, X, y, progress)
        progress.clear()
        print(f"{name}: Gaussian naive Bayes, {y.size} rows, {np.unique(y).size} classes")
        print(table.to_string(float_format="{:.4f}".format))
        print(f"calibrator__method chosen in the training folds: {chosen}\n")
    print(
        "Means over 5 held-out folds. Higher is better for accuracy, lower for all others.\n"
        "SKCE is an unbiased estimate: it can fall below zero for a calibrated model."
    )
    path = folder / "reliability.png"
    draw_reliability(curves, path)
    print(f"Reliability diagram: {path.resolve()}")


def compare(name, X, y, progress):
    """Score naive Bayes before and after calibration on the same held-out folds.

    Returns
    -------
    table : DataFrame
        One row before and one after, one column per metric.
    curves : dict of str to Bunch
        The bins of the pooled held-out predictions.
    chosen : str
        How often the search took which method.
    """
    search = GridSearchCV(
        CalibratedClassifier(GaussianNB(), OneVsRestCalibrator()),
        {"calibrator__method": METHODS},
        scoring=SCORING,
        refit="log loss",
        cv=3,
    )
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    rows, curves = {}, {}
    for when, model in {"before": GaussianNB(), "after": search}.items():
        progress.step(f"{name}, {when} calibration: cross-validation")
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
        curves[when] = calibration_bins(y, proba, n_bins=10)
    counts = pd.Series([f.best_params_["calibrator__method"] for f in result["estimator"]])
    chosen = ", ".join(f"{method} {n}x" for method, n in counts.value_counts().items())
    return pd.DataFrame(rows).T, curves, chosen


def draw_reliability(curves, path):
    """Draw one panel per data set, with the curves before and after calibration, to a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6 * len(curves), 4.6), layout="constrained", dpi=150)
    for ax, (name, bins) in zip(figure.subplots(1, len(curves), squeeze=False)[0], curves.items()):
        for when, table in bins.items():
            filled = table.count > 0
            CalibrationDisplay(
                table.prob_true[filled], table.prob_pred[filled], None, estimator_name=when
            ).plot(ax=ax, **STYLES[when])
        top_label = name == "Digits"
        ax.set(
            title=f"{name}, Gaussian naive Bayes",
            xlabel="mean confidence" if top_label else "mean predicted probability",
            ylabel="accuracy" if top_label else "fraction of positives",
        )
        ax.legend(loc="upper left")
    figure.savefig(path)


class Progress:
    """One line on standard error: rewritten in place in a terminal, a line per step elsewhere."""

    def __init__(self, total):
        self.total = total
        self.done = 0
        self.start = time.monotonic()
        self.terminal = sys.stderr.isatty()

    def step(self, text):
        """Announce the next step."""
        self.done += 1
        line = f"[{self.done}/{self.total}, {time.monotonic() - self.start:.0f} s] {text} ..."
        self._write(f"\r{line:<79}" if self.terminal else f"{line}\n")

    def clear(self):
        """Remove the line, so that results can be printed."""
        if self.terminal:
            self._write(f"\r{'':<79}\r")

    @staticmethod
    def _write(text):
        sys.stderr.write(text)
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
