"""Remarks that help to read the numbers of a report."""

import numpy as np

from .._utils.results import show_numbers


def reading_notes(predictions, rows, n_resamples):
    """Return remarks that help to read the numbers."""
    notes = [
        f"Expected values, ranges and p-values come from {n_resamples} sets of labels drawn from "
        "the predictions; the same sets serve all metrics. With so many sets no p-value is smaller "
        f"than {1 / (n_resamples + 1):.3g}. Rows must be independent and unseen by the model.",
        "The ideal value of every error and of the intercept is zero, that of the slope and of the "
        "O/E ratio is one. SKCE, KCE and KLCE are unbiased estimates, so for a calibrated model "
        "they are about as often negative as positive.",
    ]
    if predictions.n_classes > 2:
        notes.append(
            "confidence: is the largest probability of each row right? canonical: is the whole "
            "vector of probabilities right?"
        )
    if rows is not None:
        parts = (
            "The local parts use"
            if predictions.n_classes == 2
            else (
                "SKCE, KCE and the local parts use"
                if predictions.features is not None
                else "SKCE and KCE use"
            )
        )
        notes.append(
            f"{parts} a random sample of {rows.size:,} of the {predictions.n_samples:,} rows."
        )
    return notes


def bins_note(asked, used):
    """Return a remark if the bins are not those of the default of the binned errors."""
    if asked != "auto" or used != "quantile":
        return []
    return [
        "One bin of equal width would hold more than 80 % of the rows, so the bins of the diagram "
        "and of the binned errors hold about equal numbers of rows: ece(..., strategy='quantile') "
        "gives the same number."
    ]


def bandwidth_note(test, option):
    """Return which bandwidths the local parts used, and whether those of other functions differ."""
    widths = test.feature_bandwidth[~np.isnan(test.feature_bandwidth)]
    if not widths.size:
        return (
            "The local parts use the bandwidth "
            f"prob_bandwidth={show_numbers(test.prob_bandwidth)}; all features are categories."
        )
    note = (
        "The local parts use the bandwidths "
        f"prob_bandwidth={show_numbers(test.prob_bandwidth)} and "
        f"feature_bandwidth={show_numbers(widths)}"
    )
    if not isinstance(option, str):
        return f"{note}."
    note = f"{note}, from feature_bandwidth={option!r}."
    if option == "median" or widths.size == 1:
        return note
    return (
        f"{note} The default of check_calibration and local_bias_band is 'median', one bandwidth "
        f"for all features: pass feature_bandwidth={option!r} there to get the same numbers."
    )
