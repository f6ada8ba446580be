"""What every metric refuses, and with which words."""

import warnings

import numpy as np
import pandas as pd
import pytest

from sklearn_calib import metrics
from sklearn_calib.metrics import ece
from tests.metrics._cases import close
from tests.metrics._registry import ERRORS, METRICS, names


def test_labels_that_are_not_sorted_are_refused():
    y, P = ["dog", "cat"], [[0.9, 0.1], [0.2, 0.8]]
    for metric in METRICS.values():
        with pytest.raises(ValueError, match=r"labels=\['dog', 'cat'\].*sorted order.*columns"):
            metric(y, P, labels=["dog", "cat"])
    close(ece(y, [[0.1, 0.9], [0.8, 0.2]], target="confidence"), 0.15)


def test_text_labels_of_a_vector_need_pos_label():
    y, p = ["spam", "eggs", "spam"], [0.9, 0.1, 0.8]
    for metric in METRICS.values():
        with pytest.raises(ValueError, match=r"'eggs', 'spam'.*pos_label"):
            metric(y, p)
    close(ece(y, p, pos_label="spam", n_bins=10), (0.1 + 0.1 + 0.2) / 3)
    close(ece(y, p, pos_label="spam", norm="l2", n_bins=10) ** 2, 0.02)


def test_numbers_that_are_no_probabilities_are_refused_and_float32_rounding_is_not():
    for P, words in [
        ([[0.2, 0.3]], "sum to one"),
        ([[1.2, -0.2]], r"probabilities in \[0, 1\]"),
        ([[np.nan, 1]], "finite"),
    ]:
        for metric in METRICS.values():
            with pytest.raises(ValueError, match=words):
                metric([1], P)
    row = np.array([[0.5, 0.5 + 2.4e-7]], dtype=np.float32)
    assert abs(row.astype(float).sum() - 1) > 1e-7
    close(ece([1], row), 0.5 - 2.4e-7 // 2**-24 * 2**-24)


every = pytest.mark.parametrize("name", names())
_Y, _P = [0, 1, 0, 1], [0.1, 0.2, 0.6, 0.9]
_P3 = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.5, 0.25, 0.25]]


def _bad(pattern, y=_Y, p=_P, **options):
    return pattern, y, p, options


