"""Which way answers a pair form: a small pure function of kernel, dimension and sizes."""

import math

import numpy as np

# A Gaussian at this distance (in bandwidths) is 1e-17: it is what every spectral or windowed
# sum leaves out.
REACH = math.sqrt(math.log(1e17))
# Up to this number of neighbours a point, windows let them meet one by one.
FEW_NEIGHBOURS = 64


def n_frequencies(span):
    """Count the frequencies of the trapezoid rule for an interval of `span` bandwidths."""
    return math.ceil((span + REACH) * REACH / math.pi)


def fourier_series(span):
    """Return the period and the series of the RBF kernel on an interval of `span` bandwidths.

    The kernel is replaced by its periodic sum with period `span + REACH`, whose Fourier series is
    known (Poisson summation) and is cut where a coefficient falls below 1e-17. Coefficients are
    those of ``cos(2 pi m d / period)`` for the distance d in bandwidths and m = 0, 1, ...
    """
    period = span + REACH
    m = np.arange(n_frequencies(span) + 1)
    series = np.sqrt(np.pi) / period * np.exp(-((np.pi * m / period) ** 2))
    series[1:] *= 2.0
    return period, series


def applicable_ways(kernel, dimension, categories=False):
    """List the ways that can answer for a kernel and a dimension, as a tuple of names.

    The first one is the cheapest of the exact ones, except that for the RBF kernel on a line this
    depends on sizes. With categories that are not put on the line, only the ways for any kernel
    are left.
    """
    on_line = dimension == 1 and not categories
    if kernel == "laplacian":
        return ("line", "tiles") if on_line else ("tiles",)
    if kernel == "rbf":
        exact = ("fourier", "windows", "tiles") if on_line else ("tiles",)
        return (*exact, "low_rank")
    raise ValueError(f"kernel must be 'laplacian' or 'rbf', got {kernel!r}.")


def plan(algorithm, *, kernel, dimension, n, n_columns, span, categories=False):
    """Return the name of the way that answers a pair form, or raise if the one asked for does not.

    "auto" gives the cheapest exact one; never "low_rank", which has to be asked for. `span` is the
    largest minus the smallest position in bandwidths, in one dimension, and `categories` says
    whether points have categories as well.
    """
    ways = applicable_ways(kernel, dimension, categories)
    if algorithm == "auto":
        if "fourier" not in ways:
            return ways[0]
        return "fourier" if _fourier_is_cheaper(n, n_columns, span) else "windows"
    if algorithm not in ways:
        with_categories = " with categories" if categories else ""
        raise ValueError(
            f"algorithm={algorithm!r} does not apply to the {kernel} kernel in {dimension} "
            f"dimension{'s' if dimension > 1 else ''}{with_categories}; use 'auto' or one of "
            f"{list(ways)}."
        )
    return algorithm


def _fourier_is_cheaper(n, n_columns, span):
    """Compare the two ways for the RBF kernel on a line, whose points are taken to be even.

    The numbers are processor time in nanoseconds, as measured.
    """
    fourier = n * (55 + 3.5 * n_columns) + n_frequencies(span) * (700 + 500 * n_columns)
    neighbours = n * (REACH / span if span > 2 * REACH else 0.5)
    if neighbours <= FEW_NEIGHBOURS:
        return fourier < n * (130 + 0.35 * neighbours * n_columns)
    return fourier < n * (130 + 43 * n_columns) + 6000 * span * n_columns
