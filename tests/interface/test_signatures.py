"""Signatures of public functions and methods are short, and their types resolve.

``help(check_calibration)`` and the tooltip of a notebook show the signature. Where ``ArrayLike`` is
written out as the union that NumPy defines, it fills the screen; where annotations are text that
does not resolve, tools that read them fail.
"""

import inspect
from importlib import import_module
from typing import get_type_hints

import pandas as pd
import pytest

import sklearn_calib

LONGEST = 640


def _methods(cls):
    """Yield (name, function) of the public methods that the package defines for a class."""
    for name in dir(cls):
        if name.startswith("_") and name not in ("__init__", "__call__"):
            continue
        value = inspect.getattr_static(cls, name)
        value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if inspect.isfunction(value) and value.__module__.startswith("sklearn_calib"):
            yield f"{cls.__name__}.{name}", value


def _public_callables():
    found = {}
    for module in sklearn_calib._SUBMODULES:
        loaded = import_module(f"sklearn_calib.{module}")
        for name in loaded.__all__:
            value = getattr(loaded, name)
            if inspect.isfunction(value) or inspect.isclass(value):
                found[f"{module}.{name}"] = value
            if inspect.isclass(value):
                found |= {f"{module}.{key}": method for key, method in _methods(value)}
    return found


CALLABLES = _public_callables()


def test_functions_classes_and_methods_are_found():
    assert {
        "inference.check_calibration",
        "calibrators.PlattCalibrator",
        "calibrators.PlattCalibrator.fit",
        "display.ReliabilityDisplay.from_predictions",
        "inference.CalibrationTestResult.__init__",
    } <= set(CALLABLES)


@pytest.mark.parametrize("name", CALLABLES)
def test_signature_is_short_and_shows_no_private_types(name):
    text = str(inspect.signature(CALLABLES[name]))
    assert len(text) <= LONGEST, text
    assert "_typing" not in text


@pytest.mark.parametrize("name", CALLABLES)
def test_annotations_resolve(name):
    hints = get_type_hints(CALLABLES[name], localns={"pd": pd})  # imported for tables only
    if inspect.isfunction(CALLABLES[name]):
        parameters = inspect.signature(CALLABLES[name]).parameters
        assert set(hints) - {"return"} <= set(parameters)
        assert not any(isinstance(hint, str) for hint in hints.values())


def test_help_shows_the_short_names():
    text = str(inspect.signature(sklearn_calib.check_calibration))
    assert text.startswith("(y_true: 'ArrayLike', y_proba: 'ArrayLike', X: 'ArrayLike | None' = ")
    assert text.endswith(" -> 'CalibrationTestResult'")
