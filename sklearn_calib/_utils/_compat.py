"""The one place that imports private or moved names of scikit-learn."""

from sklearn.metrics._scorer import _Scorer as Scorer
from sklearn.utils.validation import _check_response_method as check_response_method

__all__ = ["Scorer", "check_response_method"]
