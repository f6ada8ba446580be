"""The predictions of several models for the same rows."""

from collections.abc import Mapping

import numpy as np

from ..._data.arrays import refuse_lazy
from ..._data.named_columns import table_names
from ..._data.predictions import check_predictions


def check_models(y_true, y_probas, X, **data):
    """Return the validated predictions of each model by its name.

    `y_probas` are predictions by name; the columns of a table; or a list of predictions, which are
    called "model 0", "model 1", ... `data` are `sample_weight`, `pos_label` and `labels`.
    """
    models = {}
    for name, proba in _by_name(y_probas).items():
        try:
            models[name] = check_predictions(y_true, proba, X, **data)
        except ValueError as error:
            raise ValueError(f"The predictions of {name!r} in y_probas: {error}") from error
    (first, one), *others = models.items()
    for name, other in others:
        if not np.array_equal(other.classes, one.classes):
            raise ValueError(
                f"The models must predict the same classes in the same order; {first!r} has "
                f"{one.classes.tolist()} and {name!r} {other.classes.tolist()}. Pass labels= or "
                "pos_label=."
            )
    return models


def _by_name(y_probas):
    """Return predictions as a dict with at least two entries."""
    refuse_lazy(y_probas, "y_probas")
    names = table_names(y_probas)
    if isinstance(y_probas, Mapping):
        models = dict(y_probas)
    elif names is not None:
        models = {name: np.asarray(y_probas[name]) for name in names}
        if len(models) < len(names):
            raise ValueError(f"The columns of y_probas must have different names, got {names}.")
    elif isinstance(y_probas, list | tuple):
        models = {f"model {k}": proba for k, proba in enumerate(y_probas)}
    else:
        raise ValueError(
            "y_probas must be a dict of name to probabilities, a table with one column per model, "
            f"or a list of arrays, got {type(y_probas).__name__}."
        )
    if len(models) < 2:
        raise ValueError(
            f"y_probas must hold the predictions of at least two models, got {len(models)}. For "
            "one model use check_calibration."
        )
    texts = [str(name) for name in models]
    if len(set(texts)) < len(texts):
        raise ValueError(f"The names of the models must differ as texts, got {[*models]}.")
    return dict(zip(texts, models.values()))
