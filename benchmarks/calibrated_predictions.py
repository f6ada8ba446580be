"""The cost of calibrating what is calibrated: log loss in excess of the truth, times the rows.

Labels are drawn from the predicted probabilities, so the best map is the identity. The excess is
the expectation over the labels of 20,000 fresh rows, that is the Kullback-Leibler divergence,
averaged over seeds. One parameter fitted by maximum likelihood costs 1 / (2 n), so the excess is
given times n. The limits for the adaptive calibrator are 0.6 / n for two classes and 1.3 / n for
five, in the mean over seeds.
"""

import numpy as np

from ._arena import data
from ._arena import methods as rivals

COMPARED = (
    "adaptive",
    "temperature",
    "Platt",
    "beta",
    "vector",
    "matrix",
    "Venn-Abers",
    "isotonic",
)
LIMIT = {2: 0.6, 5: 1.3}
CONCENTRATIONS = {"uniform": 1.0, "confident": 0.3}  # of a Dirichlet distribution
SEEDS = {100: 200, 1000: 200, 10_000: 50}
N_TEST = 20_000
SMALLEST = 1e-15


def draw(n, n_classes, concentration, rng):
    """Return probabilities, and labels drawn from them."""
    proba = rng.dirichlet(np.full(n_classes, concentration), size=n)
    y = (rng.uniform(size=(n, 1)) > np.cumsum(proba, axis=1)[:, :-1]).sum(axis=1)
    return proba, y


def divergence(truth, proba):
    """Return the mean Kullback-Leibler divergence of predicted from true probabilities."""
    ratio = np.log(np.maximum(truth, SMALLEST)) - np.log(np.maximum(proba, SMALLEST))
    return float(np.mean(np.sum(truth * ratio, axis=1)))


def excess(method, n, n_classes, concentration, seed):
    """Return the excess log loss of a method fitted on n rows."""
    rng = np.random.default_rng([seed, n, n_classes])
    proba, y = draw(n, n_classes, concentration, rng)
    fresh = draw(N_TEST, n_classes, concentration, rng)[0]
    part = data.Predictions("calibrated", "truth", y, y, proba, fresh)
    fit, predict = rivals.own(rivals.OWN[method], part)
    fit()
    return divergence(fresh, predict())


def run(quick=False):
    """Return one row per number of classes, shape, number of rows and method."""
    rows = []
    for n_classes in LIMIT:
        for shape, concentration in CONCENTRATIONS.items():
            for n, n_seeds in SEEDS.items():
                if quick and n > 1000:
                    continue
                for method in COMPARED:
                    found = n * np.array(
                        [
                            excess(method, n, n_classes, concentration, seed)
                            for seed in range(3 if quick else n_seeds)
                        ]
                    )
                    error = found.std(ddof=1) / np.sqrt(found.size)
                    rows.append(
                        {
                            "classes": n_classes,
                            "probabilities": shape,
                            "n": n,
                            "method": method,
                            "excess times n": float(f"{found.mean():.3g}"),
                            "standard error": float(f"{error:.2g}"),
                            "at most": LIMIT[n_classes] if method == "adaptive" else None,
                            "seeds": found.size,
                        }
                    )
    return rows
