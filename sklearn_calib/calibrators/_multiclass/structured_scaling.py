"""What vector and matrix scaling have in common."""

from __future__ import annotations

from numbers import Integral, Real

from ..._utils.arguments.constraints import Interval
from ...base import INPUT_CONSTRAINT, BaseMulticlassCalibrator
from .._solvers.logistic import warn_not_converged
from .._solvers.scaling import fit_scaling


class StructuredScaling(BaseMulticlassCalibrator):
    """An affine map of log-probabilities, shrunk to the best temperature.

    A subclass sets `matrix`, whether there is a full matrix, and defines `_map`.
    """

    matrix: bool
    _parameter_constraints: dict = {
        **INPUT_CONSTRAINT,
        "ridge": [Interval(Real, 0.0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, *, input: str = "probability", ridge: float = 1.0, max_iter: int = 100
    ) -> None:
        self.input = input
        self.ridge = ridge
        self.max_iter = max_iter

    @property
    def centred(self) -> bool:  # type: ignore[override]
        """Whether rows are centred: the constant of logits is meant, that of log p is not."""
        return self.input == "probability"

    def _fit_map(self, log_proba, codes, weight):
        fit = fit_scaling(
            log_proba,
            codes,
            weight,
            matrix=self.matrix,
            ridge=self.ridge,
            max_iter=self.max_iter,
        )
        self.coef_, self.intercept_, self.n_iter_ = fit.coef, fit.intercept, fit.n_iter
        warn_not_converged(self, fit)
