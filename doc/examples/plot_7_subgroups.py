"""
An audit by subgroup
====================

A risk score that decides about people should have the same meaning for everyone. The data are
simulated in the manner of the COMPAS audit (:func:`sklearn_calib.datasets.fetch_compas` loads the
real data): the score depends on the number of prior offences and the age, and it is used in two
groups in which the same history implies different risks.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from sklearn_calib import GroupCalibrationDisplay, calibration_by_group, check_calibration

rng = np.random.default_rng(0)
n = 9000
group = rng.choice(["A", "B"], size=n, p=[0.6, 0.4])
priors = rng.poisson(np.where(group == "A", 3.0, 1.5))
age = rng.uniform(18, 60, n)
truth = expit(0.1 + 0.22 * priors - 0.03 * (age - 18) + 0.45 * (group == "B"))
y = rng.random(n) < truth

# %%
# The score does not know the group. It is fitted on two thirds of the people and audited on the
# others.

X = np.column_stack([priors, age])
train = np.arange(n) < 6000
score = LogisticRegression().fit(X[train], y[train]).predict_proba(X[~train])[:, 1]
y_test = y[~train]

# %%
# First test everyone together, and then each group. The p-values of the groups hold for all of
# them together, so nothing has to be corrected. Age is cut at its quartiles.

groups = {"group": group[~train], "age": age[~train].round()}
everyone = check_calibration(y_test, score, random_state=1)
result = calibration_by_group(y_test, score, groups, random_state=1)
print(f"everyone: p = {everyone.pvalue:.3f}")
print(result.verdict)
result.to_frame()[["feature", "category", "n", "observed", "predicted", "pvalue"]].round(3)

# %%
# The gaps with their joint intervals, and the reliability curve of each of the two groups.

GroupCalibrationDisplay.from_result(result)
GroupCalibrationDisplay.from_predictions(y_test, score, {"group": group[~train]}, kind="curves")
plt.show()

# %%
# **Learnt:** a score can be calibrated for the population, but too high for one group and too
# low for the other. You only see this if you look at each group.
