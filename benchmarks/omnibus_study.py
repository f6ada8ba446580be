"""How often the omnibus test and single statistics find planted errors at level 5 %."""

import numpy as np
from scipy.special import expit, logit, softmax

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.inference._nulls.simulation import draw_labels
from sklearn_calib.inference._statistics.omnibus.min_p import smallest_pvalues
from sklearn_calib.inference._statistics.omnibus.omnibus import prepare_omnibus
from sklearn_calib.inference._statistics.statistic import find_statistic

LEVEL = 0.05
N_RESAMPLES = 499
# Label sets for one set of predictions; they share its draws, which leaves the mean rate as it is.
N_LABELS = 25
# Small differences between the omnibus test and the best statistic need many sets of labels.
CLOSE = ("shift", "too extreme", "not extreme enough")


def uniform(rng, n):
    return None, rng.uniform(0.05, 0.95, size=n)


def rare(rng, n):
    return None, expit(rng.normal(-3.5, 1.0, size=n))


def near_certain(rng, n):
    return None, rng.beta(0.2, 0.2, size=n).clip(1e-4, 1 - 1e-4)


def features(d):
    def make(rng, n):
        X = rng.normal(size=(n, d))
        if rng.random() < 0.5:
            return X, rng.uniform(0.1, 0.9, size=n)
        return X, expit(1.2 * X.sum(axis=1) / np.sqrt(d) + 0.3 * rng.normal(size=n))

    return make


def ten_classes(rng, n):
    if rng.random() < 0.5:
        return None, softmax(1.5 * rng.normal(size=(n, 10)), axis=1)
    return None, rng.dirichlet(np.full(10, 0.5), size=n)


def top_class(X, p):
    """Take up to 0.08 from the largest probability, in proportion to the others."""
    rows, top = np.arange(len(p)), p.argmax(axis=1)
    moved = np.minimum(0.08, p[rows, top] - 0.1)
    truth = p * (1 + moved / (1 - p[rows, top]))[:, np.newaxis]
    truth[rows, top] = p[rows, top] - moved
    return truth


def one_class(X, p):
    return normalise(p * np.where(np.arange(10) == 3, 1.6, 1.0))


def normalise(q):
    return q / q.sum(axis=1, keepdims=True)


GLOBAL = {
    "shift": lambda X, p: p + 0.05,
    "too extreme": lambda X, p: expit(0.75 * logit(p)),
    "not extreme enough": lambda X, p: expit(1.35 * logit(p)),
    "wiggle": lambda X, p: p + 0.1 * np.sin(4 * np.pi * p),
    "fast wiggle": lambda X, p: p + 0.12 * np.sin(10 * np.pi * p),
    "one-sided": lambda X, p: p - 0.1 * (p > 0.5),
    "local bump": lambda X, p: p + 0.2 * np.exp(-(((p - 0.4) / 0.08) ** 2)),
    "curvature": lambda X, p: expit(logit(p) + 0.15 * (logit(p) ** 2 - 1.5)),
}
SPOTS = {
    "rare, too extreme": (rare, lambda X, p: expit(-3.5 + 0.6 * (logit(p) + 3.5))),
    "rare, not extreme enough": (rare, lambda X, p: expit(-3.5 + 1.4 * (logit(p) + 3.5))),
    "near certain, too extreme": (near_certain, lambda X, p: expit(0.75 * logit(p))),
}
LOCAL = {
    "trend": lambda X, p: expit(logit(p) + 0.3 * X[:, 0]),
    "sign of a feature": lambda X, p: p + 0.08 * np.sign(X[:, 0]),
    "small region": lambda X, p: p - 0.22 * (np.abs(X[:, 0] - 0.8) < 0.45),
    "interaction": lambda X, p: expit(logit(p) + 0.5 * X[:, 0] * X[:, 1]),
    "wave": lambda X, p: p + 0.12 * np.sin(3 * X[:, 0]),
    "all features, zero mean": lambda X, p: p + 0.1 * np.sign(X).sum(axis=1) / X.shape[1] ** 0.5,
    "corner": lambda X, p: p - 0.2 * ((X[:, 0] > 0.2) & (X[:, 1] > 0.2)),
}
CLASSES = {
    "top class": top_class,
    "temperature": lambda X, p: normalise(p**0.8),
    "one class": one_class,
}
SINGLE = {
    "global": ["skce", "spiegelhalter", "slope_score", "cox_score", "rank_skce"],
    "local": [
        "klce",
        "logistic_score",
        "feature_rank_skce",
        "normalized_klce",
        "skce",
        "slope_score",
        "rank_skce",
    ],
    "classes": ["skce", "kce", "rank_skce", "temperature_score", "classwise_score"],
}


