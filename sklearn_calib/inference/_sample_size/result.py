"""What `required_sample_size` returns."""

from __future__ import annotations

from dataclasses import dataclass

from ..._utils.results import Result


@dataclass(frozen=True, repr=False, eq=False)
class RequiredSampleSize(Result):
    """Outcome of :func:`required_sample_size`.

    Attributes
    ----------
    n_samples : int
        Number of rows.
    n_events : float
        Expected number of rows among them that have the positive class or, for more than two
        classes, the class of their largest probability.
    goal : {"power", "width"}
        What the rows are for: a test that finds an error, or an interval.
    name : str
        The statistic of the test, or the metric of the interval.
    error : float
        Mean absolute difference between the true and the predicted probability of the event. This
        is the expected calibration error with bins of single predictions; 0 if the predictions are
        taken as true.
    power, alpha : float or None
        Power and level of the test.
    width, confidence_level : float or None
        Width and nominal coverage of the interval.
    method : {"formula", "simulation"}
        How the number was found.
    relative_error : float
        Standard error of `n_samples` from the draws, as a share of it: 0.03 is 3 %. It is 0 for a
        formula, and NaN where it is not known.
    found : str
        What the test should find, in words; empty for an interval.

    See Also
    --------
    required_sample_size : Makes it.

    Examples
    --------
    >>> from scipy.stats import beta
    >>> from sklearn_calib.inference import required_sample_size
    >>> result = required_sample_size(beta(2, 8), metric="observed_expected_ratio", width=0.2)
    >>> result.n_samples, round(result.n_events)
    (1441, 288)
    """

    _summary = (
        "n_samples",
        "n_events",
        "goal",
        "name",
        "error",
        "power",
        "alpha",
        "width",
        "confidence_level",
        "method",
        "relative_error",
    )

    n_samples: int
    n_events: float
    goal: str
    name: str
    error: float
    method: str
    relative_error: float
    power: float | None = None
    alpha: float | None = None
    width: float | None = None
    confidence_level: float | None = None
    found: str = ""

    @property
    def verdict(self) -> str:
        """The result in a sentence."""
        about = "" if self.method == "formula" else "about "
        rows = f"{about}{self.n_samples:,} rows, {about}{self.n_events:,.0f} of them events"
        if self.goal == "width":
            return (
                f"With {rows}, the {_percent(self.confidence_level)} interval of {self.name} is "
                f"{self.width:g} wide on average."
            )
        return (
            f"With {rows}, the test {self.name} at level {_percent(self.alpha)} finds {self.found} "
            f"in {_percent(self.power)} of samples."
        )


def _percent(share):
    return f"{100.0 * share:g} %"
