"""What a test computes from the data."""

from .corp import prepare_corp
from .cox_likelihood_ratio import prepare_cox_likelihood_ratio
from .cumulative.ks import prepare_ks
from .cumulative.kuiper import prepare_kuiper
from .grouped.hosmer_lemeshow import prepare_hosmer_lemeshow
from .grouped.pigeon_heyse import prepare_pigeon_heyse
from .spiegelhalter import prepare_spiegelhalter
from .standardized_skce import prepare_standardized_skce

__all__ = [
    "prepare_corp",
    "prepare_cox_likelihood_ratio",
    "prepare_hosmer_lemeshow",
    "prepare_ks",
    "prepare_kuiper",
    "prepare_pigeon_heyse",
    "prepare_spiegelhalter",
    "prepare_standardized_skce",
]
