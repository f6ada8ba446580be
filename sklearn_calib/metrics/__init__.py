"""Calibration errors as functions and as scorers."""

from ._binned.average_calibration_error import average_calibration_error
from ._binned.bins import calibration_bins
from ._binned.ece import ece
from ._binned.mce import mce
from ._kernel.kce import kce
from ._kernel.klce import klce
from ._kernel.mmce import mmce
from ._kernel.skce import skce
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
