"""The report of several models says which one to take, and what to do next."""

from types import SimpleNamespace

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from sklearn_calib import compare_calibration
from sklearn_calib.metrics import score_decomposition
from sklearn_calib.report._models.advice import advise_on_models

RNG = np.random.default_rng(2)
Z = 1.5 * RNG.normal(size=1000)
Y, TRUTH = (RNG.random(1000) < expit(Z)).astype(int), expit(Z)
FLAT = np.full(1000, Y.mean())


def _advise(models, y=Y, pvalues=None, **options):
    """Return the comparison and the advice, without the reports that are not looked at."""
    comparison = compare_calibration(y, models, statistic=None, n_resamples=199, **options)
    reports = {
        name: SimpleNamespace(
            tests={"omnibus": SimpleNamespace(pvalue=(pvalues or {}).get(name, 1.0))},
            decomposition={
                "log loss": score_decomposition(y, p, score="log_loss"),
                "Brier score": score_decomposition(y, p, score="brier"),
            },
            advice=f"Go on with {name}.",
        )
        for name, p in models.items()
    }
    report = SimpleNamespace(reports=reports, comparison=comparison, best=comparison.best)
    return comparison, advise_on_models(report)


def test_a_model_that_is_clearly_better_is_taken():
    assert _advise({"right": TRUTH, "flat": FLAT})[1] == (
        "Take right: in the paired comparison its predictions are better than those of flat. The "
        "next step with right: Go on with right."
    )


def test_models_that_cannot_be_told_apart():
    """None is called better, and the number of rows follows from the interval."""
    comparison, advice = _advise({"a": TRUTH, "b": expit(0.75 * logit(TRUTH)), "flat": FLAT})
    best, other = ("a", "b") if comparison.best == "a" else ("b", "a")
    one = comparison.between(best, other)[0]
    assert one.adjusted_pvalue > 0.05
    assert advice.startswith(
        f"Take the one of {best} and {other} that is simpler or cheaper to run, or {best} if "
        "nothing else decides: these 1,000 rows do not show which is better. If it matters, "
    )
    assert " in 80 % of samples. flat is worse. The next step" in advice
    error = 0.5 * (one.high - one.low) / norm.ppf(0.975)
    needed = 1000 * ((norm.ppf(0.975) + norm.ppf(0.8)) * error / one.difference) ** 2
    told = int(advice.split("on about ")[1].split(" rows")[0].replace(",", ""))
    assert needed <= told <= 1.1 * needed
    assert advice.endswith(f"The next step with {best}: Go on with {best}.")


def test_several_rivals():
    noise = 0.01 * np.random.default_rng(0).normal(size=(2, 1000))
    models = {"a": TRUTH, "b": expit(Z + noise[0]), "c": expit(Z + noise[1])}
    advice = _advise(models)[1]
    assert "these 1,000 rows do not show which is better. More rows may show it. The" in advice


def test_equal_models_need_no_more_rows():
    advice = _advise({"a": TRUTH, "b": TRUTH})[1]
    assert advice == (
        "Take the one of a and b that is simpler or cheaper to run, or a if nothing else decides: "
        "these 1,000 rows do not show which is better. The next step with a: Go on with a."
    )


def test_a_difference_beyond_reach():
    """Equal rows go up and down by as much, so that hardly anything is lost in the mean."""
    y, p = np.tile(Y, 2), np.clip(np.tile(TRUTH, 2), 0.1, 0.9)
    steps = np.repeat([1e-3, -1e-3], 1000)
    advice = _advise({"a": p, "b": p + steps}, y)[1]
    assert "It would take over 100 times as many to show so small a difference. The" in advice


def test_what_recalibration_could_change_is_not_decided_yet():
    rng = np.random.default_rng(1)
    z, u = rng.normal(size=(2, 1200))
    y = (rng.random(1200) < expit(1.3 * z + 0.8 * u)).astype(int)
    models = {"sharp": expit(2.2 * (1.3 * z + 0.8 * u)), "cautious": expit(1.1 * z)}
    assert _advise(models, y, {"sharp": 0.01})[1] == (
        "Before you choose, recalibrate cautious and sharp, and compare the results on rows that "
        "the recalibration has not seen: as they are, cautious has the lowest log loss, but sharp "
        "could be better once recalibrated. The part on each model names a calibrator where it "
        "finds an error. If you must choose now, take cautious."
    )
    assert _advise(models, y)[1].startswith("Take cautious: ")


def test_an_impossible_event_counts_as_worse():
    y = np.array([0, 1, 1, 0] * 10)
    sure = np.where(np.arange(40) == 0, 1.0, 0.3 + 0.4 * y)
    advice = _advise({"sure": sure, "half": np.full(40, 0.5)}, y)[1]
    assert advice.startswith("Take half: in the paired comparison its predictions are better than")
