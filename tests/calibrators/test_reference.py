"""Reference values computed with other software (tolerances are those of the reference)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, softmax
from sklearn.model_selection import PredefinedSplit

from sklearn_calib._utils.links import logit
from sklearn_calib.calibrators import (
    BetaCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
)
from tests._reference import load_cases, parametrize_cases

STRATEGY = {"equal_width": "uniform", "equal_freq": "quantile"}


def data(case, name):
    """Return S, y and new S; `name` is what the case calls S."""
    inputs = case["inputs"]
    return (np.array(inputs[name], dtype=float), np.array(inputs["y"])), np.array(
        inputs["newdata"], dtype=float
    )


def off_edges(case):
    """Leave out values on a bin edge: the reference has other edges than ``k / n_bins``."""
    return not case.get("edge_sensitive")


@pytest.mark.filterwarnings("ignore:All values of S lie in")
@parametrize_cases("binary_platt")
def test_platt(case):
    training, new = data(case, "x")
    calibrator = PlattCalibrator().fit(*training)
    expected = case["expected"]
    fitted = [calibrator.slope_, calibrator.intercept_]
    proba = calibrator.predict_proba(new)[:, 1]
    assert_allclose(fitted, [expected["tight_slope"], expected["tight_intercept"]], rtol=1e-8)
    assert_allclose(proba, expected["tight_predict"], rtol=0, atol=1e-8)
    assert_allclose(fitted, [expected["slope"], expected["intercept"]], rtol=1e-6)
    assert_allclose(proba, expected["predict"], rtol=0, atol=1e-6)


@parametrize_cases("binary_beta")
def test_beta(case):
    training, new = data(case, "p")
    calibrator = BetaCalibrator(monotone=False, eps=case["params"]["eps"]).fit(*training)
    expected = case["expected"]
    fitted = [calibrator.a_, calibrator.b_, calibrator.c_]
    proba = calibrator.predict_proba(new)[:, 1]
    assert_allclose(fitted, [expected[f"tight_{name}"] for name in "abc"], rtol=1e-7)
    assert_allclose(proba, expected["tight_predict"], rtol=0, atol=1e-7)
    assert_allclose(fitted, [expected[name] for name in "abc"], rtol=1e-5)
    assert_allclose(proba, expected["predict"], rtol=0, atol=1e-5)


@parametrize_cases("binary_beta_constrained")
def test_beta_constrained(case):
    training, new = data(case, "p")
    calibrator = BetaCalibrator(eps=case["params"]["clip"]).fit(*training)
    expected = case["expected"]
    fitted = [calibrator.a_, calibrator.b_, calibrator.c_]
    proba = calibrator.predict_proba(new)[:, 1]
    assert_allclose(
        fitted, [expected[f"constrained_{name}"] for name in "abc"], rtol=1e-6, atol=1e-12
    )
    assert_allclose(proba, expected["constrained_predict"], rtol=0, atol=1e-6)
    if case["name"] != "decreasing_n50":  # the package stops at a negative b there
        assert_allclose(proba, expected["betacal_predict"], rtol=0, atol=1e-3)


@parametrize_cases("binary_isotonic")
def test_isotonic(case):
    training, new = data(case, "p")
    calibrator = IsotonicCalibrator().fit(*training)
    expected = case["expected"]
    assert_allclose(calibrator.predict_proba(new)[:, 1], expected["predict"], rtol=0, atol=1e-10)
    for p, value in [
        (training[0], expected["predict_train"]),
        (expected["x_thresholds"], expected["y_thresholds"]),
    ]:
        assert_allclose(calibrator.predict_proba(p)[:, 1], value, rtol=0, atol=1e-10)


@parametrize_cases("binary_histogram", keep=off_edges)
def test_histogram(case):
    training, new = data(case, "p")
    params = case["params"]
    calibrator = HistogramCalibrator(n_bins=params["bins"], strategy=STRATEGY[params["strategy"]])
    calibrator.fit(*training)
    expected = case["expected"]
    assert_allclose(calibrator.predict_proba(new)[:, 1], expected["predict"], rtol=0, atol=1e-10)
    assert_allclose(calibrator.bin_edges_, expected["breaks"], rtol=0, atol=1e-12)
    assert_allclose(calibrator.bin_values_, expected["bin_values"], rtol=0, atol=1e-10)


@parametrize_cases("binary_temperature")
def test_temperature(case):
    training, new = data(case, "logits")
    calibrator = TemperatureCalibrator().fit(*training)
    expected = case["expected"]
    proba = calibrator.predict_proba(new)[:, 1]
    assert_allclose(calibrator.temperature_, expected["tight_temperature"], rtol=1e-7)
    assert_allclose(proba, expected["tight_predict"], rtol=0, atol=1e-7)
    assert_allclose(calibrator.temperature_, expected["temperature"], rtol=1e-5)
    assert_allclose(proba, expected["predict"], rtol=0, atol=1e-6)


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
def test_one_vs_rest(method, tight, plain):
    cases = [case for case in load_cases(f"cal_ovr_{method}") if off_edges(case)]
    assert cases
    for case in cases:
        training, new = data(case, "x")
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


CROSS_VALIDATED = {
    "binary_platt": (PlattCalibrator(), 1e-6),
    "binary_beta": (BetaCalibrator(monotone=False), 1e-5),
    "binary_isotonic": (IsotonicCalibrator(), 1e-10),
    "binary_histogram": (HistogramCalibrator(), 1e-10),
    "binary_temperature": (TemperatureCalibrator(), 1e-6),
    "ovr_platt": (OneVsRestCalibrator("platt"), 1e-6),
    "ovr_isotonic": (OneVsRestCalibrator("isotonic"), 1e-10),
    "ovr_histogram": (OneVsRestCalibrator("histogram"), 1e-10),
}


@pytest.mark.filterwarnings("ignore:All values of S lie in")
@parametrize_cases("cal_cv", keep=lambda case: off_edges(case) and case["name"] in CROSS_VALIDATED)
def test_out_of_fold(case):
    calibrator, atol = CROSS_VALIDATED[case["name"]]
    (S, y), new = data(case, "x")
    expected = case["expected"]
    for train, test in PredefinedSplit(case["inputs"]["fold_id"]).split():
        proba = calibrator.fit(S[train], y[train]).predict_proba(S[test])
        proba = proba if S.ndim == 2 else proba[:, 1]
        assert_allclose(proba, np.array(expected["oof_predictions"])[test], rtol=0, atol=atol)
    proba = calibrator.fit(S, y).predict_proba(new)
    proba = proba if S.ndim == 2 else proba[:, 1]
    assert_allclose(proba, expected["predict"], rtol=0, atol=atol)


@parametrize_cases("links")
def test_links(case):
    expected = np.array(case["expected"]["value"], dtype=float)
    if case["name"].startswith("logit"):
        result = logit(np.array(case["inputs"]["p"]), case["params"]["eps"])
    elif case["name"] == "inv_logit":
        result = expit(np.array(case["inputs"]["x"], dtype=float))
    else:
        result = softmax(np.array(case["inputs"]["x"], dtype=float), axis=1)
    assert_allclose(result, expected, rtol=1e-12, atol=1e-300)


# What log entry C07 decides otherwise (constant and two-valued inputs) and how labels are coded
# (any scikit-learn label type here) is tested elsewhere.
ERROR_CASES = {
    "fit_single_class": IsotonicCalibrator(),
    "isotonic_new_above_one": IsotonicCalibrator(),
    "beta_eps_half": BetaCalibrator(eps=0.5),
    "ovr_class_absent": OneVsRestCalibrator("isotonic"),
    "ovr_rows_not_summing_to_one": OneVsRestCalibrator("isotonic"),
    "ovr_scores_outside_unit_platt": OneVsRestCalibrator("platt"),
    "ovr_scores_outside_unit_isotonic": OneVsRestCalibrator("isotonic"),
    "ovr_one_observation_new": OneVsRestCalibrator("isotonic"),
    "ovr_new_wrong_columns": OneVsRestCalibrator("isotonic"),
}


@parametrize_cases("errors", keep=lambda case: case["name"] in ERROR_CASES)
def test_errors(case):
    calibrator = ERROR_CASES[case["name"]]
    inputs = case["inputs"]
    S, y = inputs.get("p", inputs.get("x")), inputs["y"]

    def run():
        calibrator.fit(S, y)
        return calibrator.predict_proba(inputs.get("newdata", S))

    if case["expected"]["outcome"] == "error":
        with pytest.raises(ValueError):
            run()
    else:
        assert np.isfinite(run()).all()
