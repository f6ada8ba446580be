"""The pair form: one prepared object that answers the off-diagonal sum for many columns."""

import numpy as np

from .distances import shorten_gaps, two_axes
from .gate import load_jax
from .matches import cells_on_a_line, merge_codes
from .planner import plan

# Columns go in portions whose working copy stays below 256 MiB.
_PORTION = 1 << 25


class PairForm:
    """Off-diagonal quadratic form of a kernel on fixed points.

    Attributes
    ----------
    algorithm : {"line", "fourier", "windows", "tiles", "low_rank"}
        The way that answers.
    certificate : None or LowRankCertificate
        How far the low-rank way is from the exact form; None for exact ways.
    """

    def __init__(self, algorithm, way):
        self.algorithm = algorithm
        self.certificate = way.certificate
        self._way = way

    def __call__(self, columns):
        """Return `sum_{i != j} k(r_i, r_j) v_ic v_jc` for each column of weighted residuals."""
        return self._in_portions(self._way, two_axes(columns))

    def of_events(self, happened, proba, weight):
        """Evaluate the form of the residuals of an event.

        Parameters
        ----------
        happened, proba, weight : ndarray
            As in `Way.of_events`.

        Returns
        -------
        ndarray of shape (n_columns,)
            What a call gives for the columns `weight * (happened - proba)`, in less time.
        """
        return self._in_portions(lambda part: self._way.of_events(part, proba, weight), happened)

    def _in_portions(self, evaluate, columns):
        n_columns = columns.shape[1]
        step = max(1, _PORTION // self._way.column_size)
        forms = np.empty(n_columns)
        for start in range(0, n_columns, step):
            part = columns[:, start : start + step]
            forms[start : start + step] = evaluate(part)[: part.shape[1]]
        return forms


def pair_form(
    points,
    *,
    kernel,
    bandwidth,
    codes=None,
    similarity=None,
    algorithm="auto",
    n_columns=1,
    tol=1e-8,
    max_rank=400,
    seed=0,
):
    """Prepare the sum `sum_{i != j} k(r_i, r_j) v_i v_j` on fixed points.

    Parameters
    ----------
    points : ndarray of shape (n,) or (n, d)
        Positions.
    kernel : {"laplacian", "rbf"}
        `exp(-d)` or `exp(-d**2)` of the Euclidean distance d of positions over bandwidths.
    bandwidth : float or ndarray of shape (d,)
        Distance divisor, one for all coordinates or one each. A product of RBF kernels on blocks
        of coordinates is one RBF on all of them.
    codes : ndarray of int of shape (n, n_codes), default=None
        Categories: the kernel is multiplied by 1 for each column in which the points agree, and by
        `similarity` for each in which they differ.
    similarity : float or ndarray of shape (n_codes,), default=None
        Kernel between different codes, in [0, 1); needed with `codes`.
    algorithm : {"auto", "line", "fourier", "windows", "tiles", "low_rank"}, default="auto"
        The way; `"auto"` takes the cheapest exact one.
    n_columns : int, default=1
        How many columns the form will be asked for; a hint for the choice.
    tol : float, default=1e-8
        Low rank: stop once this share of the trace is left unexplained.
    max_rank : int, default=400
        Low rank: stop at this rank. The factor takes `8 * n * max_rank` bytes.
    seed : int, default=0
        Low rank: seed of the random pivots.

    Returns
    -------
    PairForm
        Call it with columns.

    Raises
    ------
    ValueError
        If the kernel is unknown, or the algorithm does not apply to kernel and dimension.

    Notes
    -----
    =========== ============================== =============================================
    way         for                            time for n points and C columns
    =========== ============================== =============================================
    line        Laplacian, one dimension       O(n log n + n C)
    fourier     RBF, one dimension             O(n m C), m = 12 + 2 range / bandwidth
    windows     RBF, one dimension             O(n log n + n C), any bandwidth
    tiles       any                            O(n^2 (d + C)), O(n C) memory
    low_rank    RBF, approximate               O(n rank (rank + C)), O(n rank) memory
    =========== ============================== =============================================

    With codes of similarity zero, points in different cells never meet. In one dimension the cells
    are put one behind the other on the line, so that its ways apply; tiles leave out what is zero.
    """
    points = two_axes(points)
    n, dimension = points.shape
    bandwidth = np.broadcast_to(np.asarray(bandwidth, dtype=np.float64), dimension)
    bandwidth, (points,) = shorten_gaps(bandwidth, points)
    matches = merge_codes(n, codes, similarity)
    on_line = None
    if dimension == 1 and matches.n_cells > 1 and not matches.codes.size:
        on_line = cells_on_a_line(points, bandwidth, kernel, matches.cells)
    if on_line is not None:
        points, matches = on_line, merge_codes(n, None, None)
    apart = matches.n_cells > 1 or bool(matches.codes.size)
    span = np.ptp(points) / bandwidth[0] if dimension == 1 else None
    algorithm = plan(
        algorithm,
        kernel=kernel,
        dimension=dimension,
        n=n,
        n_columns=n_columns,
        span=span,
        categories=apart,
    )
    # The ways are imported here because most of them use JAX.
    if algorithm not in ("fourier", "windows", "low_rank"):
        load_jax()
    if algorithm == "line":
        from .ways.line import Line

        way = Line(points, bandwidth)
    elif algorithm == "fourier":
        from .ways.fourier import Fourier

        way = Fourier(points, bandwidth)
    elif algorithm == "windows":
        from .ways.windows import Windows

        way = Windows(points, bandwidth)
    elif algorithm == "tiles":
        from .ways.tiles import Tiles

        way = Tiles(points, bandwidth, matches, kernel)
    else:
        from .ways.low_rank import LowRank

        way = LowRank(points, bandwidth, matches, tol=tol, max_rank=max_rank, seed=seed)
    return PairForm(algorithm, way)
