"""Fit time of the binary calibrators, as a multiple of IsotonicRegression on the same data.

The promise is for a million rows: at most 3 times for isotonic and histogram, 10 for the others.

Run ``python benchmarks/calibrator_fit.py`` for a table, or let asv collect the classes.
"""

from time import perf_counter

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

CALIBRATORS = {
    "platt": PlattCalibrator(input="probability"),
    "beta": BetaCalibrator(),
    "beta, inverted scores": BetaCalibrator(),
    "temperature": TemperatureCalibrator(input="probability"),
    "isotonic": IsotonicCalibrator(),
    "histogram": HistogramCalibrator(),
    "histogram, quantile": HistogramCalibrator(strategy="quantile"),
}
LIMITS = {"isotonic": 3, "histogram": 3, "histogram, quantile": 3}
PARAMETRIC_LIMIT = 10


def make_data(name, n_samples):
    """Return probabilities and labels whose true rate is ``p**1.5``."""
    rng = np.random.default_rng(0)
    p = rng.uniform(size=n_samples)
    y = (rng.uniform(size=n_samples) < p**1.5).astype(int)
    return (1 - p if "inverted" in name else p), y  # all four models with signs are fitted there


def best_time(function, n_repeats=3):
    """Return the shortest of several run times in seconds."""
    times = []
    for _ in range(n_repeats):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)


class CalibratorFit:
    """Fit time, its multiple of IsotonicRegression, and the quality reached."""

    params = (list(CALIBRATORS), [10_000, 1_000_000])
    param_names = ("calibrator", "n_samples")

    def setup(self, name, n_samples):
        """Make the data and warm up."""
        self.calibrator = CALIBRATORS[name]
        self.p, self.y = make_data(name, n_samples)
        self.calibrator.fit(self.p[:1000], self.y[:1000])

    def time_fit(self, name, n_samples):
        """Time of a fit."""
        self.calibrator.fit(self.p, self.y)

    def time_predict(self, name, n_samples):
        """Time of a prediction of as many rows."""
        self.calibrator.predict_proba(self.p)

    def peakmem_fit(self, name, n_samples):
        """Peak memory of a fit."""
        self.calibrator.fit(self.p, self.y)

    def track_multiple_of_isotonic_regression(self, name, n_samples):
        """Fit time divided by that of IsotonicRegression."""
        reference = best_time(lambda: IsotonicRegression().fit(self.p, self.y))
        return best_time(lambda: self.calibrator.fit(self.p, self.y)) / reference

    def track_log_loss(self, name, n_samples):
        """Log loss on the calibration rows."""
        return log_loss(self.y, self.calibrator.fit(self.p, self.y).predict_proba(self.p))


if __name__ == "__main__":
    benchmark = CalibratorFit()
    print(f"{'calibrator':<22}{'n':>9}{'multiple':>10}{'limit':>7}{'log loss':>10}")
    for n_samples in CalibratorFit.params[1]:
        for name in CALIBRATORS:
            benchmark.setup(name, n_samples)
            multiple = benchmark.track_multiple_of_isotonic_regression(name, n_samples)
            limit = LIMITS.get(name, PARAMETRIC_LIMIT) if n_samples == 1_000_000 else ""
            loss = benchmark.track_log_loss(name, n_samples)
            print(f"{name:<22}{n_samples:>9}{multiple:>10.2f}{limit:>7}{loss:>10.4f}")
