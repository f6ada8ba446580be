"""How often intervals of calibration errors cover the true error, and how wide they are."""

import numpy as np
from scipy.special import expit, logit, softmax

from sklearn_calib.inference import calibration_ci
from sklearn_calib.metrics._metric import METRICS

from ._shapes import SHAPES, draw

_POPULATION = 100_000


def _beta(rng, n):
    return None, rng.beta(2, 2, size=n)


def _two_values(rng, n):
    return None, rng.choice([0.1, 0.6], size=n)


def _hard(rng, n):
    return None, rng.choice([0.0, 1.0], size=n)


DATA = {**SHAPES, "beta(2, 2)": _beta, "two values": _two_values, "only 0 and 1": _hard}

# The true probabilities of predictions; for several classes a temperature.
TRUTHS = {
    "calibrated": lambda p: p,
    "shift 0.03": lambda p: np.clip(p + 0.03, 0, 1),
    "shift 0.1": lambda p: np.clip(p + 0.1, 0, 1),
    "slope 0.5": lambda p: expit(0.5 * logit(np.clip(p, 1e-9, 1 - 1e-9))),
    "one bin 0.35": lambda p: np.where((p > 0.4) & (p < 7 / 15), p + 0.35, p),
    "wiggle 0.15": lambda p: np.clip(p + 0.15 * np.sign(np.sin(20 * p)), 0, 1),
    "5 % flipped": lambda p: 0.95 * p + 0.05 * (1 - p),
    "temperature 1.5": lambda p: softmax(np.log(np.maximum(p, 1e-12)) / 1.5, axis=1),
}

ECE = ("ece", {})
MANY = [
    ECE,
    ("ece", {"norm": "l2"}),
    ("ece", {"strategy": "quantile"}),
    ("mce", {}),
    ("average_calibration_error", {}),
    ("skce", {}),
    ("kce", {"squared": False, "bandwidth": 0.2}),
    ("mmce", {}),
    ("brier", {}),
    ("log_loss", {}),
    ("calibration_slope", {}),
    ("calibration_intercept", {}),
    ("observed_expected_ratio", {}),
]
BINARY = ("calibrated", "shift 0.03", "slope 0.5", "shift 0.1")
SEVERAL = [
    ("ece", {"target": "confidence"}),
    ("ece", {"target": "classwise"}),
    ("skce", {}),
    ("brier", {}),
]


def cases():
    """Yield (data, truth, n, metric, options)."""
    for truth in BINARY:
        for metric, options in MANY:
            yield "beta(2, 2)", truth, 500, metric, options
    for truth in ("one bin 0.35", "wiggle 0.15"):
        for metric, options in (*MANY[:5], ("skce", {})):
            yield "beta(2, 2)", truth, 500, metric, options
    for data in ("beta(2, 2)", "bimodal, confident", "rare events", "two values", "only 0 and 1"):
        for truth in ("calibrated", "shift 0.03", "5 % flipped"):
            for n in (50, 5000):
                yield data, truth, n, *ECE
    for data in ("bimodal, confident", "rare events"):
        for truth in ("calibrated", "shift 0.03"):
            for metric, options in (("mce", {}), ("skce", {}), ("skce", {"bandwidth": 0.02}),
                                    ("calibration_slope", {}), ("observed_expected_ratio", {}),
                                    ("log_loss", {})):  # fmt: skip
                yield data, truth, 200, metric, options
    for truth in ("calibrated", "temperature 1.5"):
        for metric, options in SEVERAL:
            yield "10 classes", truth, 300, metric, options
    for truth in ("calibrated", "shift 0.1"):
        yield "beta(2, 2)", truth, 200, "smooth_ece", {}


def true_value(data, truth, metric, options):
    """Return the metric of a large population whose labels are replaced by their probabilities.

    A row with probabilities q of its labels is K rows, one per label, with the weights q.
    """
    n = 1500 if metric == "skce" and data == "10 classes" else _POPULATION
    _, proba = DATA[data](np.random.default_rng(0), n)
    q = TRUTHS[truth](proba)
    if q.ndim == 1:
        q = np.column_stack([1 - q, q])
    labels = np.arange(q.shape[1])
    y = np.repeat(labels[np.newaxis], n, axis=0).ravel()
    rows = np.repeat(np.arange(n), labels.size)
    weight = q.ravel()
    if metric in METRICS:
        function = METRICS[metric].function
        return function(y, proba[rows], sample_weight=weight, labels=labels, **options)
    made = calibration_ci(
        y[weight > 0], proba[rows][weight > 0], metric=metric,
        sample_weight=weight[weight > 0], labels=labels,
    )  # fmt: skip
    return made.estimate


def sample(data, truth, n, seed):
    """Return labels and predictions."""
    rng = np.random.default_rng([seed, n])
    _, proba = DATA[data](rng, n)
    y, labels = draw(rng, TRUTHS[truth](proba))
    return y, proba, labels


def coverage(data, truth, n, metric, options, n_repeats, n_resamples=299):
    """Return a row of the table: coverage, mean ends and the spread of the estimate."""
    true = true_value(data, truth, metric, options)
    ends, estimates, corrected, percentile = [], [], [], []
    for seed in range(n_repeats):
        y, proba, labels = sample(data, truth, n, seed)
        settings = {"metric": metric, "metric_params": options, "labels": labels}
        made = calibration_ci(y, proba, n_resamples=n_resamples, random_state=seed, **settings)
        ends.append(tuple(made))
        estimates.append(made.estimate)
        corrected.append(made.corrected)
        if data == "beta(2, 2)" and metric in ("ece", "skce") and n == 500 and not options:
            rows = np.random.default_rng(seed).integers(n, size=(199, n))
            given = calibration_ci(y, proba, method="percentile", indices=rows, **settings)
            percentile.append(given.low <= true <= given.high)
    low, high = np.array(ends).T
    row = {
        "data": data,
        "truth": truth,
        "n": n,
        "metric": metric,
        "options": ", ".join(f"{key}={value}" for key, value in options.items()),
        "method": made.method,
        "true": true,
        "coverage %": 100.0 * np.mean((low <= true) & (true <= high)),
        "too high %": 100.0 * np.mean(low > true),
        "too low %": 100.0 * np.mean(high < true),
        "percentile %": 100.0 * np.mean(percentile) if percentile else None,
        "mean low": low.mean(),
        "mean high": high.mean(),
        "width / sd": (high - low).mean() / np.std(estimates) if np.std(estimates) > 0 else None,
        "mean estimate": np.mean(estimates),
        "mean corrected": None if corrected[0] is None else np.mean(corrected),
        "repeats": n_repeats,
    }
    return row


def run(quick=False):
    n_repeats = 10 if quick else 300
    rows = []
    for case in cases():
        if case[3] not in METRICS and case[3] not in ("brier", "log_loss"):
            continue
        smooth = case[3] == "smooth_ece"
        row = coverage(
            *case, max(10, n_repeats // 5) if smooth else n_repeats, 59 if smooth else 299
        )
        print(row, flush=True)
        rows.append(row)
    return rows
