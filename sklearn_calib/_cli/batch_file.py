"""Read the predictions of a report from a file in parts, none of which is kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .._data.partitions import find_classes, read_batch
from .._data.predictions import Predictions
from ..report._batches.collect import Extent
from .source_file import SourceFile, TableError, has_decimal_comma
from .table_file import (
    check_number_of_rows,
    check_number_of_weights,
    labels_of_rows,
    probabilities_of_rows,
    weights_of_rows,
)

# More different labels than this are no classes.
_MOST_LABELS = 10_000
_NUMBERS = {"i", "u", "f"}


class _Part(NamedTuple):
    """A file from one of its rows on, for messages that name a line.

    Attributes
    ----------
    source : SourceFile
    start : int
        Number of the first row.
    """

    source: SourceFile
    start: int

    @property
    def path(self):
        return self.source.path

    def place(self, row):
        """Return the file and the line of a row of the part."""
        return self.source.place(self.start + row)

    def decimals(self, columns):
        """Return the largest number of decimals in some columns of the whole file."""
        return self.source.decimals(tuple(columns))


class BatchFile:
    """The rows of a file, in parts.

    Parameters
    ----------
    path : str
        The file.
    y_true : str
        Column of the labels.
    y_proba : list of str
        Columns of the probabilities.
    weight : str or None
        Column of the weights.
    n_rows : int
        Largest number of rows of a part.
    """

    def __init__(self, path: str, y_true: str, y_proba: list[str], weight: str | None, n_rows: int):
        self.source = SourceFile(path)
        self.y_true, self.y_proba, self.weight = y_true, y_proba, weight
        self.n_rows = n_rows
        self.text: tuple[str, ...] = ()

    def labels(self) -> np.ndarray:
        """Read the file once; return its different labels in the type that they have together.

        Sets what the parts cannot tell: whether numbers have a decimal comma, and whether the
        column of the labels holds anything but numbers.
        """
        found: dict[str, set] = {}
        n_rows = 0
        wanted = list(dict.fromkeys([self.y_true, *self._numeric]))
        self.n_samples, self.total, self.square = 0, 0.0, 0.0
        for start, frame in self.source.parts(wanted, self.n_rows, self.text):
            part = _Part(self.source, start)
            if not len(frame):
                continue
            if self._has_comma(frame):
                self.source.decimal = ","
                return self.labels()
            values = np.unique(labels_of_rows(part, frame[self.y_true]))
            found.setdefault(values.dtype.kind, set()).update(values.tolist())
            if sum(len(labels) for labels in found.values()) > _MOST_LABELS:
                raise TableError(
                    f"{self.source.path}: column {self.y_true!r} has more than {_MOST_LABELS} "
                    "different values; labels are those of classes"
                )
            n_rows += len(frame)
            weights = np.ones(len(frame))
            if self.weight:
                weights = weights_of_rows(part, frame[self.weight])
            self.n_samples += int(np.count_nonzero(weights))
            self.total += float(weights.sum())
            self.square += float(weights @ weights)
        check_number_of_rows(self.source.path, n_rows)
        if self.weight:
            check_number_of_weights(self.source, self.weight, self.n_samples)
        if len(found) > 1 and not found.keys() <= _NUMBERS and not self.text:
            self.text = (self.y_true,)
            return self.labels()
        return np.unique(np.array([label for kind in found.values() for label in kind]))

    def find_extent(self, found: np.ndarray, pos_label: Any, labels: list | None) -> Extent:
        """Return what is known of all rows.

        `found` is what `labels` returned, and the user may name the positive class and all classes.
        """
        self.own_order = labels is None
        self.classes = find_classes(found, len(self.y_proba), self.y_proba, pos_label, labels)
        weighted = self.weight is not None
        return Extent(self.n_samples, self.classes, self.total, self.square, weighted)

    def batches(self) -> Iterator[Predictions]:
        """Read the file; yield the rows of positive weight of each part."""
        wanted = list(dict.fromkeys([self.y_true, *self._numeric]))
        for start, frame in self.source.parts(wanted, self.n_rows, self.text):
            if not len(frame):
                continue
            part = _Part(self.source, start)
            weight = weights_of_rows(part, frame[self.weight]) if self.weight else None
            predictions = read_batch(
                labels_of_rows(part, frame[self.y_true]),
                probabilities_of_rows(part, frame[self.y_proba]),
                weight,
                self.classes,
                self.own_order,
            )
            if predictions is not None:
                yield predictions

    @property
    def _numeric(self):
        return [*self.y_proba, *([self.weight] if self.weight else [])]

    def _has_comma(self, frame):
        """Return whether numbers have a decimal comma, which only other separators allow."""
        if self.source.separator in (None, ",") or self.source.decimal == ",":
            return False
        return any(frame[name].map(has_decimal_comma).any() for name in self._numeric)
