"""Matrix scaling."""

from __future__ import annotations

import numpy as np

from ..._utils.docs import fill_doc
from ..._utils.links import softmax
from .structured_scaling import StructuredScaling


@fill_doc(steps="steps")
class MatrixScalingCalibrator(StructuredScaling):
    """Calibrate log-probabilities by a matrix and an intercept.

    The probabilities are ``softmax(coef_ @ z + intercept_)`` (matrix scaling [1]_), where z are
    the log-probabilities of a row minus their mean. Unlike vector scaling it can move probability
    between classes that the classifier confuses. Matrix and intercept minimise the mean log loss
    plus a ridge penalty for what the best single temperature does not explain [2]_, strongest for
    the elements off the diagonal; without it, some thousands of rows are needed for ten classes.

    Parameters
    ----------
    <<scaling_parameters>>

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_classes)
        Row k makes the new logit of class k.
    <<scaling_attributes>>

    See Also
    --------
    TemperatureCalibrator : One number for all classes.
    VectorScalingCalibrator : A factor and an intercept for each class.

    Notes
    -----
    With n the sum of the weights, K classes, T the temperature that fits best and z divided by T,
    the penalty is ``ridge * K / n`` times the sum of the squared intercepts and of the squared
    differences of the diagonal to one, plus ``ridge * K (K - 1) / n`` times the sum of the squared
    elements off the diagonal. A step costs O(n K^4) operations up to about 30 classes, and O(n K^2)
    for each of some dozens of conjugate gradient steps beyond.

    <<references_scaling>>

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.special import softmax
    >>> from sklearn_calib.calibrators import MatrixScalingCalibrator
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=(2000, 3))
    >>> y = [rng.choice(3, p=p) for p in softmax(2 * z, axis=1)]
    >>> confused = softmax(z @ [[2, 1, 0], [1, 2, 0], [0, 0, 2]], axis=1)
    >>> MatrixScalingCalibrator().fit(confused, y).coef_[:2, :2].round(1)
    array([[ 1.5, -0.3],
           [-0.4,  1.6]])
    """

    method_names = ("matrix_scaling",)

    matrix = True

    def _map(self, log_proba):
        # einsum adds up a row in the same order however many rows there are, unlike BLAS.
        logits = np.einsum("ij,kj->ik", log_proba, self.coef_)
        return softmax(logits + self.intercept_)
