"""Names in pictures are text: nothing in them is a formula, and nothing ends the drawing.

The displays are found by themselves, and their ways in by the names of their parameters. A new
display is in these tests; if it asks for something new, a line in `POOL` or `RESULTS` gives it.
"""

import inspect
import io
import re
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.cbook import is_math_text
from matplotlib.text import Text
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import cross_validate

from sklearn_calib import (
    CalibrationMonitor,
    calibration_by_group,
    check_calibration,
    compare_calibration,
    display,
    local_bias_band,
)
from sklearn_calib.display._style import plain
from tests.interface._hostile_names._names import NAMES, UNSEEN

N = 90
RNG = np.random.default_rng(0)
P = RNG.random(N)
OUTCOME = (RNG.random(N) < P).astype(int)


class Given(ClassifierMixin, BaseEstimator):
    """A classifier whose only feature is the probability."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        p = np.asarray(X)[:, 0]
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return self.classes_[(np.asarray(X)[:, 0] > 0.5).astype(int)]


def _pool(name):
    """Return what the ways into displays may ask for, by the name of the parameter."""
    labels = np.array(sorted([name, f"{name}~"]), dtype=object)
    y = labels[OUTCOME]
    X = np.column_stack([P, RNG.normal(size=N)])
    groups = np.array([name, f"{name} 2", "3"], dtype=object)[np.arange(N) % 3]
    data = {"y_true": y, "y": y, "X": X, "y_proba": P, "pos_label": labels[1], "random_state": 0}
    estimator = Given().fit(X, y)
    return data | {
        "y_probas": {name: P, f"{name} 2": P**2},
        "groups": groups,
        "name": name,
        "feature_names": [name, f"{name} 2"],
        "features": [0, 1],
        "n_resamples": 49,
        "estimator": estimator,
        "estimators": {name: estimator, f"{name} 2": estimator},
        "cv_results": cross_validate(
            estimator, X, y, cv=2, return_estimator=True, return_indices=True
        ),
        "monitor": CalibrationMonitor(segments=[name], pos_label=labels[1]).update(
            y, P, period=np.arange(N) // 45, segment=np.full(N, name, dtype=object)
        ),
    }


# What ways called `from_result` and `from_band` may ask for, by the type of the result.
def _results(pool):
    y, p, label = pool["y"], pool["y_proba"], {"pos_label": pool["pos_label"]}
    few = label | {"n_resamples": 49, "random_state": 0}
    return {
        "CalibrationTestResult": lambda: check_calibration(y, p, **few),
        "GroupCalibration": lambda: calibration_by_group(y, p, pool["groups"], **few),
        "CalibrationComparison": lambda: compare_calibration(y, pool["y_probas"], **few),
        "LocalBiasBand": lambda: local_bias_band(y, p, pool["X"], **few),
    }


DISPLAYS = [
    getattr(display, name) for name in display.__all__ if inspect.isclass(getattr(display, name))
]
WAYS = [
    pytest.param(way, id=f"{one.__name__}.{name}")
    for one in DISPLAYS
    for name, way in inspect.getmembers(one, inspect.ismethod)
    if name.startswith("from_")
]

HOSTILE = ["$\\frac{$_^%&\n\x1b\u202e", "\\$x_1^2$ #~ <b>\\"]


def _call(way, name):
    pool = _pool(name)
    results = _results(pool)
    if way.__self__ is display.CalibrationComparisonDisplay:  # several models there
        pool["cv_results"] = {name: pool["cv_results"], f"{name} 2": pool["cv_results"]}
    arguments = {}
    for parameter in inspect.signature(way).parameters.values():
        if parameter.name in pool:
            arguments[parameter.name] = pool[parameter.name]
        elif str(parameter.annotation) in results:
            arguments[parameter.name] = results[str(parameter.annotation)]()
        else:
            assert parameter.default is not parameter.empty or parameter.kind in (
                parameter.VAR_KEYWORD,
                parameter.VAR_POSITIONAL,
            ), f"{parameter} is new: add it to the pool"
    # What `options` hands on to the way from predictions.
    if "options" in inspect.signature(way).parameters and "groups" not in arguments:
        arguments |= {"n_resamples": 49} if "estimators" not in arguments else {}
    return way(**arguments)


# A minus sign between two names, and numbers at axes.
_OURS = re.compile(r"\$-\$|\$(\\times)?\\mathdefault\{[^$]*\}\$")


def _texts(figure):
    return [text for text in figure.findobj(Text) if text.get_text()]


def _faults(figure):
    """Return the texts that are a formula, our minus sign aside, or hold what is not seen."""
    figure.draw_without_rendering()
    found = []
    for text in _texts(figure):
        own = _OURS.sub("", text.get_text())
        if is_math_text(own) or set(own) & set(UNSEEN) or re.search(r"(?<!\\)\$", own):
            found.append(text.get_text())
    return found


@pytest.fixture(autouse=True)
def drawing():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield
    plt.close("all")


def test_a_name_without_protection_is_found():
    for name in ("$x_1$", "a\x1b", "\u202e"):
        figure = plt.figure()
        figure.text(0, 0, name)
        assert _faults(figure) == [name]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("way", WAYS)
def test_names_in_displays_are_text(way, name):
    drawn = _call(way, name)
    (number,) = plt.get_fignums()
    figure = plt.figure(number)
    assert _faults(figure) == []
    for display_format in ("png", "svg"):
        figure.savefig(io.BytesIO(), format=display_format, dpi=30)
    assert drawn.figure_ is figure


def test_labels_of_all_kinds_are_text():
    figure = plt.figure()
    for name in NAMES:
        figure.text(0, 0, plain(name))
    assert _faults(figure) == []
