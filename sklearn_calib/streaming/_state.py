"""The mergeable state of calibration metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Bunch

from .._data.arrays import check_weights
from .._data.bins import check_edges, check_n_bins
from .._data.sums import NotMergeableError
from .._utils.dask_collections import is_partitioned
from .._utils.docs import fill_doc
from .._utils.options import check_bandwidth, check_option
from .._utils.results import to_plain
from .._utils.types import Bandwidth, Bins, Edges, Label, Options
from ..metrics._binned.bin_table import BinTable, bin_table
from ..metrics._binned.binned_error import BINNED_TARGETS
from ._sums.binned_rows import totals_of_bins
from ._sums.classes import Classes
from ._sums.documents import plain_totals, read_sums
from ._sums.group_frame import group_frame
from ._sums.group_rows import GroupRows
from ._sums.measures import Plan, Table, add_groups, add_tables, read_measures
from ._sums.merging import Adding
from ._sums.row_sums import RowSums
from ._sums.scores import SCORES

if TYPE_CHECKING:
    import pandas as pd

_DEFAULT = ("ece", "mce", "log_loss", "brier")


@fill_doc()
class CalibrationState(Adding):
    """Calibration metrics of rows that come in batches, from any number of machines.

    The state holds sums over rows. It is updated batch by batch and merged with the states of
    other parts of the data, and the metrics follow from the sums. They equal those of all rows in
    one array, whatever the order of the rows, the batches and the merges. The size of the state
    does not depend on the number of rows.

    Parameters
    ----------
    metrics : str, sequence of str or mapping of str to mapping, \
