"""
A report before and after
=========================

`calibration_report` answers several questions at once: how large the errors are, how large they
would be by chance, whether the difference is significant, and in which regions of the features
the predictions are wrong.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from sklearn_calib import (
    CalibratedClassifier,
    IsotonicCalibrator,
    KernelRecalibrator,
    calibration_report,
)

X, y = make_moons(3000, noise=0.25, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

# %%
# A straight line cannot separate two moons, so a logistic regression is wrong along its boundary,
# too high and too low in turns. Isotonic regression changes the score alone; the kernel
# recalibrator also reads the features.

linear = LogisticRegression()
models = {
    "before": linear,
    "isotonic": CalibratedClassifier(linear, IsotonicCalibrator()),
    "kernel": CalibratedClassifier(linear, KernelRecalibrator(random_state=0)),
}
reports = {}
for name, model in models.items():
    y_proba = model.fit(X_train, y_train).predict_proba(X_test)
    reports[name] = calibration_report(
        y_test, y_proba, X_test, feature_names=["x", "y"], feature_bandwidth=0.5, title=name
    )
    overall, local = reports[name].tests["global"], reports[name].tests["local"]
    print(f"{name:8}  on average p = {overall.pvalue:.3f}, in regions p = {local.pvalue:.3f}")

# %%
# This is the whole report for the first model. `to_html("report.html")` writes it as a page
# with pictures.

print(reports["before"])

# %%
# The maps show where each model is wrong. Where a map is red, the probabilities are too low, and
# where it is blue, they are too high; hatched regions are significant. All maps have the scale of
# the first one, which is drawn once.

maps = {name: report.displays["local bias, map"] for name, report in reports.items()}
figure, axes = plt.subplots(1, 3, figsize=(11, 3.7), layout="constrained", sharey=True)
largest = None
for ax, (name, display) in zip(axes, maps.items()):
    display.plot(ax=ax, vmax=largest, colorbar=name == "kernel")
    largest = maps["before"].vmax_
    ax.text(0.03, 0.03, name, transform=ax.transAxes, weight="bold")
    ax.label_outer()
plt.show()

# %%
# **Learnt:** a calibrator that sees only the score cannot repair errors that depend on the
# features; one that reads the features removes most of them.
