"""False alarms of a monitor of calibration, and rows until it finds a drift."""

import numpy as np
from scipy.special import expit
from scipy.stats import chi2

from sklearn_calib.streaming import CalibrationMonitor

LEVEL, DAYS, PER_DAY = 0.05, 365, 100
SEGMENTS = [f"site {k}" for k in range(10)]


def common(rng, n):
    """Return probabilities of a common event."""
    return expit(rng.normal(0.0, 1.5, n))


def rare(rng, n):
    """Return probabilities of an event of about 3 %."""
    return expit(rng.normal(-4.0, 1.0, n))


def rounded(rng, n):
    """Return probabilities with two decimals, as people state them."""
    return np.clip(np.round(common(rng, n), 2), 0.01, 0.99)


CALIBRATED = {
    "common event": (common, {}),
    "rare event": (rare, {}),
    "two decimals": (rounded, {}),
    "10 declared segments": (common, {"segments": SEGMENTS}),
    "10 segments as they come": (common, {}),
}
DRIFTS = {
    "slope 0.8": (common, lambda p: expit(0.8 * _log_odds(p))),
    "slope 1.25": (common, lambda p: expit(1.25 * _log_odds(p))),
    "0.05 too high": (common, lambda p: np.maximum(p - 0.05, 0.0)),
    "0.05 too low": (common, lambda p: np.minimum(p + 0.05, 1.0)),
    "0.10 too high": (common, lambda p: np.maximum(p - 0.10, 0.0)),
    "rare event, slope 0.8": (rare, lambda p: expit(0.8 * _log_odds(p) - 0.8)),
    "rare event twice as rare": (rare, lambda p: p / 2.0),
}


def _log_odds(p):
    return np.log(p) - np.log1p(-p)


def daily_pvalues(y, p):
    """Return the p-value of each day: of the score test for intercept and slope, on its own."""
    odds, variance, error = _log_odds(p), p * (1.0 - p), y - p
    centre = (variance * odds).sum(axis=1, keepdims=True) / variance.sum(axis=1, keepdims=True)
    squares = error.sum(axis=1) ** 2 / variance.sum(axis=1)
    odds = odds - centre
    squares += (error * odds).sum(axis=1) ** 2 / (variance * odds**2).sum(axis=1)
    return chi2.sf(squares, 2)


def false_alarms(name, n_years):
    """Return how many years of a calibrated model have an alarm at one of the daily looks."""
    make, options = CALIBRATED[name]
    days = np.repeat(np.arange(1, DAYS + 1), PER_DAY)
    found, daily, corrected = 0, 0, 0
    for seed in range(n_years):
        rng = np.random.default_rng([seed, 17])
        p = make(rng, days.size)
        y = rng.random(days.size) < p
        segment = rng.choice(SEGMENTS, days.size) if "segments" in name else None
        monitor = CalibrationMonitor(**options).update(y, p, period=days, segment=segment)
        found += monitor.alarm
        smallest = daily_pvalues(y.reshape(DAYS, -1), p.reshape(DAYS, -1)).min()
        daily += smallest <= LEVEL
        corrected += smallest <= LEVEL / DAYS
    rates = {
        "years": n_years,
        "monitor %": found,
        "test a day %": daily,
        "test a day, 5 % / 365 %": corrected,
    }
    return {
        "case": f"calibrated: {name}",
        **{key: n if key == "years" else 100.0 * float(n) / n_years for key, n in rates.items()},
    }


def rows_until_alarm(name, before, n_runs, one_segment=False, most_days=150):
    """Return how many rows pass from the beginning of an error until the alarm.

    Parameters
    ----------
    name : str
        The kind of drift.
    before : int
        Calibrated days before it.
    n_runs : int
        Number of simulations.
    one_segment : bool, default=False
        Whether only one of ten segments drifts, whose rows are counted then.
    most_days : int, default=150
        Days with the error.
    """
    make, drift = DRIFTS[name]
    n_days = before + most_days
    found = {"monitor": [], "best": [], "daily": []}
    parts = SEGMENTS if one_segment else [None]
    days = np.repeat(np.arange(1, n_days + 1), PER_DAY * len(parts))
    segment = None if not one_segment else np.tile(np.repeat(parts, PER_DAY), n_days)
    late = days > before
    if one_segment:
        late &= segment == SEGMENTS[0]
    false = 0
    for seed in range(n_runs):
        rng = np.random.default_rng([seed, 18])
        p = make(rng, days.size)
        truth = np.where(late, drift(p), p)
        y = rng.random(days.size) < truth
        monitor = CalibrationMonitor(segments=SEGMENTS if one_segment else None)
        history = monitor.update(y, p, period=days, segment=segment).to_frame("period")
        first = np.flatnonzero(history["alarm"])
        if first.size and first[0] < before:
            false += 1
            continue
        found["monitor"].append(first[0] + 1 - before if first.size else np.inf)
        own, own_p, own_truth = y[late], p[late], truth[late]
        with np.errstate(divide="ignore"):
            ratio = np.where(own, np.log(own_truth / own_p), np.log((1 - own_truth) / (1 - own_p)))
        evidence = np.cumsum(ratio.reshape(most_days, PER_DAY).sum(axis=1))
        found["best"].append(_first(evidence >= np.log(1.0 / LEVEL)))
        shape = (most_days, PER_DAY)
        small = daily_pvalues(own.reshape(shape), own_p.reshape(shape))
        found["daily"].append(_first(small <= LEVEL / DAYS / len(parts)))
    rows = {key: PER_DAY * np.array(value) for key, value in found.items()}
    where = ", one of 10 segments" if one_segment else ""
    return {
        "case": f"{name}{where}",
        "calibrated days before": before,
        "runs": n_runs,
        "rows, median": _quantile(rows["monitor"], 0.5),
        "rows, 90 %": _quantile(rows["monitor"], 0.9),
        "known error, median": _quantile(rows["best"], 0.5),
        "test a day, 5 % / 365, median": _quantile(rows["daily"], 0.5),
        "false alarms before": false,
    }


def _first(reached):
    return int(np.argmax(reached)) + 1 if reached.any() else np.inf


def _quantile(rows, share):
    """Return a quantile, none if the alarm did not come in time."""
    value = np.quantile(rows, share, method="inverted_cdf")
    return int(value) if np.isfinite(value) else None


def run(quick=False):
    n_years, n_runs = (20, 10) if quick else (1000, 200)
    rows = []
    for name in DRIFTS:
        for before in (0,) if quick else (0, 30, 180):
            rows.append(rows_until_alarm(name, before, n_runs))
            print(rows[-1], flush=True)
    rows.append(rows_until_alarm("slope 0.8", 30, n_runs // 4, one_segment=True))
    print(rows[-1], flush=True)
    for name in CALIBRATED:
        rows.append(false_alarms(name, n_years))
        print(rows[-1], flush=True)
    return rows
