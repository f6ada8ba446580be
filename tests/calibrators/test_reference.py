"""Reference values computed with other software: cross-validation and refused input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import PredefinedSplit

from sklearn_calib import calibrators
from tests._reference import parametrize_cases
from tests.calibrators._cases import off_edges, reference_data

CROSS_VALIDATED = {
    "binary_platt": (calibrators.PlattCalibrator(), 1e-6),
    "binary_beta": (calibrators.BetaCalibrator(monotone=False), 1e-5),
    "binary_isotonic": (calibrators.IsotonicCalibrator(), 1e-10),
    "binary_histogram": (calibrators.HistogramCalibrator(), 1e-10),
    "binary_temperature": (calibrators.TemperatureCalibrator(), 1e-6),
    "ovr_platt": (calibrators.OneVsRestCalibrator("platt"), 1e-6),
    "ovr_isotonic": (calibrators.OneVsRestCalibrator("isotonic"), 1e-10),
    "ovr_histogram": (calibrators.OneVsRestCalibrator("histogram"), 1e-10),
}


@pytest.mark.filterwarnings("ignore:All values of S lie in")
@parametrize_cases("cal_cv", keep=lambda case: off_edges(case) and case["name"] in CROSS_VALIDATED)
def test_reference_values_out_of_fold(case):
    calibrator, atol = CROSS_VALIDATED[case["name"]]
    (S, y), new = reference_data(case, "x")
    expected = case["expected"]
    for train, test in PredefinedSplit(case["inputs"]["fold_id"]).split():
        proba = calibrator.fit(S[train], y[train]).predict_proba(S[test])
        proba = proba if S.ndim == 2 else proba[:, 1]
        assert_allclose(proba, np.array(expected["oof_predictions"])[test], rtol=0, atol=atol)
    proba = calibrator.fit(S, y).predict_proba(new)
    proba = proba if S.ndim == 2 else proba[:, 1]
    assert_allclose(proba, expected["predict"], rtol=0, atol=atol)


# Constant and two-valued inputs, which are decided otherwise here, and the coding of labels (any
# type that scikit-learn knows) are tested elsewhere.
ERROR_CASES = {
    "fit_single_class": calibrators.IsotonicCalibrator(),
    "isotonic_new_above_one": calibrators.IsotonicCalibrator(),
    "beta_eps_half": calibrators.BetaCalibrator(eps=0.5),
    "ovr_class_absent": calibrators.OneVsRestCalibrator("isotonic"),
    "ovr_rows_not_summing_to_one": calibrators.OneVsRestCalibrator("isotonic"),
    "ovr_scores_outside_unit_platt": calibrators.OneVsRestCalibrator("platt"),
    "ovr_scores_outside_unit_isotonic": calibrators.OneVsRestCalibrator("isotonic"),
    "ovr_one_observation_new": calibrators.OneVsRestCalibrator("isotonic"),
    "ovr_new_wrong_columns": calibrators.OneVsRestCalibrator("isotonic"),
}


@pytest.mark.filterwarnings("ignore:The slope of PlattCalibrator is negative")
@parametrize_cases("errors", keep=lambda case: case["name"] in ERROR_CASES)
def test_input_is_refused_as_in_the_reference(case):
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
