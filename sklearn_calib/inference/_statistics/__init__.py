"""What a test computes from the data."""

from .feature_rank_skce import prepare_feature_rank_skce
from .normalised_klce import prepare_normalised_klce
from .omnibus import prepare_omnibus
from .rank_skce import prepare_rank_skce
from .scores import (
    prepare_classwise_score,
    prepare_cox_score,
    prepare_logistic_score,
    prepare_slope_score,
    prepare_temperature_score,
)
from .spiegelhalter import prepare_spiegelhalter

__all__ = [
    "prepare_classwise_score",
    "prepare_cox_score",
    "prepare_feature_rank_skce",
    "prepare_logistic_score",
    "prepare_normalised_klce",
    "prepare_omnibus",
    "prepare_rank_skce",
    "prepare_slope_score",
    "prepare_spiegelhalter",
    "prepare_temperature_score",
]
