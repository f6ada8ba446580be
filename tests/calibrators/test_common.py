"""What every calibrator of the registry must do, beside the table of properties."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logit, softmax
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from sklearn_calib import calibrators
from sklearn_calib.base import BaseBinaryCalibrator, BaseCalibrator
from sklearn_calib.calibrators import (
    DirichletCalibrator,
    KernelRecalibrator,
    OneVsRestCalibrator,
)
from tests.calibrators._registry import (
    BINARY_CALIBRATORS,
    CALIBRATORS,
    DETERMINISTIC_CALIBRATORS,
)
from tests.calibrators._wrappers._data import WRAPPERS


@pytest.fixture
def calibrator(request):
    """A fresh copy: a fitted instance in the registry would couple the tests."""
    return clone(request.param)


def on_each(calibrators):
    return pytest.mark.parametrize("calibrator", calibrators, indirect=True, ids=repr)


every_calibrator = on_each(CALIBRATORS)
every_deterministic_calibrator = on_each(DETERMINISTIC_CALIBRATORS)
every_binary_calibrator = on_each(BINARY_CALIBRATORS)


# Properties of calibrators are tested in tests/properties, but for these: some take long for each
# example, and folds of few rows do not choose the penalty of others reliably.
SLOW_CALIBRATORS = [one for one in CALIBRATORS if isinstance(one, KernelRecalibrator)]
SELECTING_CALIBRATORS = [one for one in CALIBRATORS if isinstance(one, DirichletCalibrator)]


def make_scores(calibrator, n_samples=150, seed=0):
    """Return a score matrix on the scale of the calibrator, and labels with noise and ties.

    The probabilities are followed by two features where the calibrator takes features.
    """
    rng = np.random.default_rng(seed)
    n_classes = 2 if isinstance(calibrator, BaseBinaryCalibrator) else 3
    y = rng.integers(n_classes, size=n_samples)
    y[:n_classes] = np.arange(n_classes)
    logits = 1.5 * np.eye(n_classes)[y] + rng.normal(size=(n_samples, n_classes))
    proba = softmax(np.round(logits, 1), axis=1)
    if n_classes == 2:
        proba = proba[:, 1]
    if calibrator.takes_features:
        return np.column_stack([proba, rng.normal(size=(n_samples, 2))]), y
    return (proba if calibrator.input_scale == "probability" else logit(proba)), y


def test_the_registry_knows_every_public_calibrator():
    public = {getattr(calibrators, name) for name in calibrators.__all__}
    registered = {type(calibrator) for calibrator in CALIBRATORS}
    assert registered == {kind for kind in public if issubclass(kind, BaseCalibrator)}
    wrappers = {type(make()) for make in WRAPPERS.values()}
    assert public - registered == wrappers


@every_calibrator
def test_probabilities(calibrator):
    S, y = make_scores(calibrator)
    proba = calibrator.fit(S, y).predict_proba(S)
    assert proba.dtype == np.float64
    assert proba.shape == (y.size, calibrator.classes_.size)
    assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert proba.min() >= 0.0
    assert proba.max() <= 1.0
    assert_array_equal(calibrator.transform(S), proba)
    assert_array_equal(calibrator.predict(S), calibrator.classes_[proba.argmax(axis=1)])
    assert_array_equal(clone(calibrator).fit_transform(S, y), proba)
    assert calibrator.score(S, y) > 0.6  # column k belongs to class k


@every_calibrator
def test_labels_are_text(calibrator):
    S, y = make_scores(calibrator)
    names = np.array(["a", "bb", "c"])[: y.max() + 1]
    expected = clone(calibrator).fit(S, y).predict_proba(S)
    calibrator.fit(S, names[y])
    assert isinstance(calibrator.classes_, np.ndarray)
    assert_array_equal(calibrator.classes_, names)
    assert_array_equal(calibrator.predict_proba(S), expected)
    assert set(calibrator.predict(S)) <= set(names)


@on_each(SELECTING_CALIBRATORS)
def test_relabelled_classes_permute_the_columns(calibrator):
    S, y = make_scores(calibrator)
    order = np.array([2, 0, 1])
    expected = clone(calibrator).fit(S, y).predict_proba(S)
    result = calibrator.fit(S[:, order], np.argsort(order)[y]).predict_proba(S[:, order])
    assert_allclose(result, expected[:, order], rtol=0, atol=1e-12)


@on_each(SELECTING_CALIBRATORS)
def test_weight_is_repetition(calibrator):
    S, y = make_scores(calibrator)
    weight = np.random.default_rng(1).integers(0, 4, size=y.size)
    expected = clone(calibrator).fit(np.repeat(S, weight, axis=0), np.repeat(y, weight))
    calibrator.fit(S, y, sample_weight=weight)
    assert_allclose(calibrator.predict_proba(S), expected.predict_proba(S), rtol=0, atol=1e-9)


@every_deterministic_calibrator
def test_equal_rows_add_up_their_fractional_weights(calibrator):
    S, y = make_scores(calibrator)
    weight = np.random.default_rng(1).uniform(0.01, 1.3, size=y.size)
    expected = clone(calibrator).fit(S, y, weight).predict_proba(S)
    twice = np.r_[0.3 * weight, 0.7 * weight]
    calibrator.fit(np.concatenate([S, S]), np.r_[y, y], twice)
    assert_allclose(calibrator.predict_proba(S), expected, rtol=0, atol=1e-9)


@on_each(SLOW_CALIBRATORS)
def test_weight_zero_is_removal(calibrator):
    S, y = make_scores(calibrator)
    weight = np.random.default_rng(1).uniform(size=y.size)
    weight[10:40] = 0.0
    kept = weight > 0
    expected = clone(calibrator).fit(S[kept], y[kept], weight[kept]).predict_proba(S)
    assert_array_equal(calibrator.fit(S, y, weight).predict_proba(S), expected)


@every_calibrator
def test_weights_that_leave_one_class(calibrator):
    S, y = make_scores(calibrator)
    with pytest.raises(ValueError, match="class"):
        calibrator.fit(S, y, (y == 0).astype(float))


@every_calibrator
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.zeros(150), "sample_weight is zero"),
        (np.r_[-1.0, np.ones(149)], "sample_weight must not be negative"),
        (np.ones(149), "sample_weight must have shape"),
        (np.r_[np.nan, np.ones(149)], "sample_weight must be finite"),
    ],
)
def test_bad_weights(calibrator, weight, message):
    S, y = make_scores(calibrator)
    with pytest.raises(ValueError, match=message):
        calibrator.fit(S, y, weight)


@on_each(SELECTING_CALIBRATORS)
def test_order_of_rows_is_irrelevant(calibrator):
    S, y = make_scores(calibrator)
    expected = clone(calibrator).fit(S, y).predict_proba(S)
    order = np.random.default_rng(1).permutation(y.size)
    calibrator.fit(S[order], y[order])
    assert_allclose(calibrator.predict_proba(S), expected, rtol=0, atol=1e-10)


@every_calibrator
def test_refit_forgets(calibrator):
    S, y = make_scores(calibrator)
    other_S, other_y = make_scores(calibrator, n_samples=80, seed=5)
    expected = clone(calibrator).fit(S, y).predict_proba(S)
    calibrator.fit(other_S, other_y).fit(S, y)
    assert_array_equal(calibrator.predict_proba(S), expected)


@every_calibrator
def test_parameters_are_stored_as_they_are(calibrator):
    parameters = calibrator.get_params(deep=False)
    copy = type(calibrator)(**parameters)
    for name, value in copy.get_params(deep=False).items():
        assert value is parameters[name]
    S, y = make_scores(calibrator)
    calibrator.fit(S, y)
    for name, value in calibrator.get_params(deep=False).items():
        assert value is parameters[name]


@every_calibrator
def test_pickle_keeps_every_bit(calibrator):
    S, y = make_scores(calibrator)
    calibrator.fit(S, y)
    restored = pickle.loads(pickle.dumps(calibrator))
    assert_array_equal(restored.predict_proba(S), calibrator.predict_proba(S))
    for name, value in vars(calibrator).items():
        plain = np.ndarray | float | int | str | list | tuple | dict | None
        own = type(value).__module__.startswith("sklearn_calib.")
        assert own or isinstance(value, plain), name


@every_calibrator
def test_names_and_set_output(calibrator):
    S, y = make_scores(calibrator)
    labels = np.array(["no", "yes", "zz"])[y]
    calibrator.set_output(transform="pandas").fit(S, labels)
    prefix = type(calibrator).__name__.lower()
    names = [f"{prefix}_{label}" for label in np.unique(labels)]
    assert_array_equal(calibrator.get_feature_names_out(), names)
    frame = calibrator.transform(S)
    assert list(frame.columns) == names
    assert_array_equal(frame.to_numpy(), calibrator.predict_proba(S))
    assert isinstance(calibrator.predict_proba(S), np.ndarray)


@every_calibrator
def test_containers_and_precision(calibrator):
    S, y = make_scores(calibrator)
    expected = clone(calibrator).fit(S, y).predict_proba(S)
    index = np.arange(y.size)[::-1]
    if S.ndim == 1:
        container = pd.Series(S, index=index)
    else:
        container = pd.DataFrame(S, index=index, columns=[*"abcde"[: S.shape[1]]])
    for scores, labels in [
        (S.tolist(), y.tolist()),
        (container, pd.Series(y)),
        (np.asfortranarray(S), y.astype(np.int8)),
    ]:
        fitted = clone(calibrator).fit(scores, labels)
        assert_array_equal(fitted.predict_proba(scores), expected)
    single = S.astype(np.float32)
    double = single.astype(np.float64)
    result = clone(calibrator).fit(single, y).predict_proba(single)
    assert result.dtype == np.float64
    assert_array_equal(result, clone(calibrator).fit(double, y).predict_proba(double))


@every_calibrator
def test_feature_names_are_checked(calibrator):
    S, y = make_scores(calibrator)
    S = S.reshape(y.size, -1)
    frame = pd.DataFrame(S, columns=[f"c{k}" for k in range(S.shape[1])])
    calibrator.fit(frame, y)
    assert_array_equal(calibrator.feature_names_in_, frame.columns)
    assert calibrator.n_features_in_ == S.shape[1]
    calibrator.get_feature_names_out(frame.columns)
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        calibrator.get_feature_names_out(frame.columns + "_other")
    with pytest.raises(ValueError, match="feature names should match"):
        calibrator.predict_proba(frame.rename(columns={"c0": "other"}))


@every_calibrator
def test_input_is_left_alone(calibrator):
    S, y = make_scores(calibrator)
    weight = np.ones(y.size)
    for array in (S, y, weight):
        array.setflags(write=False)
    calibrator.fit(S, y, weight).predict_proba(S)


@on_each(SLOW_CALIBRATORS)
def test_one_row_at_a_time(calibrator):
    S, y = make_scores(calibrator)
    proba = calibrator.fit(S, y).predict_proba(S)
    rows = np.concatenate([calibrator.predict_proba(S[i : i + 1]) for i in range(20)])
    assert_allclose(rows, proba[:20], rtol=0, atol=1e-15)


@every_calibrator
def test_tags_say_what_the_scores_are(calibrator):
    tags = get_tags(calibrator)
    assert tags.estimator_type == "classifier"
    assert tags.transformer_tags is not None
    assert tags.input_tags.one_d_array
    only_probabilities = calibrator.input_scale == "probability" and not calibrator.takes_features
    assert tags.input_tags.positive_only == only_probabilities
    assert not tags.input_tags.sparse
    assert tags.input_tags.allow_nan == calibrator.takes_features
    assert tags.classifier_tags.multi_class == (not isinstance(calibrator, BaseBinaryCalibrator))
    assert tags.target_tags.required


@every_calibrator
def test_before_fit(calibrator):
    S, _ = make_scores(calibrator)
    for method in ("predict_proba", "transform", "predict"):
        with pytest.raises(NotFittedError):
            getattr(calibrator, method)(S)
    with pytest.raises(NotFittedError):
        calibrator.get_feature_names_out()
    if hasattr(calibrator, "summary"):
        with pytest.raises(NotFittedError):
            calibrator.summary()


@every_calibrator
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.nan, "NaN"),
        (np.inf, "infinity"),
        ("rows", "S and y must have the same number of rows"),
        ("empty", "0 sample"),
    ],
)
def test_bad_scores(calibrator, bad, message):
    S, y = make_scores(calibrator)
    if bad == "rows":
        S = S[1:]
    elif bad == "empty":
        S, y = S[:0], y[:0]
    else:
        S.flat[7] = bad
    with pytest.raises(ValueError, match=message):
        calibrator.fit(S, y)


@every_calibrator
def test_range_of_probabilities(calibrator):
    S, y = make_scores(calibrator)
    calibrator.fit(S, y)
    for value in (1.0000001, -1e-9):
        bad = S.copy()
        bad.flat[0] = value
        if calibrator.input_scale == "probability":
            with pytest.raises(ValueError, match=r"\[0, 1\]"):
                clone(calibrator).fit(bad, y)
            with pytest.raises(ValueError, match=r"\[0, 1\]"):
                calibrator.predict_proba(bad)
        else:
            assert np.isfinite(calibrator.predict_proba(bad)).all()


@every_calibrator
def test_other_width_than_in_fit(calibrator):
    S, y = make_scores(calibrator)
    calibrator.fit(S, y)
    S = S.reshape(y.size, -1)
    with pytest.raises(ValueError, match=r"is expecting \d features as input"):
        calibrator.predict_proba(np.column_stack([S, S]))


@every_calibrator
@pytest.mark.parametrize("label", [0, "yes", True])
def test_one_class(calibrator, label):
    S, y = make_scores(calibrator)
    with pytest.raises(ValueError, match="class"):
        calibrator.fit(S, np.full(y.size, label))


@every_calibrator
def test_continuous_labels(calibrator):
    S, y = make_scores(calibrator)
    with pytest.raises(ValueError, match="Unknown label type"):
        calibrator.fit(S, y + np.linspace(0, 0.5, y.size))


@every_calibrator
def test_two_rows_of_each_class_suffice(calibrator):
    S, y = make_scores(calibrator)
    first = np.concatenate([np.flatnonzero(y == k)[:2] for k in range(y.max() + 1)])
    proba = calibrator.fit(S[first], y[first]).predict_proba(S)
    assert np.isfinite(proba).all()


NASTY = {
    "constant": np.full(40, 0.3),
    "two_values": np.repeat([0.2, 0.7], 20),
    "exact": np.repeat([0.0, 1.0], 20),
    "denormal": np.r_[0.0, 5e-324, 1e-320, 1e-314, 1e-300, np.linspace(0, 1, 35)],
    "near_one": 1.0 - np.r_[0.0, 1e-16, 2e-16, 1e-15, np.linspace(0, 0.1, 36)],
    "close": 0.5 + 1e-16 * np.arange(40),
}


@every_binary_calibrator
@pytest.mark.parametrize("p", NASTY.values(), ids=NASTY)
@pytest.mark.parametrize("kind", ["random", "separable", "reversed", "one_positive"])
@pytest.mark.filterwarnings("ignore:The slope of PlattCalibrator is negative")
@pytest.mark.filterwarnings("ignore:All values of S lie in")
def test_finite_input_never_gives_nan(calibrator, p, kind):
    y = {
        "random": np.arange(40) % 3 == 0,
        "separable": np.arange(40) >= 20,
        "reversed": np.arange(40) < 20,
        "one_positive": np.arange(40) == 20,
    }[kind]
    queries = np.r_[p, np.linspace(0, 1, 11)]
    scales = (
        [p]
        if calibrator.input_scale == "probability"
        else [p, logit(p * 0.9 + 0.05), 1e5 * p, 1e308 * p, 1e-310 * p]
    )
    for S in scales:
        calibrator.fit(S, y)
        Q = queries if calibrator.input_scale == "probability" else np.r_[S, -1e308, 0.0, 1e308]
        for proba in (calibrator.predict_proba(S), calibrator.predict_proba(Q)):
            assert np.isfinite(proba).all()
            assert proba.min() >= 0
            assert proba.max() <= 1
        fitted = [v for k, v in vars(calibrator).items() if k.endswith("_") and k != "classes_"]
        assert all(np.isfinite(value).all() for value in fitted)


@every_binary_calibrator
def test_forms_of_binary_scores(calibrator):
    s, y = make_scores(calibrator)
    expected = clone(calibrator).fit(s, y).predict_proba(s)
    if calibrator.input_scale == "probability":
        pair = np.column_stack([1 - s, s])
    else:
        pair = np.column_stack([np.zeros_like(s), s])
    for S in (s[:, np.newaxis], pair):
        assert_allclose(clone(calibrator).fit(S, y).predict_proba(S), expected, rtol=0, atol=1e-14)
    assert_array_equal(clone(calibrator).fit(s, y).predict_proba(s[:, np.newaxis]), expected)
    assert_array_equal(expected[:, 0], 1 - expected[:, 1])
    assert not get_tags(calibrator).classifier_tags.multi_class


@every_binary_calibrator
def test_what_a_binary_calibrator_refuses(calibrator):
    s, y = make_scores(calibrator)
    with pytest.raises(ValueError, match=r"S has 3 columns.*OneVsRestCalibrator"):
        calibrator.fit(np.column_stack([s, s, s]), y)
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        calibrator.fit(s, np.arange(y.size) % 3)
    if calibrator.input_scale == "probability":
        with pytest.raises(ValueError, match="must sum to one"):
            calibrator.fit(np.column_stack([s, s]), y)


@pytest.mark.filterwarnings("ignore:The slope of PlattCalibrator is negative")
@every_binary_calibrator
def test_one_vs_rest_is_the_binary_calibrator_per_column(calibrator):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=90)
    S = rng.uniform(size=(90, 3))
    if calibrator.input_scale != "probability":
        S = logit(S)
    several = OneVsRestCalibrator(calibrator).fit(S, y)
    assert not hasattr(calibrator, "classes_")
    assert several.input_scale == calibrator.input_scale
    columns = [
        clone(calibrator).fit(S[:, k], y == k).predict_proba(S[:, k])[:, 1] for k in range(3)
    ]
    expected = np.column_stack(columns)
    expected /= expected.sum(axis=1, keepdims=True)
    assert_allclose(several.predict_proba(S), expected, rtol=1e-14)
