"""
Reading a reliability diagram with bands
========================================

A reliability diagram compares what was predicted with what happened. How far may a point lie from
the diagonal? This depends on the number of rows behind the point, and the band shows how far.
"""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_calib import ReliabilityDisplay

# %%
# The data are simulated, so the truth is known: `truth` is the probability with which each
# label was drawn. One forecaster reports this probability. The other one exaggerates by doubling
# the log-odds.

rng = np.random.default_rng(0)
truth = rng.beta(1.5, 1.5, size=2000)
y_true = rng.random(truth.size) < truth
exaggerated = truth**2 / (truth**2 + (1 - truth) ** 2)

# %%
# The figure shows the same two forecasters with 200 rows (above) and with 2000 rows (below).

figure, axes = plt.subplots(2, 2, figsize=(8, 9), layout="constrained")
for row, n in zip(axes, [200, 2000]):
    for ax, (name, y_proba) in zip(row, {"honest": truth, "exaggerating": exaggerated}.items()):
        ReliabilityDisplay.from_predictions(
            y_true[:n], y_proba[:n], n_bins=10, name=f"{name}, {n} rows", ax=ax
        )
plt.show()

# %%
# **Learnt:** with 200 rows the honest forecaster strays from the diagonal as well, but stays in the
# band; a curve flatter than the diagonal that leaves the band at both ends is overconfidence.
