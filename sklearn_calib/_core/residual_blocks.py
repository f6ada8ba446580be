"""Residuals of an event for many sets of labels, a few rows at a time."""

import numpy as np

# Numbers of a block, which stay in the cache of the processor, and rows of one.
_NUMBERS, _FEWEST_ROWS, _MOST_ROWS = 1 << 16, 64, 2048
# Multiplications of a product of matrices up to which BLAS does not split it among threads, which
# would wait for each other while other threads are at work.
ONE_THREAD = 1 << 18


class ResidualBlocks:
    """The probabilities of an event in some order of the rows, from which residuals follow.

    All residuals of many sets of labels would take eight bytes each, and the time to write them to
    memory and to read them again. Blocks of rows are made, used and forgotten.

    Parameters
    ----------
    proba : ndarray of shape (n_samples,) or None
        Probability of the event; None for blocks that say where it happened, as 0.0 and 1.0.
    order : ndarray of shape (n_samples,), default=None
        The rows in the order in which they are wanted; as they are by default.
    """

    def __init__(self, proba, order=None):
        self.order = order
        self.proba = proba if proba is None or order is None else proba[order]

    def __call__(self, happened, most=_NUMBERS):
        """Yield the residuals of the rows, block by block.

        Parameters
        ----------
        happened : ndarray of bool or float of shape (n_samples, n_columns)
            Whether the event happened, for several sets of labels; or any columns of numbers.
        most : int, default=65536
            About how many numbers a block has at most.

        Yields
        ------
        rows : slice
            Places of the rows in their order.
        block : ndarray of shape (n_rows, n_columns)
            ``happened - proba`` of these rows. It is the caller's to change.
        """
        n_samples, n_columns = happened.shape
        size = min(_MOST_ROWS, max(_FEWEST_ROWS, most // max(1, n_columns)))
        for start in range(0, n_samples, size):
            rows = slice(start, min(start + size, n_samples))
            if self.order is None:
                block = happened[rows].astype(np.float64)
            else:
                block = np.take(happened, self.order[rows], axis=0).astype(np.float64, copy=False)
            if self.proba is not None:
                block -= self.proba[rows, np.newaxis]
            yield rows, block

    def products(self, matrix, happened):
        """Return the sums of the residuals with several numbers for each row.

        Parameters
        ----------
        matrix : ndarray of shape (n_sums, n_samples)
            The numbers, in the order of the rows.
        happened : ndarray of shape (n_samples, n_columns)
            As above.

        Returns
        -------
        sums : ndarray of shape (n_sums, n_columns)
        """
        # One row would be a vector, whose product is split among threads at a smaller size.
        factors = np.repeat(matrix, 2, axis=0) if len(matrix) == 1 else matrix
        sums = np.zeros((len(factors), happened.shape[1]))
        for rows, block in self(happened, min(_NUMBERS, ONE_THREAD // len(factors))):
            sums += factors[:, rows] @ block
        return sums[: len(matrix)]

    def square_sums(self, weight, happened):
        """Return the weighted sums of the squared residuals, shape (n_columns,)."""
        factors, sums = np.stack([weight, weight]), np.zeros((2, happened.shape[1]))
        for rows, block in self(happened):
            sums += factors[:, rows] @ np.multiply(block, block, out=block)
        return sums[0]

    def group_sums(self, first, happened, weight=None):
        """Return the sums of the residuals of groups of successive rows.

        Parameters
        ----------
        first : ndarray of shape (n_groups,)
            Where each group begins; the first one with the first row, and none is empty.
        happened : ndarray of shape (n_samples, n_columns)
            As above.
        weight : ndarray of shape (n_samples,), default=None
            Weights in the order of the rows; ones by default.

        Returns
        -------
        sums : ndarray of shape (n_groups, n_columns)
        """
        sums = np.zeros((first.size, happened.shape[1]))
        for rows, block in self(happened):
            if weight is not None:
                block *= weight[rows, np.newaxis]
            low, high = np.searchsorted(first, [rows.start, rows.stop])
            starts = first[low:high] - rows.start
            if not starts.size or starts[0] > 0:  # the block begins inside a group
                low, starts = low - 1, np.concatenate([[0], starts])
            sums[low:high] += np.add.reduceat(block, starts, axis=0)
        return sums
