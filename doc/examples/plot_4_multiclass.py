"""
Three classes, one panel each
=============================

A forest predicts three overlapping classes. Is each class's probability right (classwise)? Is the
whole vector right (canonical)? These are different questions, and they need different tests.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from sklearn_calib import (
    CalibratedClassifier,
    OneVsRestCalibrator,
    ReliabilityDisplay,
    check_calibration,
)

X, y = make_classification(
    6000, n_features=12, n_informative=6, n_classes=3, class_sep=0.7, random_state=0
)
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=0.5, random_state=0)
forest = RandomForestClassifier(100, min_samples_leaf=5, random_state=0)
models = {
    "forest": forest.fit(X_train, y_train),
    "calibrated": CalibratedClassifier(forest, OneVsRestCalibrator("beta")).fit(X_train, y_train),
}

# %%
# The test of canonical calibration compares whole vectors; the other tests compare single
# events.

for name, model in models.items():
    y_proba = model.predict_proba(X_test)
    for target in ["confidence", "classwise", "canonical"]:
        result = check_calibration(y_test, y_proba, target=target, n_resamples=199, random_state=0)
        print(
            f"{name:10} {target:10} p = {result.pvalue:.3f}, error {result.effect_size:.3f} "
            f"on the scale of probabilities"
        )

# %%
# There is one panel per class, and each panel shows both models.

figure, axes = plt.subplots(1, 3, figsize=(10.5, 4), layout="constrained")
options = {"target": "classwise", "n_bins": 10, "histogram": False, "ax": axes}
ReliabilityDisplay.from_estimator(models["forest"], X_test, y_test, name="forest", **options)
ReliabilityDisplay.from_estimator(
    models["calibrated"], X_test, y_test, name="calibrated", interval=None, **options
)
plt.show()

# %%
# **Learnt:** a forest is underconfident (its curves are steeper than the diagonal), and calibrating
# class by class puts the curves on the diagonal.
