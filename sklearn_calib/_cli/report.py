"""The command ``report``, which assesses the predictions in a file."""

import json
import re
from decimal import Decimal
from pathlib import Path

import numpy as np

from .._utils.progress import reporter
from .._utils.results import one_line, seen
from ..report import calibration_report
from ..report._batches.result import report_rows
from ..report._batches.rows import BatchedRows
from .batch_file import BatchFile
from .source_file import TableError
from .table_file import check_columns, read_table

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
    "strategy",
    "bandwidth",
    "prob_bandwidth",
    "feature_bandwidth",
    "min_effective_size",
    "max_local_samples",
)
# Those that only matter with features, and are refused without.
_LOCAL = ("prob_bandwidth", "feature_bandwidth", "min_effective_size")


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
    local = _local_options(arguments)
    if arguments.max_interaction != 1 and not arguments.groups:
        raise ValueError("--max-interaction combines the columns of --groups, which is not given")
    say(f"reading {arguments.file}")
    make = _report_in_memory if arguments.chunk_rows is None else _report_in_chunks
    report = make(arguments, local, say)
    say("writing the report")
    report.to_html(arguments.out)
    say.close()
    if arguments.json:
        print(json.dumps(report.to_dict(), allow_nan=False, indent=2))
    else:
        print(f"{report}{seen(f'Report: {arguments.out.resolve()}')}")


def _report_in_memory(arguments, local, say):
    """Return the report of all rows at once."""
    table = read_table(
        arguments.file,
        arguments.y_true,
        _models(arguments.y_proba),
        arguments.features,
        arguments.sample_weight,
        arguments.groups,
    )
    return calibration_report(
        table.y_true,
        table.y_proba,
        table.features,
        categorical_features=_categories(arguments),
        groups=table.groups,
        max_interaction=arguments.max_interaction,
        strategy=arguments.strategy,
        max_local_samples=arguments.max_local_samples,
        sample_weight=table.weight,
        verbose=say,
        **_labels(arguments, table.y_true),
        **_shared_options(arguments),
        **local,
    )


def _report_in_chunks(arguments, local, say):
    """Return the report of rows that are read in parts."""
    if arguments.chunk_rows < 1:
        raise ValueError(f"--chunk-rows must be at least 1, got {arguments.chunk_rows}")
    refused = {
        "--features": arguments.features,
        "--groups": arguments.groups,
        "several --y-proba": arguments.y_proba[1:],
        "--strategy quantile": arguments.strategy == "quantile",
    }
    for option, given in refused.items():
        if given:
            raise ValueError(
                f"--chunk-rows reads the file in parts, and {option} needs all rows at once; "
                "leave one of the two out"
            )
    (columns,) = arguments.y_proba
    weight = arguments.sample_weight
    check_columns(columns, "--y-proba", arguments.y_true)
    check_columns([weight] if weight else [], "--sample-weight", arguments.y_true)
    file = BatchFile(arguments.file, arguments.y_true, columns, weight, arguments.chunk_rows)
    found = file.labels()
    extent = file.find_extent(found, **_labels(arguments, found))
    rows = BatchedRows(file.batches, extent, say)
    return report_rows(rows, **_shared_options(arguments))


def _labels(arguments, known):
    """Return `pos_label` and `labels` with the type of the labels in the file."""
    given = arguments.labels
    return {
        "pos_label": _as_label(arguments.pos_label, known, "--pos-label"),
        "labels": given and [_as_label(text, known, "--labels") for text in given],
    }


def _shared_options(arguments):
    """Return the options of every report."""
    title = arguments.title
    names = ("n_bins", "bandwidth", "alpha", "n_resamples", "random_state")
    return {
        **{name: getattr(arguments, name) for name in names},
        "title": f"Calibration of {Path(arguments.file).name}" if title is None else title,
    }


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


def _local_options(arguments):
    """Return the options of the local parts that are given, or raise if there are no features."""
    given = {name: getattr(arguments, name) for name in _LOCAL}
    given = {name: value for name, value in given.items() if value is not None}
    if given and not arguments.features:
        option = f"--{next(iter(given)).replace('_', '-')}"
        raise ValueError(f"{option} is about the features, but --features is not given")
    widths = given.get("feature_bandwidth")
    if widths is not None and len(widths) == 1:
        given["feature_bandwidth"] = widths[0]
    elif widths is not None and any(isinstance(one, str) for one in widths):
        raise ValueError(
            "--feature-bandwidth takes one word or one number per feature, got "
            f"{' '.join(map(str, widths))}"
        )
    return given


def _models(given):
    """Return the columns of the probabilities; of each model by its name if there are several.

    They come after each ``--y-proba``. With several of these, what stands before "=" in the first
    column is the name of the model; one column without a name is a name itself.
    """
    if len(given) == 1:
        return given[0]
    models = {}
    for number, (first, *others) in enumerate(given, start=1):
        name, found, column = first.partition("=")
        if not found:
            name, column = f"model {number}" if others else first, first
        if not name or not column:
            raise ValueError(f"--y-proba {first}: write the name of the model, '=' and a column")
        if name in models:
            raise ValueError(
                f"--y-proba: two models are called {name!r}; write another name and '=' before "
                "the first column of one of them"
            )
        models[name] = [column, *others]
    return models


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
        return one_line(error)
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
    return one_line(text)
