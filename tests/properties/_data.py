"""Rows that break things: ties, exact 0 and 1, neighbours of both, weights of all magnitudes.

Every number is chosen from a pool, so that ties are frequent and examples shrink to small indices.
There are at most 20 rows, so that they and their copies share one compiled size of the kernel core.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

MOST_ROWS = 20

# Multiples of 1/64 are exact in float32, and so is one minus them.
DYADIC = np.arange(65) / 64
# Close to 0 and 1, edges of bins, and numbers that are not exact.
ROUGH = np.r_[
    [5e-324, 1e-300, 1e-160, 1e-17, 1e-9, 1e-4, 0.1, 0.3, 1 / 3, 0.7, 0.9],
    [1 - 1e-4, 1 - 1e-9, 1 - 2.0**-53],
    np.arange(1, 15) / 15,
]
# The tie of two classes comes last.
POOLS = {True: np.r_[0.25, 0.0, 1.0, DYADIC[DYADIC != 0.5], 0.5]}
POOLS[False] = np.r_[0.25, 0.0, 1.0, ROUGH, POOLS[True]]
QUERIES = np.r_[0.0, 1.0, 0.125, 0.875, 0.25, 0.75, 0.375, 0.625]

WEIGHTS = {
    "none": None,
    "counts": np.array([1.0, 0.0, 2.0, 3.0]),
    "positive": np.array([1.0, 0.25, 2.5, 0.7]),
    "magnitudes": np.r_[1.0, 0.0, 10.0 ** np.arange(-12, 13)],
}

FEATURES = np.array([0.0, 1.0, -1.0, 0.5, 2.0, 1e-3, 10.0, -3.25])


def _simplex(n_classes, *, exact):
    """Return rows of probabilities, those with two largest entries last."""
    rng = np.random.default_rng(n_classes)
    parts = rng.multinomial(64, rng.dirichlet(np.ones(n_classes)), size=40)
    rows = [*np.eye(n_classes), *rng.permuted(parts / 64, axis=1)]
    rows += [*np.roll(np.r_[0.5, 0.5, np.zeros(n_classes - 2)], 1)[np.newaxis]]
    if not exact:
        rows.append(np.full(n_classes, 1 / n_classes))
        for small in (1e-300, 1e-17, 1e-9):
            rows.append(np.r_[1.0 - small * (n_classes - 1), np.full(n_classes - 1, small)])
            rows.append(np.r_[small, 0.25, 0.75, np.zeros(n_classes - 3)])
        rows += [*rng.dirichlet(np.ones(n_classes), size=20)]
    rows = np.array(rows)
    ordered = np.sort(rows, axis=1)
    tied = ordered[:, -1] == ordered[:, -2]
    return np.r_[rows[~tied], rows[tied]], np.count_nonzero(~tied)


_SIMPLICES = {(k, exact): _simplex(k, exact=exact) for k in (3, 4) for exact in (True, False)}


@dataclass(frozen=True)
class Rows:
    """Labels as column numbers, predictions, features, groups and weights.

    Attributes
    ----------
    y : ndarray of shape (n,)
    proba : ndarray of shape (n,) or (n, n_classes)
    X : ndarray of shape (n, 2)
    group : ndarray of shape (n,)
        Either of two; if every class is asked for, each group has rows of each class.
    weight : ndarray of shape (n,) or None
    names : ndarray of shape (n_classes,)
        What users call the classes, in sorted order.
    query : ndarray of shape (m,) or (m, n_classes)
        Other predictions, at which something is asked.
    query_features : ndarray of shape (m, 2)
        Their features.
    """

    y: np.ndarray
    proba: np.ndarray
    X: np.ndarray
    group: np.ndarray
    weight: np.ndarray | None
    names: np.ndarray
    query: np.ndarray
    query_features: np.ndarray

    @property
    def n(self):
        """Number of rows."""
        return self.y.size

    @property
    def n_classes(self):
        """Number of classes."""
        return self.names.size

    @property
    def labels(self):
        """The labels of the rows, as users have them."""
        return self.names[self.y]

    @property
    def weights(self):
        """The weights; ones if there are none."""
        return np.ones(self.n) if self.weight is None else self.weight

    def take(self, rows):
        """Return some rows, by position."""
        weight = None if self.weight is None else self.weight[rows]
        return self.but(
            y=self.y[rows],
            proba=self.proba[rows],
            X=self.X[rows],
            group=self.group[rows],
            weight=weight,
        )

    def but(self, **changes):
        """Return the rows with other arrays."""
        return replace(self, **changes)

    def __post_init__(self):
        for value in vars(self).values():
            if value is not None:
                value.flags.writeable = False  # nothing may be written into what users pass


@st.composite
def rows(
    draw,
    *,
    classes=(2, 3, 4),
    weights=("none", "counts", "positive", "magnitudes"),
    exact=False,
    tied=True,
    least=2,
    every_class=False,
):
    """Draw `Rows`.

    Parameters
    ----------
    classes : sequence of int
        Numbers of classes to choose from.
    weights : sequence of str
        Kinds of weights to choose from.
    exact : bool
        Whether all probabilities are multiples of 1/64.
    tied : bool
        Whether two classes of a row may have the largest probability.
    least : int
        Least number of rows, all of which have a positive weight.
    every_class : bool
        Whether two rows of each class, one of each group, have a positive weight.
    """
    n_classes = draw(st.sampled_from(classes))
    pool = WEIGHTS[draw(st.sampled_from(weights))]
    if n_classes == 2:
        points = POOLS[exact]
        n_points, query = points.size if tied else points.size - 1, QUERIES
    else:
        points, untied = _SIMPLICES[n_classes, exact]
        n_points, query = len(points) if tied else untied, points[: QUERIES.size]
    least = max(least, 2 * n_classes) if every_class else least
    # One number stands for all that is drawn for a row: drawing takes most of the time.
    sizes = (n_points, n_classes, 1 if pool is None else pool.size, FEATURES.size**2)
    row = st.integers(0, math.prod(sizes) - 1)
    drawn = draw(st.lists(row, min_size=least, max_size=MOST_ROWS))
    point, y, weighed, featured = np.unravel_index(drawn, sizes)
    y, group = y.copy(), featured % 2
    if every_class:
        y[: 2 * n_classes] = np.repeat(np.arange(n_classes), 2)
        group[: 2 * n_classes] = np.tile([0, 1], n_classes)
    weight = None if pool is None else pool[weighed]
    if weight is not None:
        weight[:least][weight[:least] == 0.0] = 1.0
    return Rows(
        y,
        points[point],
        FEATURES[np.stack(np.divmod(featured, FEATURES.size), axis=1)],
        np.array(["a", "b"])[group],
        weight,
        np.arange(n_classes),
        query,
        FEATURES[np.stack(np.divmod(np.arange(0, 56, 7), FEATURES.size), axis=1)],
    )


def permutations(n):
    """Draw an order of n rows."""
    return st.permutations(range(n)).map(np.array)
