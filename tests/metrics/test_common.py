"""What holds for every metric: forms of the data, labels, weights, order of rows, errors."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib import metrics
from tests.metrics._registry import METRICS, binary_data, multiclass_data, names

EXACT = {"rtol": 1e-12, "atol": 1e-15}

every = pytest.mark.parametrize("name", names())
with_targets = pytest.mark.parametrize(
    ("name", "target"),
    [(name, target) for name in names() for target in METRICS[name].targets]
    + [(name, None) for name in names(lambda metric: not metric.targets)],
)


def _options(target):
    return {} if target is None else {"target": target}


def test_the_registry_knows_every_metric():
    public = {name for name in metrics.__all__ if "scorer" not in name} - {"calibration_bins"}
    assert {metric.function.func.__name__ for metric in METRICS.values()} == public


@every
def test_a_metric_is_a_python_float(name):
    assert type(METRICS[name](*binary_data())) is float
    assert type(METRICS[name](*multiclass_data())) is float


# The form of the probabilities.

_SHUFFLED = np.random.default_rng(1).permutation(40)
BINARY_FORMS = {
    "(n, 1)": lambda p: p[:, np.newaxis],
    "(n, 2)": lambda p: np.column_stack([1 - p, p]),
    "list": lambda p: p.tolist(),
    "tuple": lambda p: tuple(p),
    "list of rows": lambda p: np.column_stack([1 - p, p]).tolist(),
    "float32": lambda p: p.astype(np.float32),
    "float16 (n, 2)": lambda p: np.column_stack([1 - p, p]).astype(np.float16),
    "object": lambda p: p.astype(object),
    "Series": lambda p: pd.Series(p, index=_SHUFFLED),
    "Float64 Series": lambda p: pd.Series(p, index=_SHUFFLED, dtype="Float64"),
    "DataFrame": lambda p: pd.DataFrame({"no": 1 - p, "yes": p}, index=_SHUFFLED),
    "one-column DataFrame": lambda p: pd.DataFrame({"yes": p}, index=_SHUFFLED),
    "Fortran": lambda p: np.asfortranarray(np.column_stack([1 - p, p])),
    "strided": lambda p: np.column_stack([p, np.full_like(p, np.nan), p])[:, ::2][:, 1],
    "reversed view": lambda p: p[::-1].copy()[::-1],
}


@every
@pytest.mark.parametrize("form", BINARY_FORMS)
def test_the_form_of_binary_probabilities_is_irrelevant(name, form):
    y, p = binary_data()
    assert_allclose(METRICS[name](y, BINARY_FORMS[form](p)), METRICS[name](y, p), **EXACT)


@every
def test_read_only_input_is_accepted_and_no_input_is_changed(name):
    y, P = multiclass_data()
    data = {"y": y, "P": P, "X": np.cos(np.arange(40.0))[:, np.newaxis], "w": np.arange(40.0)}
    before = {key: value.copy() for key, value in data.items()}
    METRICS[name](y, P, X=data["X"], sample_weight=data["w"])
    for key, value in data.items():
        assert_array_equal(value, before[key])
        value.flags.writeable = False
    METRICS[name](y, P, X=data["X"], sample_weight=data["w"])


@every
@pytest.mark.parametrize("kind", [bool, int, np.uint8, np.float32])
def test_hard_predictions_may_be_integers_or_booleans(name, kind):
    y, _ = binary_data()
    hard = (np.arange(40) % 3 == 0).astype(float)
    assert_allclose(METRICS[name](y, hard.astype(kind)), METRICS[name](y, hard), **EXACT)


@every
@pytest.mark.parametrize("form", [np.ndarray.tolist, pd.DataFrame, np.asfortranarray])
def test_the_form_of_multiclass_probabilities_is_irrelevant(name, form):
    y, P = multiclass_data()
    assert_allclose(METRICS[name](y, form(P)), METRICS[name](y, P), **EXACT)


@every
def test_float32_softmax_rows_are_accepted(name):
    rng = np.random.default_rng(2)
    logits = rng.normal(size=(40, 10)).astype(np.float32)
    P = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    y = np.arange(40) % 10
    assert P.dtype == np.float32
    assert np.any(P.astype(float).sum(axis=1) != 1.0)
    value = METRICS[name](y, P)
    exact = METRICS[name](y, P.astype(float) / P.astype(float).sum(axis=1, keepdims=True))
    assert_allclose(value, exact, rtol=0, atol=1e-6)


# The labels.

_STRINGS = np.array(["neg", "pos"])
BINARY_LABELS = {
    "float": lambda y: (y.astype(float), None),
    "float32": lambda y: (y.astype(np.float32), None),
    "int8": lambda y: (y.astype(np.int8), None),
    "uint8": lambda y: (y.astype(np.uint8), None),
    "bool": lambda y: (y.astype(bool), None),
    "list": lambda y: (y.tolist(), None),
    "list of bool": lambda y: (y.astype(bool).tolist(), None),
    "column": lambda y: (y[:, np.newaxis], None),
    "-1 and 1": lambda y: (2 * y - 1, None),
    "-1.0 and 1.0": lambda y: (2.0 * y - 1, None),
    "object": lambda y: (y.astype(object), None),
    "Series": lambda y: (pd.Series(y, index=_SHUFFLED), None),
    "Int64": lambda y: (pd.Series(y, index=_SHUFFLED, dtype="Int64"), None),
    "boolean": lambda y: (pd.Series(y.astype(bool), dtype="boolean"), None),
    "Categorical of int": lambda y: (pd.Categorical(y), None),
    "str": lambda y: (_STRINGS[y], "pos"),
    "np.str_ pos_label": lambda y: (_STRINGS[y], np.str_("pos")),
    "object str": lambda y: (_STRINGS[y].astype(object), "pos"),
    "list of str": lambda y: (_STRINGS[y].tolist(), "pos"),
    "string": lambda y: (pd.Series(_STRINGS[y], dtype="string"), "pos"),
    "Categorical of str": lambda y: (pd.Categorical(_STRINGS[y]), "pos"),
    "category Series": lambda y: (
        pd.Series(_STRINGS[y], index=_SHUFFLED, dtype="category"),
        "pos",
    ),
    "any int": lambda y: (np.array([7, 3])[y], 3),
}


@every
@pytest.mark.parametrize("kind", BINARY_LABELS)
def test_the_type_of_the_labels_is_irrelevant(name, kind):
    y, p = binary_data()
    labels, pos_label = BINARY_LABELS[kind](y)
    expected = METRICS[name](y, p)
    assert_allclose(METRICS[name](labels, p, pos_label=pos_label), expected, **EXACT)
    columns = [1 - p, p] if kind != "any int" else [p, 1 - p]
    value = METRICS[name](labels, np.column_stack(columns), pos_label=pos_label)
    assert_allclose(value, expected, **EXACT)


@every
def test_either_class_may_be_the_positive_one(name):
    y, p = binary_data()
    y = _STRINGS[y]
    both = np.column_stack([1 - p, p])
    positive = METRICS[name](y, p, pos_label="pos")
    negative = METRICS[name](y, 1 - p, pos_label="neg")
    assert_allclose(METRICS[name](y, both, pos_label="neg"), negative, **EXACT)
    assert_allclose(METRICS[name](y, both, pos_label="pos"), positive, **EXACT)
    assert_allclose(METRICS[name](y, both), positive, **EXACT)
    for options in ({}, {"pos_label": "pos"}):
        assert_allclose(METRICS[name](y, p, labels=["neg", "pos"], **options), positive, **EXACT)
    value = METRICS[name](y, 1 - p, labels=["neg", "pos"], pos_label="neg")
    assert_allclose(value, negative, **EXACT)
    if METRICS[name].function.func in (metrics.skce, metrics.kce, metrics.mmce, metrics.klce):
        assert_allclose(positive, negative, rtol=1e-12, atol=1e-15)


@every
def test_two_columns_follow_the_sorted_labels(name):
    y, p = binary_data()
    both = np.column_stack([1 - p, p])
    for low, high in [(3, 7), ("eggs", "spam"), (-5, 0), (0, 2)]:
        value = METRICS[name](np.array([low, high])[y], both)
        assert_allclose(value, METRICS[name](y, p), **EXACT)


@every
@pytest.mark.parametrize("present", [0, 1])
@pytest.mark.parametrize("positive", [None, 0, 1])
def test_one_class_of_conventional_labels_is_enough(name, present, positive):
    _, p = binary_data()
    p = p[4:]
    y = np.full(36, present)
    both = np.column_stack([1 - p, p])
    one = 1 - p if positive == 0 else p
    expected = METRICS[name](y, both, labels=[0, 1], pos_label=positive)
    for labels in (y, y.astype(bool), y.astype(float)):
        assert_allclose(METRICS[name](labels, one, pos_label=positive), expected, **EXACT)
        assert_allclose(METRICS[name](labels, both, pos_label=positive), expected, **EXACT)
    positive = -1 if positive == 0 else positive
    assert_allclose(METRICS[name](2 * y - 1, one, pos_label=positive), expected, **EXACT)
    assert_allclose(METRICS[name](2 * y - 1, both, pos_label=positive), expected, **EXACT)


@with_targets
@pytest.mark.parametrize(
    "classes",
    [
        np.array([1, 2, 3, 4]),
        np.array([-3.0, 0.0, 2.0, 10.0]),
        np.array(["a", "bb", "ccc", "dddd"]),
        np.array(["a", "bb", "ccc", "dddd"], dtype=object),
    ],
    ids=["int", "float", "str", "object"],
)
def test_classes_may_have_any_labels_and_a_fold_may_lack_one(name, target, classes):
    y, P = multiclass_data()
    metric, options = METRICS[name], _options(target)
    assert_allclose(metric(classes[y], P, **options), metric(y, P, **options), **EXACT)
    lacking = np.where(y == 2, 1, y)
    expected = metric(lacking, P, labels=[0, 1, 2, 3], **options)
    value = metric(classes[lacking], P, labels=classes, **options)
    assert_allclose(value, expected, **EXACT)
    value = metric(pd.Series(classes[lacking]), P, labels=classes.tolist(), **options)
    assert_allclose(value, expected, **EXACT)
    with pytest.raises(ValueError, match=r"y_true holds 3 distinct labels .* labels="):
        metric(classes[lacking], P, **options)


@with_targets
def test_renumbering_the_classes_changes_nothing(name, target):
    y, P = multiclass_data()
    order = np.array([2, 0, 3, 1])
    renumbered = np.argsort(order)[y]
    options = _options(target)
    value = METRICS[name](renumbered, P[:, order], **options)
    assert_allclose(value, METRICS[name](y, P, **options), rtol=1e-12, atol=1e-15)


# Weights.


@pytest.mark.parametrize("name", names(lambda metric: not metric.unbiased))
@pytest.mark.parametrize("data", [binary_data, multiclass_data])
def test_a_weight_equals_copies_of_the_row(name, data):
    y, proba = data()
    w = np.random.default_rng(3).integers(0, 4, 40)
    w[:4] = [1, 2, 3, 1]
    rows = np.repeat(np.arange(40), w)
    value = METRICS[name](y, proba, sample_weight=w)
    assert_allclose(value, METRICS[name](y[rows], proba[rows]), **EXACT)


@every
@pytest.mark.parametrize("scale", [1e-250, 1e-3, 3.0, 1e250])
def test_only_ratios_of_weights_matter(name, scale):
    y, p = binary_data()
    w = np.random.default_rng(4).uniform(0.1, 2.0, 40)
    expected = METRICS[name](y, p, sample_weight=w)
    value = METRICS[name](y, p, sample_weight=w * scale)
    assert_allclose(value, expected, rtol=1e-11, atol=1e-15)
    ones = METRICS[name](y, p, sample_weight=np.full(40, scale))
    assert_allclose(ones, METRICS[name](y, p), rtol=1e-11, atol=1e-15)


@every
@pytest.mark.parametrize("data", [binary_data, multiclass_data])
def test_rows_of_weight_zero_are_left_out(name, data):
    y, proba = data()
    w = np.random.default_rng(5).uniform(0.1, 2.0, 40)
    X = np.random.default_rng(6).normal(size=(40, 2))
    w[[5, 6, 11, 17, 39]] = 0
    keep = w > 0
    value = METRICS[name](y, proba, X=X, sample_weight=w)
    expected = METRICS[name](y[keep], proba[keep], X=X[keep], sample_weight=w[keep])
    assert value == expected
    flags = METRICS[name](y, proba, X=X, sample_weight=keep)
    assert_allclose(flags, METRICS[name](y[keep], proba[keep], X=X[keep]), **EXACT)


@every
def test_weights_may_be_a_list_a_series_or_a_column(name):
    y, p = binary_data()
    w = np.arange(1, 41)
    expected = METRICS[name](y, p, sample_weight=w)
    for form in (w.tolist(), w[:, np.newaxis], pd.Series(w, index=_SHUFFLED), w.astype("f4")):
        assert METRICS[name](y, p, sample_weight=form) == expected


# Order, bounds, special cases.


@pytest.mark.parametrize("name", names(lambda metric: not metric.ordered))
@pytest.mark.parametrize("data", [binary_data, multiclass_data])
def test_the_order_of_the_rows_is_irrelevant(name, data):
    y, proba = data()
    rng = np.random.default_rng(7)
    w, X = rng.uniform(0.1, 2.0, 40), rng.normal(size=(40, 2))
    order = rng.permutation(40)
    value = METRICS[name](y[order], proba[order], X=X[order], sample_weight=w[order])
    expected = METRICS[name](y, proba, X=X, sample_weight=w)
    assert_allclose(value, expected, rtol=1e-12, atol=1e-15)


@every
@pytest.mark.parametrize("seed", range(5))
def test_bounds(name, seed):
    for y, proba in (binary_data(seed=seed), multiclass_data(seed=seed)):
        value = METRICS[name](y, proba)
        largest = 2.0 if np.ndim(proba) == 2 else 1.0
        assert (-largest if METRICS[name].unbiased else 0.0) <= value <= largest


@with_targets
def test_certain_and_right_predictions_have_no_error(name, target):
    y, _ = multiclass_data()
    assert METRICS[name](y, np.eye(4)[y], **_options(target)) == 0.0
    y, _ = binary_data()
    assert METRICS[name](y, y) == 0.0


@every
def test_certain_and_wrong_predictions_have_the_largest_error(name):
    assert_allclose(METRICS[name](np.ones(6), np.zeros(6), X=np.zeros(6)), 1.0, **EXACT)


@every
def test_one_and_two_rows(name):
    metric = METRICS[name]
    if metric.unbiased:
        with pytest.raises(ValueError, match=r"n too small.*at least 2 samples.*got 1"):
            metric([1], [0.25], X=[0.0])
        with pytest.raises(ValueError, match=r"n too small.*at least 2 samples.*got 1"):
            metric([1, 0], [0.25, 0.5], X=[0.0, 0.0], sample_weight=[2.0, 0.0])
    else:
        root = 0.5625 if name == "skce_biased" else 0.75
        assert_allclose(metric([1], [0.25]), root, **EXACT)
        assert_allclose(metric([1, 0], [0.25, 0.5], sample_weight=[2.0, 0.0]), root, **EXACT)
    assert np.isfinite(metric([1, 0], [0.25, 0.5], X=[0.0, 1.0]))
    equal_points = metric([1, 1], [0.25, 0.25], X=[0.0, 0.0])
    squared = metric.unbiased or name == "skce_biased"
    assert_allclose(equal_points, 0.5625 if squared else 0.75, **EXACT)


@with_targets
def test_many_classes(name, target):
    rng = np.random.default_rng(8)
    P = rng.dirichlet(np.ones(200), size=30)
    y = np.arange(30)
    value = METRICS[name](y, P, labels=np.arange(200), **_options(target))
    assert 0 < abs(value) <= 2


@pytest.mark.parametrize("name", names(lambda metric: "classwise" in metric.targets))
def test_two_classes_classwise_is_binary(name):
    y, p = binary_data()
    both = np.column_stack([1 - p, p])
    assert METRICS[name](y, both, target="classwise") == METRICS[name](y, p)
    assert METRICS[name](y, p, target="classwise") == METRICS[name](y, p, target="binary")


# Errors.

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
    ("ece", {"n_bins": 0}, r"n_bins must be a whole number of at least 1, got 0"),
    ("ece", {"n_bins": -3}, r"n_bins must be a whole number of at least 1, got -3"),
    ("ece", {"n_bins": 2.5}, r"n_bins must be a whole number of at least 1, got 2\.5"),
    ("ece", {"n_bins": True}, r"n_bins must be a whole number.*got True"),
    ("mce", {"n_bins": "10"}, r"n_bins must be a whole number.*got '10'"),
    ("average_calibration_error", {"n_bins": None}, r"n_bins must be a whole number.*got None"),
    ("ece", {"strategy": "adaptive"}, r"strategy must be one of 'uniform', 'quantile', got 'ad"),
    ("ece", {"closed": "both"}, r"closed must be one of 'left', 'right', got 'both'"),
    ("ece", {"norm": "mean"}, r"norm must be one of 'l1', 'l2', 'max', got 'mean'"),
    ("ece", {"target": "canonical"}, r"target must be one of .*'classwise', got 'canonical'"),
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
    ("klce", {"X": [1.0, 2.0, np.nan, 3.0]}, r"X must be finite; row 2 is nan"),
    ("klce", {"X": [["a"], ["b"], ["c"], ["d"]]}, r"X must be numeric.*Encode text"),
    ("klce", {"X": pd.DataFrame({"a": list("1234")})}, r"X must be a numeric array: it holds '1'"),
    ("klce", {"X": pd.DataFrame({"a": pd.to_datetime(["2020"] * 4)})}, r"X must be numeric.*date"),
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


@every
def test_nothing_warns_about_nasty_data(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(METRICS[name]([0, 1, 0, 1], [0.0, 1.0, 1.0, 0.0]))
        assert np.isfinite(METRICS[name]([0, 0, 0, 0], [0.5] * 4, X=np.zeros(4)))
        assert np.isfinite(METRICS[name]([0, 1, 0, 1], [5e-324, 1e-300, 1e-17, 1 - 1e-16]))
