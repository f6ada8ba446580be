"""The command ``report``, which assesses the predictions in a file."""

import json
import re
from decimal import Decimal
from pathlib import Path

import numpy as np

from .._utils.fitting_context import from_predict_proba
from .._utils.progress import reporter
from ..inference import calibration_by_group
from ..report import calibration_report
from .source_file import TableError
from .table_file import read_table

# Arguments of `calibration_report` that are options here.
_OPTIONS = (
    "y_true",
    "y_proba",
    "pos_label",
    "labels",
    "n_resamples",
    "n_bins",
    "alpha",
    "max_interaction",
)


def run_report(arguments):
    """Write the report of the predictions in a file and print it."""
    with reporter("", True) as say:
        _run_report(arguments, say)


def _run_report(arguments, say):
    folder = arguments.out.resolve().parent
    if not folder.is_dir():
        raise ValueError(f"--out: no folder {folder}")
    if arguments.out.is_dir():
        raise ValueError(f"--out: {arguments.out} is a folder; name a file in it")
    data = Path(arguments.file)
    if arguments.out.exists() and data.exists() and arguments.out.samefile(data):
        raise ValueError(
            f"--out: {arguments.out} is the file of the predictions, which the report would "
            "overwrite; name another file"
        )
    if arguments.random_state < 0:
        raise ValueError(f"--random-state must not be negative, got {arguments.random_state}")
    say(f"reading {arguments.file}")
    table = read_table(
        arguments.file,
        arguments.y_true,
        arguments.y_proba,
        arguments.features,
        arguments.sample_weight,
        arguments.groups,
    )
    labels = arguments.labels
    options = {
        "alpha": arguments.alpha,
        "n_resamples": arguments.n_resamples,
        "sample_weight": table.weight,
        "pos_label": _as_label(arguments.pos_label, table.y_true, "--pos-label"),
        "labels": labels and [_as_label(text, table.y_true, "--labels") for text in labels],
        "random_state": arguments.random_state,
    }
    report = calibration_report(
        table.y_true,
        table.y_proba,
        table.features,
        categorical_features=_categories(arguments),
        groups=_groups(arguments, table, options),
        n_bins=arguments.n_bins,
        title=f"Calibration of {Path(arguments.file).name}",
        verbose=say,
        **options,
    )
    say("writing the report")
    report.to_html(arguments.out)
    say.close()
    if arguments.json:
        print(json.dumps(report.to_dict(), allow_nan=False, indent=2))
    else:
        print(report)
        print(f"Report: {arguments.out.resolve()}")


def _categories(arguments):
    """Return which features are categories, as an option of the report."""
    names = arguments.categorical_features
    if names is None:
        return "auto"
    unknown = [name for name in names if name not in arguments.features]
    if unknown:
        raise ValueError(
            f"--categorical-features: {unknown[0]!r} is not among --features, which are "
            f"{', '.join(arguments.features) or 'not given'}"
        )
    return names


def _groups(arguments, table, options):
    """Return the columns of the groups, or the table of their combinations."""
    if arguments.max_interaction == 1:
        return table.groups
    if table.groups is None:
        raise ValueError("--max-interaction combines the columns of --groups, which is not given")
    with from_predict_proba():  # the report looks at the probabilities
        return calibration_by_group(
            table.y_true,
            table.y_proba,
            table.groups,
            max_interaction=arguments.max_interaction,
            **options,
        )


def _as_label(text, y_true, option):
    """Return a label from the command line with the type of the labels in the file."""
    if text is None:
        return None
    kind = y_true.dtype.kind
    try:
        if kind == "b":
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        if kind in "iu":
            number = Decimal(text)  # exact, also beyond 2**53
            if number != number.to_integral_value():
                raise ValueError
            return int(number)
        if kind == "f":
            return float(text)
    except (KeyError, ValueError, ArithmeticError):
        known = ", ".join(map(str, np.unique(y_true)[:10]))
        raise ValueError(f"{option} {text}: no such label; the labels are {known}") from None
    return text


def plain_error(error, arguments):
    """Return an error as one line that names the options of the command and the file."""
    if isinstance(error, TableError):
        return str(error)
    if isinstance(error, ValueError):
        return name_options(str(error))
    return name_options(f"{arguments.out}: {error.strerror}")


def name_options(text):
    """Return a message as one line, with options of the command for arguments of the report."""
    for name in _OPTIONS:
        option, word = f"--{name.replace('_', '-')}", rf"(?<![\w'\"/.-]){name}"
        text = re.sub(rf"{word}=(?=[\w\['\"-])", f"{option} ", text)
        text = re.sub(rf"{word}=", option, text)
        if name != "labels":
            text = re.sub(rf"{word}\b", option, text)
    return " ".join(text.split())
