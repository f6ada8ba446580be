"""What the result of the omnibus test says about each of its parts, and in one sentence."""

from typing import NamedTuple

LOCAL = "local"
IMPOSSIBLE = "impossible_events"


class OmnibusPart(NamedTuple):
    """What one part of the omnibus test says, in :attr:`CalibrationTestResult.parts`.

    Attributes
    ----------
    name : str
        The statistic, with a number where one statistic occurs more than once.
    label : str
        How tables call it.
    aspect : str
        Which kind of error it is made to find.
    local : bool
        Whether it reads features.
    statistic : float
        Its value.
    pvalue : float
        Its p-value by itself, as if it were the only one.
    adjusted_pvalue : float
        Corrected for all parts together: if the predictions are calibrated, any of these is at
        most alpha with probability at most alpha. The smallest one is the p-value of the test.
    finding : str
        What the fitted numbers say that is wrong, which matters if the p-value is small.

    See Also
    --------
    check_calibration : Makes it, with ``statistic="omnibus"``.

    Examples
    --------
    >>> from sklearn_calib.datasets import make_calibration_data
    >>> from sklearn_calib.inference import check_calibration
    >>> X, y_true, y_proba = make_calibration_data(n=300)
    >>> result = check_calibration(y_true, y_proba, X, statistic="omnibus", random_state=0)
    >>> part = result.parts[1]
    >>> part.name, part.adjusted_pvalue
    ('logistic_score', 0.001)
    """

    name: str
    label: str
    aspect: str
    local: bool
    statistic: float
    pvalue: float
    adjusted_pvalue: float
    finding: str


def impossible_events(n_rows, n_draws):
    """Return the part for rows that gave probability zero to what happened, if there are any.

    No draw from the predictions has such a row, so that the data are more extreme than all draws.

    Parameters
    ----------
    n_rows : int
        Number of these rows.
    n_draws : int
        Number of draws.

    Returns
    -------
    parts : list of OmnibusPart
        One or none.
    """
    if not n_rows:
        return []
    pvalue = 1.0 / (n_draws + 1.0)
    finding = f"in {n_rows:,} row{'s' * (n_rows > 1)} probability zero was given to what happened"
    names = (IMPOSSIBLE, "probability zero", "certainty")
    return [OmnibusPart(*names, False, float(n_rows), pvalue, pvalue, finding)]


# How many findings a summary holds at most.
_MOST = 2


def say_what_is_wrong(parts, alpha):
    """Return in words what the parts find at level `alpha`; empty if nothing.

    Of the parts for the same kind of error the one with the smallest p-value speaks, and at most
    two parts, the most specific ones first. Parts with a kernel on all features speak only if all
    that is found depends on the features. Rows of probability zero are named in any case, last.
    """
    certain = [part.finding for part in parts if part.name == IMPOSSIBLE]
    parts = [part for part in parts if part.name != IMPOSSIBLE]
    speaking: dict[str, OmnibusPart] = {}
    for part in parts:
        best = speaking.get(part.aspect)
        if part.adjusted_pvalue <= alpha and (
            best is None or part.adjusted_pvalue < best.adjusted_pvalue
        ):
            speaking[part.aspect] = part
    spoken = [*speaking.values()]
    plain = any(not part.local for part in spoken)
    if plain:  # an error of the predictions shows along the features as well
        spoken = [part for part in spoken if part.aspect != LOCAL]
    found = [*dict.fromkeys(part.finding for part in spoken)][:_MOST]
    return without_repetition([*found, *certain])


def without_repetition(findings):
    """Join findings by semicolons, each of their sentences once."""
    sentences = [one for finding in findings if finding for one in finding.split("; ")]
    return "; ".join(dict.fromkeys(sentences))
