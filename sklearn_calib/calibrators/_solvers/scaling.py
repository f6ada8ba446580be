"""Fit affine maps of log-probabilities with a ridge on what a temperature does not explain."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .multinomial import MultinomialProblem, fit_multinomial
from .temperature import fit_temperature


class ScalingFit(NamedTuple):
    """An affine map of log-probabilities and how it was found.

    Attributes
    ----------
    coef : ndarray of shape (n_classes,) or (n_classes, n_classes)
        Factor of each class, or the matrix whose row k makes the new logit of class k.
    intercept : ndarray of shape (n_classes,)
        Sums to zero.
    n_iter : int
        Newton steps.
    gradient_norm : float
        Norm of the gradient of the penalised mean loss, for features of unit mean square.
    """

    coef: np.ndarray
    intercept: np.ndarray
    n_iter: int
    gradient_norm: float


def fit_scaling(log_proba, codes, weight, *, matrix, ridge, max_iter):
    """Return the map that minimises the mean log loss plus the structured ridge penalty.

    The identity of the penalty is the best temperature: with `ridge` r, the penalty is ``r / n * (K
    * |intercept|^2 + K * |diagonal|^2 + K * (K - 1) * |off-diagonal|^2)`` for the map's difference
    to it, where the features are log-probabilities over that temperature, and n is the sum of the
    weights. `matrix` says whether there is a full matrix, and not only a factor for each class; a
    ridge of 0 is maximum likelihood.
    """
    n_samples, n_classes = log_proba.shape
    temperature = fit_temperature(log_proba, codes, weight) if ridge > 0.0 else 1.0
    offset = log_proba / temperature
    unit = np.sqrt(np.average(np.mean(offset**2, axis=1), weights=weight)) or 1.0
    feature = offset / unit
    target = np.eye(n_classes)[codes]
    one = np.ones((n_samples, 1))
    strength = 2.0 * ridge * n_classes / weight.sum()
    if matrix:
        problem = MultinomialProblem(offset, target, weight, cross=np.hstack([one, feature]))
        penalty = np.full((n_classes + 1, n_classes), (n_classes - 1.0) * strength / unit**2)
        penalty[1:][np.diag_indices(n_classes)] = strength / unit**2
    else:
        features = np.stack([np.broadcast_to(one, feature.shape), feature])
        problem = MultinomialProblem(offset, target, weight, local=features)
        penalty = np.full((2, n_classes), strength / unit**2)
    penalty[0] = strength
    fit = fit_multinomial(problem, penalty.ravel(), max_iter=max_iter)
    coef = fit.coef.reshape(penalty.shape)
    if matrix:
        scale = (np.eye(n_classes) + coef[1:].T / unit) / temperature
    else:
        scale = (1.0 + coef[1] / unit) / temperature
    return ScalingFit(scale, coef[0] - coef[0].mean(), fit.n_iter, fit.gradient_norm)
