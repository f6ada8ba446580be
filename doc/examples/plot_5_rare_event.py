"""
A rare event in a hospital: right on average, wrong for some
============================================================

The simulated patients have an age and a lab value, and one patient in fifteen has a complication.
The risk model was built without an interaction, so for old patients with a high lab value the
risk is higher than predicted. The model was then calibrated, so that it is right on average. A
global test does not find the flaw; a local test does.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from sklearn_calib import (
    CalibratedClassifier,
    IsotonicCalibrator,
    LocalBiasDisplay,
    ReliabilityDisplay,
    check_calibration,
)

rng = np.random.default_rng(0)


def admit(n):
    """Draw patients: age and lab value on (-1, 1), and whether they had the complication."""
    X = rng.uniform(-1, 1, size=(n, 2))
    age, lab = X.T
    truth = expit(-3.8 + 0.8 * age + 0.8 * lab + 2.4 * (age > 0.3) * (lab > 0.3))
    return X, rng.random(n) < truth


# %%
# The model is fitted and calibrated on earlier patients and evaluated on new ones.

X_train, y_train = admit(50_000)
X, y_true = admit(6000)
model = CalibratedClassifier(LogisticRegression(), IsotonicCalibrator()).fit(X_train, y_train)
risk = model.predict_proba(X)[:, 1]
print(f"{y_true.sum()} events; observed rate {y_true.mean():.3f}, mean risk {risk.mean():.3f}")

# %%
# Is the model calibrated on average? Is it calibrated locally?

overall = check_calibration(y_true, risk, random_state=1)
bandwidths = {"prob_bandwidth": 0.2, "feature_bandwidth": 0.4}
local = check_calibration(y_true, risk, X, n_resamples=199, random_state=1, **bandwidths)
print(f"without features: p = {overall.pvalue:.3f}")
print(f"with features:    p = {local.pvalue:.3f}")

# %%
# Where is the model wrong? Points outside the joint band are marked. A calibrated model gets
# any mark at all with a probability of at most 5 %.

figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
ReliabilityDisplay.from_predictions(y_true, risk, strategy="quantile", n_bins=8, ax=axes[0])
axes[0].set(xlim=(0, 0.5), ylim=(0, 0.5))
LocalBiasDisplay.from_predictions(
    y_true,
    risk,
    X,
    features=(0, 1),
    feature_names=["age", "lab value"],
    n_resamples=199,
    ax=axes[1],
    **bandwidths,
)
plt.show()

# %%
# **Learnt:** a model can look right on average and still miss a group of patients; the local
# test shows that it does, and the map shows which patients.
