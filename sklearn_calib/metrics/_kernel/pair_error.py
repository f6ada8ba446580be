"""Kernel calibration errors: sums over pairs of rows of kernel times residual products."""

from typing import Any

import numpy as np

from ..._core import ResidualBlocks, adjacent_products, block_forms, merge_codes, pair_form
from ..._data.bandwidths import resolve_bandwidths, resolve_prob_bandwidth
from ..._data.features import FeatureEncoder
from ..._data.targets import TARGETS, reduce_target, resolve_target
from ..._utils.options import check_integer, check_option
from .._metric import Prepared

ESTIMATORS = ("uq", "ul", "biased", "block")
_ALL_PAIRS = ("uq", "biased")
KERNELS = ("laplacian", "rbf")
# Pairs of rows times residual columns above which "auto" approximates.
EXACT_WORK = 1e12
# All other rows together have less than this share of the weight of the heaviest one.
_FEW_PAIRS = 1e-4


class PairError(Prepared):
    """A kernel calibration error, prepared.

    Call `of_residuals` for residuals that did not come from labels.

    Parameters
    ----------
    predictions : Predictions
        Validated data. With features, the kernel is the product of one on the probabilities, an
        RBF kernel on the features that are numbers, and one on each category.
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
        Bandwidth of the kernel on the features that are numbers.
    categorical_features, category_similarity : object
        Which features are categories, and the kernel between two of them, as in `FeatureEncoder`.
    bandwidth_name : str, default="bandwidth"
        How the public function calls `bandwidth`, for error messages.
    root : bool, default=False
        Whether to take the square root (of the "biased" estimator).
    permutable : bool, default=True
        Whether the error can be asked for residuals that did not come from labels.
    algorithm : {"exact", "auto", "low_rank"}, default="exact"
        How the pair sum is evaluated. "auto" is "low_rank" where that exists and the exact sum
        takes too much work.
    n_draws : int, default=1
        About how many sets of labels will be evaluated, for the choice of the way.
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
        categorical_features="auto",
        category_similarity=0.0,
        bandwidth_name="bandwidth",
        root=False,
        permutable=True,
        algorithm="exact",
        n_draws=1,
    ):
        self.estimator = check_option(estimator, "estimator", ESTIMATORS)
        self.kernel = check_option(kernel, "kernel", KERNELS)
        self.block_size = check_size(estimator, predictions.n_samples, block_size)
        self.root = root
        self.target = resolve_target(
            target, predictions.n_classes, multiclass=auto_target, allowed=allowed_targets
        )
        self.reductions = reduce_target(predictions.proba, self.target)
        self.n_columns = sum(reduction.proba.shape[1] for reduction in self.reductions)
        self.residual_form = self if permutable else None
        # Only ratios of weights matter, and squares of large ones overflow.
        weight = predictions.weight
        self.weighted = weight is not None
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
        self.categories: dict = {}
        if predictions.features is not None:
            encoder = FeatureEncoder(
                categorical_features, category_similarity=category_similarity, count_values=False
            ).fit(predictions.features, weight)
            features = encoder.transform(predictions.features)
            self.feature_bandwidth = resolve_bandwidths(
                features, feature_bandwidth, weight=predictions.weight
            )
            self.categories = {"codes": features.codes, "similarity": features.similarity}
            self.points = [np.hstack([proba, features.numbers]) for proba in self.points]
            widths = self.feature_bandwidth[encoder.number_features]
            self.bandwidths = [
                np.concatenate([np.full(r.proba.shape[1], width), widths])
                for r, width in zip(self.reductions, self.prob_bandwidths)
            ]
        way = self._way(algorithm, n_draws)
        self.forms: Any = None
        if estimator in _ALL_PAIRS:
            self.forms = [
                pair_form(
                    points,
                    kernel=kernel,
                    bandwidth=width,
                    algorithm=way,
                    **self.categories,
                    n_columns=n_draws * reduction.proba.shape[1],
                )
                for points, width, reduction in zip(self.points, self.bandwidths, self.reductions)
            ]

    def _way(self, algorithm, n_draws):
        """Return "low_rank", an exact way, or "auto" for the cheapest exact one."""
        approximable = self.kernel == "rbf" and self.estimator in _ALL_PAIRS
        if algorithm == "low_rank" and not approximable:
            raise ValueError(
                "algorithm='low_rank' approximates sums over all pairs with an RBF kernel; here "
                f"kernel={self.kernel!r} and estimator={self.estimator!r}, which are exact and "
                "need no approximation. Use 'auto'."
            )
        if algorithm == "low_rank" or not approximable:
            return algorithm if algorithm == "low_rank" else "auto"
        n_samples, dimension = self.points[0].shape
        matches = merge_codes(
            n_samples, self.categories.get("codes"), self.categories.get("similarity")
        )
        if dimension == 1 and not matches.codes.size:
            # The fast ways take the diagonal off a sum that it dominates if one row has all weight.
            others = self.weight.sum() - 1.0
            return "tiles" if self.estimator == "uq" and others < _FEW_PAIRS else "auto"
        work = matches.n_pairs * n_draws * self.reductions[0].proba.shape[1]
        return "low_rank" if algorithm == "auto" and work > EXACT_WORK else "auto"

    def tail_bound(self, value):
        """Return a bound on the probability that a calibrated model has this value or more.

        No term is larger in size than b = 1 for one event per row, and b = 2 for "canonical", as no
        kernel exceeds one. The unbiased estimators average independent sets of terms (Hoeffding),
        and the root of the biased one changes little with each row (McDiarmid). Differing weights
        raise. The value is that of the root if `root`.
        """
        if (self.weight != 1.0).any():
            raise ValueError(
                "null='bound' is a bound for rows of equal weight, and sample_weight has different "
                "weights. Use null='simulation', which is exact with weights."
            )
        n, b = self.weight.size, 2.0 if self.target == "canonical" else 1.0
        if self.estimator == "biased":
            size = value if self.root else np.sqrt(value)
            return float(np.exp(-0.5 * max(size * np.sqrt(n / b) - 1.0, 0.0) ** 2))
        n_sets = n // 2
        if self.estimator == "block":
            n_sets = n // self.block_size * (self.block_size // 2)
        return float(np.exp(-0.5 * n_sets * (max(value, 0.0) / b) ** 2))

    def details(self):
        """Return the bandwidths and the way, as fields of the result of a test."""
        widths = self.prob_bandwidths
        used = {
            "prob_bandwidth": widths[0] if len(widths) == 1 else tuple(widths),
            "feature_bandwidth": self.feature_bandwidth,
        }
        if self.forms is not None:
            used["algorithm"] = self.forms[0].algorithm
            used["certificate"] = self.forms[0].certificate
        return used

    def __call__(self, codes):
        if self.forms is None:
            return self.of_residuals([reduction.residuals(codes) for reduction in self.reductions])
        biased, each = self.estimator == "biased", range(len(self.reductions))
        return self.of_sums([self.sums_of_labels(k, codes, diagonal=biased) for k in each])

    def of_residuals(self, residuals):
        """Return the error of each draw for the residuals of each reduction."""
        if self.forms is not None:
            return self.of_sums([self.sums(k, e) for k, e in enumerate(residuals)])
        parts = [self._terms(k, e) for k, e in enumerate(residuals)]
        return self._finish([terms.sum(axis=0) / _divisor(one.sum()) for terms, one in parts])

    def sums(self, k, residuals):
        """Return the sums over pairs of different rows, and over rows, of reduction k."""
        columns, add_events = self._columns(residuals)
        off_diagonal = add_events(self.forms[k](columns))
        return off_diagonal, add_events(np.einsum("ic,ic->c", columns, columns))

    def sums_of_labels(self, k, codes, *, diagonal=True):
        """Return the `sums` of one reduction for columns of label codes.

        Without `diagonal` the second one may be None. Where the residuals of each draw are one
        column, they are not written out.
        """
        reduction = self.reductions[k]
        if self.n_columns > len(self.reductions):
            return self.sums(k, reduction.residuals(codes))
        happened, p = reduction.happened(codes)[:, 0], reduction.proba[:, 0]
        pairs = self.forms[k].of_events(happened, p, self.weight)
        if not diagonal:
            return pairs, None
        return pairs, ResidualBlocks(p).square_sums(self.weight**2, happened)

    def of_sums(self, sums):
        """Return the error of "uq" or "biased" from the `sums` of each reduction."""
        if self.estimator == "uq":
            divisor = _divisor(_pair_weight(self.weight))
            return self._finish([off_diagonal / divisor for off_diagonal, _ in sums])
        total = self.weight.sum() ** 2
        return self._finish([(pairs + diagonal) / total for pairs, diagonal in sums])

    def _finish(self, parts):
        """Return the mean over the reductions, or its root."""
        values = np.mean(parts, axis=0)
        if self.estimator == "biased":
            values = np.maximum(values, 0.0)
        return np.sqrt(values) if self.root else values

    def terms(self, codes):
        """Return weighted terms, and weights, whose ratio of sums is "ul" or "block".

        There is one term per pair or block, averaged over the reductions.
        """
        parts = [self._terms(k, r.residuals(codes)) for k, r in enumerate(self.reductions)]
        return np.mean([terms[:, 0] for terms, _ in parts], axis=0), parts[0][1]

    def mean_product(self, codes):
        """Return the kernel-weighted mean product of the residuals of two different rows.

        It estimates the mean squared local bias, on which the kernel errors have the share of pairs
        that the kernel compares. It is known for the "uq" and "biased" forms; 0.0 where no two rows
        are close to each other.
        """
        value = 0.0
        for form, reduction in zip(self.forms or [], self.reductions):
            residuals = self.weight[:, np.newaxis] * reduction.residuals(codes)[:, :, 0]
            compared = float(form(self.weight)[0])
            if compared > 0.0:
                value += float(form(residuals).sum()) / compared
        return value / len(self.reductions)

    def _terms(self, k, residuals):
        """Return the weighted terms of "ul" or "block" for each draw, and the weights."""
        columns, add_events = self._columns(residuals)
        kernel = {"kernel": self.kernel, "bandwidth": self.bandwidths[k]}
        if self.estimator == "ul":
            products = add_events(adjacent_products(self.points[k], columns, **kernel))
            even = self.weight[: len(products) * 2]
            return products, even[::2] * even[1::2]
        blocks = add_events(block_forms(self.points[k], columns, self.block_size, **kernel))
        n_blocks = blocks.shape[0]
        weight = self.weight[: n_blocks * self.block_size].reshape(n_blocks, -1)
        return blocks / _divisor(_pair_weight(weight))[:, np.newaxis], np.ones(n_blocks)

    def _columns(self, residuals):
        """Return weighted residuals as a matrix, and how to add up the events of each draw."""
        n_samples, n_events, n_draws = residuals.shape
        if self.weighted:
            residuals = self.weight[:, np.newaxis, np.newaxis] * residuals
        columns = residuals.reshape(n_samples, -1)

        def add_events(sums):
            return sums.reshape(*sums.shape[:-1], n_events, n_draws).sum(axis=-2)

        return columns, add_events


def check_size(estimator, n_samples, block_size=None):
    """Return the block size of the "block" estimator or None; raise if there are too few rows."""
    if estimator == "biased":
        return None
    if n_samples < 2:
        raise ValueError(
            f"n too small: the unbiased estimate {estimator!r} needs at least 2 samples "
            f"of positive weight, got {n_samples}. Add rows; for a single one there are only "
            "the biased forms, skce(estimator='biased'), kce(squared=False) and mmce."
        )
    if estimator != "block":
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


def _pair_weight(weight):
    """Return ``sum_{i != j} w_i w_j`` over the last axis, without cancellation."""
    return 2.0 * (weight[..., 1:] * weight.cumsum(axis=-1)[..., :-1]).sum(axis=-1)


def _divisor(pair_weight):
    """Return weights of pairs, or raise if they are too small for numbers."""
    if np.min(pair_weight) < np.finfo(np.float64).tiny:
        raise ValueError(
            "sample_weight differs so much between rows that the products of two weights, divided "
            "by the square of the largest one, are zero in floating-point arithmetic. Use weights "
            "within a factor of 1e150, or leave out the rows of the smallest ones."
        )
    return pair_weight
