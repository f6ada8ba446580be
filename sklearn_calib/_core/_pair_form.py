"""The pair form: one prepared object that answers the off-diagonal sum for many columns."""

import numpy as np

from ._gate import call, pad_rows, size_bucket
from ._geometry import scaled


class PairForm:
    """Off-diagonal quadratic form of a kernel on fixed points.

    Attributes
    ----------
    algorithm : str
        The way that answers.
    certificate : None or tuple
        Error statement of the low-rank way.
    """

    certificate = None

    def __init__(self, algorithm, n, evaluate):
        self.algorithm = algorithm
        self._n = n
        self._evaluate = evaluate

    def __call__(self, columns):
        """Return `sum_{i != j} k(r_i, r_j) v_ic v_jc` for each column, shape (n_columns,)."""
        columns = np.asarray(columns, dtype=np.float64).reshape(self._n, -1)
        return self._evaluate(columns)


def pair_form(
    points,
    *,
    kernel,
    bandwidth,
    algorithm="auto",
    n_columns=1,
    tol=1e-6,
    max_rank=None,
    seed=0,
):
    """Prepare the sum `sum_{i != j} k(r_i, r_j) v_i v_j` on fixed points."""
    points = scaled(points, bandwidth)
    n = len(points)
    size = size_bucket(n)
    tile = min(512, size & -size)
    padded = pad_rows(points, size)

    def evaluate(columns):
        from ._tiles import tile_sums

        return call(tile_sums, padded, pad_rows(columns, size), kernel=kernel, tile=tile)

    return PairForm("tiles", n, evaluate)
