"""How often each null distribution finds a planted error at level 5 % (n = 200)."""

import numpy as np

from sklearn_calib import check_calibration
from sklearn_calib.datasets import make_calibration_data

LEVEL = 0.05
N_SAMPLES = 200
NULLS = ("simulation", "permutation", "wild")


def uniform_shift(rng):
    """Events happen 0.1 more often than predicted, everywhere."""
    X, p = rng.uniform(-2, 2, size=(N_SAMPLES, 1)), rng.uniform(0.2, 0.8, size=N_SAMPLES)
    return X, p, p + 0.1


def one_sided(rng, miscalibration=0.15):
    """Predictions are too high where the feature is positive, and right elsewhere."""
    X, _, p = make_calibration_data(
        N_SAMPLES, miscalibration=miscalibration, seed=int(rng.integers(2**32))
    )
    return X, p, 1 / (1 + np.exp(-1.5 * X[:, 0]))


def balanced(rng):
    """Predictions are too low on one side and too high on the other, right on average."""
    X, p = rng.uniform(-2, 2, size=(N_SAMPLES, 1)), rng.uniform(0.2, 0.8, size=N_SAMPLES)
    return X, p, p + 0.12 * np.sign(X[:, 0])


def small_region(rng):
    """Predictions are 0.3 too high for a fifth of the feature's range."""
    X, p = rng.uniform(-2, 2, size=(N_SAMPLES, 1)), rng.uniform(0.4, 0.8, size=N_SAMPLES)
    return X, p, p - 0.3 * (np.abs(X[:, 0] - 1) < 0.4)


ERRORS = {
    "uniform shift of 0.1": uniform_shift,
    "one-sided, 0.15": one_sided,
    "one-sided, 0.25": lambda rng: one_sided(rng, 0.25),
    "averages to zero": balanced,
    "0.3 in a fifth of the range": small_region,
}


def power(error, local, null, n_repeats, n_resamples=199):
    """Return the share of data sets with a planted error that are rejected."""
    found = 0
    for repeat in range(n_repeats):
        rng = np.random.default_rng(repeat)
        X, p, truth = ERRORS[error](rng)
        y = (rng.random(N_SAMPLES) < truth).astype(int)
        result = check_calibration(
            y, p, X if local else None, null=null, n_resamples=n_resamples, random_state=rng
        )
        found += result.pvalue <= LEVEL
    return found / n_repeats


def run(quick=False):
    n_repeats = 50 if quick else 1000
    rows = []
    for error in ERRORS:
        for statistic, local in (("klce", True), ("skce", False)):
            rates = {null: power(error, local, null, n_repeats) for null in NULLS}
            rows.append({"error": error, "statistic": statistic, "repeats": n_repeats, **rates})
            print(rows[-1], flush=True)
    return rows


def plot(rows, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    axes = figure.subplots(1, 2, sharex=True, sharey=True)
    names = list(dict.fromkeys(row["error"] for row in rows))[::-1]
    colors = {"simulation": "#0072b2", "permutation": "#d55e00", "wild": "#009e73"}
    for ax, statistic in zip(axes, ("klce", "skce")):
        chosen = {row["error"]: row for row in rows if row["statistic"] == statistic}
        for shift, null in zip((0.26, 0.0, -0.26), NULLS):
            places = np.arange(len(names)) + shift
            rates = [100 * chosen[name][null] for name in names]
            ax.barh(places, rates, height=0.25, color=colors[null], label=null)
        ax.axvline(100 * LEVEL, color="0.5", linewidth=1)
        ax.set_yticks(range(len(names)), names)
        ax.set_title(f"{statistic}, n = {N_SAMPLES}")
        ax.set_xlabel("found at 5 % (%)")
    axes[1].legend(loc="lower right")
    figure.savefig(path, dpi=120)
