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
# The figure shows all candidates with both scores (lower is better).

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
position = np.arange(len(methods))
for ax, score, title in zip(axes, scores, ["log loss", "MMCE"]):
    for marker, estimator in zip("os", ["GaussianNB", "RandomForestClassifier"]):
        value = [
            -search.cv_results_[f"mean_test_{score}"][
                next(
                    i
                    for i, params in enumerate(search.cv_results_["params"])
                    if params["calibrator__method"] == method
                    and type(params["estimator"]).__name__ == estimator
                )
            ]
            for method in methods
        ]
        ax.plot(value, position, marker, label=estimator)
    ax.set(xlabel=f"{title}, mean of 3 folds", yticks=position, yticklabels=methods)
    ax.set_xlim(left=0)
    ax.grid(axis="x", alpha=0.3)
axes[0].legend()
plt.show()

# %%
# **Learnt:** the candidate with the smallest calibration error has the worst log loss of all,
# so choose by a proper score. With a few hundred rows the proper score prefers smooth methods to
# flexible ones.
