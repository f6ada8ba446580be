"""
A million rows in a second
==========================

Kernel errors are sums over all pairs of rows. In one dimension a sorted recurrence gives the same
number in near-linear time, so a large sample is no longer a reason to fall back on bins.
"""

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

from sklearn_calib.metrics import ece, kce, skce

rng = np.random.default_rng(0)


def make(n):
    """Draw predictions and labels of a slightly overconfident forecaster."""
    y_proba = rng.random(n)
    return rng.random(n) < 0.05 + 0.9 * y_proba, y_proba


def naive_skce(y_true, y_proba):
    """Compute the error from the full matrix."""
    residual = y_true - y_proba
    kernel = np.exp(-np.abs(y_proba[:, None] - y_proba) / 0.2)
    np.fill_diagonal(kernel, 0.0)
    return residual @ kernel @ residual / (residual.size * (residual.size - 1))


# %%
# First check that both ways give the same number.

y_true, y_proba = make(3000)
print(f"matrix     {naive_skce(y_true, y_proba):.12f}")
print(f"recurrence {skce(y_true, y_proba):.12f}")

# %%
# Each time is the best of three runs, after a first run that compiles. The matrix stops at
# 8000 rows, where it needs half a gigabyte.

contenders = {
    "skce, n x n matrix": (naive_skce, [500, 2000, 8000]),
    "skce": (skce, [500, 8000, 100_000, 1_000_000]),
    "kce (RBF, h = 0.1)": (
        lambda y, p: kce(y, p, bandwidth=0.1),
        [500, 8000, 100_000, 1_000_000],
    ),
    "ece (15 bins)": (ece, [500, 8000, 100_000, 1_000_000]),
}
figure, ax = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
for marker, (name, (function, sizes)) in zip("ods^", contenders.items()):
    seconds = []
    for n in sizes:
        data = make(n)
        function(*data)
        runs = []
        for _ in range(3):
            start = perf_counter()
            function(*data)
            runs.append(perf_counter() - start)
        seconds.append(min(runs))
    print(f"{name:20} n = {sizes[-1]:>9,}: {seconds[-1]:.2f} s")
    ax.loglog(sizes, seconds, marker=marker, label=name)
ax.set(xlabel="rows", ylabel="seconds")
ax.grid(alpha=0.3)
ax.legend()
plt.show()

# %%
# **Learnt:** a kernel error of a million rows costs a few times as much as sorting them.
