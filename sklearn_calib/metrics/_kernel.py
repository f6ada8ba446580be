"""Kernel calibration errors: sums over pairs of rows of kernel times residual products."""

import numpy as np
from numpy.typing import ArrayLike

from .._core import adjacent_products, block_forms, pair_form
from .._utils._bandwidth import resolve_feature_bandwidth, resolve_prob_bandwidth
from .._utils._docs import fill_doc
from .._utils._targets import TARGETS, reduce_target, resolve_target
from .._utils._types import Label
from .._utils._validation import check_integer, check_option, check_predictions

_ESTIMATORS = ("uq", "ul", "biased", "block")
_KERNELS = ("laplacian", "rbf")


class KernelError:
    """A kernel calibration error with everything that depends on the probabilities prepared.

    Call it with label codes of shape (n_samples,) or (n_samples, n_draws) for one value per draw,
    or call `of_residuals` with residuals that did not come from labels.

    Parameters
    ----------
    predictions : Predictions
        Validated data. With features, the kernel is the product of one on the probabilities and
        an RBF kernel on the features.
    estimator : {"uq", "ul", "biased", "block"}
        How pairs are averaged, as documented in `skce`.
    kernel : {"laplacian", "rbf"}
        The kernel on the probabilities.
    bandwidth : float or "median"
        Its bandwidth.
    target : str
        As documented in `skce`.
    auto_target : str, default="canonical"
        What "auto" means for more than two classes.
    allowed_targets : tuple of str, default=TARGETS
        The targets that make sense for the metric.
    block_size : int or None
        Rows per block of the "block" estimator.
    feature_bandwidth : float, array-like of shape (n_features,), "median" or "scaled"
        Bandwidth of the kernel on the features.
    bandwidth_name : str, default="bandwidth"
        How the public function calls `bandwidth`, for error messages.
    root : bool, default=False
        Whether to take the square root (of the "biased" estimator).
    algorithm : str, default="auto"
        How the pair sum is evaluated.
    n_columns : int, default=1
        About how many draws will be evaluated, for the choice of the algorithm.
    """

    def __init__(
        self,
        predictions,
        *,
        estimator,
        kernel,
        bandwidth,
        target,
        auto_target="canonical",
        allowed_targets=TARGETS,
        block_size=None,
        feature_bandwidth="median",
        bandwidth_name="bandwidth",
        root=False,
        algorithm="auto",
        n_columns=1,
    ):
        self.estimator = check_option(estimator, "estimator", _ESTIMATORS)
        self.kernel = check_option(kernel, "kernel", _KERNELS)
        self.block_size = self._check_size(predictions.n_samples, block_size)
        self.root = root
        self.target = resolve_target(
            target, predictions.n_classes, multiclass=auto_target, allowed=allowed_targets
        )
        self.reductions = reduce_target(predictions.proba, self.target)
        # Only ratios of weights matter, and squares of large ones overflow.
        weight = predictions.weight
        self.weight = np.ones(predictions.n_samples) if weight is None else weight / weight.max()
        self.prob_bandwidths = [
            resolve_prob_bandwidth(reduction.proba, bandwidth, bandwidth_name)
            for reduction in self.reductions
        ]
        self.points = [reduction.proba for reduction in self.reductions]
        self.bandwidths = self.prob_bandwidths
        self.feature_bandwidth = None
        features = predictions.features
        if features is not None:
            self.feature_bandwidth = resolve_feature_bandwidth(features, feature_bandwidth)
            self.points = [np.hstack([proba, features]) for proba in self.points]
            self.bandwidths = [
                np.concatenate([np.full(r.proba.shape[1], width), self.feature_bandwidth])
                for r, width in zip(self.reductions, self.prob_bandwidths)
            ]
        self.forms = None
        if estimator in ("uq", "biased"):
            self.forms = [
                pair_form(
                    points,
                    kernel=kernel,
                    bandwidth=width,
                    algorithm=algorithm,
                    n_columns=n_columns * reduction.proba.shape[1],
                )
                for points, width, reduction in zip(self.points, self.bandwidths, self.reductions)
            ]

    def _check_size(self, n_samples, block_size):
        if self.estimator == "biased":
            return None
        if n_samples < 2:
            raise ValueError(
                f"n too small: the unbiased estimate {self.estimator!r} needs at least 2 samples "
                f"of positive weight, got {n_samples}. Add rows; for a single one there are only "
                "the biased forms, skce(estimator='biased'), kce(squared=False) and mmce."
            )
        if self.estimator != "block":
            return None
        if block_size is None:
            raise ValueError(
                "estimator='block' needs block_size, the number of rows per block, at least 2."
            )
        block_size = check_integer(block_size, "block_size", 2)
        if block_size > n_samples:
            raise ValueError(
                f"n too small: block_size={block_size} exceeds the {n_samples} samples of "
                "positive weight. Use smaller blocks or estimator='uq'."
            )
        return block_size

    def __call__(self, codes):
        return self.of_residuals([reduction.residuals(codes) for reduction in self.reductions])

    def of_residuals(self, residuals):
        """Evaluate the error for given residuals.

        Parameters
        ----------
        residuals : list of ndarray of shape (n_samples, n_events, n_draws)
            One array per reduction.

        Returns
        -------
        values : ndarray of shape (n_draws,)
        """
        values = np.mean([self._value(k, e) for k, e in enumerate(residuals)], axis=0)
        if self.estimator == "biased":
            values = np.maximum(values, 0.0)
        return np.sqrt(values) if self.root else values

    def _value(self, k, residuals):
        n_samples, n_events, n_draws = residuals.shape
        columns = (self.weight[:, np.newaxis, np.newaxis] * residuals).reshape(n_samples, -1)

        def add_events(sums):
            return sums.reshape(*sums.shape[:-1], n_events, n_draws).sum(axis=-2)

        if self.forms is not None:
            off_diagonal = add_events(self.forms[k](columns))
            if self.estimator == "uq":
                return off_diagonal / _pair_weight(self.weight)
            diagonal = add_events(np.einsum("ic,ic->c", columns, columns))
            return (off_diagonal + diagonal) / self.weight.sum() ** 2
        kernel = {"kernel": self.kernel, "bandwidth": self.bandwidths[k]}
        if self.estimator == "ul":
            products = add_events(adjacent_products(self.points[k], columns, **kernel))
            even = self.weight[: n_samples // 2 * 2]
            return products.sum(axis=0) / (even[::2] @ even[1::2])
        blocks = add_events(block_forms(self.points[k], columns, self.block_size, **kernel))
        n_blocks = blocks.shape[0]
        weight = self.weight[: n_blocks * self.block_size].reshape(n_blocks, -1)
        return (blocks / _pair_weight(weight)[:, np.newaxis]).mean(axis=0)


def _pair_weight(weight):
    """Return ``sum_{i != j} w_i w_j`` over the last axis, without cancellation."""
    return 2.0 * (weight[..., 1:] * weight.cumsum(axis=-1)[..., :-1]).sum(axis=-1)


def _kernel_error(y_true, y_proba, X=None, *, sample_weight, pos_label, labels, **options):
    predictions = check_predictions(
        y_true, y_proba, X, sample_weight=sample_weight, pos_label=pos_label, labels=labels
    )
    return float(KernelError(predictions, **options)(predictions.codes)[0])


@fill_doc(default="0.2")
def skce(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    estimator: str = "uq",
    kernel: str = "laplacian",
    bandwidth: float | str = 0.2,
    target: str = "auto",
    block_size: int | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Estimate the squared kernel calibration error; 1-D `y_proba` is of the positive class.

    With residuals :math:`e_i` (indicator minus probability) at the points :math:`r_i`
    (probabilities) and a kernel k,

    .. math:: \mathrm{SKCE}_{uq} = \frac{1}{n(n-1)} \sum_{i \ne j} k(r_i, r_j) \langle e_i, e_j
              \rangle.

    Its expectation is zero exactly for a calibrated model and positive otherwise (both kernels
    are characteristic, so no miscalibration is invisible to them). Binary data use
    scalar residuals ``y - p`` whether `y_proba` has one column or two; "canonical" uses the vector
    ``onehot(y) - p``, which for two classes gives twice the binary value (at bandwidth
    :math:`h \sqrt 2` instead of h).

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    estimator : {"uq", "ul", "biased", "block"}, default="uq"
        - "uq": unbiased, over all pairs (a U-statistic; least variance).
        - "ul": unbiased, over the pairs (1, 2), (3, 4), ... only; row order matters, and an odd
          last row is left out.
        - "biased": all pairs and the diagonal, divided by :math:`n^2` (a V-statistic); never
          negative.
        - "block": mean of "uq" over consecutive blocks of `block_size` rows; an incomplete last
          block is left out.
    kernel : {"laplacian", "rbf"}, default="laplacian"
        ``exp(-d / h)`` or ``exp(-(d / h) ** 2)`` (no factor 2), with the Euclidean distance d.
    <<bandwidth>>
    <<target_kernel>>
    block_size : int, default=None
        Rows per block, at least 2; required for and used by "block" only.
    <<sample_weight>>
        "biased" treats a weight as that many copies of the row. The unbiased forms weigh pairs,
        :math:`\sum_{i \ne j} w_i w_j h_{ij} / (W^2 - \sum_i w_i^2)`, and ignore a common scale.
    <<pos_label>>
    <<labels>>

    Returns
    -------
    error : float
        Lower is better. "biased" lies in [0, 1] (in [0, 2] for "canonical"). The unbiased
        estimates scatter around zero for a calibrated model and **can be negative**: "uq" is so
        in about six of ten calibrated samples, since its distribution there is skewed to the
        right.

    Raises
    ------
    ValueError
        If an argument is malformed, the labels do not tell which class a column stands for, or n
        is too small for the estimator.

    See Also
    --------
    kce : The root of the biased form, or the unbiased form with an RBF kernel.
    mmce : The root of the biased form for one event.
    klce : The local error, with features.

    Notes
    -----
    Not a proper score and not a mean of per-row terms: a constant prediction at the base rate is
    calibrated. Select models by a proper score such as the log loss and look at this value beside
    it. "biased" has the expectation ``mean(p (1 - p)) / n`` for a calibrated binary model.

    No kernel matrix is built, and memory grows linearly with n. One event with numbers as
    bandwidth takes O(n log n) time for either kernel; "canonical" O(n^2); "ul" O(n); "block"
    O(n * block_size).

    References
    ----------
    .. [1] D. Widmann, F. Lindsten, D. Zachariah, "Calibration tests in multi-class
       classification: A unifying framework", NeurIPS 2019, arXiv:1910.11385.

    Examples
    --------
    >>> from sklearn_calib.metrics import skce
    >>> y_true, y_proba = [0, 1, 0], [0.2, 0.4, 0.6]
    >>> round(skce(y_true, y_proba, bandwidth=1.0), 6)
    -0.104184
    >>> round(skce(y_true, y_proba, bandwidth=1.0, estimator="biased"), 6)
    0.014988
    """
    return _kernel_error(
        y_true,
        y_proba,
        estimator=estimator,
        kernel=kernel,
        bandwidth=bandwidth,
        target=target,
        block_size=block_size,
        sample_weight=sample_weight,
        pos_label=pos_label,
        labels=labels,
    )


@fill_doc(default='"median"')
def kce(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    kernel: str = "rbf",
    bandwidth: float | str = "median",
    squared: bool = True,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Estimate the kernel calibration error; 1-D `y_proba` is of the positive class.

    ``squared=True`` is the unbiased estimate of the squared error,
    :math:`\frac{1}{n(n-1)} \sum_{i \ne j} k(r_i, r_j) \langle e_i, e_j \rangle`, as in the
    literature on local calibration; it can be negative. ``squared=False`` is the square root of
    the biased form, which is never negative and suits model selection.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    kernel : {"rbf", "laplacian"}, default="rbf"
        ``exp(-(d / h) ** 2)`` (no factor 2) or ``exp(-d / h)``, with the Euclidean distance d.
    <<bandwidth>>
    squared : bool, default=True
        Whether to return the unbiased squared error, or the root of the biased form.
    <<target_kernel>>
    <<sample_weight>>
        ``squared=False`` treats a weight as that many copies of the row; ``squared=True`` weighs
        pairs and ignores a common scale.
    <<pos_label>>
    <<labels>>

    Returns
    -------
    error : float
        Lower is better. With ``squared=False`` in [0, 1] ([0, sqrt 2] for "canonical").

    Raises
    ------
    ValueError
        If an argument is malformed, the labels do not tell which class a column stands for, or n
        is too small for the estimator.

    See Also
    --------
    skce : All estimators, with a Laplacian kernel by default.
    klce : The local error, with features.

    Notes
    -----
    Not a proper score and not a mean of per-row terms. O(n log n) time for one event, O(n^2) for
    "canonical"; memory grows linearly with n.

    References
    ----------
    .. [1] R. Vashistha, A. Farahi, "I-trustworthy Models: A framework for trustworthiness
       evaluation of probabilistic classifiers", AISTATS 2025, arXiv:2501.15617.
    .. [2] D. Widmann, F. Lindsten, D. Zachariah, "Calibration tests in multi-class
       classification: A unifying framework", NeurIPS 2019, arXiv:1910.11385.

    Examples
    --------
    >>> from sklearn_calib.metrics import kce
    >>> y_true, y_proba = [0, 1, 0], [0.2, 0.4, 0.6]
    >>> round(kce(y_true, y_proba, bandwidth=0.2), 6)
    -0.058128
    >>> round(kce(y_true, y_proba, bandwidth=0.2, squared=False), 6)
    0.213758
    """
    return _kernel_error(
        y_true,
        y_proba,
        **kce_form(squared),
        kernel=kernel,
        bandwidth=bandwidth,
        target=target,
        sample_weight=sample_weight,
        pos_label=pos_label,
        labels=labels,
    )


def kce_form(squared):
    """Return the options of `KernelError` that `kce` fixes."""
    return {"estimator": "uq" if squared else "biased", "root": not squared}


MMCE_FORM = {
    "estimator": "biased",
    "root": True,
    "kernel": "laplacian",
    "auto_target": "confidence",
    "allowed_targets": ("auto", "binary", "confidence"),
}

KLCE_FORM = {"estimator": "uq", "kernel": "rbf", "bandwidth_name": "prob_bandwidth"}


@fill_doc(default="0.2")
def mmce(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    bandwidth: float | str = 0.2,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the maximum mean calibration error; 1-D `y_proba` is of the positive class.

    The square root of the biased :func:`skce` with a Laplacian kernel,

    .. math:: \mathrm{MMCE} = \Big(\frac{1}{n^2} \sum_{i,j} e^{-|r_i - r_j| / h} e_i e_j
              \Big)^{1/2}.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<bandwidth>>
    target : {"auto", "binary", "confidence"}, default="auto"
        Which calibration is measured: of the positive class ("binary") or of the largest
        probability ("confidence"; ties take the first column). "auto" is "binary" for two classes
        and "confidence" for more.
    <<sample_weight>>
        A weight equals that many copies of the row.
    <<pos_label>>
    <<labels>>

    Returns
    -------
    error : float
        A number in [0, 1]; lower is better.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    skce : The squared error, with unbiased estimators.

    Notes
    -----
    Not a proper score and not a mean of per-row terms. Biased upwards: a calibrated model has a
    value of about ``sqrt(mean(p (1 - p)) / n)``. O(n log n) time, O(n) memory.

    References
    ----------
    .. [1] A. Kumar, S. Sarawagi, U. Jain, "Trainable Calibration Measures for Neural Networks from
       Kernel Mean Embeddings", ICML 2018,
       https://proceedings.mlr.press/v80/kumar18a.html.

    Examples
    --------
    >>> from sklearn_calib.metrics import mmce
    >>> round(mmce([0, 1, 0], [0.2, 0.4, 0.6], bandwidth=1.0), 6)
    0.122427
    """
    return _kernel_error(
        y_true,
        y_proba,
        **MMCE_FORM,
        bandwidth=bandwidth,
        target=target,
        sample_weight=sample_weight,
        pos_label=pos_label,
        labels=labels,
    )


@fill_doc()
def klce(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    X: ArrayLike,
    *,
    prob_bandwidth: float | str = "median",
    feature_bandwidth: float | str | ArrayLike = "median",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Estimate the squared kernel local calibration error; 1-D `y_proba` is of the positive class.

    .. math:: \mathrm{KLCE}^2 = \frac{1}{n(n-1)} \sum_{i \ne j} k(p_i, p_j)\, l(x_i, x_j)\,
              \langle e_i, e_j \rangle, \qquad
              k(p, p') = e^{-\|p - p'\|^2 / h_p^2}, \quad l(x, x') = e^{-\|x - x'\|^2 / h_x^2},

    with residuals e (indicator minus probability; the vector of all classes for multiclass data).
    Its expectation is zero if the predictions are right everywhere in the space of features, not
    only on average over all rows with the same prediction, and positive otherwise.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    X : array-like of shape (n_samples, n_features) or (n_samples,)
        Numeric features. They are not standardised: use "scaled", or one bandwidth per feature,
        when their units differ.
    prob_bandwidth : float or "median", default="median"
        The bandwidth :math:`h_p` on probabilities. "median" takes the median of the pairwise
        distances that are not zero (of 2000 rows drawn with a fixed seed if there are more).
    feature_bandwidth : float, array-like of shape (n_features,), "median" or "scaled"
        The bandwidth :math:`h_x` on features, one number or one per feature; by default "median",
        as above. "scaled" is the median distance of each feature on its own times
        ``sqrt(n_features)``.
    <<sample_weight>>
        Pairs are weighed, :math:`\sum_{i \ne j} w_i w_j h_{ij} / (W^2 - \sum_i w_i^2)`; a common
        scale has no effect.
    <<pos_label>>
    <<labels>>

    Returns
    -------
    error : float
        Lower is better. Unbiased, hence it can be negative, and for a locally calibrated model it
        is so in more than half of all samples.

    Raises
    ------
    ValueError
        If an argument is malformed, a feature is not numeric, the labels do not tell which class a
        column stands for, or there are fewer than two rows of positive weight.

    See Also
    --------
    skce, kce : The global errors, without features.

    Notes
    -----
    Not a proper score and not a mean of per-row terms. O(n^2) time in tiles; memory grows linearly
    with n.

    References
    ----------
    .. [1] R. Vashistha, A. Farahi, "I-trustworthy Models: A framework for trustworthiness
       evaluation of probabilistic classifiers", AISTATS 2025, arXiv:2501.15617.

    Examples
    --------
    >>> from sklearn_calib.metrics import klce
    >>> X, y_proba, y_true = [[0], [0], [1]], [0.2, 0.2, 0.7], [1, 0, 1]
    >>> round(klce(y_true, y_proba, X, prob_bandwidth=0.5, feature_bandwidth=1.0), 6)
    -0.045213
    """
    if X is None:
        raise ValueError(
            "X must be an array of features, got None. For the error without features use kce."
        )
    return _kernel_error(
        y_true,
        y_proba,
        X,
        **KLCE_FORM,
        bandwidth=prob_bandwidth,
        feature_bandwidth=feature_bandwidth,
        target="auto",
        sample_weight=sample_weight,
        pos_label=pos_label,
        labels=labels,
    )
