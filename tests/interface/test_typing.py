"""Code of users passes mypy: the package promises its types with ``py.typed``."""

import os
import re
from importlib.resources import files
from pathlib import Path

import pytest

import sklearn_calib

api = pytest.importorskip("mypy.api", reason="mypy is in the dev extra")

RIGHT = """
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import sklearn_calib
from sklearn_calib import CalibratedClassifier, OneVsRestCalibrator, PlattCalibrator
from sklearn_calib import calibration_report, check_calibration
from sklearn_calib.inference import CalibrationTestResult, calibration_ci
from sklearn_calib.metrics import ece, get_scorer, skce

labels = [0, 1, 1]
p = np.array([0.2, 0.7, 0.9])
X = np.zeros((3, 2))


def total(y_true: np.ndarray, y_proba: np.ndarray) -> float:
    return float((y_true - y_proba).sum())


error: float = ece(labels, [0.2, 0.7, 0.9], n_bins=10)
error = skce(np.array(labels), p, sample_weight=[1, 2, 1], pos_label=1)
error = ece(pd.Series(labels), pd.Series(p).to_numpy(), pos_label=np.int64(1))
result: CalibrationTestResult = check_calibration(labels, p, X, statistic="klce", random_state=0)
result = check_calibration(["a", "b", "b"], p.tolist(), labels=["a", "b"], pos_label="b")
result = check_calibration(labels, p, statistic=total, random_state=np.random.default_rng(0))
result = check_calibration(labels, p, statistic="ece", statistic_params={"n_bins": 5})
low: float = calibration_ci(labels, p, metric=ece).low
calibrated: np.ndarray = PlattCalibrator().fit(p, labels).predict_proba([0.1, 0.2])
calibrated = OneVsRestCalibrator("platt").fit(X, labels, sample_weight=p).transform(X.tolist())
model = CalibratedClassifier(LogisticRegression(), PlattCalibrator())
model = model.fit(X, labels, sample_weight=p)
calibrated = model.predict_proba(X)
value: float = get_scorer("neg_ece")(model, X, labels)
calibration_report(labels, p, feature_names=None, verbose=print).to_html("report.html")
regions: list[object] = calibration_report(labels, p, X, n_bins="auto", bandwidth=0.1).regions
best: str = calibration_report(labels, {"before": p, "after": [0.1, 0.6, 0.9]}, alpha=0.1).best
"""

# The names of the package itself are loaded when they are first used, which mypy does not run.
EVERY_NAME = [f"sklearn_calib.{name}" for name in sklearn_calib.__all__]

WRONG = {
    "from sklearn_calib import no_such_name": "attr-defined",
    "ece([0, 1], [0.2, 0.7], n_bins='ten')": "arg-type",
    "ece([0, 1])": "call-arg",
    "ece([0, 1], [0.2, 0.7], bins=3)": "arg-type",
    "ece([0, 1], [0.2, 0.7], edges=[0, 1])": "call-arg",
    "check_calibration([0, 1], [0.2, 0.7], statistic=3)": "arg-type",
    "check_calibration([0, 1], [0.2, 0.7]).p_value": "attr-defined",
    "PlattCalibrator(3)": "call-arg",
    "PlattCalibrator().fit([0.2, 0.7])": "call-arg",
}

NO_CACHE = f"--cache-dir={os.devnull}"  # nobody would read what takes long to write
OPTIONS = [NO_CACHE, "--strict", "--ignore-missing-imports", "--follow-imports=silent"]


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """Return what mypy says about each line of a user's file outside of the checkout."""
    folder = tmp_path_factory.mktemp("user")
    source = "\n".join([RIGHT.strip(), *EVERY_NAME, *WRONG])
    (folder / "user.py").write_text(source, encoding="utf-8")
    root = Path(sklearn_calib.__file__).parents[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        if root.name != "site-packages":  # mypy looks there by itself, and asks for py.typed
            patch.setenv("MYPYPATH", str(root))
        out, err, _ = api.run(["--config-file=", *OPTIONS, "user.py"])
    assert err == ""
    found = dict.fromkeys(source.splitlines(), "")
    for number, text in re.findall(r"^user.py:(\d+): error: (.*)$", out, flags=re.MULTILINE):
        found[source.splitlines()[int(number) - 1]] += text
    return found


def test_the_package_says_that_it_is_typed():
    assert files("sklearn_calib").joinpath("py.typed").is_file()


def test_right_calls_pass(complaints):
    assert {line: text for line, text in complaints.items() if text and line not in WRONG} == {}


@pytest.mark.parametrize("call", WRONG)
def test_wrong_calls_are_found(complaints, call):
    assert f"[{WRONG[call]}]" in complaints[call]
