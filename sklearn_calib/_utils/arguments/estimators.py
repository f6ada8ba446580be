"""Tell a classifier from something else that was passed in its place."""

from ..options import shorten


def check_classifier(estimator, name="estimator"):
    """Raise unless an object has one of the methods of a classifier and is no class."""
    if isinstance(estimator, type):
        raise TypeError(
            f"{name} must be a classifier, got the class {estimator.__name__}. Pass an instance of "
            f"it, such as {estimator.__name__}()."
        )
    if not any(callable(getattr(estimator, method, None)) for method in ("fit", "predict_proba")):
        raise TypeError(
            f"{name} must be a classifier with the methods fit and predict_proba, got "
            f"{shorten(estimator)} of type {type(estimator).__name__}."
        )
