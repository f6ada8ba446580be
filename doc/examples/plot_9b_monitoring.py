"""
A model in use, day by day
==========================

A model is in use at four sites, and every evening the outcomes of the day are known. It was
calibrated when it was deployed. Somebody looks at it every day; how soon is an error found, and is
a good model left alone?
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit, logit

from sklearn_calib import CalibrationMonitor, CalibrationMonitorDisplay

rng = np.random.default_rng(0)
sites = ["north", "south", "east", "west"]
first = np.datetime64("2026-01-01")

# %%
# After three months a device at one of the sites is replaced, and the predictions there become too
# extreme: the true log-odds are 0.7 times those that the model predicts.

monitor = CalibrationMonitor(segments=sites)
for number in range(150):
    site = rng.choice(sites, 400)
    y_proba = expit(rng.normal(0.0, 1.5, 400))
    late = (site == "west") & (number >= 90)
    y_true = rng.random(400) < expit(np.where(late, 0.7, 1.0) * logit(y_proba))
    monitor.update(y_true, y_proba, period=first + number, segment=site)

# %%
# The monitor has been updated, and could have been looked at, 150 times. The probability of any
# alarm in all these looks, at any site, would be at most 5 % without the new device.

print(monitor.describe())
monitor.to_frame().tail(4).round(3)

# %%
# The e-value of a calibrated series falls slowly, since nothing speaks against it. That of the site
# with the new device begins to grow when its rows come in. The small gaps of single days would not
# tell.

CalibrationMonitorDisplay.from_monitor(monitor)
plt.show()

# %%
# **Learnt:** evidence adds up over days, so an error that no single day shows is found, and looking
# every day costs nothing.
