"""The table of calibration by group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..._utils.options import check_integer
from ..._utils.results import Result, cut, one_line, tell_apart

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 3
_LONGEST = 50


class AllRows(NamedTuple):
    """All rows together, for one event.

    Attributes
    ----------
    event : label or None
        The class, with ``target="classwise"``.
    n : int
        Number of rows.
    observed, predicted, gap, gap_low, gap_high : float
        As in :class:`GroupCalibration`; the limits hold for this gap alone.
    pvalue : float
        P-value of this gap alone.
    """

    event: object
    n: int
    observed: float
    predicted: float
    gap: float
    gap_low: float
    gap_high: float
    pvalue: float


class GroupCurves(NamedTuple):
    """The reliability curve of each row of the table, in ten bins of equal width.

    Attributes
    ----------
    prob_true, prob_pred : ndarray of shape (n_rows, n_bins)
        Observed rate and mean prediction in each bin, NaN where it is empty.
    counts : ndarray of shape (n_rows, n_bins)
        Rows in each bin.
    """

    prob_true: np.ndarray
    prob_pred: np.ndarray
    counts: np.ndarray


@dataclass(frozen=True, repr=False, eq=False)
class GroupCalibration(Result):
    """Outcome of :func:`calibration_by_group`.

    The arrays have one entry for each group, with ``target="classwise"`` one for each group and
    class. :meth:`to_frame` puts them side by side, and :attr:`verdict` says in words which groups
    are wrong.

    Attributes
    ----------
    feature : ndarray of str
        The column; for several columns together "sex & race".
    category : ndarray of str
        The category, or the range of a number that was cut.
    label : ndarray of str
        Both, such as "sex = Female".
    event : ndarray or None
        The class, with ``target="classwise"``.
    n : ndarray of int
        Rows of positive weight.
    weight : ndarray of float
        Their weight.
    observed, predicted : ndarray of float
        Observed rate and mean predicted probability of the event.
    gap : ndarray of float
        Observed minus predicted; positive where the predictions are too low.
    gap_low, gap_high : ndarray of float
        Limits of an interval for the gap.
    pvalue : ndarray of float
        Family-wise p-value: is the group wrong beyond what worse groups explain? NaN for groups
        with fewer than `min_rows` rows.
    pvalue_marginal : ndarray of float
        Family-wise p-value of the gap as it is, whichever rows it comes from.
    explained_by : list of str or None
        The label of the group that explains the gap, where the gap is significant by itself but
        not given worse groups.
    log_loss : ndarray of float
        Mean log loss.
    error : ndarray of float
        The calibration error `metric` of the group on its own; NaN below `min_rows` rows.
    overall : list of AllRows
        All rows together: one entry, or one per class.
    curves : GroupCurves
        The reliability curve of each group.
    target : str
        Which calibration was looked at.
    metric : str or None
        What `error` is.
    interval : {"simultaneous", "pointwise"}
        Whether the limits hold for all gaps together.
    alpha : float
        Level of the p-values that count as significant, and of the intervals.
    critical_value : float
        The largest standardised gap of a calibrated model exceeds it with probability `alpha`.
    n_resamples : int
        Number of drawn sets of labels.
    min_rows : int
        Fewest rows of a group that is tested.

    See Also
    --------
    calibration_by_group : Makes it.

    Examples
    --------
    >>> from sklearn_calib import calibration_by_group
    >>> y_true, y_proba = [0, 1, 1, 0] * 10, [0.2, 0.6, 0.9, 0.4] * 10
    >>> result = calibration_by_group(y_true, y_proba, {"site": ["a", "b"] * 20}, random_state=0)
    >>> result.to_frame()[["category", "n", "observed", "predicted"]].round(3).values.tolist()
    [['a', 20, 0.5, 0.55], ['b', 20, 0.5, 0.5]]
    """

    _summary = (
        "verdict",
        "n_groups",
        "n_tested",
        "n_significant",
        "target",
        "alpha",
        "critical_value",
        "n_resamples",
        "min_rows",
    )

    feature: np.ndarray
    category: np.ndarray
    label: np.ndarray
    event: np.ndarray | None
    n: np.ndarray
    weight: np.ndarray
    observed: np.ndarray
    predicted: np.ndarray
    gap: np.ndarray
    gap_low: np.ndarray
    gap_high: np.ndarray
    pvalue: np.ndarray
    pvalue_marginal: np.ndarray
    explained_by: list
    log_loss: np.ndarray
    error: np.ndarray
    overall: list
    curves: GroupCurves
    target: str
    metric: str | None
    interval: str
    alpha: float
    critical_value: float
    n_resamples: int
    min_rows: int

    @property
    def significant(self) -> np.ndarray:
        """Whether each group is wrong at level `alpha`."""
        return self.pvalue <= self.alpha

    @property
    def n_groups(self) -> int:
        """Number of groups (times classes)."""
        return len(self.n)

    @property
    def n_tested(self) -> int:
        """Number of groups (times classes) that are tested."""
        return int(np.count_nonzero(~np.isnan(self.pvalue)))

    @property
    def n_significant(self) -> int:
        """Number of groups (times classes) that are wrong."""
        return int(np.count_nonzero(self.significant))

    @property
    def worst(self) -> np.ndarray:
        """Positions of the groups that are wrong, smallest p-value and then largest gap first."""
        found = np.flatnonzero(self.significant)
        return found[np.lexsort((-np.abs(self.gap[found]), self.pvalue[found]))]

    @property
    def verdict(self) -> str:
        """Which groups are wrong, in words."""
        worst = self.worst
        if not worst.size:
            smallest = np.nanmin(self.pvalue)
            if self.n_tested == 1:
                return f"The group is not wrong at level {self.alpha:g} (p = {smallest:.3g})."
            return (
                f"None of {self.n_tested:,} groups is wrong at level {self.alpha:g} "
                f"(smallest p = {smallest:.3g})."
            )
        named = "; ".join(self.describe(k) for k in worst[:_NAMED])
        more = f"; and {worst.size - _NAMED} more" if worst.size > _NAMED else ""
        are = "is" if worst.size == 1 else "are"
        if self.n_tested == 1:
            return f"The group is wrong: {named}."
        return f"{worst.size:,} of {self.n_tested:,} groups {are} wrong: {named}{more}."

    def describe(self, k: int) -> str:
        """Describe a group in words.

        Parameters
        ----------
        k : int
            Its position.

        Returns
        -------
        text : str
            Such as "sex = Female (690 rows, predicted 0.419, observed 0.365, p = 0.002)".
        """
        k = check_integer(k, "k", 0)
        if k >= len(self.label):
            raise ValueError(f"k must be below the number of groups, {len(self.label)}, got {k}.")
        label = cut(str(self.label[k]), _LONGEST)
        which = "" if self.event is None else f", class {self.event[k]}"
        predicted, observed = tell_apart(self.predicted[k], self.observed[k])
        return one_line(
            f"{label}{which} ({self.n[k]:,} rows, predicted {predicted}, "
            f"observed {observed}, p = {self.pvalue[k]:.3g})"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the table.

        Returns
        -------
        frame : DataFrame
            One row per group (and class), with `feature`, `category`, `class` (with
            ``target="classwise"`` only), `n`, `weight`, `observed`, `predicted`, `gap`,
            `gap_low`, `gap_high`, `pvalue`, `pvalue_marginal`, `explained_by` ("" for none),
            `log_loss` and `error`.
        """
        import pandas as pd

        which = {} if self.event is None else {"class": self.event}
        names = ("n", "weight", "observed", "predicted", "gap", "gap_low", "gap_high", "pvalue")
        return pd.DataFrame(
            {
                "feature": self.feature,
                "category": self.category,
                **which,
                **{name: getattr(self, name) for name in names},
                "pvalue_marginal": self.pvalue_marginal,
                "explained_by": [one or "" for one in self.explained_by],
                "log_loss": self.log_loss,
                "error": self.error,
            }
        )
