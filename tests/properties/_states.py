"""The classes of `streaming` as rows of the table: states that are updated and merged."""

from functools import reduce

import numpy as np

from sklearn_calib.streaming import (
    CalibrationMonitor,
    CalibrationState,
    CalibrationSummary,
    SortedSkceState,
)
from tests.properties._table import Subject
from tests.streaming.test_mergeable_metrics import DESCRIBED, options_of


def _of_parts(make, add, rows, options):
    """Return the state of rows that come in parts.

    Parameters
    ----------
    make : callable
        ``make(rows)`` -> a state without rows.
    add : callable
        ``add(state, part)`` -> the state with the rows of a part.
    rows : Rows
    options : dict
        Where one part ends and the next one begins, and in which order they are merged.
    """
    parts = np.split(np.arange(rows.n), options.get("borders", ()))
    order = options.get("order", range(len(parts)))
    states = [add(make(rows), rows.take(parts[k])) for k in order]
    states = [type(one).from_json(one.to_json()) for one in states]
    return reduce(lambda first, second: first.merge(second), states)


def _update(state, part):
    return state.update(part.labels, part.proba, sample_weight=part.weight)


def _state(rows, options):
    asked = {
        name: options_of(name)
        for name in DESCRIBED
        if rows.n_classes == 2 or "target" in DESCRIBED[name].options
    }
    made = _of_parts(
        lambda rows: CalibrationState(
            {**asked, "log_loss": {}, "brier": {}}, target="confidence", labels=rows.names
        ),
        _update,
        rows,
        options,
    )
    return {"result": made.result(), "bounds": made.bounds(), "n": made.n_samples}


def _sorted(rows, options):
    rows = rows.take(np.argsort(rows.proba.reshape(rows.n, -1)[:, -1], kind="stable"))

    def add(empty, part):
        return SortedSkceState.from_range(
            part.labels, part.proba, sample_weight=part.weight, labels=rows.names
        )

    made = _of_parts(
        lambda rows: None, add, rows, {key: v for key, v in options.items() if key != "order"}
    )
    return made.result()


def _summary(rows, options):
    made = _of_parts(lambda rows: CalibrationSummary(labels=rows.names), _update, rows, options)
    return {
        name: made.fit(name).predict_proba(rows.query) for name in ("isotonic", "histogram", "beta")
    }


def _monitor(rows, options):
    period = (rows.X[:, 0] > 0).astype(int)
    rows = rows.take(np.argsort(period, kind="stable"))

    def add(monitor, part):
        return monitor.update(
            part.labels,
            part.proba,
            period=(part.X[:, 0] > 0).astype(int),
            segment=part.group,
        )

    made = _of_parts(
        lambda rows: CalibrationMonitor(labels=rows.names, segments=["a", "b"]), add, rows, options
    )
    return {"pvalue": made.pvalue, "e_value": made.e_value, "alarm": made.alarm}


_WEIGHTED = frozenset({"y_true", "sample_weight"})
ADAPTED = {
    CalibrationState: (_state, _WEIGHTED, (2, 3), False),
    SortedSkceState: (_sorted, _WEIGHTED, (2,), False),
    CalibrationSummary: (_summary, _WEIGHTED, (2, 3), True),
    CalibrationMonitor: (_monitor, frozenset({"y_true"}), (2, 3), False),
}


def state_subjects():
    """Return the states."""
    return [
        Subject(
            name=f"streaming.{kind.__name__}",
            evaluate=evaluate,
            forms=({},),
            takes=takes,
            kind="state",
            classes=classes,
            every_class=every_class,
            columns=("isotonic", "histogram", "beta"),
            cost=2,
        )
        for kind, (evaluate, takes, classes, every_class) in ADAPTED.items()
    ]
