"""What can be wrong with an option: numbers, choices, names, and things of other kinds."""

import datetime
from types import SimpleNamespace

import numpy as np
import pandas as pd

HUGE = 10**400


def types():
    """Return things of types that hardly any argument may have."""
    return {
        "an object": object(),
        "a text": "abc",
        "bytes": b"abc",
        "an empty dict": {},
        "nothing": None,
        "a date": datetime.date(2026, 1, 1),
        "a complex number": 1j,
    }


def without(wrong, *names):
    """Return what is wrong except for some kinds, which all must be there."""
    return {what: wrong[what] for what in wrong.keys() - set(names) if wrong.keys() >= set(names)}


def default(good):
    return without(types(), "nothing")


def _no_numbers():
    return {"NaN": np.nan, "infinity": np.inf, "a missing value": pd.NA}


def count(good):
    return {
        **types(),
        **_no_numbers(),
        "a negative number": -1,
        "a fraction": 1.5,
        "a whole number as float": 5.0,
        "true": True,
        "a number as text": "5",
        "a list": [5],
        "an array": np.array([5, 6]),
    }


def real(good):
    return {
        **types(),
        **_no_numbers(),
        "a huge number": HUGE,
        "true": True,
        "a number as text": "0.1",
        "a list": [0.1, 0.2, 0.3],
    }


def number(good):
    return without(real(good), "infinity")


def not_negative(good):
    return {**real(good), "a negative number": -0.5, "minus infinity": -np.inf}


def positive(good):
    return {**not_negative(good), "zero": 0}


def bandwidths(good):
    return {**positive(good), "an empty list": [], "a negative one": [0.1, -0.1]}


def level(good):
    return {**positive(good), "one": 1.0, "above one": 5}


def share(good):
    return without(level(good), "one")


def probability(good):
    return without(level(good), "zero", "one")


def similarity(good):
    return without(level(good), "zero")


def shift(good):
    return without(level(good), "zero", "a negative number")


def prevalence(good):
    return {
        **level(good),
        "a list that sums to two": [1.0, 1.0],
        "an unknown class": {7: 0.3},
        "text inside": ["a", "b"],
        "NaN inside": [0.5, np.nan],
    }


def choice(good):
    return {
        **types(),
        "a misspelt word": f"{good}x",
        "a number": 5,
        "a list": [good],
        "an array": np.array([good, good]),
        "true": True,
        "NaN": np.nan,
    }


def choice_or_none(good):
    return without(choice(good), "nothing")


def flag(good):
    return {**types(), "zero": 0, "one": 1, "a list": [True], "NaN": np.nan}


def random_state(good):
    return {
        **without(types(), "nothing"),
        **_no_numbers(),
        "a negative number": -1,
        "a fraction": 1.5,
        "a list": [[1.5]],
    }


def jobs(good):
    return {**types(), **_no_numbers(), "a fraction": 1.5, "zero": 0, "a list": [1]}


def progress(good):
    return {**types(), "NaN": np.nan, "a list": [1], "a negative number": -1}


def names_of_metrics(good):
    return {
        **types(),
        "an unknown name": ["no such metric"],
        "numbers": [1, 2],
        "a number": 5,
        "the same twice": [*good, *good],
        "an object inside": [object()],
        "bytes inside": [b"ece"],
    }


def any_names_of_metrics(good):
    return without(names_of_metrics(good), "the same twice")


def mapping(good):
    return {
        **without(types(), "an empty dict", "nothing"),
        "a number": 5,
        "a list": [1],
        "an unknown option": {"no_such_option": 1},
        "a name that is no text": {5: 1},
        "a set": {"n_bins"},
    }


def classifier(good):
    return {
        **types(),
        "a class": type(good),
        "a number": 5,
        "a list": [good],
        "no estimator": SimpleNamespace(fit=1),
    }


def calibrator(good):
    return without(classifier(good), "nothing")


