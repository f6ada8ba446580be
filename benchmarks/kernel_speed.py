"""Kernel errors beside a sort and beside the n x n matrix: time and memory."""

import subprocess
import sys
import time

import numpy as np
from scipy.spatial.distance import cdist

from sklearn_calib._core import pair_form
from sklearn_calib.metrics import kce, skce

from ._record import best_time


def binary_data(n):
    """Return labels and probabilities of a model that is slightly off."""
    rng = np.random.default_rng(0)
    p = rng.uniform(size=n)
    return (rng.uniform(size=n) < p**1.1).astype(int), p


def multiclass_data(n, n_classes=10):
    """Return labels and probability rows of a calibrated model."""
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(n_classes), size=n)
    return (rng.uniform(size=(n, 1)) > P.cumsum(axis=1)).sum(axis=1).clip(max=n_classes - 1), P


def binary_matrix_skce(y, p):
    """Return the binary estimate by the n x n matrix."""
    n, e = len(p), y - p
    K = np.exp(-np.abs(p[:, None] - p) / 0.2)
    return (e @ K @ e - e @ e) / (n * (n - 1))


def canonical_matrix_skce(y, P):
    """Return the canonical estimate by SciPy's `cdist` and NumPy."""
    n, E = len(P), np.eye(P.shape[1])[y] - P
    H = np.exp(-cdist(P, P) / 0.2) * (E @ E.T)
    return (H.sum() - np.trace(H)) / (n * (n - 1))


def time_ratio(numerator, denominator, n_repeats):
    """Return the ratio of the shortest times of two functions that take turns, warm.

    Taking turns exposes both to the same other load on the machine.
    """
    numerator()
    denominator()
    shortest = [np.inf, np.inf]
    for _ in range(n_repeats):
        for k, function in enumerate((numerator, denominator)):
            start = time.perf_counter()
            function()
            shortest[k] = min(shortest[k], time.perf_counter() - start)
    return shortest[0] / shortest[1]


def printed_number(code):
    """Run code in a fresh process and return the number it prints last."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


_PEAK = """
from benchmarks._record import peak_memory
from benchmarks.kernel_speed import *

