"""Whatever option of JAX the user has set, the numbers are the same, and the option stays.

The options are read from the version that is installed, so that new ones are tried as well. Each is
set in one process after the other, with programs that are compiled anew.
"""

import json
import os
import sys
from subprocess import run

import pytest

_START = """
import enum, json, logging, sys, warnings
import jax
import numpy as np
from sklearn_calib import KernelRecalibrator, check_calibration, klce, skce
from sklearn_calib._core import gate, local_means, pair_form

logging.disable(logging.WARNING)
rng = np.random.default_rng(0)
P, X = rng.random(60), rng.normal(size=(60, 2))
Y = (rng.random(60) < P**2).astype(int)
S = np.column_stack([1 - P, P, X])


def numbers(train):
    gate.programs = gate.Programs(gate.MOST_PROGRAMS)
    form = pair_form(P[:, np.newaxis], kernel="rbf", bandwidth=0.3, algorithm="fourier")
    found = [skce(Y, P), klce(Y, P, X), form(Y - P), local_means(X, X[:9], Y, bandwidth=1.0).mean]
    if train:
        found.append(check_calibration(Y, P, n_resamples=9, random_state=0).null_distribution)
        calibrator = KernelRecalibrator(
            max_iter=3, hidden_layer_sizes=(2,), early_stopping=False, n_networks=1, random_state=0
        )
        found.append(calibrator.fit(S, Y).predict_proba(S).ravel())
    return np.concatenate([np.ravel(one) for one in found])


def other_values(value):
    if isinstance(value, bool):
        return [not value]
    return [one for one in type(value) if one != value] if isinstance(value, enum.Enum) else []


def is_fine(found, expected):
    return np.allclose(found, expected, rtol=1e-12, atol=1e-15)
"""

_ALL_OPTIONS = """
WORDS = {
    "jax_transfer_guard": ["log", "disallow", "log_explicit", "disallow_explicit"],
    "jax_transfer_guard_host_to_device": ["disallow", "disallow_explicit"],
    "jax_transfer_guard_device_to_host": ["disallow", "disallow_explicit"],
    "jax_transfer_guard_device_to_device": ["disallow", "disallow_explicit"],
    "jax_numpy_rank_promotion": ["warn", "raise"],
    "jax_default_matmul_precision": ["bfloat16", "tensorfloat32", "float32", "highest"],
    "jax_default_prng_impl": ["rbg", "unsafe_rbg"],
    "jax_array_garbage_collection_guard": ["log", "fatal"],
    "jax_traceback_filtering": ["off", "remove_frames"],
    "jax_optimization_level": ["O0", "O3"],
    "jax_error_checking_behavior_nan": ["raise"],
    "jax_error_checking_behavior_divide": ["raise"],
    "jax_error_checking_behavior_oob": ["raise"],
    "jax_logging_level": ["DEBUG"],
}
# JAX itself warns where there is nothing to profile.
OWN_WARNING = {"jax_enable_pgle"}
# JAX itself cannot do what these ask for yet, and says so: with any scan whose body has constants,
# and with reports of errors from within mapped training steps.
UNFINISHED = {"jax_scan3"}
UNFINISHED_IN_TRAINING = {
    "jax_error_checking_behavior_nan",
    "jax_error_checking_behavior_divide",
    "jax_error_checking_behavior_oob",
}
train = sys.argv[1] == "train"
expected, seen, faults = numbers(train), [], []
names = sorted(set(jax.config.values) - UNFINISHED)
if train:
    names = [name for name in names if name in WORDS or name.split("jax_")[-1] in sys.argv[2:]]
    names = [name for name in names if name not in UNFINISHED_IN_TRAINING]
for name in names:
    before = jax.config.values[name]
    for value in other_values(before) or WORDS.get(name, []):
        try:
            jax.config.update(name, value)
        except (ValueError, RuntimeError, AttributeError, TypeError):
            continue  # not an option of this version, or one that is fixed by now
        seen.append(f"{name}={value}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore" if name in OWN_WARNING else "error")
                if not is_fine(numbers(train), expected):
                    faults.append(f"{name}={value}: other numbers")
            if jax.config.values[name] != value:
                faults.append(f"{name}={value}: is {jax.config.values[name]} now")
        except Exception as error:
            faults.append(f"{name}={value}: {type(error).__name__} {error}"[:300])
        jax.config.update(name, before)
print(json.dumps([seen, faults]))
"""


