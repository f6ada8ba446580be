"""Chi-square statistics of groups: observed and expected numbers of events, group by group."""

import numpy as np

from ...._data.bins import quantile_bin_index, starts
from ...._utils.options import check_flag, check_integer
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
    pooled : bool
        Whether :math:`V_g` is the variance at the mean probability of the group, or else the sum
        of the variances of its rows.

    Attributes
    ----------
    dof : int
        Degrees of freedom: the number of groups in which something is uncertain, less the lost
        ones if `in_sample`.
    """

    def __init__(self, predictions, target, n_groups, in_sample, *, n_lost, pooled):
        super().__init__(predictions, target)
        n_groups = check_integer(n_groups, "n_groups", 1)
        self.in_sample = check_flag(in_sample, "in_sample")
        group = quantile_bin_index(self.p, n_groups, predictions.weight)
        # Numbers of 16 bits are sorted in linear time.
        small = group.astype(np.int16) if n_groups < 2**15 else group
        self.order = np.argsort(small, kind="stable")
        self.start = starts(group[self.order])
        square = self.weight**2
        self.spread = self._sums(square * self.variance)
        if pooled:
            total = self._sums(square)
            mean = self._sums(square * self.p) / total
            # Rounding must not make an impossible event possible.
            self.spread = np.where(self.spread > 0.0, total * mean * (1.0 - mean), self.spread)
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
        deviation = self._sums(self.residuals(codes)) ** 2
        return ratio(deviation, np.broadcast_to(self.spread[:, np.newaxis], deviation.shape)).sum(
            axis=0
        )

    def limit(self):
        """Return the distribution for many rows."""
        # Without any uncertain group the statistic is 0 or infinite.
        return chi_squared(max(self.dof, 1))
