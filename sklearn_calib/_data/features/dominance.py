"""Notice when distances between features are the distances of one of them."""

import warnings

import numpy as np

from ..._core import rescale

_DOMINANT = 0.99


def warn_if_one_feature_dominates(features, bandwidth, stacklevel=3):
    """Warn if one of several features carries over 99 % of the squared distance.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
        Features; constant ones do not count.
    bandwidth : ndarray of shape (n_features,)
        What divides each of them. Bandwidths that differ were chosen per feature, which is the
        remedy, so they give no warning.
    stacklevel : int
        Levels up to the caller of the public function.
    """
    variance = rescale(features)[0].var(axis=0)
    if np.count_nonzero(variance) < 2 or np.ptp(bandwidth) > 0:
        return
    share = variance / variance.sum()
    column = int(share.argmax())
    if share[column] > _DOMINANT:
        warnings.warn(
            f"Column {column} of X carries {share[column]:.2%} of the squared distance between "
            "rows, so the other features hardly count. Standardise X, or use "
            "feature_bandwidth='scaled' or one bandwidth per feature.",
            UserWarning,
            stacklevel=stacklevel,
        )
