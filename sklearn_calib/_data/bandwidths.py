"""Turn bandwidth options into numbers: one for probabilities, one per column for features."""

import numpy as np

from .._core import median_distance
from .._utils.options import check_bandwidth
from .arrays import check_numeric


def resolve_prob_bandwidth(proba, bandwidth, name="prob_bandwidth", *, weight=None):
    """Return the bandwidth for rows of probabilities, a number or "median", as a float.

    A weight counts as that many copies of the row, and `name` is that of the option.
    """
    bandwidth = check_bandwidth(bandwidth, name)
    return median_distance(proba, weight) if bandwidth == "median" else bandwidth


def resolve_feature_bandwidth(features, bandwidth, name="feature_bandwidth", *, weight=None):
    """Return one bandwidth per feature, shape (n_features,), for finite features.

    "median" is the median distance of the rows, the same for every feature. "scaled" is the median
    distance of each feature on its own times ``sqrt(n_features)``, which makes the kernel
    independent of the units of the features. A weight counts as that many copies of the row, and
    `name` is that of the option.
    """
    n_features = features.shape[1]
    if isinstance(bandwidth, str) and bandwidth == "scaled":
        each = [median_distance(features[:, [k]], weight) for k in range(n_features)]
        return np.array(each) * np.sqrt(n_features)
    if isinstance(bandwidth, str) or np.ndim(bandwidth) == 0:
        allowed = f'one number per feature, or "scaled" for {n_features} features'
        try:
            bandwidth = check_bandwidth(bandwidth, name)
        except ValueError as error:
            raise ValueError(f"{str(error).removesuffix('.')}. Also allowed: {allowed}.") from None
        bandwidth = median_distance(features, weight) if bandwidth == "median" else bandwidth
        return np.full(n_features, bandwidth)
    widths = check_numeric(bandwidth, name)
    _check_shape(widths, n_features, name)
    if widths.min() <= 0:
        raise ValueError(f"{name} must be positive, got {widths.min():.10g}.")
    return widths


def _check_shape(widths, n_features, name):
    """Raise unless there is one bandwidth per feature."""
    if np.shape(widths) != (n_features,):
        raise ValueError(
            f"{name} must be one number or one per feature, shape ({n_features},), got shape "
            f"{np.shape(widths)}."
        )


def resolve_bandwidths(features, bandwidth, *, weight=None):
    """Return one bandwidth per feature, NaN for categories.

    Distances are those of the numbers alone, between all pairs of rows, whatever their categories;
    rows in which a number is missing are left out. A weight counts as that many copies of the row.
    The option is that of `resolve_feature_bandwidth`; an array has one number per feature, and
    those of categories do not matter.
    """
    encoder = features.encoder
    widths = np.full(encoder.n_features, np.nan)
    given = bandwidth
    if not isinstance(bandwidth, str) and np.ndim(bandwidth):
        _check_shape(bandwidth, encoder.n_features, "feature_bandwidth")
        given = np.asarray(bandwidth)[encoder.number_features]
    if encoder.number_features:
        complete = features.complete
        rows = complete if complete.any() else slice(None)
        widths[encoder.number_features] = resolve_feature_bandwidth(
            features.numbers[rows], given, weight=None if weight is None else weight[rows]
        )
    else:
        resolve_feature_bandwidth(np.zeros((1, 1)), bandwidth if np.ndim(bandwidth) == 0 else 1.0)
    return widths
