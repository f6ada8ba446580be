"""The documented default of each parameter of a public callable is the one it has."""

import ast
import inspect
import re

import pytest

from tests.interface.test_signatures import CALLABLES

_SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w[\w*, ]*?) : (.*)$", re.MULTILINE)


def _documented(value):
    """Return the type and the default of each documented parameter as text."""
    section = _SECTION.search(inspect.getdoc(value) or "")
    entries = _ENTRY.findall(section[1]) if section else []
    return {name: text for names, text in entries for name in names.split(", ")}


def _defaults(value):
    parameters = inspect.signature(value).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not one.empty}


WITH_DEFAULTS = [
    name for name, value in CALLABLES.items() if _documented(value) and _defaults(value)
]


@pytest.mark.parametrize("name", WITH_DEFAULTS)
def test_the_documented_defaults_are_those_of_the_signature(name):
    """A reader relies on the text, and a number that is changed in one place is a mistake."""
    documented = _documented(CALLABLES[name])
    stated = {
        key: ast.literal_eval(text.split("default=")[1].rstrip("."))
        for key, text in documented.items()
        if "default=" in text
    }
    defaults = _defaults(CALLABLES[name])
    assert stated == {key: defaults[key] for key in documented if key in defaults}


def test_the_defaults_are_found():
    documented = _documented(CALLABLES["inference.local_bias_band"])
    assert documented["n_resamples"] == "int, default=999"
    assert len(WITH_DEFAULTS) > 100


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("display.LocalBiasDisplay.from_predictions", "inference.local_bias_band"),
        ("display.GroupCalibrationDisplay.from_predictions", "inference.calibration_by_group"),
        (
            "display.ReliabilityDisplay.from_cv_results",
            "display.ReliabilityDisplay.from_predictions",
        ),
        (
            "display.CalibrationComparisonDisplay.from_predictions",
            "display.ReliabilityDisplay.from_predictions",
        ),
    ],
)
def test_options_that_are_handed_on_have_the_default_of_where_they_go(name, same):
    defaults, documented = _defaults(CALLABLES[name]), _documented(CALLABLES[name])
    expected = _defaults(CALLABLES[same])
    handed_on = {key: defaults[key] for key in defaults if key not in documented}
    handed_on = {key: value for key, value in handed_on.items() if key in expected}
    assert len(handed_on) > 4
    assert handed_on == {key: expected[key] for key in handed_on}