BAD_DATA = {
    "nan": _bad(r"y_proba must be finite; row 1 is nan.*impute", p=[0.1, np.nan, 0.6, 0.9]),
    "nan in a matrix": _bad(
        r"y_proba must be finite; row 2, column 1 is nan",
        p=[[0.5, 0.5], [0.5, 0.5], [0.5, np.nan], [0.5, 0.5]],
    ),
    "infinity": _bad(r"y_proba must be finite; row 0 is inf", p=[np.inf, 0.2, 0.6, 0.9]),
    "NA": _bad(
        r"y_proba must be finite; row 0 is nan", p=pd.Series([None, 0, 1, 1], dtype="Int64")
    ),
    "empty": _bad(r"y_(true|proba) is empty; at least one", y=[], p=[]),
    "empty labels": _bad(r"y_true is empty; at least one", y=[]),
    "no column": _bad(r"y_proba has no column", p=np.empty((4, 0))),
    "lengths": _bad(r"y_true and y_proba must have the same number of rows, got 4 and 3", p=_P[:3]),
    "above one": _bad(
        r"y_proba must hold probabilities in \[0, 1\].*1\.5.*predict_proba", p=[0, 1, 1.5, 1]
    ),
    "just above one": _bad(r"y_proba must hold .*1\.0000001", p=[0.5, 1.0000001, 0, 0]),
    "below zero": _bad(r"y_proba must hold probabilities in .*-1e-09", p=[0.5, -1e-9, 0, 0]),
    "logits": _bad(r"y_proba must hold .*not scores or logits", p=[[-2.0, 3.0]] * 4),
    "row sums": _bad(
        r"rows of y_proba must sum to one within 1e-06; row 0 sums to 0\.5.*predict_proba",
        p=[[0.2, 0.3]] * 4,
    ),
    "row sums slightly off": _bad(
        r"row 1 sums to 1\.000002", p=[[0.5, 0.5], [0.5, 0.500002], [0.5, 0.5], [0.5, 0.5]]
    ),
    "text": _bad(r"y_proba must be numeric.*dtype <U.*Encode", p=["0.1", "0.2", "0.3", "0.4"]),
    "text objects": _bad(
        r"y_proba must be a numeric array: it holds '0.1' of type str.*Encode",
        p=pd.Series(["0.1", "0.2", "0.3", "0.4"]).astype(object),
    ),
    "dates": _bad(
        r"y_proba must be numeric.*datetime64.*Encode", p=pd.Series(pd.to_datetime(["2020"] * 4))
    ),
    "complex": _bad(r"y_proba must be a numeric array: Complex", p=np.array(_P) + 1j),
    "ragged": _bad(r"y_proba must be a numeric array", p=[[0.1, 0.9], [1.0]]),
    "three dimensions": _bad(
        r"y_proba must have one or two dim.*\(4, 1, 1\)", p=np.ones((4, 1, 1))
    ),
    "None": _bad(r"y_proba must have one or two dimensions", p=None),
    "label None": _bad(r"y_true must be a one-dimensional array.*got None", y=None),
    "label nan": _bad(r"y_true must be.*without missing values.*NaN.*drop", y=[0, 1, np.nan, 1]),
    "label NA": _bad(
        r"y_true must be.*without missing values", y=pd.Series([0, 1, None, 1], dtype="Int64")
    ),
    "label missing text": _bad(
        r"y_true must hold labels of one type.*NoneType", y=["a", None, "a", "b"]
    ),
    "mixed labels": _bad(
        r"y_true must hold labels of one type.*\['int', 'str'\]", y=[0, "1", 0, 1]
    ),
    "bytes labels": _bad(
        r"y_true must hold class labels.*dtype \|S1", y=np.array([b"a", b"b"] * 2)
    ),
    "dates as labels": _bad(
        r"y_true must hold class labels.*datetime", y=np.array(["2020"] * 4, "M8[D]")
    ),
    "swapped": _bad(
        r"y_true must hold class labels, got the continuous value 0\.1.*swapped", y=_P, p=_Y
    ),
    "one-hot": _bad(r"y_true must have one label per row.*\(4, 2\).*argmax", y=np.eye(2)[_Y]),
    "text labels": _bad(r"\['eggs', 'spam'\].*pos_label=", y=["spam", "eggs"] * 2),
    "other numbers": _bad(r"\[3, 7\].*\{0, 1\}, \{-1, 1\}.*pos_label=", y=[3, 7, 3, 7]),
    "numbers as text": _bad(r"\['0', '1'\].*pos_label=", y=["0", "1", "0", "1"]),
    "one unconventional label": _bad(r"\[2\].*labels=", y=[2] * 4, p=[[0.5, 0.5]] * 4),
    "one label, pos_label": _bad(
        r"only \['a'\].*other column.*labels=", y=["a"] * 4, p=[[0.5, 0.5]] * 4, pos_label="a"
    ),
    "three labels, one column": _bad(r"3 distinct labels \[0, 1, 2\].*1 column\b", y=[0, 1, 2, 1]),
    "three labels, two columns": _bad(
        r"3 distinct labels.*2 columns", y=[0, 1, 2, 1], p=[[0.5, 0.5]] * 4
    ),
    "two labels, three columns": _bad(r"2 distinct labels \[0, 1\].*3 columns.*labels=", p=_P3),
    "four labels, three columns": _bad(
        r"4 distinct labels.*3 columns.*labels=", y=[0, 1, 2, 3], p=_P3
    ),
    "unknown label": _bad(
        r"y_true contains \[3\].*labels=\[0, 1, 2\]", y=[0, 1, 2, 3], p=_P3, labels=[0, 1, 2]
    ),
    "unsorted labels": _bad(r"labels=\[1, 0\] must be.*sorted order, \[0, 1\]", labels=[1, 0]),
    "unsorted text labels": _bad(
        r"labels=\['b', 'a', 'c'\].*sorted", y=list("abca"), p=_P3, labels=["b", "a", "c"]
    ),
    "repeated labels": _bad(r"labels=\[1, 1\] must be distinct", labels=[1, 1]),
    "too many labels": _bad(r"labels=\[0, 1, 2\] must list 2 classes.*got 3", labels=[0, 1, 2]),
    "too few labels": _bad(r"labels=\[0, 1\] must list 3 classes", p=_P3, labels=[0, 1]),
    "scalar labels": _bad(r"labels must be a one-dimensional array.*got 1", labels=1),
    "empty list of labels": _bad(r"labels is empty", labels=[]),
    "labels of another type": _bad(
        r"y_true contains \[0, 1\].*labels=\['0', '1'\]", labels=["0", "1"]
    ),
    "unknown pos_label": _bad(r"pos_label=2 is not one of the labels \[0, 1\]", pos_label=2),
    "unknown pos_label beside labels": _bad(
        r"pos_label=5 is not one of the labels \[0, 1\]", pos_label=5, labels=[0, 1]
    ),
    "pos_label of another type": _bad(r"pos_label='1'.*\[0, 1\].*differ in type", pos_label="1"),
    "list as pos_label": _bad(r"pos_label must be one label, got \[1\]", pos_label=[1]),
    "pos_label of many classes": _bad(
        r"pos_label=1 applies to binary data.*3 columns", y=[0, 1, 1, 2], p=_P3, pos_label=1
    ),
    "negative weight": _bad(
        r"sample_weight must not be negative; row 2.*-1", sample_weight=[1, 1, -1, 1]
    ),
    "zero weights": _bad(r"sample_weight is zero for every row.*positive", sample_weight=[0] * 4),
    "too few weights": _bad(
        r"sample_weight must have shape \(4,\).*got \(3,\)", sample_weight=[1] * 3
    ),
    "matrix of weights": _bad(
        r"sample_weight must have shape \(4,\)", sample_weight=np.ones((4, 2))
    ),
    "scalar weight": _bad(r"sample_weight must have", sample_weight=1.0),
    "nan weight": _bad(r"sample_weight must be finite; row 1", sample_weight=[1, np.nan, 1, 1]),
    "infinite weight": _bad(
        r"sample_weight must be finite; row 1", sample_weight=[1, np.inf, 1, 1]
    ),
    "text weight": _bad(r"sample_weight must be numeric", sample_weight=list("abcd")),
}


