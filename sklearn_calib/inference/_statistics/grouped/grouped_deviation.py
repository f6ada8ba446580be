"""Chi-square statistics of groups: observed and expected numbers of events, group by group."""

from functools import partial

import numpy as np

from ...._data.bins import bin_index, check_edges, quantile_bin_index, starts
from ...._data.sums import Mergeable, NotMergeableError
from ...._data.targets import resolve_event
from ...._utils.options import check_flag, check_integer
from ....metrics._binned.bin_table import bin_table
from ..limits import chi_squared
from ..one_event import OneEvent, ratio


class GroupedDeviation(OneEvent):
    r"""The sum over groups of :math:`(O_g - E_g)^2 / V_g`.

    Parameters
    ----------
    predictions : Predictions
        Validated data.
    target : str
        As in `OneEvent`.
    n_groups : int
        Number of groups of about equal weight; equal probabilities share a group, so that there
        can be fewer.
    in_sample : bool
        Whether the rows are those that the probabilities were fitted on.
    n_lost : int
        Degrees of freedom that the fit takes.
    bins : array-like of shape (n_edges,) or None
        Edges of the groups, closed on the left, in place of `n_groups`.
    pooled : bool
        Whether :math:`V_g` is the variance at the mean probability of the group, or else the sum
        of the variances of its rows.

    Attributes
    ----------
    dof : int
        Degrees of freedom: the number of groups in which something is uncertain, less the lost
        ones if `in_sample`.
    """

    def __init__(self, predictions, target, n_groups, in_sample, *, n_lost, pooled, bins=None):
        super().__init__(predictions, target)
        n_groups = check_integer(n_groups, "n_groups", 1)
        self.in_sample = check_flag(in_sample, "in_sample")
        if bins is None:
            group = quantile_bin_index(self.p, n_groups, predictions.weight)
        else:
            group = bin_index(self.p, check_edges(bins))
        # Numbers of 16 bits are sorted in linear time.
        small = group.astype(np.int16) if group.max() < 2**15 else group
        self.order = np.argsort(small, kind="stable")
        self.start = starts(group[self.order])
        square = self.weight**2
        self.spread = self._sums(square * self.variance)
        if pooled:
            self.spread = pooled_variance(
                self.spread, self._sums(square), self._sums(square * self.p)
            )
        self.dof = int(np.count_nonzero(self.spread)) - (n_lost if self.in_sample else 0)
        if self.in_sample and self.dof < 1:
            raise ValueError(
                f"in_sample=True takes {n_lost} of the degrees of freedom, and there are only "
                f"{self.dof + n_lost} groups with different probabilities. Use a larger n_groups, "
                "or rows that the model has not seen."
            )

    def _sums(self, values):
        """Return the sums of the groups over the first axis."""
        return np.add.reduceat(values[self.order], self.start, axis=0)

    def __call__(self, codes):
        if self.in_sample and codes.ndim > 1:
            raise ValueError(
                "in_sample=True corrects the degrees of freedom of null='asymptotic'. Labels drawn "
                "from predictions do not show how the fit to the labels made the statistic "
                "smaller, so the other nulls do not apply to rows that the model was fitted on."
            )
        return chi_square(self._sums(self.residuals(codes)), self.spread[:, np.newaxis])

    def limit(self):
        """Return the distribution for many rows."""
        # Without any uncertain group the statistic is 0 or infinite.
        return chi_squared(max(self.dof, 1))


def chi_square(deviation, variance):
    """Return the sum of squared deviations over their variances, over the first axis."""
    squares = deviation**2
    return ratio(squares, np.broadcast_to(variance, squares.shape)).sum(axis=0)


def pooled_variance(variance, squares, square_proba):
    """Return the variance that groups have if every row has the mean probability.

    Parameters
    ----------
    variance, squares, square_proba : ndarray of shape (n_groups,)
        Sums of ``w**2 p (1 - p)``, ``w**2`` and ``w**2 p``.
    """
    mean = np.divide(square_proba, squares, out=np.zeros_like(squares), where=squares > 0.0)
    # Rounding must not make an impossible event possible.
    return np.where(variance > 0.0, squares * mean * (1.0 - mean), variance)


def merge_groups(n_classes, *, pooled, n_groups, in_sample, target, bins):
    """Return the `Mergeable` of a `GroupedDeviation` with given edges.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    pooled, n_groups, in_sample, target, bins : object
        As `GroupedDeviation` takes them.
    """
    check_integer(n_groups, "n_groups", 1)
    check_flag(in_sample, "in_sample")
    if bins is None:
        raise NotMergeableError(
            "groups of equal size depend on all rows. Give their edges as bins=, such as "
            "[0, 0.1, 0.2, 0.5, 1], or quantiles of the probabilities of some rows."
        )
    target = resolve_event(target, n_classes)
    table = bin_table(n_classes, n_bins=1, bins=bins, target=target)
    return Mergeable(table, partial(_of_totals, table, pooled))


def _of_totals(table, pooled, totals):
    columns = table.columns(totals)
    variance = columns.square_variance[0]
    if pooled:
        variance = pooled_variance(variance, columns.squares[0], columns.square_proba[0])
    return float(chi_square(table.excess(totals)[0], variance))
