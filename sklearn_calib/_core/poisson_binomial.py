"""The exact distribution of the number of events among independent rows."""

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

# Rows whose distribution is built one row at a time, before blocks are convolved.
_LEAF = 32
# Exponent of the mass that is left out at each end of a window, exp(-_TAIL).
_TAIL = 42.0


def event_count_limits(p, level):
    """Return the smallest and largest number of events that are not in the tails.

    They are the largest number with ``P(count < lower) <= level`` and the smallest number with
    ``P(count > upper) <= level``, where `p` has the probability of an event in each row.
    """
    start, mass = event_count_distribution(p)
    below = np.cumsum(mass)
    above = np.cumsum(mass[::-1])[::-1]
    lower = int(np.argmax(below > level))
    upper = mass.size - 1 - int(np.argmax(above[::-1] > level))
    return start + lower, start + upper


def event_count_distribution(p):
    """Return the smallest number of events that is possible, and the mass of each from there on.

    This is the Poisson binomial distribution. Neighbouring blocks of rows are convolved until one
    is left. Each keeps only the counts around its mean whose tails have at most the mass
    ``exp(-42)`` by Bernstein's inequality, so the time is O(n) and the error is that of rounding.
    (SciPy's own distribution of this name takes O(n^2).)
    """
    n_blocks = 1 << max(0, int(np.ceil(np.log2(max(p.size, 1) / _LEAF))))
    padded = np.zeros(n_blocks * max(1, -(-p.size // n_blocks)))
    padded[: p.size] = p
    rows = padded.reshape(n_blocks, -1)
    mass = np.zeros((n_blocks, rows.shape[1] + 1))
    mass[:, 0] = 1.0
    for column in rows.T[:, :, np.newaxis]:
        mass[:, 1:] += column * (mass[:, :-1] - mass[:, 1:])
        mass[:, :1] *= 1.0 - column
    start = np.zeros(n_blocks, dtype=np.intp)
    mean, variance = rows.sum(axis=1), (rows * (1.0 - rows)).sum(axis=1)
    while mass.shape[0] > 1:
        size = 2 * mass.shape[1] - 1
        length = next_fast_len(size, real=True)
        spectrum = rfft(mass, length, axis=1)
        mass = irfft(spectrum[::2] * spectrum[1::2], length, axis=1)[:, :size]
        start, mean, variance = (one[::2] + one[1::2] for one in (start, mean, variance))
        mass, start = _trim(np.maximum(mass, 0.0), start, mean, variance)
    return int(start[0]), mass[0]


def _trim(mass, start, mean, variance):
    """Cut windows to the counts around their means that hold all but a negligible mass."""
    reach = _TAIL / 3.0 + np.sqrt((_TAIL / 3.0) ** 2 + 2.0 * _TAIL * variance.max())
    size = 2 * int(np.ceil(reach)) + 1
    if size >= mass.shape[1]:
        return mass, start
    first = np.floor(mean).astype(np.intp) - size // 2 - start
    first = np.clip(first, 0, mass.shape[1] - size)
    columns = first[:, np.newaxis] + np.arange(size)
    return np.take_along_axis(mass, columns, axis=1), start + first
