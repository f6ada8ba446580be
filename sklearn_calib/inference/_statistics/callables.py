"""Statistics that are called with labels and probabilities in the form in which users have them."""

from copy import copy
from inspect import signature

import numpy as np

from ..._data.arrays import check_same_length, check_weights
from ..._data.labels import check_labels
from ..._data.named_columns import arrange_table
from ..._data.predictions import check_predictions
from ..._utils.compat import safe_indexing
from ..._utils.fitting_context import from_predict_proba
from ...metrics._metric import Prepared

_DATA_OPTIONS = ("sample_weight", "pos_label", "labels")


class CallableStatistic(Prepared):
    """A callable with its data, to be evaluated on drawn labels or on drawn rows.

    It is called as ``function(y_true, y_proba, **params)``, with `X` as third argument if it is
    given, and with weights and labels as far as the signature names them. Rows of weight zero are
    left out.
    """

    def __init__(self, function, y_true, y_proba, X, params, *, sample_weight, pos_label, labels):
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)
        self.predictions = check_predictions(
            y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels
        )
        self.y = check_labels(y_true)
        classes = self.predictions.classes
        if classes.size > 2 or classes.dtype.kind != "O":
            y_proba = arrange_table(y_proba, np.sort(classes))
        self.arguments: tuple = (y_proba,)
        if X is not None:
            check_same_length(y_true=self.y, X=np.asarray(X))
            self.arguments = (y_proba, X)
        weight = check_weights(sample_weight, self.y.size)
        if weight is not None and not weight.all():
            kept = np.flatnonzero(weight)
            self.y = self.y[kept]
            self.arguments = tuple(safe_indexing(argument, kept) for argument in self.arguments)
        self.arguments = tuple(_read_only(argument) for argument in self.arguments)
        self.options = self._options(params, pos_label)

    def _options(self, params, pos_label):
        """Return the keyword arguments, having checked that the callable takes them."""
        classes = self.predictions.classes
        available = {
            "labels": None if classes.dtype.kind == "O" else np.sort(classes),
            "pos_label": pos_label,
            "sample_weight": self.predictions.weight,
        }
        available = {k: v for k, v in available.items() if v is not None and k not in params}
        try:
            parameters = signature(self.function)
            bound = parameters.bind(self.y, *self.arguments, **params)
        except TypeError as error:
            call = ", ".join(["y_true", "y_proba", *(["X"] if len(self.arguments) == 2 else [])])
            raise ValueError(
                f"{self.name} is called as {self.name}({call}{''.join(f', {k}=' for k in params)}),"
                f" which does not fit: {error}. X is passed exactly if it is given."
            ) from error
        except ValueError:  # a compiled function without a signature
            return params
        taken = [*bound.arguments][: len(bound.args)]
        if len(self.arguments) == 2 and len(taken) > 2 and taken[2] in _DATA_OPTIONS:
            raise ValueError(f"{self.name} does not use X: its third argument is {taken[2]!r}.")
        if "sample_weight" in available and "sample_weight" not in parameters.parameters:
            raise ValueError(
                f"{self.name} has no parameter sample_weight, so it would ignore the weights. Add "
                "the parameter or leave out sample_weight."
            )
        return {**{k: v for k, v in available.items() if k in parameters.parameters}, **params}

    def __call__(self, codes):
        """Return one value per column of label codes."""
        classes = self.predictions.classes
        if classes.dtype.kind == "O":
            raise ValueError(
                f"{self.name} is evaluated on drawn labels, and y_true holds only {classes[1]!r}. "
                "Pass labels=, the sorted pair of classes."
            )
        drawn = classes[codes.reshape(codes.shape[0], -1).astype(np.intp)]
        return np.array([self._value(y, self.arguments, self.options) for y in drawn.T])

    def of_rows(self, rows):
        """Return the value of the data at these rows."""
        part = self.part(rows)
        return part._value(part.y, part.arguments, part.options)

    def part(self, rows):
        """Return the same callable with the data at these rows."""
        part = copy(self)
        part.y = self.y[rows]
        part.arguments = tuple(safe_indexing(argument, rows) for argument in self.arguments)
        if self.options.get("sample_weight") is not None:
            weight = safe_indexing(self.options["sample_weight"], rows)
            part.options = {**self.options, "sample_weight": weight}
        return part

    def _value(self, y, arguments, options):
        with from_predict_proba():  # looked at before
            value = self.function(y, *arguments, **options)
        if np.ndim(value) != 0 or np.asarray(value).dtype.kind not in "biuf":
            raise ValueError(f"{self.name} must return one number, got {value!r}.")
        return float(value)


def _read_only(values):
    """Return an array that cannot be changed: a callable that sorts it would spoil later draws."""
    if isinstance(values, np.ndarray):
        values = values.view()
        values.flags.writeable = False
    return values
