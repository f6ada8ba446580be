"""The options of a public callable and their values, read from its docstring."""

import inspect
import re

_TYPE = re.compile(r"^ *(\w+) : (.*?)(?:, default=.*)?$", re.MULTILINE)
_WORDS = re.compile(r'"(\w[\w-]*)"')

# What makes a callable work with few rows, and quickly.
SMALL = {
    "n_resamples": 19,
    "random_state": 0,
    "min_rows": 2,
    "min_effective_size": 1.5,
    "categorical_features": (),
}

# An option that needs another one beside it.
COMPANIONS = {
    ("estimator", "block"): {"block_size": 2},
    ("debiased", True): {"norm": "l2"},
    ("squared", True): {"norm": "l2"},
    ("reg_lambda", 0.01): {"eps": 1e-12},
}


def parameters(function):
    """Return the names of the parameters of a function."""
    return frozenset(inspect.signature(function).parameters)


def small(function):
    """Return the settings of `SMALL` that a function has; ends of 95 % need 39 draws."""
    settings = {key: value for key, value in SMALL.items() if key in parameters(function)}
    if {"n_resamples", "confidence_level"} <= parameters(function):
        settings["n_resamples"] = 39
    return settings


def documented_choices(function):
    """Return {option: its values} for options that are words or flags, without the defaults.

    Parameters
    ----------
    function : callable
        Its docstring names the values, as in ``norm : {"l1", "l2"}, default="l1"``.
    """
    section = (inspect.getdoc(function) or "").partition("Parameters\n---")[2]
    section = section.partition("\nReturns\n---")[0]
    types = dict(_TYPE.findall(section.replace("\\\n", "")))
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default is parameter.empty or name not in types:
            continue
        values = [True, False] if types[name] == "bool" else _WORDS.findall(types[name])
        values = [value for value in values if value != parameter.default]
        if values:
            found[name] = values
    return found


def forms_of(function, *, without=(), **settings):
    """Return dicts of options: the defaults, and each value of each option on its own.

    Parameters
    ----------
    function : callable
        A public function.
    without : sequence of str
        Options to leave alone.
    **settings : dict
        Options that each form has.
    """
    allowed = inspect.signature(function).parameters
    forms = [settings]
    for name, values in documented_choices(function).items():
        if name in without or name in settings:
            continue
        for value in values:
            beside = COMPANIONS.get((name, value), {})
            beside = {key: other for key, other in beside.items() if key in allowed}
            forms.append({**settings, name: value, **beside})
    return forms
