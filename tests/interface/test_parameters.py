"""Parameters that many public callables share have one name and one order everywhere."""

import inspect
import re
from importlib import import_module

import pytest

import sklearn_calib

DATA = ("sample_weight", "pos_label", "labels")
# These follow a package of the literature, whose names they keep.
SEEDED = {
    "datasets.make_calibration_data",
    "kernels.median_heuristic",
    "kernels.select_bandwidths",
}
# Other names that a source of random numbers could have.
OTHER_NAMES = {"seed", "rng", "key", "generator", "random_seed"}


def _public_callables():
    """Return {name: (callable, docstring of its parameters)}, methods of classes included."""
    found = {}
    for module in sklearn_calib._SUBMODULES:
        loaded = import_module(f"sklearn_calib.{module}")
        for name in loaded.__all__:
            obj = getattr(loaded, name)
            found[f"{module}.{name}"] = obj, inspect.getdoc(obj)
            if inspect.isclass(obj):
                for key, method in inspect.getmembers(obj, callable):
                    if not key.startswith("_"):
                        found[f"{module}.{name}.{key}"] = method, inspect.getdoc(method)
    return {
        name: (list(inspect.signature(obj).parameters), doc or "")
        for name, (obj, doc) in found.items()
        if callable(obj)
    }


CALLABLES = _public_callables()


def _documented(doc):
    """Return the names in the section on parameters, in order."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", doc, re.DOTALL | re.MULTILINE)
    entries = re.findall(r"^([\w*][\w*, ]*?)(?: :|$)", section[1] if section else "", re.MULTILINE)
    return [name for entry in entries for name in entry.split(", ")]


@pytest.mark.parametrize("name", CALLABLES)
def test_weights_positive_class_and_labels_come_in_this_order(name):
    parameters, doc = CALLABLES[name]
    order = [key for key in DATA if key in parameters]
    assert [key for key in parameters if key in DATA] == order
    if "Parameters\n---" in doc and order:
        assert [key for key in _documented(doc) if key in DATA] == order


def test_the_order_is_looked_at_where_it_matters():
    with_all = {name for name, (keys, _) in CALLABLES.items() if set(DATA) <= set(keys)}
    assert {
        "metrics.ece",
        "inference.check_calibration",
        "inference.local_bias_band",
        "display.ReliabilityDisplay.from_predictions",
        "display.LocalBiasDisplay.from_predictions",
        "report.calibration_report",
    } <= with_all


@pytest.mark.parametrize("name", CALLABLES)
def test_random_numbers_come_from_random_state(name):
    parameters, doc = CALLABLES[name]
    allowed = {"seed"} if name in SEEDED else set()
    assert OTHER_NAMES & set(parameters) == allowed
    if "random_state" in parameters and "Parameters\n---" in doc:
        assert "random_state" in _documented(doc)


@pytest.mark.parametrize("name", [name for name in sorted(SEEDED) if "kernels" in name])
def test_bandwidths_keep_the_names_of_the_literature(name):
    assert CALLABLES[name][0][-2:] == ["max_samples", "seed"]
