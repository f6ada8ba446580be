"""The band of the local bias, which controls the family-wise error."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..._core import local_means
from ..._utils.docs import fill_doc
from ..._utils.options import check_integer, check_real
from ..._utils.random_streams import check_generator
from ..._utils.results import Result
from ..._utils.types import Bandwidth, FeatureBandwidth, Label, RandomState
from .._nulls.batches import simulated_values
from .._nulls.simulation import SimulatedLabels
from .._pvalues import fewest_resamples
from .bias import prepare_local

if TYPE_CHECKING:
    import pandas as pd

_ROUNDING = 1e-12


@dataclass(frozen=True, repr=False, eq=False)
class LocalBiasBand(Result):
    """Outcome of :func:`local_bias_band`.

    For binary data the arrays have shape (n_queries,); for more classes `bias`, `null_std` and
    `significant` have one column per class.

    Attributes
    ----------
    bias : ndarray of shape (n_queries,) or (n_queries, n_classes)
        The local calibration bias; positive where the class occurs more often than predicted.
    null_std : ndarray of shape (n_queries,) or (n_queries, n_classes)
        Its standard deviation for a calibrated model.
    effective_size : ndarray of shape (n_queries,)
        How many equally weighted rows stand behind each bias.
    critical_value : float
        A bias is significant if ``abs(bias) > critical_value * null_std``.
    significant : ndarray of shape (n_queries,) or (n_queries, n_classes)
        Whether the bias is significant; always False where there are too few data.
    tested : ndarray of shape (n_queries,)
        Where the effective size is at least `min_effective_size`; never at a row of weight zero.
    alpha : float
        The family-wise level.
    n_resamples : int
        Number of simulated maxima.
    min_effective_size : float
        The effective size below which a point has too few data.
    prob_bandwidth : float
        Bandwidth on probabilities.
    feature_bandwidth : ndarray of shape (n_features,)
        Bandwidth of each feature.

    See Also
    --------
    local_bias_band : The function that returns this result.

    Examples
    --------
    >>> from sklearn_calib import local_bias_band
    >>> from sklearn_calib.datasets import make_calibration_data
    >>> X, y_true, y_proba = make_calibration_data(n=500)
    >>> band = local_bias_band(y_true, y_proba, X, random_state=0)
    >>> band.bias.shape, band.tested.all()
    ((500,), np.True_)
    """

    _summary = (
        "n_significant",
        "n_tested",
        "n_queries",
        "alpha",
        "critical_value",
        "n_resamples",
        "min_effective_size",
        "prob_bandwidth",
        "feature_bandwidth",
    )

    bias: np.ndarray
    null_std: np.ndarray
    effective_size: np.ndarray
    critical_value: float
    significant: np.ndarray
    tested: np.ndarray
    alpha: float
    n_resamples: int
    min_effective_size: float
    prob_bandwidth: float
    feature_bandwidth: np.ndarray

    @property
    def n_queries(self) -> int:
        """Number of query points."""
        return len(self.bias)

    @property
    def n_tested(self) -> int:
        """Number of query points that are tested."""
        return int(np.count_nonzero(self.tested))

    @property
    def n_significant(self) -> int:
        """Number of significant biases, over points and classes."""
        return int(np.count_nonzero(self.significant))

    def to_frame(self) -> pd.DataFrame:
        """Return the local biases as a table.

        Returns
        -------
        frame : DataFrame
            One row per query point, for more than two classes one per query point and column of
            `y_proba`, with `bias`, `null_std`, `effective_size`, `tested` and `significant`.
        """
        import pandas as pd

        n_columns = self.bias[:1].size
        content = {
            "bias": self.bias.ravel(),
            "null_std": self.null_std.ravel(),
            "effective_size": np.repeat(self.effective_size, n_columns),
            "tested": np.repeat(self.tested, n_columns),
            "significant": self.significant.ravel(),
        }
        queries = pd.RangeIndex(self.n_queries, name="query")
        if self.bias.ndim == 1:
            return pd.DataFrame(content, index=queries)
        columns = pd.RangeIndex(n_columns, name="column")
        return pd.DataFrame(content, index=pd.MultiIndex.from_product([queries, columns]))


@fill_doc()
def local_bias_band(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    X: ArrayLike,
    *,
    X_query: ArrayLike | None = None,
    proba_query: ArrayLike | None = None,
    alpha: float = 0.05,
    n_resamples: int = 999,
    min_effective_size: float = 10,
    prob_bandwidth: Bandwidth = "median",
    feature_bandwidth: FeatureBandwidth = "median",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
    random_state: RandomState = None,
) -> LocalBiasBand:
    r"""Find where predictions are significantly wrong.

    The local calibration bias b(q) at each query point is compared with its standard deviation
    for a calibrated model,

    .. math:: s_q^2 = \frac{\sum_i w_{iq}^2 \, p_i (1 - p_i)}{(\sum_i w_{iq})^2},

    where w is the product of the kernel and the weight of the row. The largest
    :math:`|b(q)| / s_q` over all query points (and classes) with enough data is simulated by
    drawing labels from the predictions, and the critical value is the
    :math:`\lceil (1 - \alpha)(B + 1) \rceil`-th smallest of the B simulated maxima. So for a
    calibrated model **any** point is flagged with probability at most alpha, at every sample size
    and however many points are looked at.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<features_and_queries>>
    alpha : float, default=0.05
        The family-wise level, between 0 and 1.
    n_resamples : int, default=999
        Number B of simulated maxima. Below ``1 / alpha - 1`` the critical value is infinite, so
        nothing can be significant, and the function warns.
    min_effective_size : float, default=10
        Points with a smaller effective size :math:`(\sum_i w_{iq})^2 / \sum_i w_{iq}^2` have too
        few data: they are left out of the maximum and are never significant.
    prob_bandwidth : float or "median", default="median"
        Bandwidth on probabilities, as in :func:`local_calibration_bias`. Smaller bandwidths
        resolve smaller regions but use fewer data.
    feature_bandwidth : float, array-like of shape (n_features,), "median" or "scaled", \
