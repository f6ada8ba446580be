"""Calibration errors as functions and as scorers."""

from ._binned import average_calibration_error, calibration_bins, ece, mce
from ._kernel import kce, klce, mmce, skce
from ._scorers import (
    get_scorer,
    get_scorer_names,
    make_calibration_scorer,
    neg_average_calibration_error_scorer,
    neg_ece_scorer,
    neg_kce_scorer,
    neg_klce_scorer,
    neg_mce_scorer,
    neg_mmce_scorer,
    neg_skce_scorer,
)

__all__ = [
    "average_calibration_error",
    "calibration_bins",
    "ece",
    "get_scorer",
    "get_scorer_names",
    "kce",
    "klce",
    "make_calibration_scorer",
    "mce",
    "mmce",
    "neg_average_calibration_error_scorer",
    "neg_ece_scorer",
    "neg_kce_scorer",
    "neg_klce_scorer",
    "neg_mce_scorer",
    "neg_mmce_scorer",
    "neg_skce_scorer",
    "skce",
]
