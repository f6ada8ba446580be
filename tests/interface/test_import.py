"""What an import loads, seen from a new process."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from sklearn_calib.metrics import skce

HEAVY = ("jax", "jaxlib", "optax", "matplotlib", "pandas", "sklearn", "scipy")


def _loaded_after(code):
    """Return which heavy packages a new process holds after running some code."""
    script = (
        f"import json, sys\n{code}\n"
        f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return set(json.loads(result.stdout.splitlines()[-1]))


def test_a_bare_import_loads_nothing():
    assert (
        _loaded_after("import sklearn_calib; sklearn_calib.__version__; dir(sklearn_calib)")
        == set()
    )


USES = {
    "binned": """
from sklearn_calib.metrics import average_calibration_error, calibration_bins, ece, mce
for f in (average_calibration_error, calibration_bins, ece, mce):
    f([0, 1], [0.2, 0.7])
    f([0, 1, 2], [[0.2, 0.7, 0.1]] * 3, target="classwise", sample_weight=[1, 2, 0])
""",
    "scorer": """
from sklearn.naive_bayes import GaussianNB
from sklearn_calib.metrics import get_scorer
X, y = [[0.0], [1.0], [0.5], [2.0]], [0, 1, 0, 1]
get_scorer("neg_ece")(GaussianNB().fit(X, y), X, y)
""",
    "calibrator": """
import numpy as np
from sklearn_calib import CalibratedClassifier, OneVsRestCalibrator
P, y = np.array([[0.2, 0.8], [0.6, 0.4], [0.7, 0.3], [0.1, 0.9]]), [1, 0, 0, 1]
for method in ("platt", "isotonic"):
    OneVsRestCalibrator(method).fit(P, y).predict_proba(P)
""",
}


@pytest.mark.parametrize("use", USES)
def test_what_needs_no_kernel_loads_no_jax(use):
    assert _loaded_after(USES[use]) & {"jax", "jaxlib", "optax", "matplotlib"} == set()


def test_importing_every_public_module_loads_no_jax_and_no_matplotlib():
    code = """
import sklearn_calib
for name in sklearn_calib.__all__:
    getattr(sklearn_calib, name)
"""
    assert _loaded_after(code) & {"jax", "jaxlib", "optax", "matplotlib"} == set()


@pytest.mark.slow
def test_a_kernel_loads_jax_and_changes_none_of_its_settings():
    """A float64 result, while arrays of the user stay float32."""
    code = """
from sklearn_calib.metrics import skce
value = skce([0, 1, 0], [0.2, 0.4, 0.6], bandwidth=1.0)
assert abs(value + 0.104184118651) < 1e-11, value
skce([0, 1, 2], [[0.2, 0.7, 0.1]] * 3)
import jax, jax.numpy as jnp, os
assert jnp.ones(3).dtype == "float32"
assert not jax.config.jax_enable_x64
assert not [name for name in os.environ if name.startswith(("JAX_", "XLA_"))]
"""
    assert "jax" in _loaded_after(code)


@pytest.mark.slow
def test_the_settings_of_the_user_make_no_difference():
    values = [skce([0, 1, 0], [0.2, 0.4, 0.6]), skce([0, 1, 2], [[0.2, 0.7, 0.1]] * 3)]
    code = f"""
import jax
jax.config.update("jax_enable_x64", True)
from sklearn_calib.metrics import skce
values = [skce([0, 1, 0], [0.2, 0.4, 0.6]), skce([0, 1, 2], [[0.2, 0.7, 0.1]] * 3)]
assert [v.hex() for v in values] == {[value.hex() for value in values]!r}, values
"""
    assert "jax" in _loaded_after(code)


def test_an_unknown_name_is_an_attribute_error():
    code = """
import sklearn_calib
try:
    sklearn_calib.nothing
except AttributeError as error:
    assert "sklearn_calib" in str(error) and "nothing" in str(error)
else:
    raise SystemExit("no error")
"""
    assert _loaded_after(code) == set()


def test_the_dependencies_are_the_stated_ones():
    file = Path(__file__).parents[2] / "pyproject.toml"
    project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
    names = {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]}
    assert names == {
        *("numpy", "scipy", "scikit-learn", "jax", "optax", "matplotlib", "pandas", "narwhals")
    }
