"""Score a classifier by its accuracy, with errors that name the arguments."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score

from .._utils.named_errors import naming
from .arrays import check_same_length, check_weights
from .labels import check_labels


class AccuracyMixin(ClassifierMixin):
    """scikit-learn's mixin for classifiers, whose `score` checks what it is given."""

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy of `predict`; for probabilities, a proper score says more.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, n_columns)
            What `predict` takes.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights of the rows.

        Returns
        -------
        accuracy : float
            Share of the rows, or of their weight, whose class is predicted.
        """
        predicted = self.predict(X)
        labels = check_labels(y, "y")
        check_same_length(X=predicted, y=labels)
        weight = check_weights(sample_weight, labels.size)
        with naming("y"):
            return float(accuracy_score(labels, predicted, sample_weight=weight))
