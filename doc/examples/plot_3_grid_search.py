"""
Which calibrator? A grid search
===============================

Calibrators are parameters like any other: `calibrator__method` goes into a grid. The search
selects by the log loss, a proper score, and reports a calibration error as well.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from sklearn_calib import CalibratedClassifier, OneVsRestCalibrator
from sklearn_calib.metrics import get_scorer

X, y = load_breast_cancer(return_X_y=True)
methods = ["platt", "beta", "isotonic", "histogram", "temperature"]
scores = ["neg_log_loss", "neg_mmce"]
folds = StratifiedKFold(3, shuffle=True, random_state=0)

# %%
# The base classifier is a parameter, too, so one search chooses the classifier and the
# calibrator.

search = GridSearchCV(
    CalibratedClassifier(GaussianNB(), OneVsRestCalibrator()),
    {
        "estimator": [GaussianNB(), RandomForestClassifier(30, random_state=0)],
        "calibrator__method": methods,
    },
    scoring={name: get_scorer(name) for name in scores},
    refit="neg_log_loss",
    cv=folds,
).fit(X, y)
print("best:", search.best_params_)

# %%
# The figure shows all candidates with both scores (lower is better). The ring marks the winner by
# log loss in both panels.

names = ["GaussianNB", "RandomForestClassifier"]
candidates = [
    (type(one["estimator"]).__name__, methods.index(one["calibrator__method"]))
    for one in search.cv_results_["params"]
]
figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained", sharey=True)
for ax, score, title in zip(axes, scores, ["log loss", "MMCE"]):
    value = -search.cv_results_[f"mean_test_{score}"]
    for marker, name in zip("os", names):
        own = [k for k, (estimator, _) in enumerate(candidates) if estimator == name]
        ax.plot(value[own], [candidates[k][1] for k in own], marker, markersize=7, label=name)
    best = search.best_index_
    ring = {"markersize": 17, "markerfacecolor": "none", "markeredgecolor": "k"}
    ax.plot(value[best], candidates[best][1], "o", **ring, label="winner by log loss")
    ax.set(xlabel=f"{title}, mean of 3 folds", yticks=np.arange(len(methods)), yticklabels=methods)
    ax.set_xlim(left=0)
    ax.margins(y=0.15)
    ax.grid(axis="x", alpha=0.3)
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
plt.show()

# %%
# **Learnt:** the candidate with the smallest calibration error has the worst log loss of all,
# so choose by a proper score. With a few hundred rows the proper score prefers smooth methods to
# flexible ones.
