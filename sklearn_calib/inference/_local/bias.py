"""Kernel-weighted mean residual around points: where predictions are wrong, and by how much."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..._core import local_means
from ..._data.arrays import check_features, check_same_length, check_weights
from ..._data.bandwidths import resolve_feature_bandwidth, resolve_prob_bandwidth
from ..._data.features import warn_if_one_feature_dominates
from ..._data.predictions import (
    Predictions,
    check_predictions,
    check_probabilities,
    match_query_columns,
)
from ..._data.targets import Reduction, reduce_target
from ..._utils.docs import fill_doc
from ..._utils.options import check_flag
from ..._utils.types import Bandwidth, FeatureBandwidth, Label


class LocalSetting(NamedTuple):
    """Data and query points in the space of probabilities and features.

    Attributes
    ----------
    predictions : Predictions
        The validated data, rows of weight zero included.
    reduction : Reduction
        The events whose bias is measured: the positive class, or every class.
    points, queries : ndarray of shape (n_samples or n_queries, n_events + n_features)
        Positions that the kernel compares.
    bandwidth : ndarray of shape (n_events + n_features,)
        One per coordinate.
    weight : ndarray of shape (n_samples,) or None
        Weights of the rows.
    """

    predictions: Predictions
    reduction: Reduction
    points: np.ndarray
    queries: np.ndarray
    bandwidth: np.ndarray
    weight: np.ndarray | None

    def residuals(self, codes):
        """Return residuals as columns, shape (n_samples, n_events * n_draws)."""
        residuals = self.reduction.residuals(codes)
        return residuals.reshape(residuals.shape[0], -1)

    def without_zero_weights(self):
        """Return the setting without the rows of weight zero; the query points stay."""
        if self.weight is None or self.weight.all():
            return self
        kept, data = self.weight > 0, self.predictions
        features = self.points[kept, self.reduction.proba.shape[1] :]
        predictions = replace(
            data, codes=data.codes[kept], proba=data.proba[kept], features=features
        )
        return self._replace(
            predictions=predictions,
            reduction=_reduce(predictions),
            points=self.points[kept],
            weight=self.weight[kept],
        )


def _reduce(predictions):
    """Return the events whose bias is measured."""
    target = "binary" if predictions.n_classes == 2 else "canonical"
    return reduce_target(predictions.proba, target)[0]


def prepare_local(y_true, y_proba, X, queries, widths, *, sample_weight, pos_label, labels):
    """Validate the data of a local bias and return a `LocalSetting`.

    Parameters
    ----------
    y_true, y_proba, X : array-like
        The data. Rows of weight zero have no influence on the bandwidths.
    queries : pair
        Features and probabilities of the query points; without them these are the data.
    widths : pair
        The bandwidth options for probabilities and features.
    sample_weight, pos_label, labels : object
        As documented in `local_calibration_bias`.
    """
    predictions = check_predictions(y_true, y_proba, X, pos_label=pos_label, labels=labels)
    reduction, features = _reduce(predictions), predictions.features
    weight = check_weights(sample_weight, predictions.n_samples)
    kept = slice(None) if weight is None else weight > 0
    counted = None if weight is None else weight[kept]
    feature_widths = resolve_feature_bandwidth(features[kept], widths[1], weight=counted)
    warn_if_one_feature_dominates(features[kept], feature_widths, stacklevel=4)
    prob_width = resolve_prob_bandwidth(reduction.proba[kept], widths[0], weight=counted)
    points = looked_at = np.hstack([reduction.proba, features])
    if any(part is not None for part in queries):
        looked_at = _check_queries(queries[0], queries[1], predictions)
    n_events = reduction.proba.shape[1]
    bandwidth = np.concatenate([np.full(n_events, prob_width), feature_widths])
    return LocalSetting(predictions, reduction, points, looked_at, bandwidth, weight)


def _check_queries(X_query, proba_query, predictions):
    """Return query points, probabilities followed by features."""
    if X_query is None or proba_query is None:
        given, missing = (
            ("proba_query", "X_query") if X_query is None else ("X_query", "proba_query")
        )
        raise ValueError(
            f"{given} is given and {missing} is not; a query point has features and a predicted "
            "probability. Pass both, or neither for the points of the data."
        )
    features = check_features(X_query, "X_query")
    proba = check_probabilities(proba_query, "proba_query")
    check_same_length(X_query=features, proba_query=proba)
    n_features, n_classes = predictions.features.shape[1], predictions.n_classes
    if features.shape[1] != n_features:
        raise ValueError(
            f"X_query must have the {n_features} features of X, got {features.shape[1]}."
        )
    if (proba.shape[1] if proba.shape[1] > 2 else 2) != n_classes:
        raise ValueError(
            f"proba_query must have the columns of y_proba, got {proba.shape[1]} for {n_classes} "
            "classes."
        )
    proba = match_query_columns(proba_query, proba, predictions.classes)
    return np.hstack([proba[:, [1]] if n_classes == 2 else proba, features])


@fill_doc()
def local_calibration_bias(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    X: ArrayLike,
    *,
    X_query: ArrayLike | None = None,
    proba_query: ArrayLike | None = None,
    prob_bandwidth: Bandwidth = "median",
    feature_bandwidth: FeatureBandwidth = "median",
    leave_one_out: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> np.ndarray:
    r"""Estimate where predictions are too low or too high.

    The bias at a point (p', x') is the mean residual of the rows around it,

    .. math:: b(p', x') = \frac{\sum_i w_i e_i}{\sum_i w_i}, \qquad
              w_i = e^{-\|p_i - p'\|^2 / h_p^2} \, e^{-\|x_i - x'\|^2 / h_x^2},

    with residuals e (indicator minus probability). A positive bias means that the class occurs
    more often there than predicted, a negative bias that it occurs less often, and zero that the
    predictions are right on average. The bias lies in [-1, 1].

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<features_and_queries>>
    prob_bandwidth : float or "median", default="median"
        The bandwidth :math:`h_p`. "median" is the median of the pairwise distances that are not
        zero (of 2000 rows drawn with a fixed seed if there are more).
    feature_bandwidth : float, array-like of shape (n_features,), "median" or "scaled", \
