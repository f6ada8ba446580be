"""What is known of a kernel calibration error of a calibrated model without drawing labels."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from .pair_error import PairError


def normal_limit(prepared: PairError, codes: np.ndarray):
    """Return the normal distribution that the linear and the block estimator approach, or raise.

    Both are means of terms that share no row: pairs, or blocks of rows. Their standard deviation in
    the data gives that of the mean. Other estimators have no normal limit, and neither have fewer
    than two terms or equal ones.
    """
    if prepared.estimator not in ("ul", "block"):
        raise ValueError(
            "null='asymptotic' needs the linear or block estimator of skce, whose terms share no "
            f"row; estimator={prepared.estimator!r} has no normal limit. Pass statistic_params="
            "{'estimator': 'ul'}, use statistic='standardized_skce', which has a limit for all "
            "pairs, or use null='simulation', which is exact for every statistic."
        )
    terms, weight = prepared.terms(codes)
    n_terms = terms.size
    deviations = terms - weight * (terms.sum() / weight.sum())
    variance = np.sum(deviations**2) / weight.sum() ** 2 * n_terms / max(n_terms - 1, 1)
    if n_terms < 2 or variance == 0.0:
        raise ValueError(
            f"n too small for null='asymptotic': the estimator {prepared.estimator!r} has "
            f"{n_terms} terms, of which at least 2 must differ. Use null='simulation'."
        )
    return norm(scale=np.sqrt(variance))
