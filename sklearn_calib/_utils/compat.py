"""The one place that imports private or moved names of scikit-learn."""

from sklearn.base import _fit_context as fit_context
from sklearn.metrics._scorer import _Scorer as Scorer
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metadata_routing import _routing_enabled as routing_enabled
from sklearn.utils.metaestimators import _safe_split as safe_split
from sklearn.utils.multiclass import _ovr_decision_function as ovr_decision_function
from sklearn.utils.validation import _check_feature_names_in as check_feature_names_in
from sklearn.utils.validation import _check_method_params as check_method_params
from sklearn.utils.validation import _check_response_method as check_response_method
from sklearn.utils.validation import _num_samples as count_rows

__all__ = [
    "HasMethods",
    "Interval",
    "Scorer",
    "StrOptions",
    "check_feature_names_in",
    "check_method_params",
    "check_response_method",
    "count_rows",
    "fit_context",
    "ovr_decision_function",
    "routing_enabled",
    "safe_indexing",
    "safe_split",
]
