"""Every metric of the package in every form: one line here and the common tests find it."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from sklearn_calib import metrics


@dataclass(frozen=True)
class Metric:
    """A metric in one form.

    Attributes
    ----------
    function : callable
        The public function, with options filled in.
    unbiased : bool
        Whether weights weigh pairs (and one row is too few); else weights repeat rows.
    ordered : bool
        Whether the order of the rows matters.
    features : bool
        Whether the metric takes `X`.
    two_sided : bool
        Whether the metric may deviate from an ideal both ways, instead of being an error.
    targets : tuple of str
        What "target" may be for more than two classes; empty if the metric has no such option.
    """

    function: partial
    unbiased: bool = False
    ordered: bool = False
    features: bool = False
    targets: tuple = field(default=())
    two_sided: bool = False

    def __call__(self, y_true, y_proba, *, X=None, **options):
        """Evaluate; `X` defaults to a fixed function of the row number."""
        if not self.features:
            return self.function(y_true, y_proba, **options)
        X = np.cos(np.arange(len(y_true))) if X is None else X
        return self.function(y_true, y_proba, X, **options)


_SINGLE = ("confidence", "classwise")
_BINNED = ("confidence", "classwise", "top_label")
_KERNEL = ("confidence", "classwise", "canonical")


def _binned(function, **options):
    return Metric(partial(function, n_bins=8, **options), targets=_BINNED)


def _two_sided(function, **options):
    return Metric(partial(function, **options), targets=("confidence",), two_sided=True)


def _kernel(function, *, unbiased, ordered=False, targets=_KERNEL, **options):
    return Metric(partial(function, **options), unbiased, ordered, targets=targets)


METRICS = {
    "ece": _binned(metrics.ece),
    "ece_l2": _binned(metrics.ece, norm="l2"),
    "ece_max": _binned(metrics.ece, norm="max"),
    "ece_right": _binned(metrics.ece, closed="right"),
    "ece_quantile": _binned(metrics.ece, strategy="quantile"),
    "ece_own_bins": Metric(partial(metrics.ece, bins=[0, 0.1, 0.5, 0.9, 1]), targets=_BINNED),
    "ece_sweep": Metric(partial(metrics.ece_sweep), targets=_SINGLE),
    "mce": _binned(metrics.mce),
    "mce_quantile": _binned(metrics.mce, strategy="quantile"),
    "average_calibration_error": _binned(metrics.average_calibration_error),
    "skce": _kernel(metrics.skce, unbiased=True),
    "skce_rbf": _kernel(metrics.skce, unbiased=True, kernel="rbf", bandwidth=0.5),
    "skce_median": _kernel(metrics.skce, unbiased=True, bandwidth="median"),
    "skce_ul": _kernel(metrics.skce, unbiased=True, ordered=True, estimator="ul"),
    "skce_block": _kernel(
        metrics.skce, unbiased=True, ordered=True, estimator="block", block_size=2
    ),
    "skce_biased": _kernel(metrics.skce, unbiased=False, estimator="biased"),
    "kce": _kernel(metrics.kce, unbiased=True),
    "kce_root": _kernel(metrics.kce, unbiased=False, squared=False, bandwidth=0.2),
    "mmce": _kernel(metrics.mmce, unbiased=False, targets=("confidence",)),
    "smooth_calibration_error": Metric(partial(metrics.smooth_calibration_error), targets=_SINGLE),
    "miscalibration": Metric(partial(metrics.miscalibration), targets=_SINGLE),
    "calibration_slope": _two_sided(metrics.calibration_slope),
    "calibration_intercept": _two_sided(metrics.calibration_intercept),
    "calibration_intercept_joint": _two_sided(metrics.calibration_intercept, joint=True),
    "observed_expected_ratio": _two_sided(metrics.observed_expected_ratio),
    "smooth_ece": Metric(partial(metrics.smooth_ece), targets=_SINGLE),
    "ks_calibration_error": Metric(partial(metrics.ks_calibration_error), targets=_SINGLE),
    "kuiper_calibration_error": Metric(partial(metrics.kuiper_calibration_error), targets=_SINGLE),
    "ici": Metric(partial(metrics.integrated_calibration_index), targets=_SINGLE),
    "ici_max": Metric(
        partial(metrics.integrated_calibration_index, summary="max", span=0.4), targets=_SINGLE
    ),
    "ici_q90": Metric(
        partial(metrics.integrated_calibration_index, summary="q90"), targets=_SINGLE
    ),
    "klce": Metric(partial(metrics.klce), unbiased=True, features=True),
    "klce_scaled": Metric(
        partial(metrics.klce, prob_bandwidth=0.3, feature_bandwidth="scaled"),
        unbiased=True,
        features=True,
    ),
}


def names(keep=lambda metric: True):
    """Return the names of the metrics that pass a filter."""
    return [name for name, metric in METRICS.items() if keep(metric)]


ERRORS = {name: metric for name, metric in METRICS.items() if not metric.two_sided}


def binary_data(n=40, seed=0):
    """Return labels and probabilities that are multiples of 1/64, with ties, 0 and 1."""
    rng = np.random.default_rng(seed)
    p = rng.integers(0, 65, n) / 64
    p[:4] = [0.0, 1.0, 0.25, 0.25]
    y = (rng.random(n) < p**2).astype(int)
    y[:4] = [0, 1, 0, 1]
    return y, p


def multiclass_data(n=40, n_classes=4, seed=0):
    """Return labels and rows of multiples of 1/64, none of which has two largest entries."""
    rng = np.random.default_rng(seed)
    P = rng.multinomial(64, rng.dirichlet(np.ones(n_classes)), size=10 * n) / 64
    P = rng.permuted(P, axis=1)
    ordered = np.sort(P, axis=1)
    P = P[ordered[:, -1] > ordered[:, -2]][:n]
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    return y, P
