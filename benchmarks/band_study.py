"""How often the local bias band flags calibrated predictions, and finds a wrong region."""

import warnings

import numpy as np

from sklearn_calib import local_bias_band
from sklearn_calib.kernels import median_heuristic

from ._shapes import SHAPES, draw
from .level_study import bounds

MIN_SIZE = 10


def flagged_rate(shape, n, n_repeats, n_resamples=199):
    """Return the share of calibrated data sets with any significant point."""
    flagged = 0
    for repeat in range(n_repeats):
        rng = np.random.default_rng([repeat, n])
        X, proba = SHAPES[shape](rng, n)
        y, labels = draw(rng, proba)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # no point has enough data
            band = local_bias_band(
                y, proba, X, n_resamples=n_resamples, labels=labels, random_state=rng
            )
        flagged += bool(band.significant.any())
    return flagged / n_repeats


def dense_region(rng):
    """Make p = 1/2 everywhere while the true rate is 0.15 lower in the dense middle."""
    x = np.concatenate([rng.normal(0, 0.4, 380), rng.uniform(-6, 6, 20)])
    inside = np.abs(x) < 0.4
    y = (rng.random(400) < 0.5 - 0.15 * inside).astype(int)
    return x, y, inside


def found_rate(n_repeats, n_resamples=199):
    """Return how often the wrong region is found, and how often points far from it are flagged."""
    found = outside = 0
    for repeat in range(n_repeats):
        rng = np.random.default_rng(repeat)
        x, y, inside = dense_region(rng)
        band = local_bias_band(
            y,
            np.full(400, 0.5),
            x,
            prob_bandwidth=median_heuristic(np.full(400, 0.5)) / 3,
            feature_bandwidth=median_heuristic(x) / 3,
            n_resamples=n_resamples,
            random_state=rng,
        )
        found += bool(band.significant[inside].any())
        outside += bool(band.significant[np.abs(x) > 1.0].any())
    return found / n_repeats, outside / n_repeats


def run(quick=False):
    n_repeats = 50 if quick else 1000
    _, high = bounds(n_repeats)
    rows = []
    for shape in SHAPES:
        for n in (50, 200):
            rate = flagged_rate(shape, n, n_repeats)
            rows.append(
                {
                    "data": shape,
                    "n": n,
                    "flagged": rate,
                    "limit": float(high),
                    "ok": bool(rate <= high),
                }
            )
            print(rows[-1], flush=True)
    found, outside = found_rate(n_repeats)
    rows.append({"data": "wrong in the dense middle", "n": 400, "flagged": found, "limit": 0.7,
                 "ok": found >= 0.7})  # fmt: skip
    rows.append({"data": "... flagged more than 0.6 away", "n": 400, "flagged": outside})
    return rows


def plot(rows, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[3, 2])
    rng = np.random.default_rng(0)
    x, y, _ = dense_region(rng)
    grid = np.linspace(-2, 2, 200)
    band = local_bias_band(
        y,
        np.full(400, 0.5),
        x,
        X_query=grid,
        proba_query=np.full(200, 0.5),
        feature_bandwidth=median_heuristic(x) / 3,
        random_state=0,
    )
    limit = band.critical_value * band.null_std
    left.fill_between(grid, -limit, limit, color="0.85", label="band under calibration")
    left.plot(grid, band.bias, color="#0072b2", label="local bias")
    left.plot(grid, np.where(band.significant, band.bias, np.nan), color="#d55e00", linewidth=3,
              label="significant")  # fmt: skip
    left.plot(grid, np.where(np.abs(grid) < 0.4, -0.15, 0.0), "k:", label="truth")
    left.set(xlabel="x", ylabel="observed minus predicted", ylim=(-0.6, 0.6))
    left.legend(loc="lower right", fontsize="small")
    level = [row for row in rows if "ok" in row and row["limit"] < 0.5]
    names = list(dict.fromkeys(row["data"] for row in level))[::-1]
    for n, marker in ((50, "o"), (200, "s")):
        rates = {row["data"]: 100 * row["flagged"] for row in level if row["n"] == n}
        right.plot([rates[k] for k in names], range(len(names)), marker, label=f"n = {n}")
    right.axvline(5, color="0.5", linewidth=1)
    right.set_yticks(range(len(names)), names)
    right.set(xlabel="calibrated data sets flagged (%)", xlim=(0, 10))
    right.legend(fontsize="small")
    figure.savefig(path, dpi=120)
