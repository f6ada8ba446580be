"""The one place that imports private or moved names of scikit-learn."""

from sklearn.metrics._scorer import _Scorer as Scorer
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_feature_names_in as check_feature_names_in
from sklearn.utils.validation import _check_response_method as check_response_method

__all__ = [
    "HasMethods",
    "Interval",
    "Scorer",
    "StrOptions",
    "check_feature_names_in",
    "check_response_method",
]
