"""Distributions of a Brownian motion on [0, 1]: its largest size, and its range."""

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import ndtr

# Below this the distribution functions are zero in floating-point arithmetic.
_SMALLEST = 0.05


class _Series(ABC):
    """A distribution on the positive numbers whose upper tail is an alternating series."""

    def sf(self, x):
        """Return the probability of a larger value."""
        x = np.asarray(x, dtype=float)
        values = [self._tail(float(one)) if one > _SMALLEST else 1.0 for one in x.ravel()]
        return np.clip(np.reshape(values, x.shape), 0.0, 1.0)[()]

    def cdf(self, x):
        """Return the probability of a value that is not larger."""
        return 1.0 - self.sf(x)

    @abstractmethod
    def _tail(self, x):
        """Return the probability of a larger value than a number that is not tiny."""


class LargestSize(_Series):
    r"""The distribution of :math:`\sup_t |W(t)|`.

    .. math:: P(\sup_t |W(t)| > x) = 4 \sum_{k \ge 1} (-1)^{k-1} \Phi(-(2k - 1) x)

    by the reflection principle; see W. Feller, "An Introduction to Probability Theory and Its
    Applications", volume 2, Wiley 1971, section X.5.
    """

    def _tail(self, x):
        odd = np.arange(1.0, 40.0 / x + 3.0, 2.0)
        return 4.0 * np.sum(_signs(odd.size) * ndtr(-odd * x))


class Range(_Series):
    r"""The distribution of :math:`\sup_t W(t) - \inf_t W(t)`.

    .. math:: P(R > x) = 8 \sum_{k \ge 1} (-1)^{k-1} k \Phi(-k x)

    which is the integral of the density in W. Feller, "The asymptotic distribution of the range of
    sums of independent random variables", Annals of Mathematical Statistics 22 (1951),
    doi:10.1214/aoms/1177729589.
    """

    def _tail(self, x):
        number = np.arange(1.0, 40.0 / x + 2.0)
        return 8.0 * np.sum(_signs(number.size) * number * ndtr(-number * x))


def _signs(n):
    return np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
