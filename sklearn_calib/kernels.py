"""Kernels, bandwidths and the local calibration statistic as plain functions of arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from ._core import median_distance, shorten_gaps
from ._data.arrays import check_features, check_numeric, check_same_length
from ._data.bandwidths import (
    resolve_bandwidths,
    resolve_feature_bandwidth,
    resolve_prob_bandwidth,
)
from ._data.features import FeatureEncoder, read_features
from ._data.named_columns import table_names, values_by_column
from ._data.predictions import check_probabilities
from ._utils.docs import fill_doc
from ._utils.options import check_integer
from ._utils.types import Bandwidth, Categories, FeatureBandwidth

__all__ = [
    "klce_kernel",
    "klce_statistic",
    "laplacian_kernel",
    "median_heuristic",
    "rbf_kernel",
    "select_bandwidths",
]


@fill_doc()
def rbf_kernel(
    X: ArrayLike, Y: ArrayLike | None = None, *, bandwidth: FeatureBandwidth
) -> np.ndarray:
    r"""Compute the RBF kernel :math:`e^{-(d / h)^2}` of the Euclidean distance.

    There is no factor 2, and `bandwidth` divides the distance. scikit-learn's function of this
    name has the parameter ``gamma`` instead, which equals ``1 / bandwidth ** 2``.

    Parameters
    ----------
    <<kernel_points>>
    bandwidth : float, array-like of shape (n_features,), "median" or "scaled"
        The bandwidth h, one number or one per feature. "median" is the median distance of the rows
        of `X` (:func:`median_heuristic`), "scaled" the median distance of each feature on its own
        times ``sqrt(n_features)``.

    <<returns_kernel_matrix>>

    See Also
    --------
    laplacian_kernel : The kernel of the distance itself.
    klce_kernel : The product of kernels on probabilities and features.

    Notes
    -----
    Distances are computed from plain differences, so a large common offset does no harm. The
    matrix needs O(n^2) memory; the metrics and tests of this package never build it.

    Examples
    --------
    >>> from sklearn_calib.kernels import rbf_kernel
    >>> rbf_kernel([0.0, 0.5, 1.0], bandwidth=1.0).round(3)
    array([[1.   , 0.779, 0.368],
           [0.779, 1.   , 0.779],
           [0.368, 0.779, 1.   ]])
    """
    return np.exp(-(_scaled_distances(X, Y, bandwidth) ** 2))


@fill_doc()
def laplacian_kernel(
    X: ArrayLike, Y: ArrayLike | None = None, *, bandwidth: FeatureBandwidth
) -> np.ndarray:
    r"""Compute the Laplacian kernel :math:`e^{-d / h}` of the Euclidean distance.

    scikit-learn's function of this name uses the Manhattan distance and the parameter ``gamma``.

    Parameters
    ----------
    <<kernel_points>>
    bandwidth : float, array-like of shape (n_features,), "median" or "scaled"
        The bandwidth h, as in :func:`rbf_kernel`.

    <<returns_kernel_matrix>>

    See Also
    --------
    rbf_kernel : The kernel of the squared distance.

    Examples
    --------
    >>> from sklearn_calib.kernels import laplacian_kernel
    >>> laplacian_kernel([[0.2], [0.4]], [[0.4], [0.6], [0.8]], bandwidth=0.2).round(3)
    array([[0.368, 0.135, 0.05 ],
           [1.   , 0.368, 0.135]])
    """
    return np.exp(-_scaled_distances(X, Y, bandwidth))


def _scaled_distances(X, Y, bandwidth):
    names = table_names(X)
    if names is not None:
        bandwidth = values_by_column(bandwidth, "bandwidth", [str(one) for one in names])
    X = check_features(X)
    Y = X if Y is None else check_features(Y, "Y")
    if Y.shape[1] != X.shape[1]:
        raise ValueError(
            f"X and Y must have the same number of features, got {X.shape[1]} and {Y.shape[1]}."
        )
    widths = resolve_feature_bandwidth(X, bandwidth, "bandwidth")
    widths, (X, Y) = shorten_gaps(widths, X, Y)
    # Division rounds, which a large common offset would turn into noise.
    centre = X.mean(axis=0)
    return cdist((X - centre) / widths, (Y - centre) / widths)


@fill_doc()
def klce_kernel(
    X: ArrayLike,
    y_proba: ArrayLike,
    *,
    prob_bandwidth: Bandwidth,
    feature_bandwidth: FeatureBandwidth,
    categorical_features: Categories = "auto",
    category_similarity: float = 0.0,
) -> np.ndarray:
    r"""Compute the kernel of the local calibration error, a product of two RBF kernels.

    .. math:: K_{ij} = e^{-\|p_i - p_j\|^2 / h_p^2} \, e^{-\|x_i - x_j\|^2 / h_x^2}

    For each feature that is a category, the kernel is multiplied by 1 where two rows agree and by
    `category_similarity` where they differ.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples,)
        Features; one dimension is one feature.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_columns)
        Predicted probabilities. Two columns count as binary data: the kernel then compares the
        probability of one class.
    prob_bandwidth : float or "median"
        Bandwidth on probabilities.
    feature_bandwidth : float, array-like of shape (n_features,), "median" or "scaled"
        Bandwidth on features, as in :func:`rbf_kernel`.
    <<categorical_features_of_tables>>
    <<category_similarity>>

    Returns
    -------
    K : ndarray of shape (n_samples, n_samples)
        Symmetric, entries in [0, 1], ones on the diagonal.

    <<raises_lengths_differ>>

    See Also
    --------
    klce_statistic : The error from this matrix and the residuals.
    sklearn_calib.metrics.klce : The error without the matrix.

    <<references_local>>

    Examples
    --------
    >>> from sklearn_calib.kernels import klce_kernel
    >>> X, y_proba = [0.0, 0.0, 1.0], [0.2, 0.2, 0.7]
    >>> klce_kernel(X, y_proba, prob_bandwidth=0.5, feature_bandwidth=1.0).round(3)
    array([[1.   , 1.   , 0.135],
           [1.   , 1.   , 0.135],
           [0.135, 0.135, 1.   ]])
    """
    table, proba = read_features(X), _compared_columns(y_proba)
    check_same_length(X=table, y_proba=proba)
    encoder = FeatureEncoder(
        categorical_features, category_similarity=category_similarity, count_values=False
    ).fit(table)
    features = encoder.transform(table)
    widths = resolve_bandwidths(features, feature_bandwidth)[encoder.number_features]
    kernel = rbf_kernel(proba, bandwidth=resolve_prob_bandwidth(proba, prob_bandwidth))
    if widths.size:
        kernel *= rbf_kernel(features.numbers, bandwidth=widths)
    for codes, similarity in zip(features.codes.T, features.similarity):
        kernel *= np.where(codes[:, np.newaxis] == codes, 1.0, similarity)
    return kernel


def _compared_columns(y_proba):
    """Return the columns that kernels compare: one for binary data, all for more classes."""
    proba = check_probabilities(y_proba)
    return proba[:, [1]] if proba.shape[1] == 2 else proba


def klce_statistic(K: ArrayLike, residuals: ArrayLike) -> float:
    r"""Compute the local calibration error from a kernel matrix and residuals.

    .. math:: \frac{1}{n (n - 1)} \sum_{i \ne j} K_{ij} \langle e_i, e_j \rangle

    Parameters
    ----------
    K : array-like of shape (n_samples, n_samples)
        Kernel values. The diagonal does not matter, and the matrix need not be symmetric.
    residuals : array-like of shape (n_samples,) or (n_samples, n_classes)
        Indicators minus probabilities.

    Returns
    -------
    error : float
        An unbiased estimate of the squared error, which can be negative.

    Raises
    ------
    ValueError
        If the shapes do not fit or there are fewer than two rows.

    See Also
    --------
    klce_kernel : The kernel matrix.
    sklearn_calib.metrics.klce : The error without the matrix.

    Examples
    --------
    >>> from sklearn_calib.kernels import klce_kernel, klce_statistic
    >>> K = klce_kernel([0, 0, 1], [0.2, 0.2, 0.7], prob_bandwidth=0.5, feature_bandwidth=1.0)
    >>> round(klce_statistic(K, [0.8, -0.2, 0.3]), 6)
    -0.045213
    """
    K, residuals = check_numeric(K, "K"), check_numeric(residuals, "residuals")
    n_samples = residuals.shape[0]
    if K.shape != (n_samples, n_samples):
        raise ValueError(
            f"K must have one row and one column per residual, shape {(n_samples, n_samples)}, "
            f"got {K.shape}."
        )
    if n_samples < 2:
        raise ValueError("klce_statistic needs at least 2 rows, got n = 1: n is too small.")
    residuals = residuals.reshape(n_samples, -1)
    off_diagonal = np.where(np.eye(n_samples, dtype=bool), 0.0, K)
    return float(np.sum(residuals * (off_diagonal @ residuals)) / (n_samples * (n_samples - 1)))


def median_heuristic(values: ArrayLike, *, max_samples: int = 2000, seed: int = 0) -> float:
    """Compute the median of the pairwise Euclidean distances that are not zero.

    The option ``bandwidth="median"`` uses this number.

    Parameters
    ----------
    values : array-like of shape (n_samples, n_features) or (n_samples,)
        Points; one dimension is one feature.
    max_samples : int, default=2000
        At least 2. Above this number of rows, a subsample of exactly this size is used:
        ``numpy.random.default_rng(seed).choice(n, size=max_samples, replace=False)``.
    seed : int, default=0
        Seed of the subsample.

    Returns
    -------
    bandwidth : float
        The median; if the number of distances is even, the average of the two middle ones. Equal
        rows are at distance exactly zero and are left out. If no distance is left, the result is
        1.0.

    Raises
    ------
    ValueError
        If `values` is not numeric, finite and non-empty, or `max_samples` is below 2.

    See Also
    --------
    select_bandwidths : The medians of probabilities and features.

    Notes
    -----
    Time and memory are O(min(n, max_samples) ** 2).

    Examples
    --------
    >>> from sklearn_calib.kernels import median_heuristic
    >>> median_heuristic([0, 1, 2, 3])
    1.5
    """
    values = check_features(values, "values")
    max_samples = check_integer(max_samples, "max_samples", 2)
    return median_distance(values, max_samples=max_samples, seed=check_integer(seed, "seed", 0))


@fill_doc()
def select_bandwidths(
    X: ArrayLike, y_proba: ArrayLike, *, max_samples: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """Compute the median bandwidths of probabilities and features.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples,)
        Features; one dimension is one feature.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_columns)
        Predicted probabilities; two columns count as binary data.
    max_samples : int, default=2000
        As in :func:`median_heuristic`.
    seed : int, default=0
        As in :func:`median_heuristic`. Both medians use the same seed.

    Returns
    -------
    prob_bandwidth : float
        Median distance of the probabilities.
    feature_bandwidth : float
        Median distance of the features.

    <<raises_lengths_differ>>

    See Also
    --------
    median_heuristic : The rule.

    Examples
    --------
    >>> from sklearn_calib.kernels import select_bandwidths
    >>> select_bandwidths([[0, 0], [3, 4]], [0.25, 0.75])
    (0.5, 5.0)
    """
    X, proba = check_features(X), _compared_columns(y_proba)
    check_same_length(X=X, y_proba=proba)
    return (
        median_heuristic(proba, max_samples=max_samples, seed=seed),
        median_heuristic(X, max_samples=max_samples, seed=seed),
    )


def __dir__():
    return sorted(__all__)
