"""What is wrong with the predictions of a series, since when, and how to say it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._utils.results import tell_apart
from .e_values import start_log_weights
from .monitor_sums import MonitorSums


class Finding(NamedTuple):
    """The error of the predictions of a series since it began.

    Attributes
    ----------
    since : int
        Number of the period in which it began, among those of the monitor.
    problem : str
        In a few words.
    n : int
        Rows since then.
    observed, predicted : float
        Rate of the event and mean prediction since then.
    slope : float
        Slope of the log-odds since then, in one step from the calibrated line.
    detail : str
        The numbers behind the problem.
    """

    since: int
    problem: str
    n: int
    observed: float
    predicted: float
    slope: float
    detail: str


def slope_of(sums: MonitorSums) -> np.ndarray:
    """Return the slope of the log-odds: one step of Newton's method from the calibrated line.

    One is calibrated; below one the predictions are too extreme. NaN where the predictions do not
    vary.
    """
    score, information = _centred(sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1.0 + np.where(information > 0.0, score / information, np.nan)


def _centred(sums):
    """Return the score of the slope and its variance, with the intercept estimated."""
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = np.where(sums.variance > 0.0, sums.variance_odds / sums.variance, 0.0)
    score = sums.score - centre * (sums.events - sums.predicted)
    information = sums.variance_odds_squared - centre * sums.variance_odds
    negligible = information <= 1e-9 * sums.variance_odds_squared
    return score, np.where(negligible, 0.0, information)


def find_error(sums: MonitorSums, present: np.ndarray, target: str) -> Finding:
    """Return what is wrong with a series, from its sums in each period and where it has rows."""
    periods = np.flatnonzero(present)
    mass = np.logaddexp.reduce(start_log_weights(sums.log_ratios[present]), axis=1)
    impossible = int(sums.impossible.sum())
    since = int(np.argmax(sums.impossible > 0) if impossible else periods[np.argmax(mass)])
    late = MonitorSums(*(one[since:].sum(axis=0) for one in sums))
    observed, predicted = (float(one / late.rows) for one in (late.events, late.predicted))
    slope = float(slope_of(late))
    words = [*_say_impossible(impossible), *_say_error(late, target, observed, predicted, slope)]
    problem, detail = words[0]
    return Finding(since, problem, int(late.rows), observed, predicted, slope, detail)


def _say_impossible(number):
    """Return what to say of outcomes that had been given the probability zero."""
    if not number:
        return []
    times = "once" if number == 1 else f"{number:,} times"
    return [("calls impossible what happens", times)]


def _say_error(late, target, observed, predicted, slope):
    """Return what is wrong, and the numbers, from the larger of two standardised deviations."""
    score, information = _centred(late)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_mean = np.nan_to_num((late.events - late.predicted) / np.sqrt(late.variance))
        of_slope = np.nan_to_num(score / np.sqrt(information)) if information > 0.0 else 0.0
    if abs(of_mean) >= abs(of_slope):
        shown = tell_apart(predicted, observed)
        if target == "confidence":
            problem = "is too confident" if of_mean < 0.0 else "is not confident enough"
            return [(problem, f"confidence {shown[0]}, accuracy {shown[1]}")]
        problem = "predicts too high" if of_mean < 0.0 else "predicts too low"
        return [(problem, f"predicted {shown[0]}, observed {shown[1]}")]
    problem = "predicts too extreme values" if of_slope < 0.0 else "predicts too moderate values"
    return [(problem, f"slope about {slope:.2f}")]


def name_period(period):
    """Return a period as part of a sentence."""
    return str(period) if isinstance(period, str) else f"period {period:g}"
