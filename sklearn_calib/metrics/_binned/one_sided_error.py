"""One side of the gap between confidence and accuracy."""

from .bin_norm import OneSidedNorm
from .bin_table import merge_bins
from .binned_error import BinnedError


def prepare_one_sided(predictions, *, sign, by_confidence, **binning):
    """Prepare the mean of one side of confidence minus accuracy, as `OneSidedNorm` takes it.

    `binning` has options of `ece`.
    """
    norm = OneSidedNorm(sign, by_confidence)
    return BinnedError(predictions, norm=norm, target="confidence", **binning)


def merge_one_sided(n_classes, *, sign, by_confidence, **binning):
    """Return the `Mergeable` of `prepare_one_sided`."""
    return merge_bins(n_classes, OneSidedNorm(sign, by_confidence), target="confidence", **binning)
