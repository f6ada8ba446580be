"""Kernel-weighted mean residual around points: where predictions are wrong, and by how much."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..._core import LowRankMeans, local_means
from ..._data.arrays import check_same_length, check_weights
from ..._data.bandwidths import resolve_bandwidths, resolve_prob_bandwidth
from ..._data.features import (
    FeatureEncoder,
    Features,
    read_features,
    warn_if_one_feature_dominates,
)
from ..._data.predictions import (
    Predictions,
    check_predictions,
    check_probabilities,
    match_query_columns,
)
from ..._data.targets import Reduction, reduce_target
from ..._utils.docs import fill_doc
from ..._utils.options import check_flag
from ..._utils.types import Bandwidth, Categories, FeatureBandwidth, Label


class LocalSetting(NamedTuple):
    """Data and query points in the space of probabilities and features.

    Attributes
    ----------
    predictions : Predictions
        The validated data, rows of weight zero included.
    reduction : Reduction
        The events whose bias is measured: the positive class, or every class.
    features, query_features : Features
        The encoded features of the rows and of the query points.
    points, queries : ndarray of shape (n_samples or n_queries, n_events + n_numbers)
        Positions that the kernel compares: probabilities and the features that are numbers.
    bandwidth : ndarray of shape (n_events + n_numbers,)
        One per coordinate.
    feature_bandwidth : ndarray of shape (n_features,)
        One per feature, NaN for categories.
    weight : ndarray of shape (n_samples,) or None
        Weights of the rows.
    of_rows : bool
        Whether each query point is a row of positive weight.
    """

    predictions: Predictions
    reduction: Reduction
    features: Features
    query_features: Features
    points: np.ndarray
    queries: np.ndarray
    bandwidth: np.ndarray
    feature_bandwidth: np.ndarray
    weight: np.ndarray | None
    of_rows: bool

    def residuals(self, codes):
        """Return residuals as columns, shape (n_samples, n_events * n_draws)."""
        residuals = self.reduction.residuals(codes)
        return residuals.reshape(residuals.shape[0], -1)

    def local_means(self, columns, **options):
        """Average columns around the query points, see `_core.local_means`."""
        kernel = {**self._kernel(), "of_points": self.of_rows}
        return local_means(self.points, self.queries, columns, **kernel, **options)

    def low_rank_means(self, variances, local, **options):
        """Return what averages columns approximately, see `_core.LowRankMeans`."""
        kernel, queries = self._kernel(), self.queries
        pairs = ((self.points, queries), (kernel["codes"], kernel["query_codes"]))
        if all(np.array_equal(rows, others) for rows, others in pairs):
            queries, kernel["query_codes"] = self.points, kernel["codes"]
        return LowRankMeans(self.points, queries, variances, local, **kernel, **options)

    def _kernel(self):
        return {
            "bandwidth": self.bandwidth,
            "codes": self.features.codes,
            "query_codes": self.query_features.codes,
            "similarity": self.features.similarity,
            "weights": self.weight,
        }

    def with_codes(self, columns):
        """Return the setting whose kernel reads these columns of codes only."""
        return self._replace(
            features=self.features.with_codes(columns),
            query_features=self.query_features.with_codes(columns),
        )

    def without_zero_weights(self):
        """Return the setting without the rows of weight zero; the query points stay."""
        if self.weight is None or self.weight.all():
            return self
        kept, data = self.weight > 0, self.predictions
        predictions = replace(data, codes=data.codes[kept], proba=data.proba[kept], features=None)
        return self._replace(
            predictions=predictions,
            reduction=_reduce(predictions),
            features=self.features[kept],
            points=self.points[kept],
            weight=self.weight[kept],
            of_rows=False,
        )


def _reduce(predictions):
    """Return the events whose bias is measured."""
    target = "binary" if predictions.n_classes == 2 else "canonical"
    return reduce_target(predictions.proba, target)[0]


def prepare_local(
    y_true, y_proba, X, queries, widths, encoder, *, sample_weight, pos_label, labels
):
    """Validate the data of a local bias and return a `LocalSetting`.

    Parameters
    ----------
    y_true, y_proba, X : array-like
        The data. Rows of weight zero have no influence on the bandwidths.
    queries : pair
        Features and probabilities of the query points; without them these are the data.
    widths : pair
        The bandwidth options for probabilities and features.
    encoder : FeatureEncoder
        Not fitted yet; it has the options for categories.
    sample_weight, pos_label, labels : object
        As documented in `local_calibration_bias`.
    """
    if X is None:
        raise ValueError("X must hold the features of the rows, one row per label, got None.")
    predictions = check_predictions(y_true, y_proba, X, pos_label=pos_label, labels=labels)
    reduction, table = _reduce(predictions), predictions.features
    weight = check_weights(sample_weight, predictions.n_samples)
    kept = slice(None) if weight is None else weight > 0
    counted = None if weight is None else weight[kept]
    encoder.fit(table[kept], counted)
    # A row of weight zero may have a category that no other row has.
    features = encoder.transform(table, unseen="code")
    feature_widths = resolve_bandwidths(features[kept], widths[1], weight=counted)
    warn_if_one_feature_dominates(table[kept], feature_widths)
    prob_width = resolve_prob_bandwidth(reduction.proba[kept], widths[0], weight=counted)
    query_proba, query_features = reduction.proba, features
    if any(part is not None for part in queries):
        query_proba, query_features = _check_queries(queries[0], queries[1], predictions, encoder)
    number_widths = feature_widths[encoder.number_features]
    return LocalSetting(
        predictions,
        reduction,
        features,
        query_features,
        points=np.hstack([reduction.proba, features.numbers]),
        queries=np.hstack([query_proba, query_features.numbers]),
        bandwidth=np.concatenate([np.full(reduction.proba.shape[1], prob_width), number_widths]),
        feature_bandwidth=feature_widths,
        weight=weight,
        of_rows=all(part is None for part in queries) and (weight is None or bool(weight.all())),
    )


def _check_queries(X_query, proba_query, predictions, encoder):
    """Return the events' probabilities and the encoded features of query points."""
    if X_query is None or proba_query is None:
        given, missing = (
            ("proba_query", "X_query") if X_query is None else ("X_query", "proba_query")
        )
        raise ValueError(
            f"{given} is given and {missing} is not; a query point has features and a predicted "
            "probability. Pass both, or neither for the points of the data."
        )
    table = read_features(X_query, "X_query")
    proba = check_probabilities(proba_query, "proba_query")
    check_same_length(X_query=table, proba_query=proba)
    features, n_classes = encoder.transform(table), predictions.n_classes
    if (proba.shape[1] if proba.shape[1] > 2 else 2) != n_classes:
        raise ValueError(
            f"proba_query must have the columns of y_proba, got {proba.shape[1]} for {n_classes} "
            "classes."
        )
    proba = match_query_columns(proba_query, proba, predictions.classes)
    return proba[:, [1]] if n_classes == 2 else proba, features


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
    categorical_features: Categories = "auto",
    category_similarity: float = 0.0,
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
    predictions are right on average. The weight of a row is also multiplied by
    `category_similarity` for each category in which it differs from the point, so by default rows
    of other categories do not count. The bias lies in [-1, 1].

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
        of each feature on its own times the square root of their number,
        categories aside.
    <<categorical_features_of_tables>>
    <<category_similarity>>
    leave_one_out : bool, default=False
        Whether to leave a row out of the average at its own point. This cannot be combined with
        queries, because these are not rows of the data.
    <<sample_weight>>
        A weight equals that many copies of the row; with `leave_one_out` all copies are left out.
        Only what ``categorical_features="auto"`` counts are the rows themselves. The result still
        has a value for each row of weight zero.
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
    residual of the nearest row, and not 0 / 0. Around a query whose combination of categories no
    row has, the rows that differ in the fewest categories are averaged. A single residual says
    little, so look at the effective size of :func:`local_bias_band` before believing a bias. Time
    is O(n m) for n rows and m query points, memory O(n + m).

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
    encoder = FeatureEncoder(
        categorical_features, category_similarity=category_similarity, count_values=False
    )
    setting = prepare_local(y_true, y_proba, X, queries, widths, encoder, **data)
    predictions, weight = setting.predictions, setting.weight
    n_rows = predictions.n_samples if weight is None else np.count_nonzero(weight)
    if leave_one_out and n_rows < 2:
        raise ValueError(
            "n too small: leave_one_out=True needs at least 2 rows of positive weight, got 1."
        )
    residuals = setting.residuals(predictions.codes)
    bias = setting.local_means(residuals, leave_one_out=leave_one_out).mean
    return bias[:, 0] if predictions.n_classes == 2 else bias
