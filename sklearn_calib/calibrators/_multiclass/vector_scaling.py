"""Vector scaling."""

from __future__ import annotations

from ..._utils.docs import fill_doc
from ..._utils.links import softmax
from .structured_scaling import StructuredScaling


@fill_doc(steps="steps")
class VectorScalingCalibrator(StructuredScaling):
    """Calibrate the log-probability of every class by a factor and an intercept.

    The probabilities are ``softmax(coef_ * z + intercept_)`` (vector scaling [1]_), where z are
    the log-probabilities of a row minus their mean. Factors and intercepts minimise the mean log
    loss plus a ridge penalty for what the best single temperature does not explain [2]_, so that
    few rows give temperature scaling and many rows give a factor for each class.

    Use it for three classes or more where some classes are predicted too often or too surely.

    Parameters
    ----------
    <<scaling_parameters>>

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes,)
        Factor of each class.
    <<scaling_attributes>>

    See Also
    --------
    TemperatureCalibrator : One number for all classes.
    MatrixScalingCalibrator : Also moves probability between classes.

    Notes
    -----
    With n the sum of the weights, K classes, T the temperature that fits best and z divided by T,
    the penalty is ``ridge * K / n`` times the sum of the squared intercepts and of the squared
    differences of the factors to one. Fitting costs O(n K^2) operations a step.

    <<references_scaling>>

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib.calibrators import VectorScalingCalibrator
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet([1, 1, 1], size=1000)
    >>> shifted = P * [4, 1, 1] / (P * [4, 1, 1]).sum(axis=1, keepdims=True)
    >>> y = [rng.choice(3, p=p) for p in P]
    >>> calibrator = VectorScalingCalibrator().fit(shifted, y)
    >>> calibrator.intercept_.round(1)
    array([-0.9,  0.5,  0.4])
    """

    method_names = ("vector_scaling",)

    matrix = False

    def _map(self, log_proba):
        return softmax(log_proba * self.coef_ + self.intercept_)
