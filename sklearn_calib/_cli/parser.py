"""The options of the command line, and what each command calls."""

import argparse
import math
import sys
import warnings
from pathlib import Path

from .. import __version__
from .demo import files_of_others, run_demo
from .report import name_options, plain_error, run_report


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message):
        """End the process with code 2."""
        self.exit(2, f"{self.prog}: error: {message} (--help explains)\n")


def main(argv=None):
    """Run the command line, and return 0 on success; bad arguments end the process with code 2."""
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
        try:
            others = files_of_others(arguments.out)
            if others:
                demo.error(
                    f"argument --out: {others[0]} is there and not from this demo, which would "
                    "overwrite it; name another folder"
                )
            run_demo(arguments.out)
        except OSError as error:
            demo.error(f"argument --out: {error.filename}: {error.strerror}")
        return 0
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: print(
                f"{report.prog}: warning: {name_options(str(message))}", file=sys.stderr
            )
            run_report(arguments)
    except KeyboardInterrupt:
        return 130
    except (ValueError, OSError) as error:
        report.exit(2, f"{report.prog}: error: {plain_error(error, arguments)}\n")
    return 0


def _positive_or(*words):
    """Return a type of an option: a positive number, or one of some words."""

    def read(text):
        if text in words:
            return text
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0.0 < value < math.inf:
            allowed = " or ".join(["a number above 0", *words])
            raise argparse.ArgumentTypeError(f"must be {allowed}, got {text!r}")
        return value

    return read


def _bins(text):
    """Return a number of bins, or "auto"."""
    try:
        return text if text == "auto" else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number or auto, got {text!r}") from None


def _add_demo(commands):
    demo = commands.add_parser(
        "demo",
        help="calibrate two classifiers and find a planted error, on data that need no download",
        description="Score Gaussian naive Bayes on the digits and breast cancer data of "
        "scikit-learn by cross-validation, calibrate it, print a before/after table and draw a "
        "reliability diagram. Then test predictions with a planted error, show where they are "
        "wrong, and write a report.",
        epilog="example: sklearn-calib demo --out pictures",
    )
    demo.add_argument(
        "--out",
        type=Path,
        default=Path("sklearn_calib_demo"),
        metavar="DIR",
        help="folder for the pictures and the report, created if it does not exist (default: "
        "%(default)s in the current folder)",
    )
    return demo


def _add_report(commands):
    report = commands.add_parser(
        "report",
        help="report how well the predictions in a file are calibrated",
        description="Read labels and predicted probabilities from a table, print calibration "
        "errors with p-values and with the values expected under perfect calibration, and write an "
        "HTML report with pictures. With features, the report also shows where the predictions are "
        "wrong; with groups, for whom; and with several models, which one is better.",
        epilog="example: sklearn-calib report predictions.csv --y-true outcome --y-proba p "
        "--features age dose --out report.html",
    )
    report.add_argument(
        "file",
        metavar="FILE",
        help="table: .csv, .tsv (also .gz) or .parquet; ';' between "
        "columns and decimal commas are found out",
    )
    report.add_argument("--y-true", required=True, metavar="COL", help="column of the labels")
    report.add_argument(
        "--y-proba",
        required=True,
        nargs="+",
        action="append",
        metavar="COL",
        help="column with the probability of the positive class, or one column per class: in any "
        "order if the columns are called like the labels, otherwise in the order of the sorted "
        "labels. Give the option once for each model to compare several, with a name and '=' "
        "before the first column: --y-proba before=p --y-proba after=q",
    )
    report.add_argument(
        "--features",
        nargs="+",
        default=[],
        metavar="COL",
        help="columns of features: numbers, text or booleans; empty cells are missing values",
    )
    report.add_argument(
        "--categorical-features",
        nargs="+",
        metavar="COL",
        help="columns of numbers among the features that stand for categories (default: whole "
        "numbers with few values)",
    )
    report.add_argument(
        "--groups",
        nargs="+",
        default=[],
        metavar="COL",
        help="columns that define groups of rows, of any type: text, numbers (cut at quantiles if "
        "there are many), empty cells are a group of their own",
    )
    report.add_argument(
        "--max-interaction",
        type=int,
        default=1,
        metavar="K",
        help="how many columns of --groups a group may combine; with 2 the pairs of columns are "
        "looked at as well (default: 1)",
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
        help="number of sets of labels to draw, at least 1/A - 1 for the level A (default: 199)",
    )
    report.add_argument(
        "--n-bins",
        type=_bins,
        default=15,
        metavar="N",
        help="number of bins; auto is the cube root of the number of rows (default: 15)",
    )
    report.add_argument(
        "--strategy",
        choices=("auto", "uniform", "quantile"),
        default="auto",
        help="bins of equal width (uniform) or of about equal numbers of rows (quantile); auto is "
        "uniform unless one bin of equal width holds nearly all rows (default: auto)",
    )
    report.add_argument(
        "--bandwidth",
        type=_positive_or("median", "auto"),
        default="auto",
        metavar="H",
        help="bandwidth of SKCE, KCE and MMCE on probabilities, a number or median (default: that "
        "of each of them)",
    )
    report.add_argument(
        "--prob-bandwidth",
        type=_positive_or("median"),
        metavar="H",
        help="bandwidth of the local parts on probabilities, a number or median (default: median)",
    )
    report.add_argument(
        "--feature-bandwidth",
        type=_positive_or("median", "scaled"),
        nargs="+",
        metavar="H",
        help="bandwidth of the local parts on features: a number, one number per feature, median "
        "or scaled, which makes units irrelevant (default: scaled)",
    )
    report.add_argument(
        "--min-effective-size",
        type=_positive_or(),
        metavar="N",
        help="points with fewer effective neighbours are never called wrong (default: 10)",
    )
    report.add_argument(
        "--max-local-samples",
        type=int,
        default=20_000,
        metavar="N",
        help="the local parts, and for several classes sums over pairs of rows, use a random "
        "sample of at most so many rows (default: 20000)",
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
    report.add_argument(
        "--chunk-rows",
        type=int,
        metavar="N",
        help="read the file twice or three times in parts of N rows, which are never in memory at "
        "once; the numbers are the same, and what needs all rows at once is left out",
    )
    report.add_argument(
        "--title", metavar="TEXT", help="title of the report (default: the name of the file)"
    )
    return report
