"""The multicalibration error."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ..._data.group_columns import read_groups
from ..._utils.docs import fill_doc
from ..._utils.types import Label
from .._metric import evaluate, metric
from .group_error import GroupError


def _effect(*, scale, **options):
    return "itself" if scale == "absolute" else None


@metric(
    prepare=GroupError,
    label="MCE over groups",
    meaning="largest standardised gap over groups of rows",
    effect=_effect,
    rank=75,
)
@fill_doc()
def multicalibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    X: Any,
    *,
    distance: str = "gap",
    max_interaction: int = 1,
    n_quantiles: int = 4,
    min_rows: int = 10,
    scale: str = "sigma",
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the multicalibration error: the largest standardised gap over groups of rows.

    With the rows of each group g, among them the group of all rows,

    .. math:: \mathrm{MCE} = \max_g \frac{D_g}{\sigma_g}, \qquad
              \sigma_g^2 = \sum_{i \in g} w_i^2 p_i (1 - p_i),

    where :math:`D_g` is the size of the sum of the residuals :math:`w_i (y_i - p_i)` of the group,
    or their Kuiper distance: the range of their cumulative sums in the order of the predictions.
    Zero means that no group deviates. For a calibrated model :math:`D_g / \sigma_g` is about one
    for each group, so the largest one grows slowly with the number of groups: compare it with
    ``check_calibration(..., statistic="multicalibration_error")``, whose p-value is exact for all
    groups together. The p-value that usually goes with this measure [1]_ [2]_ is that of a single
    group.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    X : DataFrame, Series, dict of str to array-like, or array-like of shape (n_samples,) or \
(n_samples, n_columns)
        The columns that define the groups, of any type, as in
        :func:`~sklearn_calib.calibration_by_group`.
    distance : {"gap", "kuiper"}, default="gap"
        "gap" sees groups whose predictions are too low or too high on average; "kuiper" also
        groups in which low predictions are too low and high ones too high, or the reverse.
    max_interaction : int, default=1
        How many columns a group may combine.
    n_quantiles : int, default=4
        Into how many parts a number with more than ten distinct values is cut.
    min_rows : int, default=10
        Groups with fewer rows are left out.
    scale : {"sigma", "absolute"}, default="sigma"
        "sigma": as above, in standard deviations. "absolute": times the standard deviation
        :math:`\sigma / \sum w` of the mean residual of all rows, which is on the scale of
        probabilities and does not grow with the number of rows.
    target : {"auto", "binary", "confidence", "classwise"}, default="auto"
        Which probability is looked at: of the positive class, of the largest probability, or of
        each class (the largest value over the classes). "auto" is "binary" for two classes and
        "confidence" for more.
    <<sample_weight>>
    <<pos_label>>
    <<labels>>

    Returns
    -------
    error : float
        Lower is better; zero or more. Infinite if a certain prediction is wrong in a group in
        which all predictions are certain.

    Raises
    ------
    ValueError
        If an argument is malformed, a column holds dates, or there are too many combinations of
        columns.

    See Also
    --------
    sklearn_calib.calibration_by_group : The table of all groups, with their p-values.
    klce : A local error without groups.

    Notes
    -----
    <<not_proper>>

    It is biased upwards: a calibrated model has about 1.8 for two features of four parts each, at
    n = 100 and at n = 1000 alike, and with ``scale="absolute"`` 0.073 and 0.023
    (:ref:`perfect_models`). Time is O(n) per column and combination of columns, after sorting.

    References
    ----------
    .. [1] I. Guy, D. Haimovich, F. Linder, N. Okati, L. Perini, N. Tax, M. Tygert, "Measuring
       multi-calibration", 2025, arXiv:2506.11251.
    .. [2] N. Tax et al., "MCGrad: Multicalibration at Web Scale", 2025, arXiv:2509.19884.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib.metrics import multicalibration_error
    >>> sex, y_proba = np.repeat(["f", "m"], 50), np.full(100, 0.5)
    >>> y_true = np.r_[np.ones(35), np.zeros(15), np.ones(25), np.zeros(25)]
    >>> round(multicalibration_error(y_true, y_proba, sex), 3)  # 10 / sqrt(50 / 4)
    2.828
    """
    if X is None:
        raise ValueError(
            "X must hold the columns that define the groups, got None. For the error without "
            "groups use ece."
        )
    X = read_groups(X, "X")
    return evaluate(multicalibration_error, locals())
