"""Command line: ``python -m sklearn_calib demo`` and ``python -m sklearn_calib report FILE``."""

import argparse
import json
import re
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from . import __version__
from ._report._table_file import TableError, read_table
from .calibrators import CalibratedClassifier, OneVsRestCalibrator
from .datasets import make_calibration_data
from .display import ReliabilityDisplay
from .inference import check_calibration
from .metrics import calibration_bins, get_scorer
from .report import calibration_report

SCORING = {
    "accuracy": get_scorer("accuracy"),
    "log loss": get_scorer("neg_log_loss"),
    "Brier": get_scorer("neg_brier_score"),
    "ECE": get_scorer("neg_ece"),
    "SKCE": get_scorer("neg_skce"),
    "MMCE": get_scorer("neg_mmce"),
}
# Arguments of `calibration_report` that are options here.
_OPTIONS = ("y_true", "y_proba", "pos_label", "labels", "n_resamples", "n_bins", "alpha")
METHODS = ["platt", "beta", "isotonic", "histogram", "temperature"]


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message):
        """End the process with code 2."""
        self.exit(2, f"{self.prog}: error: {message} (--help explains)\n")


def main(argv=None):
    """Run the command line.

    Parameters
    ----------
    argv : list of str, default=None
        Arguments; those of the process by default.

    Returns
    -------
    code : int
        0 on success. Bad arguments or input end the process with code 2.
    """
    parser = Parser(prog="sklearn-calib", description="Probability calibration for scikit-learn.")
    parser.add_argument("--version", action="version", version=f"sklearn_calib {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    demo = _add_demo(commands)
    report = _add_report(commands)
    arguments = parser.parse_args(argv)
    if arguments.command == "demo":
        try:
            arguments.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            demo.error(f"argument --out: cannot make the folder {arguments.out}: {error.strerror}")
        run_demo(arguments.out)
        return 0
    try:
        run_report(arguments)
    except KeyboardInterrupt:
        return 130
    except (ValueError, OSError) as error:
        report.exit(2, f"{report.prog}: error: {_plain_error(error, arguments)}\n")
    return 0


def _add_demo(commands):
    demo = commands.add_parser(
        "demo",
        help="calibrate two classifiers and find a planted error, on data that need no download",
        description="Score Gaussian naive Bayes on the digits and breast cancer data of "
        "scikit-learn by cross-validation, calibrate it, print a before/after table and draw a "
        "reliability diagram. Then test predictions with a planted error, show where they are "
        "wrong, and write a report. Takes under a minute.",
        epilog="example: sklearn-calib demo --out pictures",
    )
    demo.add_argument(
        "--out",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="folder for the pictures and the report, made if it does not exist (default: the "
        "current folder)",
    )
    return demo


def _add_report(commands):
    report = commands.add_parser(
        "report",
        help="report how well the predictions in a file are calibrated",
        description="Read labels and predicted probabilities from a table, print calibration "
        "errors with their values under perfect calibration and p-values, and write an HTML report "
        "with pictures. With features it also says where the predictions are wrong.",
        epilog="example: sklearn-calib report predictions.csv --y-true outcome --y-proba p "
        "--features age dose --out report.html",
    )
    report.add_argument("file", metavar="FILE", help="table: .csv, .tsv (also .gz) or .parquet")
    report.add_argument("--y-true", required=True, metavar="COL", help="column of the labels")
    report.add_argument(
        "--y-proba",
        required=True,
        nargs="+",
        metavar="COL",
        help="column of the positive class's probability, or one column per class in the order of "
        "the sorted labels",
    )
    report.add_argument(
        "--features", nargs="+", default=[], metavar="COL", help="numeric columns of features"
    )
    report.add_argument(
        "--pos-label",
        metavar="L",
        help="positive class (default: 1 of 0/1 and -1/1, or True)",
    )
    report.add_argument(
        "--labels", nargs="+", metavar="L", help="all classes in sorted order, if some do not occur"
    )
    report.add_argument("--sample-weight", metavar="COL", help="column of weights")
    report.add_argument(
        "--out",
        type=Path,
        default=Path("report.html"),
        metavar="HTML",
        help="file to write (default: report.html)",
    )
    report.add_argument(
        "--json", action="store_true", help="print the numbers as JSON instead of text"
    )
    report.add_argument(
        "--n-resamples",
        type=int,
        default=199,
        metavar="B",
        help="drawn sets of labels, at least 1/A - 1 for the level A (default: 199)",
    )
    report.add_argument(
        "--n-bins", type=int, default=15, metavar="N", help="bins of the diagram (default: 15)"
    )
    report.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        metavar="A",
        help="level of tests and intervals (default: 0.05)",
    )
    report.add_argument(
        "--random-state", type=int, default=0, metavar="SEED", help="seed (default: 0)"
    )
    return report