def _answers(code, *arguments, flags=""):
    command = [sys.executable, "-W", "ignore", "-c", _START + code, *arguments]
    own = f"{os.environ.get('XLA_FLAGS', '')} {flags}".strip()
    environment = {**os.environ, "XLA_FLAGS": own}
    done = run(command, capture_output=True, text=True, check=False, env=environment, timeout=1500)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_every_option_of_this_version():
    seen, faults = _answers(_ALL_OPTIONS, "metrics")
    assert faults == []
    names = {one.split("=")[0] for one in seen}
    assert len(names) > 40
    assert names >= {
        "jax_enable_x64", "jax_disable_jit", "jax_debug_nans", "jax_debug_infs", "jax_no_tracing",
        "jax_no_execution", "jax_numpy_dtype_promotion", "jax_numpy_rank_promotion",
        "jax_transfer_guard", "jax_check_tracer_leaks", "jax_default_matmul_precision",
        "jax_threefry_partitionable", "jax_legacy_prng_key", "jax_log_compiles",
    }  # fmt: skip


@pytest.mark.slow
def test_options_that_training_and_tests_could_notice():
    others = [
        "debug_key_reuse",
        "check_tracer_leaks",
        "no_tracing",
        "no_execution",
        "enable_checks",
    ]
    others += ["legacy_prng_key", "enable_custom_prng", "threefry_partitionable", "thread_guard"]
    others += ["enable_x64", "disable_jit", "debug_nans", "debug_infs", "numpy_dtype_promotion"]
    seen, faults = _answers(_ALL_OPTIONS, "train", *others)
    assert faults == []
    assert len(seen) > 25


_MANAGERS_TRACES_AND_DEVICES = """
expected = skce(Y, P)
found = {}
fresh = lambda: setattr(gate, "programs", gate.Programs(gate.MOST_PROGRAMS))
second = jax.devices()[1]
managers = {
    "no execution": lambda: jax.no_execution(True),
    "no tracing": lambda: jax.no_tracing(True),
    "second device": lambda: jax.default_device(second),
    "no 64 bits": lambda: jax.enable_x64(False),
    "transfers": lambda: jax.transfer_guard("disallow_explicit"),
    "reuse of keys": lambda: jax.debug_key_reuse(True),
}
for name, manager in managers.items():
    fresh()
    with manager():
        found[name] = skce(Y, P)
fresh()
jax.config.update("jax_default_device", second)
found["second device for all"] = skce(Y, P)
assert jax.numpy.ones(1).devices() == {second}
fresh()
traced = []
jax.jit(lambda a: (traced.append(skce(Y, P)), a)[1])(1.0)
fresh()
jax.vmap(lambda a: (traced.append(skce(Y, P)), a)[1])(jax.numpy.ones(2))
fresh()
jax.grad(lambda a: (traced.append(skce(Y, P)), a)[1])(1.0)
found |= dict(zip(["inside jit", "inside vmap", "inside grad"], traced))
refused = {}
inputs = {
    "y_true": (Y, lambda a: skce(a, P)),
    "y_proba": (P, lambda a: skce(Y, a)),
    "sample_weight": (P, lambda a: skce(Y, P, sample_weight=a)),
    "X": (X, lambda a: klce(Y, P, a)),
}
for name, (values, function) in inputs.items():
    try:
        jax.jit(function)(jax.numpy.asarray(values))
    except (TypeError, ValueError) as error:
        refused[name] = str(error)
print(json.dumps([expected, found, refused]))
"""


def test_managers_traces_and_devices():
    flags = "--xla_force_host_platform_device_count=2"
    expected, found, refused = _answers(_MANAGERS_TRACES_AND_DEVICES, flags=flags)
    assert len(found) == 10
    for numbers in found.values():
        assert numbers == pytest.approx(expected, rel=1e-12)
    assert set(refused) == {"y_true", "y_proba", "sample_weight", "X"}
    for name, message in refused.items():
        assert message.startswith(f"{name} must be")
        assert "traced array" in message
