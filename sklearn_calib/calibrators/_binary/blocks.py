"""What isotonic and centred isotonic calibration have in common."""

from __future__ import annotations

from numbers import Real

from ..._core.isotonic import fit_isotonic, interpolate
from ..._utils.arguments.constraints import Interval
from ..._utils.compat import StrOptions
from ..._utils.fitting_context import resolve
from ...base import BaseBinaryCalibrator


class BlockCalibrator(BaseBinaryCalibrator):
    """A map through the blocks of constant value of an isotonic fit.

    A subclass defines ``_flat_parts(blocks)``, which returns the first and the last score of the
    part of each block where the map is constant.
    """

    _parameter_constraints: dict = {
        "pseudo_count": [StrOptions({"auto"}), Interval(Real, 0.0, None, closed="left")],
        "tolerance": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(self, *, pseudo_count: float | str = "auto", tolerance: float = 1e-15) -> None:
        self.pseudo_count = pseudo_count
        self.tolerance = tolerance

    def _fit_map(self, score, target, weight):
        blocks = fit_isotonic(
            score,
            target,
            weight,
            tolerance=self.tolerance,
            pseudo_count=resolve(self.pseudo_count, alone=0.0, behind_classifier=0.5),
        )
        self.X_thresholds_, self.y_thresholds_ = blocks.points(*self._flat_parts(blocks))

    def _map(self, score):
        return interpolate(score, self.X_thresholds_, self.y_thresholds_)
