"""Calibrators fitted from a summary of batches: seconds, and loss against the fit in memory.

Log-odds are normal with standard deviation 2 and the true slope is .7. The gap is the mean loss over
all rows (the one named) of the calibrator from the summary minus that of the one fitted in memory;
`loss_bound` promises that it is at most the bound. At ten million rows the rows are never in memory
at once, and the summary is all there is.
"""

import time

import numpy as np
from scipy.special import expit
from sklearn.base import clone

from sklearn_calib.calibrators import HistogramCalibrator
from sklearn_calib.streaming import CalibrationSummary

from ._record import peak_memory

CALIBRATORS = {
    "platt": "platt",
    "temperature": "temperature",
    "beta": "beta",
    "adaptive": "adaptive",
    "isotonic": "isotonic",
    "histogram": "histogram",
    "histogram, 12 bins": HistogramCalibrator(n_bins=12),
    "histogram, quantile": HistogramCalibrator(strategy="quantile"),
}
BATCH = 250_000


def make_batch(number, size):
    """Return the labels and probabilities of a batch."""
    rng = np.random.default_rng(number)
    z = 2.0 * rng.normal(size=size)
    return (rng.random(size) < expit(0.7 * z - 0.3)).astype(int), expit(z)


def mean_loss(loss, calibrator, y, p):
    """Return the mean of the loss that a calibrator minimises, with Platt's targets for Platt."""
    negative, positive = calibrator.predict_proba(p).T
    if loss == "brier_score":
        return np.mean((y - positive) ** 2)
    target = y.astype(float)
    if hasattr(calibrator, "intercept_"):
        events = y.sum()
        target = np.where(y == 1, (events + 1) / (events + 2), 1 / (y.size - events + 2))
    return -np.mean(target * np.log(positive) + (1 - target) * np.log(negative))


def run(quick=False):
    """Summarise batches, fit every calibrator and compare it with the fit in memory."""
    rows = []
    for n_samples in [20_000] if quick else [10_000_000, 1_000_000]:
        size = min(BATCH, n_samples)
        summary, seconds = CalibrationSummary(), 0.0
        for number in range(n_samples // size):
            batch = make_batch(number, size)
            start = time.perf_counter()
            summary.update(*batch)
            seconds += time.perf_counter() - start
        memory = peak_memory() if n_samples > 1_000_000 else None
        compare = n_samples <= 1_000_000
        if compare:
            parts = [make_batch(number, size) for number in range(n_samples // size)]
            y, p = map(np.concatenate, zip(*parts))
        for name, calibrator in CALIBRATORS.items():
            start = time.perf_counter()
            fitted = summary.fit(calibrator)
            fit_seconds = time.perf_counter() - start
            loss, bound, proved = summary.loss_bound(fitted)
            row = {
                "calibrator": name,
                "n": n_samples,
                "seconds for all updates": float(f"{seconds:.3g}"),
                "seconds for the fit": float(f"{fit_seconds:.2g}"),
                "seconds in memory": None,
                "loss": loss,
                "gap": None,
                "bound": float(f"{bound:.2g}"),
                "proved": proved,
                "peak MiB": None if memory is None else round(memory),
            }
            if compare:
                start = time.perf_counter()
                in_memory = clone(fitted).fit(p, y)
                row["seconds in memory"] = float(f"{time.perf_counter() - start:.2g}")
                gap = mean_loss(loss, fitted, y, p) - mean_loss(loss, in_memory, y, p)
                row["gap"] = float(f"{gap:.2g}")
            rows.append(row)
    return rows