def scenarios():
    """Yield (kind, name, n, predictions, truth)."""
    for n in (200, 1000):
        for name, truth in GLOBAL.items():
            yield "global", name, n, uniform, truth
    for name, (make, truth) in SPOTS.items():
        yield "global", name, 1000, make, truth
    for d in (2, 6):
        for name, truth in LOCAL.items():
            yield "local", f"{name}, d = {d}", 400, features(d), truth
    for name, truth in CLASSES.items():
        yield "classes", name, 400, ten_classes, truth


def found(kind, n, make, truth, n_repeats, seed=0):
    """Return the share of label sets that each statistic, and omnibus, rejects.

    Parameters
    ----------
    kind : {"global", "local", "classes"}
        Which single statistics are compared.
    n : int
        Rows.
    make : callable
        ``make(rng, n)`` -> features or None, predictions.
    truth : callable
        ``truth(X, p)`` -> the probabilities of which labels are drawn.
    n_repeats : int
        Sets of predictions, each with `N_LABELS` sets of labels.
    seed : int, default=0
        First part of the seed of each set of predictions.
    """
    rejected = dict.fromkeys([*SINGLE[kind], "omnibus"], 0)
    for repeat in range(n_repeats):
        rng = np.random.default_rng([seed, repeat, n])
        X, p = make(rng, n)
        true = truth(X, p)
        if p.ndim == 1:
            true = np.clip(true, 0.0, 1.0)
            true = np.column_stack([1 - true, true])
        labels = list(range(true.shape[1]))
        codes = draw_labels(rng, true, N_LABELS)
        data = check_predictions(codes[:, 0].astype(int), p, X, labels=labels)
        codes = np.hstack([codes, draw_labels(rng, data.proba, N_RESAMPLES)])
        omnibus = prepare_omnibus(data, n_draws=codes.shape[1])
        values = omnibus(codes)
        kinds = [part.alternative for part in omnibus.parts]
        importance = [part.importance for part in omnibus.parts]
        for r in range(N_LABELS):
            outcome = smallest_pvalues(values[:, r], values[:, N_LABELS:], kinds, importance)
            rejected["omnibus"] += outcome.adjusted.min() <= LEVEL
        for name in SINGLE[kind]:
            one = find_statistic(name)
            # A kernel of predictions only must not see the features.
            seen = (
                data
                if one.needs_features
                else check_predictions(codes[:, 0].astype(int), p, labels=labels)
            )
            work = {"n_draws": codes.shape[1]} if one.sums_pairs else {}
            value = one.prepare(seen, **one.options, **work)(codes)
            for r in range(N_LABELS):
                outcome = smallest_pvalues(
                    value[np.newaxis, r], value[np.newaxis, N_LABELS:], [one.alternative]
                )
                rejected[name] += outcome.pvalues[0] <= LEVEL
    return {
        name: round(float(count) / (n_repeats * N_LABELS), 4) for name, count in rejected.items()
    }


def run(quick=False):
    rows = []
    for kind, name, n, make, truth in scenarios():
        n_repeats = 16 if n < 1000 else 10
        if quick:
            n_repeats = 1
        elif n == 200 and name in CLOSE:
            n_repeats = 80
        rates = found(kind, n, make, truth, n_repeats)
        singles = [rate for key, rate in rates.items() if key != "omnibus"]
        row = {"kind": kind, "error": name, "n": n, "label sets": n_repeats * N_LABELS}
        rows.append({**row, "omnibus": rates.pop("omnibus"), "best single": max(singles), **rates})
        print(rows[-1], flush=True)
    return rows