@every
@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data_are_refused_with_a_reason(name, case):
    pattern, y, p, options = BAD_DATA[case]
    with pytest.raises(ValueError, match=pattern):
        METRICS[name](y, p, X=np.zeros(4), **options)


@pytest.mark.parametrize("case", BAD_DATA)
def test_the_table_of_bins_refuses_the_same_data(case):
    pattern, y, p, options = BAD_DATA[case]
    with pytest.raises(ValueError, match=pattern):
        metrics.calibration_bins(y, p, **options)


_POSITIVE = r"bandwidth must be a positive number or \"median\", got "
BAD_OPTIONS = [
    ("ece", {"n_bins": 0}, r"n_bins must be a whole number of at least 1 or \"auto\", got 0"),
    ("ece", {"n_bins": -3}, r"n_bins must be a whole number of at least 1 or \"auto\", got -3"),
    ("ece", {"n_bins": 2.5}, r"n_bins must be a whole number of at least 1 or \"auto\", got 2\.5"),
    ("ece", {"n_bins": True}, r"n_bins must be a whole number.*got True"),
    ("mce", {"n_bins": "10"}, r"n_bins must be a whole number.*got '10'"),
    ("average_calibration_error", {"n_bins": None}, r"n_bins must be a whole number.*got None"),
    ("ece", {"strategy": "adaptive"}, r"strategy must be one of 'uniform', 'quantile', got 'ad"),
    ("ece", {"n_bins": "cube root"}, r"n_bins must be .* or \"auto\", got 'cube root'"),
    ("ece", {"bins": 10}, r"bins must be a list of edges, got 10\. Pass edges.* as n_bins"),
    ("mce", {"bins": "auto"}, r"bins must be a list of edges, got 'auto'"),
    ("ece", {"bins": [0, 0.5]}, r"bins must increase from 0 to 1, got \[0\.0, 0\.5\]\. Pass edges"),
    ("ece", {"bins": [0.1, 0.5, 1]}, r"bins must increase from 0 to 1"),
    ("ece", {"bins": [0, 0.5, 0.5, 1]}, r"bins must increase from 0 to 1"),
    ("ece", {"bins": [0, 0.7, 0.5, 1]}, r"bins must increase from 0 to 1"),
    ("ece", {"bins": [0]}, r"bins must increase from 0 to 1"),
    ("ece", {"bins": [0, np.nan, 1]}, r"bins must be finite"),
    ("ece", {"bins": ["0", "1"]}, r"bins must be numeric"),
    ("ece", {"bins": [[0, 1]]}, r"bins must have one dimension, got shape \(1, 2\)"),
    ("mce", {"bins": [0, 1], "strategy": "quantile"}, r"strategy='quantile' chooses the edges"),
    ("ece", {"debiased": True, "norm": "l1"}, r"debiased=True needs norm='l2'.*got 'l1'"),
    ("ece", {"squared": True, "norm": "max"}, r"squared=True needs norm='l2'.*got 'max'"),
    ("ece", {"debiased": 1}, r"debiased must be True or False, got 1"),
    ("ece", {"closed": "both"}, r"closed must be one of 'left', 'right', got 'both'"),
    ("ece", {"norm": "mean"}, r"norm must be one of 'l1', 'l2', 'max', got 'mean'"),
    ("ece", {"target": "canonical"}, r"target must be one of .*'top_label', got 'canonical'"),
    ("skce", {"estimator": "unbiased"}, r"estimator must be one of 'uq', 'ul', 'biased', 'bl"),
    ("skce", {"kernel": "gaussian"}, r"kernel must be one of 'laplacian', 'rbf', got 'gaussian'"),
    ("skce", {"target": "top"}, r"target must be one of .*'canonical', got 'top'"),
    ("mmce", {"target": "classwise"}, r"target must be one of 'auto', 'binary', 'confidence'"),
    ("skce", {"estimator": "block"}, r"estimator='block' needs block_size.*at least 2"),
    ("skce_block", {"block_size": 1}, r"block_size must be a whole number of at least 2, got 1"),
    ("skce_block", {"block_size": 2.0}, r"block_size must be a whole number.*got 2\.0"),
    ("skce_block", {"block_size": 5}, r"n too small: block_size=5 exceeds the 4 samples"),
    ("skce", {"bandwidth": 0}, _POSITIVE + "0"),
    ("skce", {"bandwidth": -0.5}, _POSITIVE + "-0.5"),
    ("skce", {"bandwidth": np.nan}, _POSITIVE + "nan"),
    ("skce", {"bandwidth": np.inf}, _POSITIVE + "inf"),
    ("skce", {"bandwidth": 1e-320}, _POSITIVE + "1e-320"),
    ("kce", {"bandwidth": "mean"}, _POSITIVE + "'mean'"),
    ("kce", {"bandwidth": None}, _POSITIVE + "None"),
    ("mmce", {"bandwidth": [0.2]}, _POSITIVE + r"\[0\.2\]"),
    ("mmce", {"bandwidth": True}, _POSITIVE + "True"),
    ("klce", {"prob_bandwidth": 0}, "prob_" + _POSITIVE + "0"),
    ("klce", {"feature_bandwidth": 0}, "feature_" + _POSITIVE + '0.*"scaled"'),
    ("klce", {"feature_bandwidth": "mean"}, "feature_" + _POSITIVE + "'mean'.*\"scaled\""),
    ("klce", {"feature_bandwidth": [-1.0]}, r"feature_bandwidth must be positive, got -1"),
    ("klce", {"feature_bandwidth": [1, 2]}, r"feature_bandwidth must be .*shape \(1,\).*\(2,\)"),
    ("klce", {"X": [1.0, 2.0, 3.0]}, r"y_true and X must have the same number of rows.*4 and 3"),
    ("klce", {"X": [1.0, 2.0, np.inf, 3.0]}, r"X must be finite; row 2 is inf"),
    ("klce", {"X": [["a"], ["b"], [1], ["d"]]}, r"Column 0 of X holds numbers and text"),
    ("klce", {"X": pd.DataFrame({"a": pd.to_datetime(["2020"] * 4)})}, r"Column 'a' of X .*dates"),
    ("klce", {"X": np.empty((4, 0))}, r"X has no column"),
    ("klce", {"X": np.zeros((4, 1, 1))}, r"X must have one or two dimensions"),
]


