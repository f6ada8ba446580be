r"""The test that exchanges two models in random rows, and the interval that belongs to it.

If two models are equally good, it does not matter which of them made which prediction, so the two
predictions of a row can change places. For a mean of differences :math:`d_i`, a change of places
turns the sign of :math:`d_i`. The hypothesis that the mean is :math:`\delta` is tested with
:math:`d_i - \delta`, and a set F of flipped rows has a sum that is at least as large in size as
that of the data exactly if :math:`\delta` lies between the mean of F and the mean of the other
rows. So all hypotheses that are not rejected form an interval whose ends are order statistics of
these subset means.
"""

import numpy as np

_TIE = 1e-12


def subset_ranges(differences, weight, flipped):
    """Return the range between the mean of the flipped and the mean of the other rows.

    `differences` of scores are finite, with one column per measure, and `flipped`, of shape
    (n_draws, n_samples), says which rows are flipped. Ends, of shape (n_draws, n_measures), are
    infinite where no row, or every row, is flipped.
    """
    chosen = flipped.astype(float)
    weighted = weight[:, np.newaxis] * differences
    parts = []
    for choice in (chosen, 1.0 - chosen):
        mass = (choice @ weight)[:, np.newaxis]
        parts.append(
            np.divide(
                choice @ weighted,
                mass,
                out=np.full((len(choice), weighted.shape[1]), np.nan),
                where=mass > 0.0,
            )
        )
    low, high = np.fmin(*parts), np.fmax(*parts)
    whole = np.isnan(parts[0]) | np.isnan(parts[1])
    return np.where(whole, -np.inf, low), np.where(whole, np.inf, high)


def infer_mean(low, high, scale, alpha):
    """Return the p-value of a mean of zero and the interval of the means that are not rejected.

    `low` and `high` are the ranges of the draws, and `scale`, the largest difference in size, tells
    what is zero, for both alike: an end so close to zero is zero.
    """
    tie = _TIE * scale
    pvalue = (1 + np.count_nonzero((low <= tie) & (high >= -tie))) / (1 + low.size)
    rank = int(np.floor(alpha * (low.size + 1) + 1e-9))
    if rank < 1:
        return pvalue, -np.inf, np.inf
    return pvalue, *_ends(np.sort(low)[rank - 1], np.sort(high)[::-1][rank - 1], tie)


def infer_difference(observed, draws, alpha):
    """Return the p-value of a difference among draws, and the interval that agrees with it.

    The interval is the difference plus and minus the smallest size that would not be rejected, so
    it leaves zero out exactly if the p-value is at most alpha.
    """
    size = np.abs(draws)
    tie = _TIE * max(size.max(initial=0.0), abs(observed))
    pvalue = (1 + np.count_nonzero(size >= abs(observed) - tie)) / (1 + size.size)
    rank = int(np.floor(alpha * (size.size + 1) + 1e-9))
    if rank < 1:
        return pvalue, -np.inf, np.inf
    half = np.sort(size)[::-1][rank - 1]
    return pvalue, *_ends(observed - half, observed + half, tie)


def _ends(low, high, tie):
    """Return the ends of an interval, zero if they differ from it no more than a tie."""
    return tuple(0.0 if abs(end) <= tie else float(end) for end in (low, high))
