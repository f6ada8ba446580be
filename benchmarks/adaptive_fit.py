"""Fit time and memory of the adaptive calibrator, by number of classes.

Times are also given as multiples of one-vs-rest isotonic regression on the same rows (for a million
rows of two classes, of scikit-learn's ``IsotonicRegression``). The labels follow the predictions
after a matrix and biases, so that every group of the map has something to find. Each measurement
runs in a process of its own, so that memory peaks do not mix.
"""

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
from scipy.special import softmax
from sklearn.isotonic import IsotonicRegression

from sklearn_calib.calibrators import AdaptiveCalibrator, IsotonicCalibrator, OneVsRestCalibrator

from ._record import best_time, peak_memory

# rows, classes: (most seconds, most MiB, most times isotonic)
LIMITS = {
    (2_000, 2): (0.03, None, None),
    (2_000, 10): (1.0, None, None),
    (2_000, 26): (3.0, None, None),
    (2_000, 100): (20.0, 1024, None),
    (1_000_000, 2): (None, None, 10.0),
}


def make_data(n_samples, n_classes):
    """Return overconfident predictions, biased and confused between classes, and labels."""
    rng = np.random.default_rng(0)
    logits = 2.5 * rng.normal(size=(n_samples, n_classes))
    logits[np.arange(n_samples), rng.integers(n_classes, size=n_samples)] += 3.0
    mixing = 0.6 * np.eye(n_classes) + 0.3 / n_classes * rng.normal(size=(n_classes, n_classes))
    truth = softmax(logits @ mixing + 0.3 * rng.normal(size=n_classes), axis=1)
    y = (rng.uniform(size=(n_samples, 1)) > np.cumsum(truth, axis=1)[:, :-1]).sum(axis=1)
    return softmax(logits, axis=1), y


def measure(n_samples, n_classes):
    """Return seconds of the adaptive calibrator and of isotonic regression, and MiB in addition."""
    AdaptiveCalibrator().fit(*make_data(200, n_classes if n_classes < 5 else 5))  # imports
    proba, y = make_data(n_samples, n_classes)
    labels, codes = np.unique(y, return_inverse=True)
    proba = proba[:, labels] / proba[:, labels].sum(axis=1, keepdims=True)
    before = peak_memory()
    n_repeats = 1 if n_classes > 26 else 3
    fit = partial(AdaptiveCalibrator().fit, proba[:, 1] if n_classes == 2 else proba, codes)
    seconds = best_time(fit, n_repeats, warm_up=n_classes <= 26)
    memory = peak_memory() - before
    if n_classes > 2:
        reference = partial(OneVsRestCalibrator(IsotonicCalibrator()).fit, proba, codes)
    elif n_samples < 1_000_000:
        reference = partial(IsotonicCalibrator().fit, proba[:, 1], codes)
    else:
        reference = partial(IsotonicRegression().fit, proba[:, 1], codes)
    return seconds, best_time(reference, n_repeats), memory


def run(quick=False):
    """Measure every size, up to ten classes and 2000 rows if quick."""
    rows = []
    for (n, n_classes), limits in LIMITS.items():
        if quick and (n > 2_000 or n_classes > 10):
            continue
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            seconds, reference, memory = process.submit(measure, n, n_classes).result()
        most_seconds, most_memory, most_times = limits
        rows.append(
            {
                "n": n,
                "classes": n_classes,
                "seconds": float(f"{seconds:.3g}"),
                "at most": most_seconds,
                "times isotonic": float(f"{seconds / reference:.3g}"),
                "at most times": most_times,
                "peak MiB above input": round(memory, 1),
                "at most MiB": most_memory,
            }
        )
    return rows
