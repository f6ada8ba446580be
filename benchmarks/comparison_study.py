"""How often two models are told apart that are equally good, and what the intervals cover."""

from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from sklearn_calib import compare_calibration

from .level_study import LEVEL, bounds

SIZES = (20, 50, 500)
MEASURES = ("log_loss", "brier", "ece")
_NODES = np.linspace(-7.0, 7.0, 2001)
_MASS = np.exp(-(_NODES**2) / 2) / np.exp(-(_NODES**2) / 2).sum()


def same_noise(rng, n):
    """Two models see the truth with independent noise of the same size."""
    truth = rng.uniform(0.1, 0.9, size=n)
    return truth, *(expit(logit(truth) + rng.normal(scale=0.7, size=n)) for _ in range(2))


def high_and_low(rng, n):
    """One model is 0.1 too high everywhere, the other one as much too low."""
    truth = rng.uniform(0.2, 0.8, size=n)
    return truth, truth + 0.1, truth - 0.1


def sharp_and_cautious(rng, n):
    """Both are calibrated, but one knows a feature that the other one does not."""
    known, unknown = rng.normal(size=(2, n))
    truth = expit(1.2 * known + 1.2 * unknown)
    return truth, truth, np.interp(known, _NODES, _known_rates())


@cache
def _known_rates():
    """Return the rate of events for each value of the known feature."""
    return expit(1.2 * np.add.outer(_NODES, _NODES)) @ _MASS


def overconfident_and_constant(rng, n):
    """One model is so overconfident that it has the log loss of a constant, on average."""
    score = rng.normal(size=n)
    return expit(score), expit(_slope() * score), np.full(n, 0.5)


@cache
def _slope():
    """Return the factor on the true log-odds at which the expected log loss is log 2."""

    def excess(slope):
        loss = expit(_NODES) * np.logaddexp(0, -slope * _NODES)
        loss += expit(-_NODES) * np.logaddexp(0, slope * _NODES)
        return loss @ _MASS - np.log(2.0)

    return brentq(excess, 1.5, 10.0)


MODELS = {
    "same noise": same_noise,
    "0.1 too high, 0.1 too low": high_and_low,
    "sharp and cautious": sharp_and_cautious,
    "overconfident and constant": overconfident_and_constant,
}
# Calibration errors of the two models, known by construction.
SAME_ERROR = ("same noise", "0.1 too high, 0.1 too low", "sharp and cautious")


@cache
def true_differences(name, n=1_000_000):
    """Return the expected differences of the scores, and that of the error where it is zero."""
    truth, first, second = MODELS[name](np.random.default_rng(0), n)

    def expected(p):
        return {
            "log_loss": np.mean(-truth * np.log(p) - (1 - truth) * np.log1p(-p)),
            "brier": np.mean((p - truth) ** 2 + truth * (1 - truth)),
        }

    one, other = expected(first), expected(second)
    found = {measure: float(other[measure] - one[measure]) for measure in one}
    for measure, value in found.items():
        if abs(value) < 1e-3:  # equal by construction, up to the noise of the sample
            found[measure] = 0.0
    found["ece"] = 0.0 if name in SAME_ERROR else np.nan
    return found


def outcomes(name, n, n_repeats, measures=MEASURES, n_resamples=199):
    """Return the share of pairs of models that are told apart, and of intervals that cover."""
    truth = true_differences(name)
    rejected, covered = dict.fromkeys(measures, 0), dict.fromkeys(measures, 0)
    for repeat in range(n_repeats):
        rng = np.random.default_rng([repeat, n])
        chance, first, second = MODELS[name](rng, n)
        result = compare_calibration(
            (rng.random(n) < chance).astype(int),
            {"first": first, "second": second},
            scores=[one for one in measures if one != "ece"],
            metrics=[one for one in measures if one == "ece"],
            statistic=None,
            n_resamples=n_resamples,
            random_state=rng,
        )
        for one in result.differences:
            rejected[one.measure] += int(one.pvalue <= LEVEL)
            covered[one.measure] += int(one.low <= truth[one.measure] <= one.high)
    return [
        {
            "models": name,
            "n": n,
            "measure": measure,
            "true difference": truth[measure],
            "told apart": rejected[measure] / n_repeats,
            "covered": covered[measure] / n_repeats if np.isfinite(truth[measure]) else None,
        }
        for measure in measures
    ]


def run(quick=False):
    rows = []
    for name in MODELS:
        for n in SIZES:
            scores = outcomes(name, n, 20 if quick else 2000, MEASURES[:2])
            errors = outcomes(name, n, 5 if quick else 150, MEASURES[2:], n_resamples=99)
            for row, n_repeats in zip(scores + errors, (2000, 2000, 150)):
                row["high"] = bounds(n_repeats)[1]
                print(row, flush=True)
                rows.append(row)
    return rows