@pytest.mark.parametrize(("name", "options", "pattern"), BAD_OPTIONS)
def test_bad_options_are_refused_with_a_reason(name, options, pattern):
    with pytest.raises(ValueError, match=pattern):
        METRICS[name](_Y, _P, **options)


@pytest.mark.parametrize("name", names(lambda metric: metric.targets))
def test_binary_calibration_of_many_classes_is_refused(name):
    with pytest.raises(ValueError, match=r"target='binary' needs binary data.*3 columns"):
        METRICS[name]([0, 1, 1, 2], _P3, target="binary")


def test_klce_without_features_is_refused():
    with pytest.raises(ValueError, match=r"X must be an array of features, got None"):
        metrics.klce(_Y, _P, None)


@every
def test_options_are_keyword_only(name):
    data = (_Y, _P, [0, 1, 2, 3]) if METRICS[name].features else (_Y, _P)
    with pytest.raises(TypeError, match="positional argument"):
        METRICS[name].function.func(*data, 0.2)


@pytest.mark.parametrize("name", ERRORS)
def test_nothing_warns_about_nasty_data(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(METRICS[name]([0, 1, 0, 1], [0.0, 1.0, 1.0, 0.0]))
        assert np.isfinite(METRICS[name]([0, 0, 0, 0], [0.5] * 4, X=np.zeros(4)))
        assert np.isfinite(METRICS[name]([0, 1, 0, 1], [5e-324, 1e-300, 1e-17, 1 - 1e-16]))
