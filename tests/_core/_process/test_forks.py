"""A forked process has lost the threads of JAX: what needs them is refused instead of waiting.

What needs no kernel works there, and so does everything if JAX had not run before the fork.
"""

import json
import os
import sys
from subprocess import run

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")

_START = """
import json, multiprocessing, sys
import numpy as np
from sklearn_calib import KernelRecalibrator, check_calibration, ece, klce, local_bias_band, skce
from sklearn_calib import PlattCalibrator
rng = np.random.default_rng(0)
p = rng.random(80)
y = (rng.random(80) < p).astype(int)
X = rng.normal(size=(80, 2))
S = np.column_stack([1 - p, p, X])

def fit():
    return KernelRecalibrator(max_iter=2, early_stopping=False, n_networks=1).fit(S, y)

WAYS = {
    "ece": lambda: ece(y, p),
    "platt": lambda: float(PlattCalibrator().fit(p, y).predict_proba(p)[0, 1]),
    "skce": lambda: skce(y, p),
    "klce": lambda: klce(y, p, X),
    "test": lambda: check_calibration(y, p, n_resamples=9, random_state=0).pvalue,
    "local bias": lambda: float(local_bias_band(y, p, X, n_resamples=19).bias[0]),
    "fit": lambda: float(fit().predict_proba(S)[0, 1]),
}

def look(way):
    try:
        return WAYS[way]()
    except RuntimeError as error:
        return str(error)

def in_pool(ways):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return dict(zip(ways, pool.map_async(look, ways).get(timeout=60)))
"""
_AFTER_A_KERNEL = """
before = in_pool(["ece", "skce"])
here = {way: look(way) for way in ["ece", "platt", "skce"]}
print(json.dumps([before, here, in_pool(WAYS)]))
"""
_AFTER_JAX = """
import jax
jax.numpy.ones(3).sum().block_until_ready()
print(json.dumps(in_pool(["ece", "skce"])))
"""


def _answers(code):
    command = [sys.executable, "-W", "ignore", "-c", _START + code]
    done = run(command, capture_output=True, text=True, check=True, timeout=200)
    return json.loads(done.stdout)


def test_pools_of_forked_workers_before_and_after_a_kernel():
    before, here, after = _answers(_AFTER_A_KERNEL)
    assert before == {way: here[way] for way in before}
    assert all(np.isfinite(value) for value in here.values())
    for way in ("ece", "platt"):
        assert after.pop(way) == here[way]
    assert set(after) == {"skce", "klce", "test", "local bias", "fit"}
    for refusal in after.values():
        assert "'spawn'" in refusal
        assert "'loky'" in refusal


def test_a_fork_after_the_user_has_used_jax():
    answers = _answers(_AFTER_JAX)
    assert np.isfinite(answers["ece"])
    assert "was forked from one that has used JAX" in answers["skce"]
