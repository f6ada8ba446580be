"""Kernel calibration errors: sums over pairs of rows of kernel times residual products."""

import numpy as np

from ..._core import adjacent_products, block_forms, pair_form
from ..._data.bandwidths import resolve_feature_bandwidth, resolve_prob_bandwidth
from ..._data.predictions import check_predictions
from ..._data.targets import TARGETS, reduce_target, resolve_target
from ..._utils.options import check_integer, check_option

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
            resolve_prob_bandwidth(
                reduction.proba, bandwidth, bandwidth_name, weight=predictions.weight
            )
            for reduction in self.reductions
        ]
        self.points = [reduction.proba for reduction in self.reductions]
        self.bandwidths = self.prob_bandwidths
        self.feature_bandwidth = None
        features = predictions.features
        if features is not None:
            self.feature_bandwidth = resolve_feature_bandwidth(
                features, feature_bandwidth, weight=predictions.weight
            )
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


def kernel_error(y_true, y_proba, X=None, *, sample_weight, pos_label, labels, **options):
    predictions = check_predictions(
        y_true, y_proba, X, sample_weight=sample_weight, pos_label=pos_label, labels=labels
    )
    return float(KernelError(predictions, **options)(predictions.codes)[0])
