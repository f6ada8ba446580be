"""Calibration errors as functions and as scorers.

Each metric has a scorer of its own, ``neg_<metric>_scorer``.
"""

from ._binned.average_calibration_error import average_calibration_error
from ._binned.bins import calibration_bins
from ._binned.ece import ece
from ._binned.ece_sweep import ece_sweep
from ._binned.mce import mce
from ._cumulative.ks_calibration_error import ks_calibration_error
from ._cumulative.kuiper_calibration_error import kuiper_calibration_error
from ._decomposition.miscalibration import miscalibration
from ._decomposition.score_decomposition import ScoreDecomposition, score_decomposition
from ._groups.multicalibration_error import multicalibration_error
from ._kernel.kce import kce
from ._kernel.klce import klce
from ._kernel.mmce import mmce
from ._kernel.skce import skce
from ._line.calibration_intercept import calibration_intercept
from ._line.calibration_slope import calibration_slope
from ._line.observed_expected_ratio import observed_expected_ratio
from ._scorers import get_scorer, get_scorer_names, make_calibration_scorer
from ._scorers import shipped_scorers as _shipped_scorers
from ._smooth.integrated_calibration_index import integrated_calibration_index
from ._smooth.smooth_calibration_error import smooth_calibration_error
from ._smooth.smooth_ece import smooth_ece

__all__ = [
    "ScoreDecomposition",
    "average_calibration_error",
    "calibration_bins",
    "calibration_intercept",
    "calibration_slope",
    "ece",
    "ece_sweep",
    "get_scorer",
    "get_scorer_names",
    "integrated_calibration_index",
    "kce",
    "klce",
    "ks_calibration_error",
    "kuiper_calibration_error",
    "make_calibration_scorer",
    "mce",
    "miscalibration",
    "mmce",
    "multicalibration_error",
    "observed_expected_ratio",
    "score_decomposition",
    "skce",
    "smooth_calibration_error",
    "smooth_ece",
    *(f"{name}_scorer" for name in get_scorer_names()),
]


def __getattr__(name):
    scorer = _shipped_scorers().get(name.removesuffix("_scorer"))
    if scorer is None or not name.endswith("_scorer"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return scorer


def __dir__():
    return sorted(__all__)
