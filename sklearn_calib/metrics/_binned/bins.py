"""The table behind the binned errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Bunch

from ..._data.partitions import read_partitions
from ..._data.predictions import check_predictions
from ..._utils.dask_collections import is_partitioned
from ..._utils.docs import fill_doc
from ..._utils.types import Bins, Edges, Label
from .bin_table import bin_table
from .binned_error import bin_predictions


@fill_doc()
def calibration_bins(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: Bins = 15,
    bins: Edges | None = None,
    strategy: str = "uniform",
    closed: str = "left",
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> Bunch:
    """Tabulate the bins behind the binned errors.

    Parameters
    ----------
    <<binned_parameters>>
        With "classwise" and more than two classes, and with "top_label", every array gets a
        leading axis of classes. With "top_label" the rows of a class are those in which it has the
        largest probability.
    <<weights_as_copies>>

    Returns
    -------
    table : :class:`~sklearn.utils.Bunch`
        Arrays over all bins, empty ones included:

        edges : ndarray of shape (n_bins + 1,)
            From 0 to 1. For quantile bins an inner edge is the smallest probability above it.
        count : ndarray of shape (n_bins,)
            Number of rows, or their weight if `sample_weight` is given; 0 in an empty bin.
        prob_pred : ndarray of shape (n_bins,)
            Mean probability, NaN in an empty bin.
        prob_true : ndarray of shape (n_bins,)
            Observed rate, NaN in an empty bin.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    ece, mce, average_calibration_error : Numbers computed from this table.
    sklearn.calibration.calibration_curve : The non-empty bins of binary data, closed on the right.

    Notes
    -----
    A rate is an estimate: with ``count`` rows its standard error is about
    ``sqrt(prob_true * (1 - prob_true) / count)``, so bins of a few rows show little. Time is
    O(n log n) and memory O(n).

    References
    ----------
    .. [1] A. Niculescu-Mizil, R. Caruana, "Predicting Good Probabilities with Supervised
       Learning", ICML 2005, doi:10.1145/1102351.1102430.

    Examples
    --------
    >>> from sklearn_calib.metrics import calibration_bins
    >>> bins = calibration_bins([0, 1, 0, 1], [0.1, 0.2, 0.6, 0.9], n_bins=4)
    >>> bins.count
    array([2, 0, 1, 1])
    >>> bins.prob_true
    array([0.5, nan, 0. , 1. ])
    """
    data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    if is_partitioned(y_true, y_proba, sample_weight):
        partitions = read_partitions(y_true, y_proba, **data)
        table = bin_table(
            partitions.n_classes,
            n_bins=n_bins, strategy=strategy, closed=closed, bins=bins, target=target,
        )  # fmt: skip
        return table.bunch(partitions.total(table.of_batch))
    predictions = check_predictions(y_true, y_proba, **data)
    _, curves = bin_predictions(
        predictions, n_bins=n_bins, strategy=strategy, closed=closed, bins=bins, target=target
    )
    tables = [
        {
            "edges": curve.edges,
            "count": curve.count,
            "prob_pred": curve.prob_pred,
            "prob_true": curve.prob_true(predictions.codes)[:, 0],
        }
        for curve in curves
    ]
    if len(tables) == 1:
        return Bunch(**tables[0])
    return Bunch(**{name: np.stack([table[name] for table in tables]) for name in tables[0]})
