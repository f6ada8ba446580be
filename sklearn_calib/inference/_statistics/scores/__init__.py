"""Score tests of logistic models that contain the predictions."""

from .classwise_score import prepare_classwise_score
from .cox_score import prepare_cox_score
from .logistic_score import prepare_logistic_score
from .slope_score import prepare_slope_score
from .temperature_score import prepare_temperature_score

__all__ = [
    "prepare_classwise_score",
    "prepare_cox_score",
    "prepare_logistic_score",
    "prepare_slope_score",
    "prepare_temperature_score",
]
