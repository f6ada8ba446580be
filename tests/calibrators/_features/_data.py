"""A kernel recalibrator that is small enough for many fits."""

from sklearn_calib.calibrators import (
    KernelRecalibrator,
)

SMALL = {"hidden_layer_sizes": (8,), "n_iter_no_change": 40, "random_state": 0}


def small_recalibrator(**options):
    return KernelRecalibrator(**(SMALL | options))
