"""What a test computes from the data."""

from .cox_likelihood_ratio import prepare_cox_likelihood_ratio
from .cumulative.ks import prepare_ks
from .cumulative.kuiper import prepare_kuiper
from .feature_rank_skce import prepare_feature_rank_skce
from .grouped.hosmer_lemeshow import prepare_hosmer_lemeshow
from .grouped.pigeon_heyse import prepare_pigeon_heyse
from .normalized_klce import prepare_normalized_klce
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
from .standardized_skce import prepare_standardized_skce

__all__ = [
    "prepare_classwise_score",
    "prepare_cox_likelihood_ratio",
    "prepare_cox_score",
    "prepare_feature_rank_skce",
    "prepare_hosmer_lemeshow",
    "prepare_ks",
    "prepare_kuiper",
    "prepare_logistic_score",
    "prepare_normalized_klce",
    "prepare_omnibus",
    "prepare_pigeon_heyse",
    "prepare_rank_skce",
    "prepare_slope_score",
    "prepare_spiegelhalter",
    "prepare_standardized_skce",
    "prepare_temperature_score",
]
