"""Matrix scaling."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from ..._utils.docs import fill_doc
from .structured_scaling import StructuredScaling


@fill_doc()
class MatrixScalingCalibrator(StructuredScaling):
    """Calibrate log-probabilities by a matrix and an intercept.

    The probabilities are ``softmax(coef_ @ z + intercept_)`` (matrix scaling [1]_), where z are
    the log-probabilities of a row minus their mean. Unlike vector scaling it can move probability
    between classes that the classifier confuses. Matrix and intercept minimise the mean log loss
    plus a ridge penalty for what the best single temperature does not explain [2]_, strongest for
    the elements off the diagonal; without it, some thousands of rows are needed for ten classes.

    Parameters
    ----------
    <<input_probability>>
        Logits are used as they are, without subtracting their mean.
    ridge : float, default=1.0
        Strength of the penalty, in units of the fixed penalties of [2]_; see the Notes. 0 is plain
        maximum likelihood, which has no finite optimum on separable data.
    max_iter : int, default=100
        Largest number of Newton steps.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_classes)
        Row k makes the new logit of class k.
    intercept_ : ndarray of shape (n_classes,)
        Intercepts, which sum to zero.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; columns follow them.
    n_iter_ : int
        Newton steps.
    <<floor_>>
    n_features_in_ : int
        Number of columns of `S`.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` steps do not suffice.

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

    References
    ----------
    .. [1] Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On calibration of modern
       neural networks. Proceedings of the 34th International Conference on Machine Learning,
       1321-1330. https://arxiv.org/abs/1706.04599

    .. [2] Berta, E., Holzmüller, D., Jordan, M. I. and Bach, F. (2025). Structured matrix scaling
       for multi-class calibration. https://arxiv.org/abs/2511.03685

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib.calibrators import MatrixScalingCalibrator
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet([1, 1, 1], size=1000)
    >>> shifted = P * [4, 1, 1] / (P * [4, 1, 1]).sum(axis=1, keepdims=True)
    >>> y = [rng.choice(3, p=p) for p in P]
    >>> calibrator = MatrixScalingCalibrator().fit(shifted, y)
    >>> calibrator.intercept_.round(1)
    array([-0.9,  0.5,  0.4])
    """

    method_names = ("matrix_scaling",)

    matrix = True

    def _map(self, log_proba):
        # einsum adds up a row in the same order however many rows there are, unlike BLAS.
        logits = np.einsum("ij,kj->ik", log_proba, self.coef_)
        return softmax(logits + self.intercept_, axis=1)
