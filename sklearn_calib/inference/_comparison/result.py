"""The objects that hold the outcome of a comparison of models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..._utils.options import shorten
from ..._utils.results import Result, one_line
from .verdict import deciding_measure, write_verdict

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False, eq=False)
class ModelDifference(Result):
    """The difference of two models in one score or error, lower being better.

    Attributes
    ----------
    measure : str
        The score or metric.
    label : str
        How it is called in words.
    first, second : str
        The two models.
    first_value, second_value : float
        Their values.
    difference : float
        ``second_value - first_value``; negative if the second model is better.
    low, high : float
        Ends of the interval of the difference; NaN if a value is infinite.
    pvalue : float
        That of the hypothesis that the models are equally good; NaN if a value is infinite.
    adjusted_pvalue : float
        The p-value corrected for the number of pairs.

    See Also
    --------
    compare_calibration : Makes it.

    Examples
    --------
    >>> from sklearn_calib import compare_calibration
    >>> models = {"a": [0.2, 0.6, 0.9, 0.4], "b": [0.1, 0.7, 0.8, 0.3]}
    >>> result = compare_calibration([0, 1, 1, 0], models, random_state=0)
    >>> one = result.differences[0]
    >>> one.measure, one.first, one.second, round(one.difference, 3)
    ('log_loss', 'a', 'b', -0.077)
    """

    _summary = (
        "measure",
        "first",
        "second",
        "first_value",
        "second_value",
        "difference",
        "low",
        "high",
        "pvalue",
        "adjusted_pvalue",
    )

    measure: str
    label: str
    first: str
    second: str
    first_value: float
    second_value: float
    difference: float
    low: float
    high: float
    pvalue: float
    adjusted_pvalue: float

    def turned(self) -> ModelDifference:
        """Return the same comparison with the two models in the other order.

        Returns
        -------
        turned : ModelDifference
            Its difference and interval have the other sign.
        """
        return replace(
            self,
            first=self.second,
            second=self.first,
            first_value=self.second_value,
            second_value=self.first_value,
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
        )


@dataclass(frozen=True, repr=False, eq=False)
class CalibrationComparison(Result):
    """Outcome of :func:`compare_calibration`; prints as its verdict.

    Attributes
    ----------
    models : tuple of str
        Names of the models.
    best : str
        The model with the lowest value of the first score that is finite for at least one model
        (of the first metric, without scores).
    values : dict of str to dict
        The scores and errors of each model by their names; for a metric such as a slope, its
        distance from the ideal.
    differences : tuple of ModelDifference
        One per score or error and pair of models.
    calibration_pvalues : dict of str to float
        The p-value of a test of calibration of each model, not corrected; empty without a test.
    n_impossible : dict of str to int
        Rows in which each model gave probability zero to what happened.
    confidence_level : float
        That of each interval.
    correction : {"holm", "bonferroni", "none"}
        How p-values are corrected for the number of pairs.
    n_samples : int
        Rows of positive weight.
    n_resamples : int
        Number of draws.

    See Also
    --------
    compare_calibration : Makes it.
    sklearn_calib.display.ModelDifferenceDisplay : Draws it.

    Examples
    --------
    >>> from sklearn_calib import compare_calibration
    >>> models = {"a": [0.2, 0.6, 0.9, 0.4], "b": [0.1, 0.7, 0.8, 0.3]}
    >>> result = compare_calibration([0, 1, 1, 0], models, random_state=0)
    >>> result.best
    'b'
    """

    _summary = (
        "best",
        "n_models",
        "confidence_level",
        "correction",
        "n_samples",
        "n_resamples",
    )

    models: tuple[str, ...]
    best: str
    values: dict[str, dict[str, float]]
    differences: tuple[ModelDifference, ...]
    calibration_pvalues: dict[str, float]
    n_impossible: dict[str, int]
    confidence_level: float
    correction: str
    n_samples: int
    n_resamples: int

    def __str__(self) -> str:
        """Return the verdict."""
        return self.verdict

    @property
    def n_models(self) -> int:
        """Number of models."""
        return len(self.models)

    @property
    def verdict(self) -> str:
        """Which model is better, by how much, and what speaks against it, in words."""
        return one_line(write_verdict(self))

    def between(self, first: str, second: str) -> list[ModelDifference]:
        """Return the differences of one model from another one.

        Parameters
        ----------
        first, second : str
            Names of two models, in any order.

        Returns
        -------
        differences : list of ModelDifference
            One per score or error; that of `second` minus that of `first`.

        Raises
        ------
        ValueError
            If the names are not those of two different models.
        """
        wanted = {first, second} if isinstance(first, str) and isinstance(second, str) else set()
        found = [one for one in self.differences if {one.first, one.second} == wanted]
        if not found:
            raise ValueError(
                f"first and second must be two of the models {list(self.models)}, got "
                f"{shorten(first)} and {shorten(second)}."
            )
        return [one if one.first == first else one.turned() for one in found]

    def to_frame(self) -> pd.DataFrame:
        """Return the differences as a table.

        Returns
        -------
        frame : DataFrame of shape (n_differences, n_columns)
            One row per score or error and pair of models, one column per attribute of
            :class:`ModelDifference`.
        """
        import pandas as pd

        return pd.concat([one.to_frame() for one in self.differences], ignore_index=True)


def best_model(values):
    """Return the model with the lowest value; the first one if none is a number."""
    measure = deciding_measure(values)
    return min(values, key=lambda name: np.nan_to_num(values[name][measure], nan=np.inf))
