"""Fit time of the binary calibrators, as a multiple of IsotonicRegression on the same data.

The promise is for a million rows: at most 3 times for isotonic and histogram, 10 for the others.
"""

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss

from sklearn_calib.calibrators import (
    BetaCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
)

from ._record import best_time

CALIBRATORS = {
    "platt": (PlattCalibrator(input="probability"), 10),
    "beta": (BetaCalibrator(), 10),
    "beta, inverted scores": (BetaCalibrator(), 10),
    "temperature": (TemperatureCalibrator(input="probability"), 10),
    "isotonic": (IsotonicCalibrator(), 3),
    "histogram": (HistogramCalibrator(), 3),
    "histogram, quantile": (HistogramCalibrator(strategy="quantile"), 3),
}


def make_data(name, n_samples):
    """Return probabilities and labels whose true rate is ``p**1.5``."""
    rng = np.random.default_rng(0)
    p = rng.uniform(size=n_samples)
    y = (rng.uniform(size=n_samples) < p**1.5).astype(int)
    return (1 - p if "inverted" in name else p), y  # all four models with signs are fitted there


def run(quick=False):
    """Measure every calibrator, at one size if quick."""
    rows = []
    for n_samples in [10_000] if quick else [10_000, 1_000_000]:
        for name, (calibrator, limit) in CALIBRATORS.items():
            p, y = make_data(name, n_samples)
            reference = best_time(lambda p=p, y=y: IsotonicRegression().fit(p, y), n_repeats=3)
            seconds = best_time(lambda c=calibrator, p=p, y=y: c.fit(p, y), n_repeats=3)
            rows.append(
                {
                    "calibrator": name,
                    "n": n_samples,
                    "seconds": float(f"{seconds:.3g}"),
                    "times IsotonicRegression": float(f"{seconds / reference:.3g}"),
                    "at most": limit if n_samples == 1_000_000 else None,
                    "log loss": round(log_loss(y, calibrator.predict_proba(p)), 4),
                }
            )
    return rows
