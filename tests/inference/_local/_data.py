"""Labels drawn from their probabilities, with two features that say nothing."""

import numpy as np


def local_data(n=40, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X, proba = rng.normal(size=(n, 2)), rng.dirichlet(np.ones(n_classes), size=n)
    y = np.array([rng.choice(n_classes, p=row) for row in proba])
    return y, proba[:, 1] if n_classes == 2 else proba, X
