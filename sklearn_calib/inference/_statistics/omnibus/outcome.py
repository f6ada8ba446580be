"""What the result of the omnibus test says about each of its parts, and in one sentence."""

from typing import NamedTuple

# The aspect of the parts with a kernel on the features.
LOCAL = "local"


class OmnibusPart(NamedTuple):
    """A part of the omnibus test.

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
    """

    name: str
    label: str
    aspect: str
    local: bool
    statistic: float
    pvalue: float
    adjusted_pvalue: float
    finding: str


# How many findings a summary holds at most, without features and with.
_MOST = {False: 2, True: 1}


def say_what_is_wrong(parts, alpha):
    """Return in words what the parts find; empty if nothing.

    Of the parts for the same kind of error the one with the smallest p-value speaks, and at most
    two parts without and one with a kernel on the features, the most specific ones first.

    Parameters
    ----------
    parts : tuple of OmnibusPart
        In the order in which they speak.
    alpha : float
        Parts speak whose adjusted p-value is at most this.
    """
    speaking: dict[str, OmnibusPart] = {}
    for part in parts:
        best = speaking.get(part.aspect)
        if part.adjusted_pvalue <= alpha and (
            best is None or part.adjusted_pvalue < best.adjusted_pvalue
        ):
            speaking[part.aspect] = part
    said: list[str] = []
    for local, most in _MOST.items():
        found = [one.finding for one in speaking.values() if (one.aspect == LOCAL) is local]
        said += found[:most]
    return "; ".join(said)
