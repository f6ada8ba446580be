"""The ways to look at a point: through all features, or through some of them at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._core import LowRankMeans
from .bias import LocalSetting
from .standardized import standardized

# Largest error of a low rank, in standard deviations of a bias; points beyond it are exact.
LARGEST_ERROR = 1e-3


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
    near : ndarray of bool of shape (n_queries,)
        Where the low rank is as good as the kernel, and used for the bias and for draws.
    low_rank : LowRankMeans or None
        Averages around these.
    """

    setting: LocalSetting
    bias: np.ndarray
    null_std: np.ndarray
    effective_size: np.ndarray
    tested: np.ndarray
    near: np.ndarray
    low_rank: LowRankMeans | None

    def largest(self, residuals):
        """Return the largest standardized bias of each draw; columns are events times draws."""
        if not self.tested.any():
            return np.zeros(residuals.shape[1] // self.null_std.shape[1])
        parts = []
        for chosen, means in self._means(residuals, self.tested):
            std = self.null_std[chosen][:, :, np.newaxis]
            bias = means.reshape(*std.shape[:2], -1)
            parts.append(standardized(bias, np.broadcast_to(std, bias.shape)).max(axis=(0, 1)))
        return np.max(parts, axis=0)

    def bias_of(self, residuals):
        """Return the local bias of other residuals, one column per event."""
        bias = np.empty((len(self.tested), residuals.shape[1]))
        for chosen, means in self._means(residuals, np.ones_like(self.tested)):
            bias[chosen] = means
        return bias

    def _means(self, residuals, chosen):
        """Yield parts of the chosen query points with the means of the residuals there."""
        if self.low_rank is not None and (near := chosen & self.near).any():
            yield near, self.low_rank.mean(residuals, near)
        if (others := chosen & ~self.near).any():
            setting = self.setting._replace(
                queries=self.setting.queries[others],
                query_features=self.setting.query_features[others],
            )
            yield others, setting.local_means(residuals).mean


def views_of(setting, eligible, min_effective_size, *, ranks, say):
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
    ranks : tuple of two int or None
        Columns of the low rank that is used where its error is small, see `_core.LowRankMeans`.
    say : Reporter
        Told about progress.

    Returns
    -------
    views : list of View
    """
    varied = setting.features.varied
    choices = [varied]
    if varied:
        choices += [[], *([k] for k in varied if len(varied) > 1)]
    proba, codes = setting.reduction.proba, setting.predictions.codes
    residuals, variances = setting.residuals(codes), proba * (1.0 - proba)
    views = []
    for columns in choices:
        own = setting.with_codes(columns)
        say(f"local bias at {len(own.queries)} points")
        local = own.local_means(residuals, variances=variances)
        tested = eligible & (local.effective_size >= min_effective_size)
        near, factor, bias = np.zeros_like(tested), None, local.mean
        if ranks is not None and tested.any():
            say("low rank of the kernel")
            factor = own.low_rank_means(
                variances, local, wanted=tested, tol=LARGEST_ERROR, ranks=ranks
            )
            near = tested & (factor.error <= LARGEST_ERROR)
            bias[near] = factor.mean(residuals, near)
        null_std = np.sqrt(local.variance)
        views.append(View(own, bias, null_std, local.effective_size, tested, near, factor))
    return views
