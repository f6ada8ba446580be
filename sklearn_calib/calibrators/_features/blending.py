"""How much of each part of a correction to take: held-out log loss and a nonnegative garrote."""

from __future__ import annotations

import numpy as np
from scipy.optimize import approx_fprime, minimize

from ..._core import recalibration as core

MAX_FACTOR = 1.5
_FEW_ROWS = 400
_SMALLEST_FACTOR = 1e-3


def choose_factors(base, outputs, codes, weight, link, price):
    """Return the factors of the parts that held-out rows support, each in [0, 1.5].

    First the factors f of the smallest held-out log loss, then those of the same loss plus a
    penalty proportional to the size of the corrections of the parts that have a price. Its
    proportion is such that at f it is ``(price + (400 / n)^2) / n``. For one part, it leaves f less
    the price times the variance of f over f, and zero unless the square of f over its standard
    error is larger than the price: with a price of one, the positive-part rule of the nonnegative
    garrote. Below some 400 rows the price is much higher, because the calibration of few rows can
    easily be made worse.

    `base` are the probabilities without correction, `outputs`, of shape (n_parts, n, n_outputs),
    the corrections, and `link` ("logit" or "identity") says what they are added to. n is the
    effective number of rows, by Kish's formula.
    """
    share = weight / weight.sum()
    n = 1.0 / (share @ share)
    price = np.asarray(price, dtype=float)
    extra = np.where(price > 0.0, (_FEW_ROWS / n) ** 2, 0.0)
    size = np.sqrt(np.mean(outputs**2, axis=(1, 2)))
    data = base, outputs, codes, share, link
    best = _minimise(np.where(size > 0.0, 0.5, 0.0), np.zeros(len(outputs)), *data)
    best = np.where(best > _SMALLEST_FACTOR, best, 0.0)
    total = (best * size)[price > 0.0].sum()
    if total == 0.0:
        return best
    factors = _minimise(best, (price + extra) / n * size / total, *data)
    return np.where(factors > _SMALLEST_FACTOR, factors, 0.0)


def _minimise(start, cost, base, outputs, codes, share, link):
    """Return the factors of the smallest penalised loss; those that start at zero stay there."""
    rows = np.arange(codes.size)

    def loss(factors):
        log_new = core.log_probabilities(base, np.tensordot(factors, outputs, axes=1), link)
        return -(share @ log_new[rows, codes]) + cost @ factors

    def loss_and_gradient(factors):
        if link == "identity":
            return loss(factors), approx_fprime(factors, loss)
        log_new = core.log_probabilities(base, np.tensordot(factors, outputs, axes=1), link)
        surplus = np.exp(log_new)
        surplus[rows, codes] -= 1.0
        surplus = share[:, np.newaxis] * surplus[:, -outputs.shape[-1] :]
        gradient = np.tensordot(outputs, surplus, axes=2)
        return -(share @ log_new[rows, codes]) + cost @ factors, gradient + cost

    return minimize(
        loss_and_gradient,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, MAX_FACTOR * (factor > 0.0)) for factor in start],
        options={"ftol": 1e-13, "gtol": 1e-8},
    ).x
