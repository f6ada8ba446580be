"""Data and splits for the tests of mergeable states."""

from typing import NamedTuple

import numpy as np


class Rows(NamedTuple):
    """Rows as users have them."""

    y: np.ndarray
    proba: np.ndarray
    weight: np.ndarray | None

    def part(self, rows):
        """Return the arguments of `update` for some rows."""
        weight = None if self.weight is None else self.weight[rows]
        return {"y_true": self.y[rows], "y_proba": self.proba[rows], "sample_weight": weight}


def make_rows(n_classes, n, seed, *, weighted):
    """Return miscalibrated rows with ties, and with probabilities of exactly 0 and 1."""
    rng = np.random.default_rng(seed)
    weight = rng.choice([0.0, 0.25, 1.0, 2.5], n) if weighted else None
    if weight is not None:
        weight[: n_classes + 2] = 1.0
    if n_classes == 2:
        proba = rng.beta(0.7, 1.0, n)
        proba[::5] = np.round(proba[::5], 1)
        y = (rng.random(n) < proba**1.3).astype(int)
        y[:2] = [0, 1]
        return Rows(y, proba, weight)
    proba = rng.dirichlet(np.full(n_classes, 0.6), n)
    proba[:n_classes] = np.eye(n_classes)
    mixed = 0.7 * proba + 0.3 / n_classes
    y = (mixed.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=n_classes - 1)
    y[1 : n_classes + 1] = np.arange(n_classes)
    return Rows(y, proba, weight)
