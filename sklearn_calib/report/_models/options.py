"""The options of a report, for the type checker and to pass them on."""

from typing import Any, TypedDict

from ..._utils.types import Bins, Pick, Picks, Progress, RandomState, Rows, Width, Widths, Words


class ReportOptions(TypedDict, total=False):
    """The keyword arguments of `calibration_report`, which documents them."""

    feature_names: Words
    groups: Any
    max_interaction: int
    n_bins: Bins
    strategy: str
    bandwidth: Width
    alpha: float
    n_resamples: int
    prob_bandwidth: Width
    feature_bandwidth: Widths
    categorical_features: Picks
    min_effective_size: float
    max_local_samples: int
    sample_weight: Rows
    pos_label: Pick
    labels: Picks
    random_state: RandomState
    title: str
    verbose: Progress
