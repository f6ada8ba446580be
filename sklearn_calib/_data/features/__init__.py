"""Features of every kind: a table is read, then encoded as numbers and categories."""

from .dominance import warn_if_one_feature_dominates
from .encoder import FeatureEncoder, Features, check_similarity
from .missing import MISSING, PRESENT, Presence, name_missing, word_for_missing
from .table import FeatureColumn, FeatureTable, read_features

__all__ = [
    "MISSING",
    "PRESENT",
    "FeatureColumn",
    "FeatureEncoder",
    "FeatureTable",
    "Features",
    "Presence",
    "check_similarity",
    "name_missing",
    "read_features",
    "warn_if_one_feature_dominates",
    "word_for_missing",
]
