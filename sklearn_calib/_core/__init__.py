"""Kernel core: off-diagonal kernel sums in near-linear time or bounded memory.

The only place of the package that imports JAX, and only when something is computed. Everything
takes and returns NumPy arrays in float64.
"""

from .blocks import adjacent_products, block_forms
from .distances import median_distance, rescale, shorten_gaps, weighted_median
from .forms import PairForm, pair_form
from .matches import merge_codes
from .planner import fourier_series
from .queries.low_rank_means import LowRankMeans
from .queries.query_means import LocalMeans, local_means
from .residual_blocks import ResidualBlocks
from .ways.segments import Segments, compose, compose_all, line_segment
from .ways.waves import WaveSums

__all__ = [
    "LocalMeans",
    "LowRankMeans",
    "PairForm",
    "ResidualBlocks",
    "Segments",
    "WaveSums",
    "adjacent_products",
    "block_forms",
    "compose",
    "compose_all",
    "fourier_series",
    "line_segment",
    "local_means",
    "median_distance",
    "merge_codes",
    "pair_form",
    "rescale",
    "shorten_gaps",
    "weighted_median",
]
