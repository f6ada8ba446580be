"""What holds for every metric beside the table of properties: forms of the data, labels, bounds."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib import metrics
from sklearn_calib.metrics import ece
from tests.metrics._cases import close
from tests.metrics._registry import ERRORS, METRICS, binary_data, multiclass_data, names

Y6, P6 = [0, 0, 1, 1, 1, 0], [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]


def test_certain_rows_of_one_class_are_right_or_wrong():
    for metric in ERRORS.values():
        close(metric([1, 1, 1], [1, 1, 1], X=[0, 0, 0]), 0)
        close(metric([1, 1, 1], [0, 0, 0], X=[0, 0, 0]), 1)
        close(metric([0, 0, 0], [0, 0, 0], X=[0, 0, 0]), 0)


def test_conventional_labels_need_no_pos_label():
    for y in ([-1, 1], [False, True], [0.0, 1.0], [-1.0, 1.0]):
        close(ece(y, [0.2, 0.9], n_bins=10), 0.15)
        close(ece(y, [0.2, 0.9], norm="l2", n_bins=10) ** 2, 0.025)
        for metric in METRICS.values():
            close(metric(y, [0.2, 0.9]), metric([0, 1], [0.2, 0.9]))


def test_pandas_input_is_read_by_position_and_not_by_index():
    y = pd.Series([0, 1, 1], index=[5, 3, 1])
    p = pd.Series([0.1, 0.9, 0.8], index=[0, 1, 2])
    w = pd.Series([1.0, 2.0, 3.0], index=[2, 1, 0])
    X = pd.DataFrame({"x": [3.0, 1.0, 2.0]}, index=[1, 2, 0])
    close(ece(y, p, norm="l2", n_bins=10) ** 2, 0.02)
    for metric in METRICS.values():
        value = metric(y, p, X=X, sample_weight=w)
        arrays = [data.to_numpy() for data in (y, p, X, w)]
        assert_array_equal(value, metric(*arrays[:2], X=arrays[2], sample_weight=arrays[3]))


def test_weights_repeat_rows_and_unusable_weights_are_refused():
    y, p, w = [0, 1, 1], [0.2, 0.2, 0.9], [1, 3, 0]
    close(ece(y, p, sample_weight=w, n_bins=10), 0.55)
    close(ece([0, 1, 1, 1], [0.2] * 4, n_bins=10), 0.55)
    for metric in METRICS.values():
        if not metric.unbiased:
            close(metric(y, p, sample_weight=w), metric([0, 1, 1, 1], [0.2] * 4))
        for bad, words in [([0, 0, 0], "zero for every row"), ([1, -1, 1], "not be negative")]:
            with pytest.raises(ValueError, match=words):
                metric(y, p, sample_weight=bad)


def test_exchanging_the_two_classes_changes_nothing():
    y, p = np.array([0, 1, 0, 1]), np.array([0.2, 0.2, 0.4, 0.6])
    close(ece(y, p, n_bins=5), 0.35)
    close(ece(1 - y, 1 - p, n_bins=5), 0.35)


EXACT = {"rtol": 1e-12, "atol": 1e-15}
every = pytest.mark.parametrize("name", names())
every_error = pytest.mark.parametrize("name", ERRORS)


def _with_targets(metrics_by_name):
    return pytest.mark.parametrize(
        ("name", "target"),
        [
            (name, target)
            for name, one in metrics_by_name.items()
            for target in one.targets or [None]
        ],
    )


def options_of(target):
    return {} if target is None else {"target": target}


def test_the_registry_knows_every_metric():
    public = {name for name in metrics.__all__ if "scorer" not in name}
    public -= {"calibration_bins", "score_decomposition", "ScoreDecomposition"}
    public.discard("multicalibration_error")  # in standard deviations, with tests of its own
    assert {metric.function.func.__name__ for metric in METRICS.values()} == public


@every
def test_a_metric_is_a_python_float(name):
    assert type(METRICS[name](*binary_data())) is float
    assert type(METRICS[name](*multiclass_data())) is float


_SHUFFLED = np.random.default_rng(1).permutation(40)
BINARY_FORMS = {
    "list": lambda p: p.tolist(),
    "tuple": lambda p: tuple(p),
    "list of rows": lambda p: np.column_stack([1 - p, p]).tolist(),
    "float16 (n, 2)": lambda p: np.column_stack([1 - p, p]).astype(np.float16),
    "object": lambda p: p.astype(object),
    "Series": lambda p: pd.Series(p, index=_SHUFFLED),
    "Float64 Series": lambda p: pd.Series(p, index=_SHUFFLED, dtype="Float64"),
    "DataFrame": lambda p: pd.DataFrame({"no": 1 - p, "yes": p}, index=_SHUFFLED),
    "one-column DataFrame": lambda p: pd.DataFrame({"yes": p}, index=_SHUFFLED),
    "strided": lambda p: np.column_stack([p, np.full_like(p, np.nan), p])[:, ::2][:, 1],
    "reversed view": lambda p: p[::-1].copy()[::-1],
}


@every
@pytest.mark.parametrize("form", BINARY_FORMS)
def test_the_form_of_binary_probabilities_is_irrelevant(name, form):
    y, p = binary_data()
    assert_allclose(METRICS[name](y, BINARY_FORMS[form](p)), METRICS[name](y, p), **EXACT)


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


@every
def test_weights_may_be_a_list_a_series_or_a_column(name):
    y, p = binary_data()
    w = np.arange(1, 41)
    expected = METRICS[name](y, p, sample_weight=w)
    for form in (w.tolist(), w[:, np.newaxis], pd.Series(w, index=_SHUFFLED), w.astype("f4")):
        assert METRICS[name](y, p, sample_weight=form) == expected


@every
def test_a_fold_may_lack_a_class(name):
    y, P = multiclass_data()
    metric, classes = METRICS[name], np.array(["a", "bb", "ccc", "dddd"])
    lacking = np.where(y == 2, 1, y)
    expected = metric(lacking, P, labels=[0, 1, 2, 3])
    assert_allclose(metric(classes[lacking], P, labels=classes), expected, **EXACT)
    with pytest.raises(ValueError, match=r"y_true holds 3 distinct labels .* labels="):
        metric(classes[lacking], P)


@every_error
@pytest.mark.parametrize("seed", range(5))
def test_bounds(name, seed):
    for y, proba in (binary_data(seed=seed), multiclass_data(seed=seed)):
        value = METRICS[name](y, proba)
        largest = 2.0 if np.ndim(proba) == 2 else 1.0
        assert (-largest if METRICS[name].unbiased else 0.0) <= value <= largest


@_with_targets(ERRORS)
def test_certain_and_right_predictions_have_no_error(name, target):
    y, _ = multiclass_data()
    assert METRICS[name](y, np.eye(4)[y], **options_of(target)) == 0.0
    y, _ = binary_data()
    assert METRICS[name](y, y) == 0.0


@every_error
def test_certain_and_wrong_predictions_have_the_largest_error(name):
    assert_allclose(METRICS[name](np.ones(6), np.zeros(6), X=np.zeros(6)), 1.0, **EXACT)


@every_error
def test_one_and_two_rows(name):
    metric = METRICS[name]
    if metric.unbiased:
        with pytest.raises(ValueError, match=r"n too small.*at least 2 samples.*got 1"):
            metric([1], [0.25], X=[0.0])
        with pytest.raises(ValueError, match=r"n too small.*at least 2 samples.*got 1"):
            metric([1, 0], [0.25, 0.5], X=[0.0, 0.0], sample_weight=[2.0, 0.0])
    else:
        root = 0.5625 if name in ("skce_biased", "miscalibration") else 0.75
        assert_allclose(metric([1], [0.25]), root, **EXACT)
        assert_allclose(metric([1, 0], [0.25, 0.5], sample_weight=[2.0, 0.0]), root, **EXACT)
    assert np.isfinite(metric([1, 0], [0.25, 0.5], X=[0.0, 1.0]))
    equal_points = metric([1, 1], [0.25, 0.25], X=[0.0, 0.0])
    squared = name in ("skce_biased", "miscalibration") or (
        metric.unbiased and not name.startswith("kde_ece")
    )
    assert_allclose(equal_points, 0.5625 if squared else 0.75, **EXACT)


@_with_targets(ERRORS)
def test_many_classes(name, target):
    rng = np.random.default_rng(8)
    P = rng.dirichlet(np.ones(200), size=30)
    y = np.arange(30)
    value = METRICS[name](y, P, labels=np.arange(200), **options_of(target))
    assert 0 < abs(value) <= 2


@pytest.mark.parametrize("name", names(lambda metric: "classwise" in metric.targets))
def test_two_classes_classwise_is_binary(name):
    y, p = binary_data()
    both = np.column_stack([1 - p, p])
    assert METRICS[name](y, both, target="classwise") == METRICS[name](y, p)
    assert METRICS[name](y, p, target="classwise") == METRICS[name](y, p, target="binary")
