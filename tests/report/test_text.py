"""The report as text, dictionary and table."""

import json

from sklearn_calib.report._numbers import show_apart
from tests.report._rows import value


def test_text(report):
    text = str(report)
    assert text.splitlines()[0] == "Calibration report"
    assert max(map(len, text.splitlines())) <= 80
    row = report.to_frame().loc["ece"]
    line = next(line for line in text.splitlines() if line.startswith("ECE"))
    assert line.split() == [
        "ECE",
        "binary",
        f"{row['value']:.4f}",
        f"{row['expected']:.4f}",
        f"{row['range_lower']:.4f}",
        "to",
        f"{row['range_upper']:.4f}",
        f"{row['pvalue']:.3g}",
    ]
    assert "- predicted too high by" in text
    assert repr(report).startswith("<CalibrationReport of 300 rows, 2 classes: p=0.01>")


def test_dict_holds_what_json_can(report):
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert content["metrics"][0]["value"] == value(report, "ece")
    assert content["tests"]["local"]["pvalue"] == report.tests["local"].pvalue
    assert content["regions"][0]["bounds"][0]["name"] == "age"
    assert content["reliability"]["count"] == report.displays["reliability"].count.tolist()
    assert content["verdict"] == report.verdict


def test_frame(report):
    frame = report.to_frame()
    assert list(frame.index) == [
        "ece",
        "mce",
        "average_calibration_error",
        "smooth_ece",
        "kuiper_calibration_error",
        "integrated_calibration_index",
        "skce",
        "kce",
        "mmce",
        "klce",
        "calibration_slope",
        "calibration_intercept",
        "observed_expected_ratio",
        "log loss",
        "Brier score",
    ]
    errors = frame.iloc[:9]
    assert (errors["range_lower"] <= errors["expected"]).all()
    assert (errors["expected"] <= errors["range_upper"]).all()


def test_numbers_that_differ_by_rounding_are_short():
    same, close = 1.889823244824, 1.889823244824 + 4e-16
    assert show_apart(same, close, 0.5) == ["1.8898", "1.8898", "0.5000"]
    assert show_apart(1.00001, 1.00002) == ["1.00001", "1.00002"]
