"""The object that holds the outcome of a test of calibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._utils.options import check_real, check_text
from .._utils.results import Result, one_line
from ._statistics.omnibus.outcome import OmnibusPart, say_what_is_wrong


@dataclass(frozen=True, repr=False, eq=False)
class CalibrationTestResult(Result):
    """Outcome of :func:`check_calibration`; unpacks as ``(statistic, pvalue)``.

    Attributes
    ----------
    statistic : float
        The statistic of the data; larger is worse.
    pvalue : float
        Share of the null distribution that is at least as large, see :func:`check_calibration`.
    null_distribution : ndarray of shape (n_resamples,) or None
        The statistic of each draw; None if the p-value comes from a reference distribution.
    expected : float or None
        Mean of the null distribution (the median, if some of its values are infinite): with
        ``null="simulation"`` the value that a calibrated model with these predictions has on
        average. None if there are no draws.
    effect_size : float or None
        The statistic on the scale of probabilities: ``sqrt(max(statistic, 0))`` for squared errors
        (`skce`, `klce`, squared `kce`), otherwise the statistic itself. With many rows any model
        is rejected, and this number tells whether the error matters. None if the statistic has no
        such scale.
    statistic_name : str
        The metric, or the name of the callable.
    target : str or None
        Which calibration was tested; None if the statistic is a callable.
    null : str
        How the null distribution was drawn.
    n_samples : int
        Rows of positive weight.
    detectable_error : float or None
        How large an error this test on these rows would have found in 80 % of samples at the level
        5 %, on the scale of probabilities: a constant by which the true probabilities of the
        positive class differ from the predictions (towards one half on average), or, for more
        than two classes, by which that of the most probable class is lower. After a large p-value
        it tells which errors are ruled out: a smaller shift would often have been missed. None if
        labels were not drawn from the predictions, there are fewer than 19 draws, the statistic
        is a callable, the rows are Dask collections, or no shift is found that often.
    prob_bandwidth : float, tuple of float or None
        Bandwidth on probabilities of a kernel statistic; one per class for "classwise".
    feature_bandwidth : ndarray of shape (n_features,) or None
        Bandwidth of each feature.
    feature_names : tuple of str or None
        Their names, if `X` was a table.
    algorithm : str or None
        How the pair sums were evaluated.
    certificate : object or None
        How accurate the evaluation is if it was "low_rank": the null standard deviation of the
        error relative to that of the statistic, and a hard bound.
    parts : tuple of OmnibusPart or None
        For the statistic "omnibus", what each of its parts says, see :class:`OmnibusPart`. None
        for other statistics.

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

    _summary = (
        "statistic",
        "pvalue",
        "finding",
        "part_pvalues",
        "expected",
        "effect_size",
        "detectable_error",
        "statistic_name",
        "target",
        "null",
        "n_samples",
        "n_resamples",
        "algorithm",
        "prob_bandwidth",
        "feature_bandwidth",
        "certificate",
    )

    statistic: float
    pvalue: float
    null_distribution: np.ndarray | None
    expected: float | None
    effect_size: float | None
    statistic_name: str
    target: str | None
    null: str
    n_samples: int
    detectable_error: float | None = None
    prob_bandwidth: float | tuple | None = None
    feature_bandwidth: np.ndarray | None = None
    feature_names: tuple[str, ...] | None = None
    algorithm: str | None = None
    certificate: object = None
    parts: tuple[OmnibusPart, ...] | None = None

    def __iter__(self):
        """Yield the statistic and the p-value."""
        return iter((self.statistic, self.pvalue))

    @property
    def n_resamples(self) -> int:
        """Number of draws of the null distribution; 0 if it was not drawn."""
        return 0 if self.null_distribution is None else self.null_distribution.size

    @property
    def part_pvalues(self) -> dict[str, float] | None:
        """The adjusted p-value of each part of the omnibus test by its name."""
        if self.parts is None:
            return None
        return {part.name: part.adjusted_pvalue for part in self.parts}

    @property
    def finding(self) -> str | None:
        """What the omnibus test finds wrong at the level 5 %, see :meth:`describe`."""
        return None if self.parts is None else self.describe()

    def describe(self, alpha: float = 0.05) -> str:
        """Say in a sentence whether the predictions are calibrated, and what is wrong with them.

        Parameters
        ----------
        alpha : float, default=0.05
            Level of the test. Of the omnibus test, parts with an adjusted p-value of at most this
            say what they find.

        Returns
        -------
        sentence : str
        """
        alpha = check_real(alpha, "alpha", below=1.0)
        if self.pvalue > alpha:
            found = self.detectable_in_words("; ")
            return f"no sign of miscalibration (p = {self.pvalue:.3g}{found})"
        found = self.finding_at(alpha)
        return one_line(f"not calibrated (p = {self.pvalue:.3g}){': ' if found else ''}{found}")

    def detectable_in_words(self, before: str = "") -> str:
        """Say which error the test finds in most samples.

        Parameters
        ----------
        before : str, default=""
            What comes before the words.

        Returns
        -------
        words : str
            Empty if `detectable_error` is None.
        """
        check_text(before, "before")
        if self.detectable_error is None:
            return ""
        return f"{before}a shift of {self.detectable_error:.2g} is found in 80 % of samples"

    def finding_at(self, alpha: float) -> str:
        """Say what the parts of the omnibus test find wrong; empty if nothing.

        Parameters
        ----------
        alpha : float
            Parts speak whose adjusted p-value is at most this.

        Returns
        -------
        finding : str
        """
        alpha = check_real(alpha, "alpha", below=1.0)
        return "" if self.parts is None else say_what_is_wrong(self.parts, alpha)