default="median"
        The bandwidth :math:`h_x`, one number or one per feature. "scaled" is the median distance
        of each feature on its own times ``sqrt(n_features)``.
    leave_one_out : bool, default=False
        Whether to leave a row out of the average at its own point. This cannot be combined with
        queries, because these are not rows of the data.
    <<sample_weight>>
        A weight equals that many copies of the row; with `leave_one_out` all copies are left out.
        The result still has a value for each row of weight zero.
    <<pos_label>>
    <<labels>>

    Returns
    -------
    bias : ndarray of shape (n_queries,) or (n_queries, n_classes)
        For binary data, the bias of the positive class. For more classes, one column per class,
        in the order of the columns of `y_proba`.

    Raises
    ------
    ValueError
        If an argument is malformed, only one of `X_query` and `proba_query` is given, or
        `leave_one_out` comes with queries or with fewer than two rows of positive weight.

    Warns
    -----
    UserWarning
        If one of several features carries over 99 % of the squared distance.

    See Also
    --------
    local_bias_band : Which of these biases are significant.
    check_calibration : A single test of calibration.

    Notes
    -----
    Weights are computed in log space, so a query far from all data gets the limit, which is the
    residual of the nearest row, and not 0 / 0. A single residual says little, so look at the
    effective size of :func:`local_bias_band` before believing a bias. Time is O(n m) for n rows
    and m query points, memory O(n + m).

    References
    ----------
    .. [1] R. Vashistha, A. Farahi, "I-trustworthy Models: A framework for trustworthiness
       evaluation of probabilistic classifiers", AISTATS 2025, arXiv:2501.15617 (Equation 7).

    Examples
    --------
    >>> from sklearn_calib import local_calibration_bias
    >>> from sklearn_calib.datasets import make_calibration_data
    >>> X, y_true, y_proba = make_calibration_data(n=2000)
    >>> bias = local_calibration_bias(
    ...     y_true, y_proba, X, X_query=[-1, 1], proba_query=[0.2, 0.99], feature_bandwidth=0.5
    ... )
    >>> bias.round(2)
    array([-0.01, -0.17])
    """
    leave_one_out = check_flag(leave_one_out, "leave_one_out")
    if leave_one_out and not (X_query is None and proba_query is None):
        raise ValueError(
            "leave_one_out=True leaves out the row at its own point, so it cannot be combined with "
            "X_query and proba_query. Leave out one or the other."
        )
    queries, widths = (X_query, proba_query), (prob_bandwidth, feature_bandwidth)
    data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    setting = prepare_local(y_true, y_proba, X, queries, widths, **data)
    predictions, weight = setting.predictions, setting.weight
    n_rows = predictions.n_samples if weight is None else np.count_nonzero(weight)
    if leave_one_out and n_rows < 2:
        raise ValueError(
            "n too small: leave_one_out=True needs at least 2 rows of positive weight, got 1."
        )
    bias = local_means(
        setting.points,
        setting.queries,
        setting.residuals(predictions.codes),
        bandwidth=setting.bandwidth,
        weights=weight,
        leave_one_out=leave_one_out,
    ).mean
    return bias[:, 0] if predictions.n_classes == 2 else bias
