"""The parts of the omnibus test: which statistics it puts together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...._data.predictions import Predictions
from ....metrics._metric import Prepared
from ..statistic import find_statistic, statistic_names
from .findings import TELL, Told
from .outcome import LOCAL

_ASPECTS = {
    "slope_score": "slope",
    "cox_score": "slope and shift",
    "logistic_score": "slope, shift and trends along features",
    "rank_skce": "shape",
    "temperature_score": "temperature",
    "classwise_score": "one class",
    "feature_rank_skce": "one feature",
    "normalized_klce": LOCAL,
    "klce": LOCAL,
    "skce": "largest probability",
    "kce": "vector",
}
# Parts that share their errors with others take less of the level; found by simulated power.
_IMPORTANCE = {"cox_score": 0.8}
_LOCAL_IMPORTANCE = {"slope_score": 0.5, "logistic_score": 0.7, "rank_skce": 0.7}
_CLASSES_IMPORTANCE = {"classwise_score": 0.7, "kce": 0.5, "klce": 0.5}
_OPTIONS = {"skce": {"target": "confidence"}}
# The parts for which the low-rank way exists.
_APPROXIMABLE = ("kce", "klce", "normalized_klce")
NAME = "omnibus"


@dataclass(frozen=True, eq=False)
class Part:
    """A part of the omnibus test.

    Attributes
    ----------
    name : str
        The statistic, with a number where one statistic occurs more than once.
    label : str
        How tables call it.
    aspect : str
        Which kind of error it is made to find.
    local : bool
        Whether it reads features.
    error : Prepared
        Gives its value for columns of label codes.
    alternative : {"greater", "two-sided"}
        Which of its values are extreme.
    importance : float
        Its share of the level, relative to other parts.
    tell : callable
        ``tell()`` -> what is wrong with the predictions.
    """

    name: str
    label: str
    aspect: str
    local: bool
    error: Prepared
    alternative: str
    importance: float
    tell: Callable[[], str]


def default_parts(predictions, one_event):
    """Return (statistic, options) of the parts that suit the data, and the importance of some.

    The most specific ones come first. `one_event` says whether only one event of each row is
    tested.
    """
    features = predictions.features is not None
    if one_event and features:
        names = ["slope_score", "logistic_score", "feature_rank_skce", "rank_skce"]
        names, importance = [*names, "normalized_klce"], _LOCAL_IMPORTANCE
    elif one_event:
        names, importance = ["slope_score", "cox_score", "rank_skce"], _IMPORTANCE
    else:
        trend = ["logistic_score"] if features else []
        rest = ["feature_rank_skce", "normalized_klce", "klce"] if features else ["kce"]
        names = ["temperature_score", *trend, "classwise_score", "skce", *rest]
        importance = _CLASSES_IMPORTANCE
    return [(name, _OPTIONS.get(name, {})) for name in names], importance


def check_parts(parts):
    """Return the parts that a caller asks for as pairs of a name and a dict of options."""
    if isinstance(parts, str) or not hasattr(parts, "__iter__"):
        raise ValueError(
            "parts must be a list of statistics, such as ['cox_score', 'ece'] or "
            f"{{'ece': {{'n_bins': 10}}}} with options, got {parts!r}."
        )
    parts = parts.items() if isinstance(parts, Mapping) else parts
    pairs = [tuple(one) if isinstance(one, list | tuple) else (one, {}) for one in parts]
    if not pairs:
        raise ValueError("parts must name at least one statistic, got an empty list.")
    known = [name for name in statistic_names() if name != NAME]
    for pair in pairs:
        a_pair = len(pair) == 2 and isinstance(pair[1], Mapping)
        if not a_pair or pair[0] not in known:
            raise ValueError(
                f"parts must hold names of statistics, or pairs of a name and a dict of options, "
                f"got {pair[0] if a_pair else pair!r}. The statistics are {known}."
            )
        allowed = find_statistic(pair[0]).options
        unknown = sorted(set(pair[1]) - set(allowed))
        if unknown:
            raise ValueError(
                f"parts sets {unknown}, which statistic={pair[0]!r} does not have. Its options are "
                f"{[*allowed]}."
            )
    return pairs


class OnRows(Prepared):
    """A statistic that was prepared for some of the rows, called with the labels of all."""

    def __init__(self, error, rows):
        self.error = error
        self.rows = rows
        self.target = error.target
        self.n_columns = error.n_columns

    def __call__(self, codes):
        return self.error(codes[self.rows])

    def details(self):
        """Return what the statistic used."""
        return self.error.details()


class Subset(NamedTuple):
    """The rows for sums over pairs in more than one dimension.

    Attributes
    ----------
    predictions : Predictions
        The data of these rows.
    rows : ndarray
        Which rows they are.
    """

    predictions: Predictions
    rows: np.ndarray


def prepare_parts(predictions, pairs, importance, *, settings, subset=None, **work):
    """Return the parts, each prepared.

    `pairs` are statistics and their options, whose `importance` is one if it is not there.
    `settings` are `target`, `prob_bandwidth` and `feature_bandwidth`, for the statistics that have
    these. Sums over pairs in more than one dimension use the rows of `subset`, all by default.
    `work` are `algorithm` and `n_draws`.
    """
    names = [name for name, _ in pairs]
    parts = []
    for place, (name, options) in enumerate(pairs):
        description = find_statistic(name)
        if description.needs_features and predictions.features is None:
            raise ValueError(f"The part {name!r} measures local calibration and needs X.")
        sampled = subset is not None and name in _APPROXIMABLE
        data = subset.predictions if sampled else predictions
        data = data if description.needs_features else replace(data, features=None)
        own: dict[str, Any] = {**description.options}
        own |= {key: value for key, value in settings.items() if key in own and value is not None}
        own |= options
        if description.sums_pairs:
            own |= work if name in _APPROXIMABLE else {**work, "algorithm": "auto"}
        error = description.prepare(data, **own)
        told = Told(error, data, description.label, description.meaning)
        unique, label = name, description.label
        if names.count(name) > 1:
            number = names[: place + 1].count(name)
            unique, label = f"{name}_{number}", f"{label} ({number})"
        parts.append(
            Part(
                unique,
                label,
                _ASPECTS.get(name, description.label),
                description.needs_features,
                OnRows(error, subset.rows) if sampled else error,
                description.alternative,
                importance.get(name, 1.0),
                partial(TELL.get(name, TELL[None]), told),
            )
        )
    return parts
