"""The page for contributors: its three examples are followed in a copy of the package."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import sklearn_calib

PAGE = Path(__file__).parents[1] / "doc" / "contributing.rst"
BLOCK = re.compile(
    r"^( *)\.\. code-block:: python\n\1   :caption: (\S+)( \(add\))?\n\n((?:\1   .*\n|\n)+)",
    re.MULTILINE,
)


@pytest.fixture(scope="module")
def copy_of_the_package(tmp_path_factory):
    """Copy the package, write the files that the page shows, and return the folder."""
    folder = tmp_path_factory.mktemp("contributing")
    shutil.copytree(
        Path(sklearn_calib.__file__).parent,
        folder / "sklearn_calib",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    written = []
    for _, name, add, code in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        path = folder / name
        assert path.exists() == bool(add), name
        with path.open("a", encoding="utf-8") as file:
            file.write(textwrap.dedent(code))
        written.append(name)
    assert len(written) == 6
    return folder


def run(folder, code):
    """Run code with the copy of the package, warnings as errors, and return what it prints."""
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


DATA = """
import numpy as np
rng = np.random.default_rng(0)
p = rng.uniform(size=200)
y = (rng.random(200) < p).astype(int)
"""


def test_the_new_metric_works_by_name_everywhere(copy_of_the_package):
    printed = run(
        copy_of_the_package,
        DATA
        + """
from sklearn_calib import calibration_report, check_calibration, metrics
from sklearn_calib.inference import calibration_ci
value = metrics.mean_bias(y, p)
assert abs(value - abs(np.mean(y - p))) < 1e-12
result = check_calibration(y, p, statistic="mean_bias", n_resamples=19)
assert abs(result.effect_size - value) < 1e-12
assert calibration_ci(y, p, metric="mean_bias", n_resamples=39).estimate == value
from sklearn_calib.streaming import CalibrationState
state = CalibrationState("mean_bias").update(y[:50], p[:50]).update(y[50:], p[50:])
assert abs(state.result()["mean_bias"] - value) < 1e-12
assert metrics.get_scorer("neg_mean_bias") and metrics.neg_mean_bias_scorer
report = calibration_report(y, p, n_resamples=19)
assert "mean bias" in str(report)
assert '"mean_bias"' in check_calibration.__doc__
print("done")
""",
    )
    assert printed == ["done"]


def test_the_new_statistic_works_by_name(copy_of_the_package):
    printed = run(
        copy_of_the_package,
        DATA
        + """
from scipy.stats import norm
from sklearn_calib import check_calibration
z = (y.sum() - p.sum()) / np.sqrt(np.sum(p * (1 - p)))
result = check_calibration(y, p, statistic="observed_expected", null="asymptotic")
assert abs(result.statistic - z) < 1e-12
assert abs(result.pvalue - 2 * norm.sf(abs(z))) < 1e-12
assert check_calibration(y, p, statistic="observed_expected", n_resamples=19).pvalue >= 0.1
print("done")
""",
    )
    assert printed == ["done"]


def test_the_new_calibrator_works_by_name(copy_of_the_package):
    printed = run(
        copy_of_the_package,
        DATA
        + """
from sklearn.naive_bayes import GaussianNB
from sklearn_calib import CalibratedClassifier, OneVsRestCalibrator
from sklearn_calib.calibrators import ShrinkageCalibrator
expected = 0.9 * p + 0.1 * y.mean()
assert np.allclose(ShrinkageCalibrator().fit(p, y).predict_proba(p)[:, 1], expected)
assert np.allclose(OneVsRestCalibrator("shrinkage").fit(p, y).predict_proba(p)[:, 1], expected)
CalibratedClassifier(GaussianNB(), "shrinkage").fit(p[:, None], y)
print("done")
""",
    )
    assert printed == ["done"]
