"""`local_calibration_bias`: reference values, a plain loop, limits, queries and weights."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib.inference import local_calibration_bias
from tests._reference import parametrize_cases
from tests.inference._local._data import local_data

CLOSE = {"rtol": 1e-10, "atol": 1e-14}


def _queries_with_flag(case):
    return "X_query" in case["inputs"] and case["params"]["leave_one_out"]


def _options(case):
    params, inputs = case["params"], case["inputs"]
    width, feature_width = params["prob_kernel_width"], params["x_kernel_width"]
    return {
        "prob_bandwidth": width,
        "feature_bandwidth": width if feature_width is None else feature_width,
        "X_query": inputs.get("X_query"),
        "proba_query": inputs.get("f_query"),
        "leave_one_out": params["leave_one_out"],
    }


@parametrize_cases("lcb", keep=lambda case: not _queries_with_flag(case))
def test_reference_values(case):
    inputs = case["inputs"]
    bias = local_calibration_bias(inputs["y"], inputs["f"], inputs["X"], **_options(case))
    assert_allclose(bias, case["expected"]["bias"], **CLOSE)


@parametrize_cases("lcb", keep=_queries_with_flag)
def test_leave_one_out_with_queries_is_refused(case):
    inputs = case["inputs"]
    with pytest.raises(ValueError, match="leave_one_out=True leaves out the row at its own point"):
        local_calibration_bias(inputs["y"], inputs["f"], inputs["X"], **_options(case))


def _loop_bias(y, proba, X, queries, *, widths, weight, skip_own=False):
    """Average residuals with kernel weights, one query point and one class at a time."""
    n, n_classes = proba.shape
    rows = []
    for q, (p_query, x_query) in enumerate(queries):
        w = []
        for i in range(n):
            d = sum((proba[i][k] - p_query[k]) ** 2 for k in range(n_classes)) / widths[0] ** 2
            d += sum((X[i][k] - x_query[k]) ** 2 / widths[1][k] ** 2 for k in range(X.shape[1]))
            w.append(0.0 if skip_own and i == q else weight[i] * math.exp(-d))
        total = math.fsum(w)
        rows.append(
            [
                math.fsum(w[i] * ((y[i] == k) - proba[i][k]) for i in range(n)) / total
                for k in range(n_classes)
            ]
        )
    return np.array(rows)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("leave_one_out", [False, True])
def test_three_classes_against_the_loop(weighted, leave_one_out):
    y, proba, X = local_data(n_classes=3)
    weight = np.arange(40) % 4.0 if weighted else np.ones(40)
    bias = local_calibration_bias(
        y,
        proba,
        X,
        prob_bandwidth=0.4,
        feature_bandwidth=[1.0, 2.0],
        leave_one_out=leave_one_out,
        sample_weight=weight if weighted else None,
    )
    expected = _loop_bias(
        y,
        proba,
        X,
        list(zip(proba, X)),
        widths=(0.4, [1.0, 2.0]),
        weight=weight,
        skip_own=leave_one_out,
    )
    assert bias.shape == (40, 3)
    assert_allclose(bias, expected, **CLOSE)
    assert_allclose(bias.sum(axis=1), 0.0, rtol=0, atol=1e-14)


def test_queries_of_three_classes():
    y, proba, X = local_data(n_classes=3)
    queries = np.random.default_rng(1)
    X_query, proba_query = queries.normal(size=(7, 2)), queries.dirichlet(np.ones(3), size=7)
    bias = local_calibration_bias(
        y,
        proba,
        X,
        X_query=X_query,
        proba_query=proba_query,
        prob_bandwidth=0.4,
        feature_bandwidth=1.5,
    )
    expected = _loop_bias(
        y,
        proba,
        X,
        list(zip(proba_query, X_query)),
        widths=(0.4, [1.5, 1.5]),
        weight=np.ones(40),
    )
    assert_allclose(bias, expected, **CLOSE)


def test_forms_of_binary_data_and_queries():
    y, p, X = local_data()
    text, two = np.array(["a", "b"])[y], np.column_stack([1 - p, p])
    p_query = np.array([0.1, 0.8])
    two_query = np.column_stack([1 - p_query, p_query])
    reference = local_calibration_bias(y, p, X, X_query=X[:2], proba_query=p_query)
    for labels, proba, query, options in (
        (y, two, p_query, {}),
        (y, p[:, np.newaxis], two_query, {}),
        (2 * y - 1, p, two_query, {}),
        (text, two, two_query, {}),
        (text, p, two_query, {"pos_label": "b"}),
    ):
        bias = local_calibration_bias(labels, proba, X, X_query=X[:2], proba_query=query, **options)
        assert_allclose(bias, reference, **CLOSE)
    other = local_calibration_bias(
        text, two, X, X_query=X[:2], proba_query=two_query, pos_label="a"
    )
    assert_allclose(other, -reference, **CLOSE)


def test_one_dimension_is_one_feature():
    y, p, X = local_data()
    assert_array_equal(
        local_calibration_bias(y, p, X[:, 0]), local_calibration_bias(y, p, X[:, [0]])
    )


def test_sign_and_scale():
    X = np.random.default_rng(0).normal(size=5)
    assert_allclose(local_calibration_bias([1] * 5, [0.3] * 5, X), 0.7, rtol=1e-14)
    certain = np.array([0, 1, 1, 0, 1])
    assert_array_equal(local_calibration_bias(certain, certain.astype(float), X), 0.0)


def test_an_isolated_point_gets_the_residual_of_the_nearest():
    y, p, X = np.array([0, 1, 1]), np.array([0.25, 0.5, 0.875]), np.array([0.0, 0.1, 50.0])
    bias = local_calibration_bias(
        y, p, X, leave_one_out=True, feature_bandwidth=0.1, prob_bandwidth=1.0
    )
    assert bias[2] == 0.5
    far = local_calibration_bias(
        y, p, X, X_query=[1e6], proba_query=[0.5], feature_bandwidth=0.1, prob_bandwidth=1.0
    )
    assert far == pytest.approx([0.125], rel=1e-14)


@pytest.mark.parametrize("unit", [2.0**540, 2.0**-540])
def test_units_beyond_all_squares_do_not_matter(unit):
    y, p, X = local_data()
    for width in ("median", "scaled"):
        expected = local_calibration_bias(y, p, X, feature_bandwidth=width)
        bias = local_calibration_bias(y, p, X * unit, feature_bandwidth=width)
        assert_allclose(bias, expected, rtol=1e-14)


def test_weights_repeat_rows_and_zero_leaves_them_out():
    y, p, X = local_data()
    weight = np.arange(40) % 3
    options = {"prob_bandwidth": 0.3, "feature_bandwidth": 1.0}
    repeated = np.repeat(np.arange(40), weight)
    bias = local_calibration_bias(y, p, X, sample_weight=weight, **options)
    expected = local_calibration_bias(
        y[repeated], p[repeated], X[repeated], X_query=X, proba_query=p, **options
    )
    assert bias.shape == (40,)
    assert_allclose(bias, expected, **CLOSE)


def test_rows_of_weight_zero_do_not_change_the_median():
    y, p, X = local_data()
    weight, kept = np.repeat([1.0, 0.0], [30, 10]), slice(30)
    X[30:] *= 100
    bias = local_calibration_bias(y, p, X, sample_weight=weight)
    assert_allclose(bias[kept], local_calibration_bias(y[kept], p[kept], X[kept]), **CLOSE)


def test_a_feature_that_carries_all_the_distance_is_named():
    y, p, X = local_data()
    with pytest.warns(UserWarning, match="Column 0 of X carries") as record:
        local_calibration_bias(y, p, X * [1e4, 1.0])
    assert record[0].filename == __file__


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"X_query": [[0.0, 0.0]]}, "X_query is given and proba_query is not"),
        ({"proba_query": [0.5]}, "proba_query is given and X_query is not"),
        ({"X_query": [[0.0]], "proba_query": [0.5]}, "X_query must have the 2 features of X"),
        ({"X_query": [[0.0, 0.0]], "proba_query": [0.5, 0.5]}, "X_query and proba_query must have"),
        (
            {"X_query": [[0.0, 0.0]], "proba_query": [[0.2, 0.3, 0.5]]},
            "proba_query must have the columns of y_proba, got 3 for 2 classes",
        ),
        ({"X_query": [[0.0, np.inf]], "proba_query": [0.5]}, "X_query must be finite"),
        ({"X_query": [[0.0, np.nan]], "proba_query": [0.5]}, "'feature 1' is missing in row 0"),
        ({"X_query": [[0.0, 0.0]], "proba_query": [1.5]}, "proba_query must hold probabilities"),
        ({"feature_bandwidth": 0}, "feature_bandwidth must be a positive number"),
        ({"prob_bandwidth": np.nan}, "prob_bandwidth must be a positive number"),
        ({"sample_weight": np.eye(40)[0], "leave_one_out": True}, "n too small: leave_one_out"),
        ({"sample_weight": -np.ones(40)}, "sample_weight must not be negative"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(ValueError, match=message):
        local_calibration_bias(*local_data(), **options)


@pytest.mark.slow
def test_many_rows_and_queries_in_bounded_memory():
    """20,000 x 20,000 weights would take 3.2 GB."""
    import resource

    rng = np.random.default_rng(0)
    X, p = rng.normal(size=(20_000, 2)), rng.random(20_000)
    y = (rng.random(20_000) < p).astype(int)
    local_calibration_bias(y[:500], p[:500], X[:500])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bias = local_calibration_bias(y, p, X, prob_bandwidth=0.2, feature_bandwidth=0.5)
    growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 2**20
    assert growth < 0.4
    some = local_calibration_bias(
        y, p, X, X_query=X[:50], proba_query=p[:50], prob_bandwidth=0.2, feature_bandwidth=0.5
    )
    assert_allclose(bias[:50], some, **CLOSE)
