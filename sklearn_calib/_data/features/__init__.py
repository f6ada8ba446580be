"""Features of every kind: a table is read, then encoded as numbers and categories."""

from .dominance import warn_if_one_feature_dominates
from .encoder import MISSING, FeatureEncoder, Features, check_similarity
from .table import FeatureColumn, FeatureTable, read_features

__all__ = [
    "MISSING",
    "FeatureColumn",
    "FeatureEncoder",
    "FeatureTable",
    "Features",
    "check_similarity",
    "read_features",
    "warn_if_one_feature_dominates",
]
