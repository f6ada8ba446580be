"""The band of the local bias, which controls the family-wise error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..._data.features import FeatureEncoder
from ..._utils.arguments.random_streams import check_generator
from ..._utils.docs import fill_doc
from ..._utils.options import check_integer, check_option, check_real
from ..._utils.progress import reporter
from ..._utils.results import Result
from ..._utils.stack import warn
from ..._utils.types import Bandwidth, Categories, FeatureBandwidth, Label, Progress, RandomState
from .._nulls.batches import simulated_values
from .._nulls.simulation import SimulatedLabels
from .._pvalues import fewest_resamples
from .bias import prepare_local
from .group_bias import GroupBias, group_rules
from .search import WrongGroup, search
from .views import views_of

if TYPE_CHECKING:
    import pandas as pd


# Share of alpha for whole groups. They are few, so a little of it costs the points most, and they
# are what one asks for first.
_GROUP_SHARE = 0.8
# Rows times query points times draws from which on a low rank is used.
_EXACT_WORK = 2e11
# A low rank has the first of these columns, with which it has to pay and to fit, and at most the
# second; its factor takes at most that many bytes.
_RANKS = (1000, 2000)
_FACTOR_BYTES = 1.2e9


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
        A bias is significant if ``abs(bias) > critical_value * null_std``; for whole groups the
        number is `group_critical_value`. Both are larger by a fifth for what is found besides a
        first group; `limit` has the products.
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
        Bandwidth of each feature; NaN for a category.
    feature_names : tuple of str or None
        Their names, if `X` was a table.
    limit : ndarray of shape (n_queries,) or (n_queries, n_classes)
        Half width of the band: a bias is significant if its size exceeds this.
    group_critical_value : float or None
        The number for whole groups; None without categories.
    approximation_error : float or None
        With ``algorithm="low_rank"``, a bound on the standard deviation of the difference from the
        exact bias, in standard deviations of the bias, at the points where a low rank is used. None
        if all is exact.
    groups : tuple of WrongGroup
        The whole groups that are significantly wrong, in the order in which they were found: each
        has `name`, such as "sex = F", the position of its class, its `bias`, `null_std`, weighted
        `share` of the rows, and number of rows.

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
        "group_critical_value",
        "groups_found",
        "n_resamples",
        "min_effective_size",
        "prob_bandwidth",
        "feature_bandwidth",
        "approximation_error",
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
    limit: np.ndarray
    group_critical_value: float | None = None
    groups: tuple[WrongGroup, ...] = ()
    approximation_error: float | None = None
    feature_names: tuple[str, ...] | None = None

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

    @property
    def groups_found(self) -> str | None:
        """Names of the whole groups that are wrong; None if there are none."""
        return ", ".join(dict.fromkeys(group.name for group in self.groups)) or None

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
    categorical_features: Categories = "auto",
    category_similarity: float = 0.0,
    algorithm: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
    random_state: RandomState = None,
    verbose: Progress = False,
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
    <<categorical_features>>
    <<category_similarity>>
    algorithm : {"auto", "exact", "low_rank"}, default="auto"
        How rows are averaged around the query points. "low_rank" replaces the kernel by one of rank
        up to 2000 where that changes a bias by less than a thousandth of its standard deviation,
        as a bound tells, and is exact at all other points. `null_std` and `effective_size` are
        exact everywhere. Data and draws go through the same weights, so the level holds exactly.
        "auto" is exact unless the work ``n * m * n_resamples`` exceeds 2e11 (some 14,000 rows) and
        a rank of 1000 saves at least half of it in 1.2 GB, counting n + m rows.
    <<sample_weight>>
        They must not depend on the labels. A weight of 3 is not three copies of the row here: its
        label is drawn once, so unequal weights lower the effective size. Without queries, the
        bias at a row of weight zero is still given, but it is not tested.
    <<pos_label>>
    <<labels>>
    random_state : int, RandomState, Generator or None, default=None
        Seed of the simulated labels. The global random state is neither read nor changed.
    <<verbose>>

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

    With categories, each point is looked at through all features, through the numbers alone, and
    through the numbers with each single category; and whole groups are tested: all rows, the rows
    of each category, and those below and above each quartile of a number. Groups share alpha with
    the points, 4 to 1, so the level holds for all of them together; with fewer draws than
    ``5 / alpha - 1`` the points would get an infinite critical value, and both have the one of the
    maximum over points and groups, at level alpha. What a group explains is taken off before the
    search goes on, so that a group is not named because it shares rows with the one that is wrong;
    groups that the others explain together are dropped. `bias`, `null_std` and `effective_size` are
    those of the view, or of the group, that speaks most against calibration at the point.

    Time is O(n m) for n rows and m query points, and O(n m B) for the draws, in tiles; memory does
    not grow with their product. With a low rank of r the draws take O((n + m) r (r + B)) and the
    factor 8 (n + m) r bytes, half of that if the query points are the rows. Beyond 1000 the
    rank grows until the bound holds at 99 of 100 of the query points that are tested.

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
    check_option(algorithm, "algorithm", ("auto", "exact", "low_rank"))
    alpha = check_real(alpha, "alpha", below=1.0)
    n_resamples = check_integer(n_resamples, "n_resamples", 1)
    if n_resamples < fewest_resamples(alpha):
        warn(
            f"With n_resamples={n_resamples} the critical value at alpha={alpha:g} is infinite, so "
            "nothing can be significant: use n_resamples of at least "
            f"{fewest_resamples(alpha):.0f}.",
        )
    min_effective_size = check_real(min_effective_size, "min_effective_size")
    rng = check_generator(random_state)
    queries, widths = (X_query, proba_query), (prob_bandwidth, feature_bandwidth)
    data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    encoder = FeatureEncoder(categorical_features, category_similarity=category_similarity)
    setting = prepare_local(y_true, y_proba, X, queries, widths, encoder, **data)
    names = setting.predictions.features.own_names
    of_rows = X_query is None and setting.weight is not None
    eligible = setting.weight > 0 if of_rows else np.ones(len(setting.queries), bool)
    setting = setting.without_zero_weights()
    proba = setting.reduction.proba
    groups = None
    if setting.features.varied:
        rules = group_rules(setting.features)
        variances = proba * (1.0 - proba)
        groups = GroupBias(rules, setting.features, setting.weight, variances, min_effective_size)
    ranks = _ranks(setting, n_resamples, algorithm)
    with reporter("local_bias_band", verbose) as say:
        views = views_of(setting, eligible, min_effective_size, ranks=ranks, say=say)
        critical = _critical_values(setting, views, groups, alpha, n_resamples, rng, say)
        found = search(setting, views, groups, *critical)
    tested = np.any([view.tested for view in views], axis=0)
    if not tested.any():
        largest = max(view.effective_size[eligible].max() for view in views)
        warn(
            f"No query point has an effective size of at least {min_effective_size:g}; the largest "
            f"is {largest:.3g}. Nothing can be significant: use larger bandwidths or a smaller "
            "min_effective_size.",
        )
    columns = 0 if setting.predictions.n_classes == 2 else slice(None)
    return LocalBiasBand(
        bias=found.bias[:, columns],
        null_std=found.null_std[:, columns],
        effective_size=found.effective_size,
        critical_value=critical[0],
        significant=found.significant[:, columns],
        tested=tested,
        alpha=alpha,
        n_resamples=n_resamples,
        min_effective_size=min_effective_size,
        prob_bandwidth=float(setting.bandwidth[0]),
        feature_bandwidth=setting.feature_bandwidth,
        limit=found.limit[:, columns],
        group_critical_value=critical[1],
        groups=found.groups,
        approximation_error=None if ranks is None else _largest_error(views),
        feature_names=names,
    )


def _ranks(setting, n_resamples, algorithm):
    """Return the smallest and the largest rank, or None if the algorithm is to be exact.

    The largest takes half of the work at most, and not too much memory.
    """
    (n_samples, n_events), n_queries = setting.reduction.proba.shape, len(setting.queries)
    columns, n_rows = n_resamples * n_events, float(n_samples + n_queries)
    work = float(n_samples) * n_queries * columns
    least, most = _RANKS
    # A rank of r takes n_rows * r * (r + columns).
    paying = np.sqrt(0.25 * columns**2 + 0.5 * work / n_rows) - 0.5 * columns
    fitting = _FACTOR_BYTES / (8.0 * (n_samples if setting.of_rows else n_rows))
    fits = 8.0 * n_rows * least <= _FACTOR_BYTES
    pays = work > _EXACT_WORK and paying >= least and fits
    if algorithm == "exact" or (algorithm == "auto" and not pays):
        return None
    return least, int(max(least, min(most, paying, fitting)))


def _largest_error(views):
    """Return the largest error of the low rank at the points where it is used."""
    used = [view.low_rank.error[view.near] for view in views if view.near.any()]
    return float(max((error.max() for error in used), default=0.0))


def _critical_values(setting, views, groups, alpha, n_resamples, rng, say):
    """Return the quantiles of the simulated maxima that control the family-wise error.

    One is for query points and one for whole groups, which share alpha; None without groups. With
    too few draws for that, both are the quantile of the maximum over points and groups.
    """
    if not any(view.tested.any() for view in views):
        return math.inf, None if groups is None else math.inf
    n_samples, n_events = setting.reduction.proba.shape

    def largest_of_points(codes):
        residuals = setting.residuals(codes)
        return np.max([view.largest(residuals) for view in views], axis=0)

    def largest_of_groups(codes):
        return groups.largest(setting.residuals(codes))

    def quantile(maxima, share):
        rank = math.ceil((1.0 - share) * (n_resamples + 1) - 1e-9)
        return float(np.sort(maxima)[rank - 1]) if rank <= n_resamples else math.inf

    statistics = [largest_of_points, *([] if groups is None else [largest_of_groups])]
    null = SimulatedLabels(statistics, setting.predictions)
    n_cells = max(n_samples, len(setting.queries)) * n_events
    (_, of_points), *of_groups = simulated_values(null, n_resamples, rng, n_cells=n_cells, say=say)
    if groups is None:
        return quantile(of_points, alpha), None
    ((_, of_groups),) = of_groups
    if n_resamples < fewest_resamples((1.0 - _GROUP_SHARE) * alpha):
        both = quantile(np.maximum(of_points, of_groups), alpha)
        return both, both
    return (
        quantile(of_points, (1.0 - _GROUP_SHARE) * alpha),
        quantile(of_groups, _GROUP_SHARE * alpha),
    )