default="median"
        Bandwidth on features, as in :func:`local_calibration_bias`.
    <<sample_weight>>
        They must not depend on the labels. A weight of 3 is not three copies of the row here: its
        label is drawn once, so unequal weights lower the effective size. Without queries, the
        bias at a row of weight zero is still given, but it is not tested.
    <<pos_label>>
    <<labels>>
    random_state : int, RandomState, Generator or None, default=None
        Seed of the simulated labels. The global random state is neither read nor changed.

    Returns
    -------
    band : LocalBiasBand
        The bias, its standard deviation, the effective size, the critical value, and which biases
        are significant.

    Raises
    ------
    ValueError
        If an argument is malformed, or only one of `X_query` and `proba_query` is given.

    Warns
    -----
    UserWarning
        If nothing can be significant, because `n_resamples` is too small for `alpha` or no query
        point has enough data; or if one of several features carries over 99 % of the squared
        distance.

    See Also
    --------
    local_calibration_bias : The bias alone.
    check_calibration : A single test of calibration.

    Notes
    -----
    The level holds for a model that is calibrated everywhere. Where a model is truly wrong, the
    kernel weights carry the error into the neighbourhood, so a flagged point near such a region
    need not be wrong itself. Where the standard deviation is zero (all predictions nearby are 0
    or 1) any bias other than zero is significant. The rows must be independent and unseen by the
    model, as in :func:`check_calibration`.

    Time is O(n m) for n rows and m query points, and O(n m B) for the draws, in tiles; memory does
    not grow with their product.

    References
    ----------
    .. [1] R. Vashistha, A. Farahi, "I-trustworthy Models: A framework for trustworthiness
       evaluation of probabilistic classifiers", AISTATS 2025, arXiv:2501.15617 (Equation 7).
    .. [2] P. H. Westfall, S. S. Young, "Resampling-Based Multiple Testing", Wiley 1993 (the
       maximum statistic).

    Examples
    --------
    >>> from sklearn_calib import local_bias_band
    >>> from sklearn_calib.datasets import make_calibration_data
    >>> X, y_true, y_proba = make_calibration_data(n=2000)
    >>> band = local_bias_band(y_true, y_proba, X, feature_bandwidth=0.3, random_state=0)
    >>> wrong = X[band.significant, 0]
    >>> print(f"wrong from {wrong.min():.1f} to {wrong.max():.1f}")
    wrong from 0.0 to 2.0
    """
    alpha = check_real(alpha, "alpha", below=1.0)
    n_resamples = check_integer(n_resamples, "n_resamples", 1)
    if n_resamples < fewest_resamples(alpha):
        warnings.warn(
            f"With n_resamples={n_resamples} the critical value at alpha={alpha:g} is infinite, so "
            "nothing can be significant: use n_resamples of at least "
            f"{fewest_resamples(alpha):.0f}.",
            UserWarning,
            stacklevel=2,
        )
    min_effective_size = check_real(min_effective_size, "min_effective_size")
    rng = check_generator(random_state)
    queries, widths = (X_query, proba_query), (prob_bandwidth, feature_bandwidth)
    data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    setting = prepare_local(y_true, y_proba, X, queries, widths, **data)
    of_rows = X_query is None and setting.weight is not None
    eligible = setting.weight > 0 if of_rows else np.ones(len(setting.queries), bool)
    setting = setting.without_zero_weights()
    proba, codes = setting.reduction.proba, setting.predictions.codes
    local = local_means(
        setting.points,
        setting.queries,
        setting.residuals(codes),
        bandwidth=setting.bandwidth,
        variances=proba * (1.0 - proba),
        weights=setting.weight,
    )
    null_std = np.sqrt(local.variance)
    tested = eligible & (local.effective_size >= min_effective_size)
    if not tested.any():
        warnings.warn(
            f"No query point has an effective size of at least {min_effective_size:g}; the largest "
            f"is {local.effective_size[eligible].max():.3g}. Nothing can be significant: use "
            "larger bandwidths or a smaller min_effective_size.",
            UserWarning,
            stacklevel=2,
        )
    critical_value = _critical_value(setting, null_std, tested, alpha, n_resamples, rng)
    exceeds = _standardized(local.mean, null_std) > critical_value * (1.0 + _ROUNDING)
    columns = 0 if setting.predictions.n_classes == 2 else slice(None)
    n_events = proba.shape[1]
    return LocalBiasBand(
        bias=local.mean[:, columns],
        null_std=null_std[:, columns],
        effective_size=local.effective_size,
        critical_value=critical_value,
        significant=(exceeds & tested[:, np.newaxis])[:, columns],
        tested=tested,
        alpha=alpha,
        n_resamples=n_resamples,
        min_effective_size=min_effective_size,
        prob_bandwidth=float(setting.bandwidth[0]),
        feature_bandwidth=setting.bandwidth[n_events:],
    )


def _standardized(bias, null_std):
    """Return ``abs(bias) / null_std``; a bias over a zero deviation is infinite, no bias zero."""
    size = np.abs(bias)
    certain = np.where(size > _ROUNDING, np.inf, 0.0)
    return np.divide(size, null_std, out=certain, where=null_std > 0)


def _critical_value(setting, null_std, tested, alpha, n_resamples, rng):
    """Return the quantile of the simulated maxima that controls the family-wise error."""
    rank = math.ceil((1.0 - alpha) * (n_resamples + 1) - 1e-9)
    if rank > n_resamples or not tested.any():
        return math.inf
    n_samples, n_events = setting.reduction.proba.shape
    queries, std = setting.queries[tested], null_std[tested][:, :, np.newaxis]

    def largest(codes):
        bias = local_means(
            setting.points,
            queries,
            setting.residuals(codes),
            bandwidth=setting.bandwidth,
            weights=setting.weight,
        ).mean
        bias = bias.reshape(len(queries), n_events, -1)
        return _standardized(bias, np.broadcast_to(std, bias.shape)).max(axis=(0, 1))

    null = SimulatedLabels([largest], setting.predictions)
    ((_, maxima),) = simulated_values(
        null, n_resamples, rng, n_cells=max(n_samples, len(queries)) * n_events
    )
    return float(np.sort(maxima)[rank - 1])