def folds(good):
    return {
        **without(types(), "nothing"),
        "one": 1,
        "zero": 0,
        "a fraction": 2.5,
        "true": True,
        "NaN": np.nan,
        "more than rows": 1000,
        "rows that do not exist": [([0, 1], [1000])],
        "no pairs": [1, 2, 3],
        "a huge number": HUGE,
    }


def text(good):
    return {**without(types(), "nothing", "a text"), "a number": 5, "a list": ["a"]}


def names(good):
    good = good or ["a"]
    return {
        **without(types(), "nothing"),
        "a number": 5,
        "too many": [*good, "x", "y", "z", "w"],
        "numbers": [1.5] * len(good),
        "objects": [object()] * len(good),
    }


def all_names(good):
    return without(names(good), "too many")


def axes(good):
    return {**without(types(), "nothing"), "a number": 5, "a list": [1, 2]}


def path(good):
    return {**without(types(), "nothing", "a text", "bytes"), "a number": 5.5, "a list": ["a"]}


def document(good):
    return {
        **types(),
        "a number": 5,
        "an empty text": "",
        "a list as JSON": "[]",
        "an empty object as JSON": "{}",
        "cut off": '{"version": 1, "kind"',
        "not UTF-8": b"\xff\xfe",
    }


def result(good):
    return {**types(), "a number": 5, "a list": [1], "an empty list": []}


def results(good):
    return {**types(), "a number": 5, "numbers": [1], "an empty list": []}


def columns(good):
    return {
        **without(types(), "nothing"),
        "a column that is not there": 99,
        "a negative column": -99,
        "a name that is not there": ["no such column"],
        "columns that are not there": [0, 99],
        "a fraction": [0.5],
        "three dimensions": [[[0]]],
        "NaN": np.nan,
    }


def sizes(good):
    return {
        **types(),
        "a number below one": 0,
        "zeros": (0,),
        "fractions": (1.5,),
        "negative": (-3,),
        "text": ("a",),
        "a matrix": [[4]],
        "true": (True,),
        "NaN": (np.nan,),
        "a set": {4},
    }


def function(good):
    return {
        **without(types(), "nothing"),
        "a function of nothing": lambda: 1,
        "a function that gives text": lambda p: "abc",
        "a function that gives None": lambda p: None,
        "a function that gives NaN": lambda p: p * np.nan,
        "a function that gives numbers above one": lambda p: p + 1,
        "a function that gives fewer rows": lambda p: p[:-1],
    }


def metric_function(good):
    return {**types(), "a number": 5}


def label(good):
    return {
        **types(),
        "an unknown label": 7,
        "a list": [1],
        "NaN": np.nan,
        "an array": np.array([0, 1]),
        "a huge number": HUGE,
    }


def label_before_rows(good):
    return without(label(good), "an unknown label", "a text", "a huge number")


def classes(good):
    return {
        **types(),
        "a number": 7,
        "an empty list": [],
        "another class": [0, 7],
        "one class twice": [1, 1],
        "types mixed": [0, "a"],
        "NaN inside": [0.0, np.nan],
        "None inside": [None, 1],
        "a list of lists": [[0, 1], [0, 1]],
        "a generator": iter([[0], [1]]),
        "objects": [object(), object()],
    }


def classes_before_rows(good):
    return without(classes(good), "another class")


def edges(good):
    return {
        **types(),
        "a number": 5,
        "an empty list": [],
        "decreasing": [1.0, 0.5, 0.0],
        "outside": [-0.1, 0.5, 1.2],
        "NaN inside": [0.0, np.nan, 1.0],
        "None inside": [0.0, None, 1.0],
        "text inside": ["0", "0.5", "1"],
        "twice": [0.0, 0.5, 0.5, 1.0],
        "a matrix": [[0.0, 1.0], [0.0, 1.0]],
        "a set": {0.0, 0.3, 1.0},
        "complex": [0.0, 1j, 1.0],
    }


def any_edges(good):
    return without(edges(good), "an empty list", "decreasing", "twice")
