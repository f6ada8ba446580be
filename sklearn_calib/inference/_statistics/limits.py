"""The usual limiting distributions; to freeze one of scipy.stats takes longer than a test of it."""

from functools import lru_cache

from scipy.stats import chi2, norm


@lru_cache(maxsize=64)
def chi_squared(dof):
    """Return the chi-squared distribution with some degrees of freedom."""
    return chi2(dof)


@lru_cache(maxsize=1)
def standard_normal():
    """Return the standard normal distribution."""
    return norm()
