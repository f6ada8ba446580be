"""Notice when distances between features are the distances of one of them."""

import numpy as np

from ..._core import rescale
from ..._utils.stack import warn

_DOMINANT = 0.99


def warn_if_one_feature_dominates(table, bandwidth):
    """Warn if one of several features carries over 99 % of the squared distance.

    Constant features do not count, and neither do categories, whose bandwidth is NaN. Bandwidths
    that differ were chosen per feature, which is the remedy, so they give no warning.
    """
    numbers = np.flatnonzero(~np.isnan(bandwidth))
    if len(numbers) < 2 or np.ptp(bandwidth[numbers]) > 0:
        return
    features = np.column_stack([table.columns[k].numbers for k in numbers])
    features = np.where(np.isnan(features), np.nanmean(features, axis=0), features)
    variance = rescale(features)[0].var(axis=0)
    if np.count_nonzero(variance) < 2:
        return
    share = variance / variance.sum()
    column = int(numbers[share.argmax()])
    if share.max() > _DOMINANT:
        warn(
            f"Column {column} of X carries {share.max():.2%} of the squared distance between "
            "rows, so the other features hardly count. Standardise X, or use "
            "feature_bandwidth='scaled' or one bandwidth per feature.",
        )
