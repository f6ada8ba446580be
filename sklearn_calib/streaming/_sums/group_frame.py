"""The table of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._data.features import word_for_missing
from ..._data.group_columns import natural_key
from .measures import Plan, Table
from .row_sums import RowSums

if TYPE_CHECKING:
    import pandas as pd


def ratio_or_nan(values, weight):
    """Return values over weights, NaN where there is no weight."""
    return np.divide(values, weight, out=np.full(weight.shape, np.nan), where=weight > 0)


def group_frame(
    plan: Plan,
    groups: Mapping[tuple[str, str | None], Table],
    columns: Sequence[str],
    classes: np.ndarray | None,
) -> pd.DataFrame:
    """Return observed and predicted rates and the metrics of each group.

    The key of a group in `groups` is (column, value), with None for missing values; `columns` says
    in which order the columns come.
    """
    import pandas as pd

    position = {name: k for k, name in enumerate(columns)}
    rows = []
    for column, value in sorted(groups, key=lambda key: (position[key[0]], *natural_key(key[1]))):
        table = groups[column, value]
        shown = value
        if value is None:
            shown = word_for_missing(key[1] for key in groups if key[0] == column)
        counts = plan.events.columns(table[plan.events])
        for k in range(plan.events.n_curves):
            weight = counts.weight[k]
            observed, predicted = (
                float(ratio_or_nan(part[k], weight)[0]) for part in (counts.events, counts.proba)
            )
            row: dict[str, Any] = {"feature": column, "category": shown}
            if plan.events.n_curves > 1:
                row["class"] = None if classes is None else classes[k]
            row |= {"n": int(table[RowSums()].values[0]), "weight": float(weight[0])}
            row |= {"observed": observed, "predicted": predicted, "gap": observed - predicted}
            rows.append({**row, **_values_or_nan(plan, table)})
    return pd.DataFrame(rows)


def _values_or_nan(plan, table):
    """Return the metrics of a group, NaN where it has too few rows."""
    values = {}
    for key, one in plan.merged.items():
        try:
            values[key] = one.value(table[one.sums])
        except ValueError:
            values[key] = float("nan")
    return values
