"""Corrections of p-values for the number of comparisons."""

import numpy as np

CORRECTIONS = ("holm", "bonferroni", "none")


def adjust(pvalues, correction):
    """Return p-values that are corrected for their number; NaN is no comparison and stays NaN.

    "bonferroni" multiplies each by their number m; "holm" multiplies the smallest by m, the next by
    m - 1 and so on, and makes none smaller than the one before. "none" leaves them as they are.
    """
    pvalues = np.asarray(pvalues, dtype=float)
    order = np.argsort(pvalues, kind="stable")[: np.count_nonzero(~np.isnan(pvalues))]
    adjusted = pvalues.copy()
    if correction == "none":
        return adjusted
    factor = np.full(order.size, float(order.size))
    if correction == "holm":
        factor -= np.arange(order.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(factor * pvalues[order]), 1.0)
    return adjusted
