"""The object that holds the outcome of a test of calibration."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, repr=False, eq=False)
class CalibrationTestResult:
    """Outcome of :func:`check_calibration`; unpacks as ``(statistic, pvalue)``.

    Attributes
    ----------
    statistic : float
        The statistic of the data; larger is worse.
    pvalue : float
        Share of the null distribution that is at least as large, see :func:`check_calibration`.
    null_distribution : ndarray of shape (n_resamples,)
        The statistic of each draw.
    expected : float
        Mean of the null distribution: with ``null="simulation"`` the value that a calibrated model
        with these predictions has on average.
    effect_size : float
        The statistic on the scale of probabilities: ``sqrt(max(statistic, 0))`` for squared errors
        (`skce`, `klce`, squared `kce`), otherwise the statistic itself. With many rows any model
        is rejected, and this number tells whether the error matters.
    statistic_name : str
        The metric, or the name of the callable.
    target : str or None
        Which calibration was tested; None if the statistic is a callable.
    null : str
        How the null distribution was drawn.
    n_samples : int
        Rows of positive weight.
    prob_bandwidth : float, tuple of float or None
        Bandwidth on probabilities of a kernel statistic; one per class for "classwise".
    feature_bandwidth : ndarray of shape (n_features,) or None
        Bandwidth of each feature.
    algorithm : str or None
        How the pair sums were evaluated.
    certificate : object or None
        How accurate the evaluation is if it was "low_rank": the null standard deviation of the
        error relative to that of the statistic, and a hard bound.

    See Also
    --------
    check_calibration : Makes it.

    Examples
    --------
    >>> from sklearn_calib import check_calibration
    >>> result = check_calibration([0, 1, 1, 0], [0.2, 0.6, 0.9, 0.4], random_state=0)
    >>> statistic, pvalue = result
    >>> result.n_resamples
    999
    """

    statistic: float
    pvalue: float
    null_distribution: np.ndarray
    expected: float
    effect_size: float
    statistic_name: str
    target: str | None
    null: str
    n_samples: int
    prob_bandwidth: float | tuple | None = None
    feature_bandwidth: np.ndarray | None = None
    algorithm: str | None = None
    certificate: object = None

    def __iter__(self):
        """Yield the statistic and the p-value."""
        return iter((self.statistic, self.pvalue))

    @property
    def n_resamples(self):
        """Number of draws of the null distribution."""
        return self.null_distribution.size

    def __repr__(self):
        """Show the outcome, its size, and what was used."""
        what = [self.statistic_name, *([f"target={self.target!r}"] if self.target else [])]
        where = "calibration" if self.null == "simulation" else "the null"
        lines = [
            f"statistic={self.statistic:.4g}, pvalue={self.pvalue:.4g}",
            f"expected={self.expected:.4g} under {where}, effect_size={self.effect_size:.4g}",
            f"{', '.join(what)}, null={self.null!r}, n_samples={self.n_samples}, "
            f"n_resamples={self.n_resamples}",
        ]
        if self.algorithm is not None:
            widths = show_bandwidths(self.prob_bandwidth, self.feature_bandwidth)
            lines.append(f"algorithm={self.algorithm!r}, {widths}")
        if self.certificate is not None:
            lines.append(f"certificate={self.certificate}")
        return show_result(self, lines)


def show_result(result, lines):
    """Return the repr of a result: its class with lines of fields."""
    return f"{type(result).__name__}(\n    " + ",\n    ".join(lines) + ",\n)"


def show_bandwidths(prob_bandwidth, feature_bandwidth):
    """Return bandwidths as fields of a repr, the distinct ones and at most five."""

    def show(widths):
        shown = [f"{width:.4g}" for width in np.unique(widths)[:5]]
        more = ", ..." if np.unique(widths).size > 5 else ""
        return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}{more}]"

    text = f"prob_bandwidth={show(prob_bandwidth)}"
    if feature_bandwidth is not None:
        text += f", feature_bandwidth={show(feature_bandwidth)}"
    return text