skce(*multiclass_data(1000))
data = multiclass_data({n})
before = peak_memory()
{function}(*data)
print(peak_memory() - before)
"""

_FIRST_CALL = """
import time
import numpy as np
from sklearn_calib.metrics import skce
rng = np.random.default_rng(0)
p = rng.uniform(size=1000)
y = (rng.uniform(size=1000) < p).astype(int)
start = time.perf_counter()
skce(y, p)
print(time.perf_counter() - start)
"""

_FOLDS = """
import numpy as np
from jax import monitoring
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn_calib.metrics import neg_skce_scorer
seconds = []
monitoring.register_event_duration_secs_listener(
    lambda event, duration, **_: "/jax/core/compile/" in event and seconds.append(duration)
)
rng = np.random.default_rng(0)
X = rng.normal(size=(1003, 3))
y = (X[:, 0] + rng.normal(size=1003) > 0).astype(int)
cross_val_score(LogisticRegression(), X, y, cv=KFold(5), scoring=neg_skce_scorer)
print(sum(seconds))
"""


def peak_mib(function, n):
    """Return the peak memory of a function above its inputs, in MiB (Linux)."""
    return printed_number(_PEAK.format(function=function, n=n))


def at_most(work, value, limit, unit=""):
    """Return a row of the table for a figure with an upper limit."""
    row = {"work": work, "measured": float(f"{value:.3g}"), "unit": unit}
    return row | {"limit": f"at most {limit:g}", "share of limit": value / limit}


def at_least(work, value, limit, unit="times"):
    """Return a row of the table for a figure with a lower limit."""
    row = {"work": work, "measured": float(f"{value:.3g}"), "unit": unit}
    return row | {"limit": f"at least {limit:g}", "share of limit": limit / value}


def million_rows(n):
    y, p = binary_data(n)
    yield at_most(
        "skce, binary, n = 10^6, beside argsort",
        time_ratio(lambda: skce(y, p), lambda: np.argsort(p), 9),
        6,
        "times",
    )
    yield at_most(
        "kce, h = 0.1, n = 10^6, beside argsort",
        time_ratio(lambda: kce(y, p, bandwidth=0.1), lambda: np.argsort(p), 9),
        15,
        "times",
    )


def beside_binary_matrix(n):
    y, p = binary_data(n)
    np.testing.assert_allclose(skce(y, p), binary_matrix_skce(y, p), rtol=1e-9, atol=1e-13)
    ratio = time_ratio(lambda: binary_matrix_skce(y, p), lambda: skce(y, p), 3)
    yield at_least("skce, binary, n = 20,000, faster than the n x n matrix", ratio, 300)


def beside_canonical_matrix(n):
    y, P = multiclass_data(n)
    np.testing.assert_allclose(skce(y, P), canonical_matrix_skce(y, P), rtol=1e-9, atol=1e-13)
    ratio = time_ratio(lambda: canonical_matrix_skce(y, P), lambda: skce(y, P), 8)
    yield at_least("skce, canonical, K = 10, n = 10,000, faster than cdist + NumPy", ratio, 10)
    share = peak_mib("skce", n) / peak_mib("canonical_matrix_skce", n)
    yield at_most("its peak memory above the inputs, share of cdist + NumPy", share, 0.1)


def canonical_large(n):
    y, P = multiclass_data(n)
    skce(y[:1000], P[:1000])
    seconds = best_time(lambda: skce(y, P), n_repeats=1, warm_up=False)
    memory = peak_mib("skce", n)
    row = at_most("skce, canonical, K = 10, n = 100,000, peak memory above inputs", memory, 1024)
    yield row | {"unit": "MiB", "seconds": round(seconds, 1)}


def klce_columns(n, n_columns):
    rng = np.random.default_rng(0)
    p = rng.uniform(size=n)
    points = np.column_stack([p, rng.normal(size=(n, 5))])
    bandwidth = np.array([0.3] + [3.0] * 5)
    columns = (rng.uniform(size=(n, n_columns)) < p[:, None]) - p[:, None]

    def ours():
        return pair_form(points, kernel="rbf", bandwidth=bandwidth, n_columns=n_columns)(columns)

    def matrix():
        K = cdist(points / bandwidth, points / bandwidth, "sqeuclidean")
        np.exp(np.negative(K, out=K), out=K)
        np.fill_diagonal(K, 0.0)
        return [v @ (K @ v) for v in np.ascontiguousarray(columns.T)]

    np.testing.assert_allclose(ours(), matrix(), rtol=1e-8, atol=1e-7)
    ratio = time_ratio(matrix, ours, 2)
    yield at_least(
        "klce, d = 5, n = 10,000, 1000 residual columns, faster than matrix and products", ratio, 20
    )


def small_calls():
    y, p = binary_data(1000)
    seconds = best_time(lambda: skce(y, p), n_repeats=50)
    yield at_most("skce, binary, n = 1000, warm", 1e3 * seconds, 2, "ms")
    y, P = multiclass_data(1000, 3)
    seconds = best_time(lambda: skce(y, P), n_repeats=50)
    yield at_most("skce, canonical, K = 3, n = 1000, warm", 1e3 * seconds, 2, "ms")


def first_calls():
    first = min(printed_number(_FIRST_CALL) for _ in range(3))
    yield at_most("first kernel call of a process, JAX import included", first, 2, "s")
    folds = min(printed_number(_FOLDS) for _ in range(3))
    yield at_most("compilation in cross_val_score, 5 unequal folds, in total", folds, 1, "s")


def run(quick=False):
    scale = 10 if quick else 1
    return [
        *first_calls(),
        *small_calls(),
        *million_rows(10**6 // scale),
        *beside_canonical_matrix(10_000 // scale),
        *beside_binary_matrix(20_000 // scale),
        *canonical_large(100_000 // scale),
        *klce_columns(10_000 // scale, 1000 // scale),
    ]


def plot(rows, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.8), layout="constrained")
    ax = figure.subplots()
    ax.barh([row["work"] for row in rows], [row["share of limit"] for row in rows], color="#0072b2")
    ax.axvline(1.0, color="0.3", linestyle="--")
    ax.invert_yaxis()
    ax.set(xscale="log", xlabel="share of the limit")
    figure.savefig(path, dpi=120)