def run_report(arguments):
    """Write the report of the predictions in a file and print it."""
    folder = arguments.out.resolve().parent
    if not folder.is_dir():
        raise ValueError(f"--out: no folder {folder}")
    if arguments.out.is_dir():
        raise ValueError(f"--out: {arguments.out} is a folder; name a file in it")
    if arguments.random_state < 0:
        raise ValueError(f"--random-state must not be negative, got {arguments.random_state}")
    progress = Progress()
    progress.step(f"reading {arguments.file}")
    table = read_table(
        arguments.file,
        arguments.y_true,
        arguments.y_proba,
        arguments.features,
        arguments.sample_weight,
    )
    labels = arguments.labels
    report = calibration_report(
        table.y_true,
        table.y_proba,
        table.features,
        feature_names=arguments.features,
        n_bins=arguments.n_bins,
        alpha=arguments.alpha,
        n_resamples=arguments.n_resamples,
        sample_weight=table.weight,
        pos_label=_as_label(arguments.pos_label, table.y_true, "--pos-label"),
        labels=labels and [_as_label(text, table.y_true, "--labels") for text in labels],
        random_state=arguments.random_state,
        title=f"Calibration of {Path(arguments.file).name}",
        verbose=progress.step,
    )
    progress.step("writing the report")
    report.to_html(arguments.out)
    progress.clear()
    if arguments.json:
        print(json.dumps(report.to_dict(), allow_nan=False, indent=2))
    else:
        print(report)
        print(f"Report: {arguments.out.resolve()}")


def _as_label(text, y_true, option):
    """Return a label from the command line with the type of the labels in the file."""
    if text is None:
        return None
    kind = y_true.dtype.kind
    try:
        if kind == "b":
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        if kind in "iuf":
            number = float(text)
            return int(number) if number.is_integer() else number
    except (KeyError, ValueError):
        known = ", ".join(map(str, np.unique(y_true)[:10]))
        raise ValueError(f"{option} {text}: no such label; the labels are {known}") from None
    return text


def _plain_error(error, arguments):
    """Return an error as one line that speaks of the command's options and of the file."""
    if isinstance(error, TableError):
        return str(error)
    text = str(error) if isinstance(error, ValueError) else f"{arguments.out}: {error.strerror}"
    for name in _OPTIONS:
        option, word = f"--{name.replace('_', '-')}", rf"(?<![\w'\"/.-]){name}"
        text = re.sub(rf"{word}=(?=[\w\['\"-])", f"{option} ", text)
        text = re.sub(rf"{word}=", option, text)
        if name != "labels":
            text = re.sub(rf"{word}\b", option, text)
    return " ".join(text.split())


def run_demo(folder):
    """Print before/after tables and a test, and write pictures and a report to `folder`."""
    progress = Progress(total=6)
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
    print(f"Reliability diagram: {path.resolve()}\n")
    find_planted_error(folder, progress)


def find_planted_error(folder, progress):
    """Test predictions that are too high in a known region, and show where they are wrong."""
    X, y, p = make_calibration_data(n=1500, seed=7)
    print(
        "A planted error: 1500 predictions of simulated outcomes, too high by up to 0.25 where\n"
        "the feature x is above 0. The test draws labels from the predictions, so a calibrated\n"
        "model would get p <= 0.05 in at most 5 % of all data sets:"
    )
    progress.step("Planted error: test of calibration")
    result = check_calibration(y, p, X, random_state=0)
    progress.clear()
    print(f"check_calibration(y, p, X): KLCE = {result.statistic:.4f}, p = {result.pvalue:.3f}")
    progress.step("Planted error: local bias and report")
    report = calibration_report(y, p, X, feature_names=["x"], title="A planted error")
    picture, page = folder / "local_bias.png", folder / "report.html"
    draw_local_bias(report.displays["local bias, x"], picture)
    report.to_html(page)
    progress.clear()
    largest = report.regions[0]
    print(
        f"Found: {'too low' if largest.bias > 0 else 'too high'} by {abs(largest.bias):.2f} on "
        f"average where {largest.where}"
    )
    print(f"Local bias: {picture.resolve()}")
    print(f"Report: {page.resolve()}")


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

    figure = Figure(figsize=(4.6 * len(curves), 5.0), layout="constrained", dpi=150)
    for ax, (name, bins) in zip(figure.subplots(1, len(curves), squeeze=False)[0], curves.items()):
        for when, table in bins.items():
            filled = table.count > 0
            ReliabilityDisplay(
                table.prob_true[filled],
                table.prob_pred[filled],
                table.count[filled],
                bin_edges=np.column_stack([table.edges[:-1], table.edges[1:]])[filled],
                target="confidence" if name == "Digits" else "binary",
                name=when,
            ).plot(ax=ax)
        ax.set_title(f"{name}, Gaussian naive Bayes")
    figure.savefig(path)


def draw_local_bias(display, path):
    """Draw a local bias to a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 4.2), layout="constrained", dpi=150)
    display.plot(ax=figure.subplots())
    figure.savefig(path)


class Progress:
    """One line on standard error: rewritten in place in a terminal, a line per step elsewhere."""

    def __init__(self, total=None):
        self.total = total
        self.done = 0
        self.start = time.monotonic()
        self.terminal = sys.stderr.isatty()

    def step(self, text):
        """Announce the next step."""
        self.done += 1
        count = "" if self.total is None else f"{self.done}/{self.total}, "
        line = f"[{count}{time.monotonic() - self.start:.0f} s] {text} ..."
        self._write(f"\r{line[:79]:<79}" if self.terminal else f"{line}\n")

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
