"""The ways to look at a point: through all features, or through some of them at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .bias import LocalSetting
from .standardized import standardized


class View(NamedTuple):
    """The local means of a setting whose kernel reads some of the columns of codes.

    Attributes
    ----------
    setting : LocalSetting
        Rows, query points and kernel.
    bias : ndarray of shape (n_queries, n_events)
        The local bias.
    null_std : ndarray of shape (n_queries, n_events)
        Its standard deviation for a calibrated model.
    effective_size : ndarray of shape (n_queries,)
        How many equally weighted rows stand behind it.
    tested : ndarray of bool of shape (n_queries,)
        Where these are enough.
    """

    setting: LocalSetting
    bias: np.ndarray
    null_std: np.ndarray
    effective_size: np.ndarray
    tested: np.ndarray

    def largest(self, residuals):
        """Return the largest standardized bias of each draw; columns are events times draws."""
        if not self.tested.any():
            return np.zeros(residuals.shape[1] // self.null_std.shape[1])
        setting = self.setting._replace(
            queries=self.setting.queries[self.tested],
            query_features=self.setting.query_features[self.tested],
        )
        std = self.null_std[self.tested][:, :, np.newaxis]
        bias = setting.local_means(residuals).mean.reshape(*std.shape[:2], -1)
        return standardized(bias, np.broadcast_to(std, bias.shape)).max(axis=(0, 1))

    def bias_of(self, residuals):
        """Return the local bias of other residuals, one column per event."""
        return self.setting.local_means(residuals).mean


def views_of(setting, eligible, min_effective_size):
    """Return the views of a setting.

    The first one compares rows in everything. If there are categories, there is one that leaves
    out all of them, and, for several columns of codes, one with each of these alone: where rows
    that agree in all categories are few, an error that depends on one of them shows there.

    Parameters
    ----------
    setting : LocalSetting
        Rows without weight zero.
    eligible : ndarray of bool of shape (n_queries,)
        Query points that may be tested.
    min_effective_size : float
        Points with fewer rows are not tested.

    Returns
    -------
    views : list of View
    """
    varied = setting.features.varied
    choices = [varied]
    if varied:
        choices += [[], *([k] for k in varied if len(varied) > 1)]
    proba, codes = setting.reduction.proba, setting.predictions.codes
    residuals = setting.residuals(codes)
    views = []
    for columns in choices:
        own = setting.with_codes(columns)
        local = own.local_means(residuals, variances=proba * (1.0 - proba))
        tested = eligible & (local.effective_size >= min_effective_size)
        views.append(View(own, local.mean, np.sqrt(local.variance), local.effective_size, tested))
    return views
