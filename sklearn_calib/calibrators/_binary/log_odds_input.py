"""The `input` parameter of the calibrators that work on scores or logits."""

from __future__ import annotations

from ..._data.hard_predictions import warn_if_probabilities
from ..._utils.compat import StrOptions
from ..._utils.links import logit
from ...base import BaseBinaryCalibrator


class LogOddsInputMixin(BaseBinaryCalibrator):
    """Let a binary calibrator of scores or logits take probabilities as well.

    A subclass has the parameter `input` and the class attribute `_native_scale`.
    """

    input: str
    _native_scale: str
    _parameter_constraints: dict = {"input": [StrOptions({"native", "probability"})]}

    @property
    def input_scale(self) -> str:
        """Scale of the columns of `S`: "probability" if `input` says so, else the native one."""
        return "probability" if self.input == "probability" else self._native_scale

    def _validate_training_data(self, S, y, sample_weight):
        S, codes, weight = super()._validate_training_data(S, y, sample_weight)
        if self.input == "native":
            warn_if_probabilities(S, type(self).__name__, self._native_scale)
        return S, codes, weight

    def _positive_score(self, S):
        score = super()._positive_score(S)
        return logit(score) if self.input == "probability" else score
