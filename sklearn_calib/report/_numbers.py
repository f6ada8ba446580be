"""Numbers as text."""

import numpy as np

_MOST_DECIMALS = 12


def show_number(value):
    """Return a number with four decimals, or six where it is smaller than that."""
    if np.isnan(value):
        return "-"
    if np.isinf(value):
        return f"{value:.1f}"
    if abs(value) >= 1e-3 or value == 0:
        return f"{value:z.4f}"
    return f"{value:z.6f}" if abs(value) >= 1e-6 else f"{value:.1e}"


def show_apart(*values):
    """Return numbers as text, with more decimals where different ones would look the same."""
    short = texts = [show_number(value) for value in values]
    finite = [value for value in values if np.isfinite(value)]
    decimals = 4
    while _confused(values, texts):
        if decimals == _MOST_DECIMALS:  # they differ by rounding only
            return short
        decimals += 1
        texts = [
            f"{value:z.{decimals}f}" if value in finite else show_number(value) for value in values
        ]
    return texts


def show_range(low, high):
    """Return the texts of two ends as one, which is "-" if there is no range."""
    return low if low == high == "-" else f"{low} to {high}"


def _confused(values, texts):
    known = {(value, text) for value, text in zip(values, texts) if not np.isnan(value)}
    return len(known) > len({text for _, text in known})


def show_pvalue(pvalue):
    """Return a p-value with three digits."""
    return "-" if np.isnan(pvalue) else f"{pvalue:.3g}"


def show_share(alpha):
    """Return the confidence level as text."""
    return f"{100 * (1 - alpha):g} %"
