"""One-vs-rest calibration: reference values, the binary calibrator per column, sums of rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logit
from sklearn.model_selection import GridSearchCV

from sklearn_calib.calibrators import (
    BetaCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
)
from tests._reference import load_cases
from tests.calibrators._cases import STRATEGY, off_edges, reference_data
from tests.calibrators._registry import each_method
from tests.calibrators._samples import sample


@each_method
def test_a_class_without_rows_is_named_with_the_number_of_columns(method):
    P = np.random.default_rng(0).dirichlet([1, 1, 1], size=20)
    calibrator = OneVsRestCalibrator(method, input="probability")
    with pytest.raises(ValueError, match=r"S has 3 columns, y has 2 classes \[0, 1\]"):
        calibrator.fit(P, np.arange(20) % 2)
    with pytest.raises(ValueError, match=r"S has 2 columns, y has 3 classes \[0, 1, 2\]"):
        calibrator.fit(P[:, :2], np.arange(20) % 3)
    with pytest.raises(ValueError, match=r"S has 1 column, y has 3 classes \[0, 1, 2\]"):
        calibrator.fit(P[:, 0], np.arange(20) % 3)


def test_predict_follows_the_calibrated_probabilities():
    S = np.tile([[0.6, 0.4], [0.4, 0.6]], (10, 1))
    y = np.tile([1, 0], 10)
    y[:4] = [0, 0, 0, 1]
    calibrator = OneVsRestCalibrator("histogram").fit(S, y)
    proba = calibrator.predict_proba([[0.6, 0.4]])
    assert proba[0, 1] > 0.5
    assert_array_equal(calibrator.predict([[0.6, 0.4]]), [1])
    tie = HistogramCalibrator(n_bins=1).fit([0.2, 0.8], ["a", "b"])
    assert_array_equal(tie.predict([0.3]), ["a"])


@each_method
def test_calibrated_rows_sum_to_one(method):
    rng = np.random.default_rng(0)
    P = rng.dirichlet([0.2, 0.2, 0.2], size=300)
    y = np.array([rng.choice(3, p=row) for row in P])
    proba = OneVsRestCalibrator(method, input="probability").fit(P, y).predict_proba(P)
    assert proba.dtype == np.float64
    assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert proba.min() >= 0
    assert proba.max() <= 1


@each_method
def test_a_row_of_zeros_becomes_uniform(method):
    # Isotonic and histogram give exact zeros for low scores of every class.
    P = np.repeat(np.array([[0.9, 0.2, 0.2], [0.2, 0.9, 0.2], [0.2, 0.2, 0.9]]), 4, axis=0)
    y = np.repeat([0, 1, 2], 4)
    calibrator = OneVsRestCalibrator(method, input="probability").fit(P, y)
    proba = calibrator.predict_proba([[0.1, 0.1, 0.1], [0.2, 0.2, 0.2], [0.9, 0.1, 0.1]])
    assert_allclose(proba[:2], 1 / 3, rtol=1e-9)
    assert proba[2, 0] > 0.9


@pytest.mark.filterwarnings("ignore:All values of S lie in")
@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_binary_data_are_one_problem(method):
    p, y = np.array([0.2, 0.3, 0.4, 0.6, 0.8, 0.9]), [0, 1, 0, 1, 1, 0]
    for S in (p, p[:, np.newaxis]):
        calibrator = OneVsRestCalibrator(method).fit(S, y)
        binary = {"isotonic": IsotonicCalibrator(), "platt": PlattCalibrator()}[method]
        proba = calibrator.predict_proba(S)
        assert len(calibrator.calibrators_) == 1
        assert_array_equal(proba[:, 0], 1 - proba[:, 1])
        assert_array_equal(proba, binary.fit(p, y).predict_proba(p))
    two_columns = OneVsRestCalibrator(method).fit(np.column_stack([1 - p, p]), y)
    assert len(two_columns.calibrators_) == 2


@pytest.mark.filterwarnings("ignore:The slope of PlattCalibrator is negative")
@each_method
def test_one_row_of_a_class_is_enough(method):
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=15)
    y = np.r_[0, np.repeat([1, 2], 7)]
    calibrator = OneVsRestCalibrator(method, input="probability").fit(P, y)
    proba = calibrator.predict_proba(P)
    assert np.isfinite(proba).all()
    assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)


def test_one_vs_rest_by_name_and_instance():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=200)
    y = np.array([rng.choice(3, p=row) for row in P])
    for name, instance in [
        ("platt", PlattCalibrator()),
        ("beta", BetaCalibrator()),
        ("isotonic", IsotonicCalibrator()),
        ("histogram", HistogramCalibrator()),
        ("temperature", TemperatureCalibrator()),
    ]:
        for given in ("native", "probability"):
            S = logit(P) if given == "native" and name == "temperature" else P
            by_name = OneVsRestCalibrator(name, input=given).fit(S, y)
            by_instance = OneVsRestCalibrator(instance, input=given).fit(S, y)
            assert_array_equal(by_name.predict_proba(S), by_instance.predict_proba(S))
            assert [type(c) for c in by_name.calibrators_] == 3 * [type(instance)]
            native = "logit" if name == "temperature" else instance.input_scale
            expected = "probability" if given == "probability" else native
            assert by_name.input_scale == by_instance.input_scale == expected
        on_logits = OneVsRestCalibrator(name, input="probability").fit(P, y).predict_proba(P)
        if name in ("platt", "temperature"):
            native = OneVsRestCalibrator(name).fit(logit(P), y).predict_proba(logit(P))
            assert_allclose(on_logits, native, rtol=0, atol=1e-12)


def test_one_vs_rest_with_an_instance_that_takes_probabilities():
    p, y, _ = sample(0)
    expected = PlattCalibrator(input="probability").fit(p, y).predict_proba(p)
    for given in ("native", "probability"):
        calibrator = OneVsRestCalibrator(PlattCalibrator(input="probability"), input=given)
        assert calibrator.input_scale == "probability"
        assert_array_equal(calibrator.fit(p, y).predict_proba(p), expected)


def test_one_vs_rest_in_a_grid():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=200)
    y = np.array([rng.choice(3, p=row) for row in P])
    search = GridSearchCV(
        OneVsRestCalibrator(HistogramCalibrator()),
        {"method__n_bins": [2, 100]},
        scoring="neg_brier_score",
    ).fit(P, y)
    assert search.best_params_ == {"method__n_bins": 2}


@pytest.mark.slow
def test_one_vs_rest_in_parallel():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=200)
    y = np.array([rng.choice(3, p=row) for row in P])
    assert_array_equal(
        OneVsRestCalibrator("beta", n_jobs=2).fit(P, y).predict_proba(P),
        OneVsRestCalibrator("beta").fit(P, y).predict_proba(P),
    )


@pytest.mark.parametrize("method", ["softmax", 3, OneVsRestCalibrator()], ids=repr)
def test_one_vs_rest_refuses_other_methods(method):
    calibrator = OneVsRestCalibrator(method)
    assert calibrator.input_scale == "probability"
    with pytest.raises(ValueError, match="The 'method' parameter of OneVsRestCalibrator must be"):
        calibrator.fit([[0.2, 0.8], [0.6, 0.4]], [1, 0])


def one_vs_rest(params):
    """Return the calibrator that a one-vs-rest case describes."""
    method = params["method"]
    if method == "beta":
        method = BetaCalibrator(monotone=False, eps=params.get("eps", 1e-15))
    if method == "histogram":
        method = HistogramCalibrator(
            n_bins=params.get("bins", 10),
            strategy=STRATEGY[params.get("strategy", "equal_width")],
        )
    return OneVsRestCalibrator(method)


@pytest.mark.parametrize(
    ("method", "tight", "plain"),
    [
        ("platt", 1e-8, 1e-6),
        ("beta", 1e-7, 1e-5),
        ("isotonic", None, 1e-10),
        ("histogram", None, 1e-10),
        ("temperature", 1e-7, 1e-6),
    ],
)
def test_reference_values_of_one_vs_rest(method, tight, plain):
    cases = [case for case in load_cases(f"cal_ovr_{method}") if off_edges(case)]
    assert cases
    for case in cases:
        training, new = reference_data(case, "x")
        calibrator = one_vs_rest(case["params"]).fit(*training)
        expected = case["expected"]
        columnwise = np.column_stack(
            [
                fitted.predict_proba(column)[:, 1]
                for fitted, column in zip(calibrator.calibrators_, new.T)
            ]
        )
        for result, name in [
            (columnwise, "columnwise"),
            (calibrator.predict_proba(new), "predict"),
        ]:
            if name in expected:
                assert_allclose(result, expected[name], rtol=0, atol=plain, err_msg=case["name"])
            if f"tight_{name}" in expected:
                assert_allclose(
                    result, expected[f"tight_{name}"], rtol=0, atol=tight, err_msg=case["name"]
                )
        if method == "temperature":
            found = [fitted.temperature_ for fitted in calibrator.calibrators_]
            assert_allclose(found, expected["tight_temperatures"], rtol=1e-7)
            assert_allclose(found, expected["temperatures"], rtol=1e-5)


def test_a_method_that_does_not_exist_reads_no_scores():
    """It is refused by `fit`; until then the properties have the values of most calibrators."""
    unknown = OneVsRestCalibrator(method="no such calibrator")
    assert unknown.reads_scores is False
    assert unknown.input_scale == "probability"
