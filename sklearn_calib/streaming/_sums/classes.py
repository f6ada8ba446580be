"""The classes of a stream: given, or found in the batches so that they are those of all rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._data.arrays import check_numeric, check_scale
from ..._data.labels import check_labels, check_pos_label, same_label, sorted_pair
from ..._data.named_columns import arrange_table
from ..._data.predictions import Predictions, check_predictions
from ..._utils.arguments.named_errors import naming
from ..._utils.dask_collections import refuse_partitioned
from ..._utils.fitting_context import from_predict_proba
from ..._utils.results import to_plain
from .documents import plain_array, read_array


@dataclass(frozen=True, eq=False)
class Classes:
    """What is known of the classes.

    Attributes
    ----------
    labels : ndarray or None
        What the user gave as `labels`.
    pos_label : object
        What the user gave as `pos_label`.
    found : ndarray of shape (n_classes,) or None
        The class of each column, for two classes (negative, positive); None before the first row.
    certain : bool
        Whether the negative class has been seen, and not only been guessed from the positive one.
    """

    labels: np.ndarray | None = None
    pos_label: Any = None
    found: np.ndarray | None = None
    certain: bool = False

    @classmethod
    def of_options(cls, labels: Any, pos_label: Any) -> Classes:
        """Return the classes that a user gives, checked as far as they are known."""
        check_pos_label(pos_label)
        if labels is None:
            return cls(None, pos_label)
        array = check_labels(labels, "labels")
        # A batch of one row without information finds what is wrong with the labels.
        n_columns = 1 if array.size <= 2 else array.size
        proba = np.full((1, n_columns), 1.0 / max(n_columns, 2))
        own = cls(array, pos_label)
        classes = check_predictions(array[:1], proba, pos_label=pos_label, labels=array).classes
        return replace(own, found=classes, certain=True)

    @property
    def settings(self) -> dict[str, Any]:
        """What the user gave, as plain values."""
        labels = None if self.labels is None else self.labels.tolist()
        return {"pos_label": to_plain(self.pos_label), "labels": labels}

    def to_plain(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "labels": plain_array(self.labels),
            "pos_label": to_plain(self.pos_label),
            "found": plain_array(self.found),
            "certain": self.certain,
        }

    @classmethod
    def of_plain(cls, content: Mapping[str, Any]) -> Classes:
        """Return the classes of `to_plain`."""
        labels, found = (read_array(content[name]) for name in ("labels", "found"))
        return cls(labels, content["pos_label"], found, content["certain"])

    def read(
        self, y_true: Any, y_proba: Any, sample_weight: Any
    ) -> tuple[Predictions | None, Classes]:
        """Return the rows of a batch, and what is known of the classes now.

        The rows are None if none has a positive weight.
        """
        refuse_partitioned(y_true=y_true, y_proba=y_proba, sample_weight=sample_weight)
        with naming("y_true"):
            without_rows = is_empty(y_true)
        if without_rows:
            _check_empty(y_proba=y_proba, sample_weight=sample_weight)
            return None, self
        y_proba, labels, pos_label = self._for_batch(y_proba)
        weightless = sample_weight is not None and not np.any(
            check_numeric(sample_weight, "sample_weight")
        )
        weight = np.ones(np.shape(sample_weight)) if weightless else sample_weight
        with from_predict_proba():  # a batch of few rows says nothing about the others
            predictions = check_predictions(
                y_true, y_proba, sample_weight=weight, pos_label=pos_label, labels=labels
            )
        check_scale(predictions.weight)
        found = predictions.classes
        certain = self.certain or found.size > 2 or _occurs(found[0], check_labels(y_true))
        classes = self.merge(Classes(self.labels, self.pos_label, found, certain))
        return (None if weightless else predictions), classes

    def _for_batch(self, y_proba):
        """Return probabilities, `labels` and `pos_label` for a batch."""
        if not self.certain or self.found is None:
            return y_proba, self.labels, self.pos_label
        with naming("y_proba"):
            n_columns = 1 if np.ndim(y_proba) < 2 else np.shape(y_proba)[1]
        if max(n_columns, 2) != self.found.size:
            raise ValueError(
                f"y_proba has {n_columns} column{'s' if n_columns > 1 else ''}, but there are "
                f"{self.found.size} classes: {self.found.tolist()}. Pass one column per class in "
                "every batch."
            )
        ordered = sorted_pair(self.found) if self.found.size == 2 else self.found
        pos_label = self.found[1] if self.found.size == 2 else None
        if self.labels is None:  # nobody has said in which order the columns come but their names
            y_proba = arrange_table(y_proba, ordered)
        return y_proba, ordered, pos_label

    def merge(self, other: Classes) -> Classes:
        """Return what both know together, or raise if they differ."""
        if other.found is None or self.found is None:
            return self if other.found is None else replace(self, **_known(other))
        mine, theirs = self.found, other.found
        if mine.size == theirs.size == 2 and not (self.certain and other.certain):
            same = same_label(mine[1], theirs[1])
        else:
            same = mine.size == theirs.size and all(map(same_label, mine, theirs))
        if not same:
            raise ValueError(
                f"The classes differ: {mine.tolist()} and {theirs.tolist()}. Pass labels= (and "
                "pos_label= for two classes) to every state, so that all columns mean the same."
            )
        return self if self.certain or not other.certain else replace(self, **_known(other))


def refuse_differences(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """Raise unless two states have the same settings."""
    for name in mine:
        if mine[name] != theirs[name]:
            raise ValueError(
                f"The states differ in {name}: {mine[name]!r} and {theirs[name]!r}. Make both with "
                "the same settings."
            )


def _known(classes):
    return {"found": classes.found, "certain": classes.certain}


def _occurs(label, y):
    return any(same_label(label, one) for one in np.unique(y))


def is_empty(values: Any) -> bool:
    """Return whether a batch has no rows."""
    shape = np.shape(values)
    return len(shape) > 0 and shape[0] == 0


def _check_empty(**arrays):
    """Raise unless all arrays of an empty batch are empty."""
    for name, values in arrays.items():
        if values is not None and not is_empty(values):
            raise ValueError(
                f"y_true is empty, but {name} has {np.shape(values)[0]} rows. Pass as many labels."
            )