default=("ece", "mce", "log_loss", "brier")
        Names of metrics, their functions, or a mapping of the names to their options, such as
        ``{"ece": {}, "kce": {"squared": False}}``. An option "metric" gives the name of the metric
        where the result is to have another one: ``{"root": {"metric": "ece", "norm": "l2"}}``.
        :ref:`many_machines` lists the metrics that can be merged.
    target : str, default="auto"
        Which calibration is measured, for all metrics that have this option; see :func:`ece
        <sklearn_calib.metrics.ece>`. The table of groups shows it, too.
    n_bins : int, default=15
        Number of bins of equal width, for all metrics that have this option.
    bins : array-like of shape (n_edges,), default=None
        Increasing edges from 0 to 1 that take the place of `n_bins`.
    closed : {"left", "right"}, default="left"
        The side on which bins are closed.
    bandwidth : float, default=0.2
        Bandwidth of the kernel errors, as in their scorers. Their own default "median" depends on
        all rows.
    pos_label : int, float, bool or str, default=None
        The positive class of binary data, as in the metrics.
    <<labels_of_batches>>

    See Also
    --------
    sklearn_calib.metrics.calibration_bins : The table of rows in one array.
    sklearn_calib.calibration_by_group : Groups with intervals and tests.

    Notes
    -----
    "log_loss" and "brier" are :func:`sklearn.metrics.log_loss` and
    :func:`sklearn.metrics.brier_score_loss` of float64 probabilities: the Brier score is the mean
    of ``(y - p) ** 2`` for two classes, and of the sum of these squares over the classes for more.
    Rows of three or more classes whose sum is off by more than 1e-8, such as those of float32, are
    divided by it before.

    Sums are kept in twice the precision of float64, so that results from different splits of the
    rows agree to about 1e-15. An update takes O(n) time and memory for a batch of n rows. States
    can be pickled.

    Examples
    --------
    >>> from sklearn_calib.streaming import CalibrationState
    >>> monday = CalibrationState().update([0, 1, 1], [0.2, 0.7, 0.9])
    >>> tuesday = CalibrationState().update([0, 0, 1], [0.1, 0.4, 0.6])
    >>> both = monday.merge(tuesday)
    >>> both.n_samples
    6
    >>> round(both.result()["ece"], 4)
    0.25
    >>> CalibrationState.from_json(both.to_json()).result() == both.result()
    True
    """

    def __init__(
        self,
        metrics: str | Sequence[str] | Mapping[str, Options] = _DEFAULT,
        *,
        target: str = "auto",
        n_bins: Bins = 15,
        bins: Edges | None = None,
        closed: str = "left",
        bandwidth: Bandwidth = 0.2,
        pos_label: Label | None = None,
        labels: ArrayLike | None = None,
    ) -> None:
        check_option(target, "target", BINNED_TARGETS)
        check_option(closed, "closed", ("left", "right"))
        check_n_bins(n_bins)
        check_bandwidth(bandwidth)
        common: dict[str, Any] = {"target": target, "closed": closed, "bandwidth": bandwidth}
        common |= {"n_bins": n_bins}
        common |= {"bins": None if bins is None else tuple(check_edges(bins).tolist())}
        self._common = common
        self._measures = read_measures(metrics, common)
        self._classes = Classes.of_options(labels, pos_label)
        self._plan: Plan | None = None
        if self._classes.found is not None:
            self._plan = self._plan_for(self._classes)
        else:
            Plan(self._measures, 2, target)  # raises for options that never work
        self._table: Table | None = None
        self._groups: dict[tuple[str, str | None], Table] = {}
        self._group_names: tuple[str, ...] | None = None

    def _plan_for(self, classes):
        return Plan(self._measures, classes.found.size, self._common["target"])

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the results."""
        return tuple(self._measures)

    @property
    def n_samples(self) -> int:
        """Number of rows of positive weight."""
        return 0 if self._table is None else int(self._table[RowSums()].values[0])

    @property
    def classes(self) -> np.ndarray | None:
        """The class of each column, for two classes (negative, positive); None if not known yet."""
        return self._classes.found

    @property
    def group_columns(self) -> tuple[str, ...]:
        """Names of the columns that define groups."""
        return self._group_names or ()

    def update(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: Any = None,
    ) -> CalibrationState:
        """Add a batch of rows.

        Parameters
        ----------
        <<y_true_or_dask>>
        <<y_proba>>
        <<sample_weight>>
        groups : DataFrame, Series, dict of str to array-like, or array-like of shape \
(n_samples,) or (n_samples, n_columns), default=None
            Columns of text, booleans, whole numbers or categorical types, each value of which is
            a group. Either all batches have groups, in columns of the same names, or none.

        <<returns_updated>>
        """
        if is_partitioned(y_true, y_proba, sample_weight, groups):
            rows = {"y_true": y_true, "y_proba": y_proba, "sample_weight": sample_weight}
            return self._add_partitions(**rows, groups=groups)
        predictions, classes = self._classes.read(y_true, y_proba, sample_weight)
        if predictions is None:
            return self
        plan = self._plan or self._plan_for(classes)
        table = plan.collect(predictions)
        names, parts = None, {}
        if groups is not None:
            grouped = GroupRows(groups, y_true)
            names = grouped.names
            weight = check_weights(sample_weight, len(np.asarray(y_true)))
            kept = None if weight is None or weight.all() else weight > 0.0
            parts = {key: plan.collect(predictions.take(rows)) for key, rows in grouped(kept)}
        if self._table is not None and names != self._group_names:
            raise ValueError(
                f"groups has the columns {_show_names(names)}, and the rows before have "
                f"{_show_names(self._group_names)}. Pass the same columns with every batch."
            )
        self._plan, self._classes, self._group_names = plan, classes, names
        self._table = table if self._table is None else add_tables(self._table, table)
        self._groups = add_groups([self._groups, parts])
        return self

    def _merged(self, other):
        classes = self._classes.merge(other._classes)
        merged = self._without_rows(classes)
        held = [one for one in (self, other) if one._table is not None]
        if len(held) == 2 and self._group_names != other._group_names:
            raise ValueError(
                f"The states differ in the columns of groups: {_show_names(self._group_names)} "
                f"and {_show_names(other._group_names)}. Pass the same columns to both."
            )
        for one in held:
            assert one._table is not None
            merged._group_names = one._group_names
            merged._table = (
                one._table if merged._table is None else add_tables(merged._table, one._table)
            )
        merged._groups = add_groups([one._groups for one in held])
        return merged

    def _without_rows(self, classes):
        copy = object.__new__(CalibrationState)
        copy._common, copy._measures = self._common, self._measures
        copy._classes = classes
        copy._plan = None if classes.found is None else copy._plan_for(classes)
        copy._table, copy._groups, copy._group_names = None, {}, None
        return copy

    def result(self) -> dict[str, float]:
        """Return the metrics of all rows.

        Returns
        -------
        values : dict of str to float
            The value of each metric.

        Raises
        ------
        ValueError
            If there are no rows, or too few for a metric.
        """
        plan, table = self._filled()
        return plan.values(table)

    def bounds(self) -> dict[str, float]:
        """Return how far each metric may be from its value for the rows in one array.

        Returns
        -------
        bounds : dict of str to float
            Zero for metrics that are exact up to rounding.
        """
        plan, table = self._filled()
        return plan.bounds(table)

    def bins(self) -> Bunch:
        """Return the table of bins, as :func:`~sklearn_calib.metrics.calibration_bins` does.

        Returns
        -------
        table : :class:`~sklearn.utils.Bunch`
            `edges`, `count`, `prob_pred` and `prob_true`.

        Raises
        ------
        ValueError
            If there are no rows, or no metric of the state has bins.
        """
        plan, table = self._filled()
        names = ("target", "n_bins", "bins", "closed")
        options = {name: self._common[name] for name in names}
        wanted = bin_table(plan.n_classes, **options)
        tables = [one for one in plan.sums if isinstance(one, BinTable) and one is not plan.events]
        if wanted not in tables and not tables:
            raise NotMergeableError("No metric of the state has bins. Add 'ece' to metrics.")
        found = wanted if wanted in tables else tables[0]
        return found.bunch(table[found])

    def group_table(self) -> pd.DataFrame:
        """Return observed and predicted rates and the metrics of each group.

        Returns
        -------
        frame : DataFrame
            One row per group, and per class with ``target="classwise"`` or "top_label": `feature`,
            `category`, `class` (then only), `n`, `weight`, `observed`, `predicted`, `gap` (observed
            minus predicted), and a column for each metric of the rows of the group, NaN where it
            has too few.

        Raises
        ------
        ValueError
            If no batch had groups.
        """
        plan, _ = self._filled()
        if not self._groups:
            raise ValueError("The state has no groups. Pass groups= to every update.")
        return group_frame(plan, self._groups, self.group_columns, self.classes)

    def _filled(self):
        if self._plan is None or self._table is None:
            raise ValueError("The state holds no rows yet. Call update with at least one row.")
        return self._plan, self._table

    def _settings(self):
        return {
            **{name: to_plain(value) for name, value in self._common.items()},
            **self._classes.settings,
            "metrics": {
                key: {"metric": one.name, **to_plain(one.options)}
                for key, one in self._measures.items()
            },
        }

    def _content(self):
        plan = self._plan
        sums = () if plan is None else plan.sums

        def plain(table):
            return [plain_totals(table[one]) for one in sums]

        given = {
            key: {"metric": one.name, **to_plain(one.given)} for key, one in self._measures.items()
        }
        content = {
            "metrics": given,
            "options": {name: to_plain(value) for name, value in self._common.items()},
            "classes": self._classes.to_plain(),
            "totals": None if self._table is None else plain(self._table),
            "group_columns": None if self._group_names is None else list(self._group_names),
            "groups": [[*key, plain(table)] for key, table in self._groups.items()],
        }
        return content

    @classmethod
    def _of_content(cls, content):
        state = cls(content["metrics"], **content["options"])
        state._classes = Classes.of_plain(content["classes"])
        if state._classes.found is not None:
            state._plan = state._plan_for(state._classes)
        sums = () if state._plan is None else state._plan.sums

        def read(parts):
            return read_sums(sums, parts)

        if content["totals"] is not None:
            state._table = read(content["totals"])
        state._groups = {(key[0], key[1]): read(parts) for *key, parts in content["groups"]}
        if content["group_columns"] is not None:
            state._group_names = tuple(content["group_columns"])
        return state

    @classmethod
    def from_bins(
        cls,
        table: Any,
        metrics: str | Sequence[str] | Mapping[str, Options] = ("ece", "mce"),
        *,
        n_bins: Bins = 15,
        bins: Edges | None = None,
        closed: str = "left",
    ) -> CalibrationState:
        """Return the state of rows that a data base has added up bin by bin.

        Parameters
        ----------
        table : DataFrame or mapping of str to array-like
            One row per bin that is not empty, for two classes with labels 0 and 1 and without
            weights, with the columns

            bin : the number of the bin, from 0,
            n : the number of rows,
            events : how many of them have label 1,
            sum_proba : the sum of their probabilities p of label 1,
            sum_variance : the sum of ``p * (1 - p)``,
            sum_log_loss, sum_brier : sums of the scores of the rows, needed for these metrics
            only.
        metrics : str, sequence of str or mapping of str to mapping, default=("ece", "mce")
            Metrics with bins, "observed_expected_ratio", "log_loss" and "brier".
        n_bins : int, default=15
            Number of bins, as in the constructor.
        bins : array-like of shape (n_edges,), default=None
            Edges of the bins, as in the constructor.
        closed : {"left", "right"}, default="left"
            Which edge belongs to a bin, as in the constructor.

        Returns
        -------
        state : CalibrationState
            With the classes 0 and 1. It merges with other states of the same settings.

        Raises
        ------
        ValueError
            If a column is missing, the sums are not those of rows in these bins, or a metric needs
            more than bins.
        """
        state = cls(metrics, n_bins=n_bins, bins=bins, closed=closed)
        classes = Classes(found=np.array([0, 1]), certain=True)
        plan = state._plan_for(classes)
        scores = {one.name for one in state._measures.values() if one.name in SCORES}
        state._table = totals_of_bins(plan, scores, table)
        state._classes, state._plan = classes, plan
        return state

    def __repr__(self) -> str:
        """Return the number of rows and the metrics."""
        return f"CalibrationState(n_samples={self.n_samples}, metrics={self.metrics})"


def _show_names(names):
    return "none" if names is None else str(list(names))
