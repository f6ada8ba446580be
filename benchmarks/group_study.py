"""How often the table of groups names the wrong group, and no other, at level 5 %."""

import time

import numpy as np
import pandas as pd
from scipy.stats import binomtest, norm

from sklearn_calib import calibration_by_group

from ._record import peak_memory

LEVEL = 0.05


def women(rng, wrong_by, n=3600):
    """Return a fifth of women, for whom predictions are too high, and five innocent races."""
    sex = np.where(rng.random(n) < 0.2, "Female", "Male")
    race = rng.choice(list("ABCDE"), n)
    p = np.clip(rng.beta(3.0, 3.5, n), 0.1, 0.9)
    truth = p - wrong_by * (sex == "Female")
    return p, truth, {"sex": sex, "race": race}, ("sex", "Female")


def one_of_twenty(rng, wrong_by, n=4000):
    """Return twenty sites, one of which is wrong."""
    site = rng.integers(0, 20, n).astype(str)
    p = rng.uniform(0.2, 0.8, n)
    return p, p + wrong_by * (site == "7"), {"site": site}, ("site", "7")


def rare_event(rng, wrong_by, n=4000):
    """Return twenty sites with rare events, one of which has more of them than predicted."""
    site = rng.integers(0, 20, n).astype(str)
    p = rng.beta(1.0, 20.0, n)
    return p, np.minimum(p + wrong_by * (site == "7"), 1.0), {"site": site}, ("site", "7")


def uneven(rng, wrong_by, n=4000):
    """Return nineteen small sites with rare events and a large wrong one with common ones."""
    site = np.where(rng.random(n) < 0.2, 0, rng.integers(1, 20, n)).astype(str)
    p = np.where(site == "0", rng.uniform(0.3, 0.7, n), rng.beta(1.0, 40.0, n))
    return p, p + wrong_by * (site == "0"), {"site": site}, ("site", "0")


CASES = {
    "a fifth wrong by 0.08, 5 innocent races": (women, 0.08),
    "a fifth wrong by 0.054, 5 innocent races": (women, 0.054),
    "women and races, calibrated": (women, 0.0),
    "one site of 20 wrong by 0.12": (one_of_twenty, 0.12),
    "20 sites, calibrated": (one_of_twenty, 0.0),
    "one site of 20 wrong by 0.05, rare event": (rare_event, 0.05),
    "20 sites, rare event, calibrated": (rare_event, 0.0),
    "large site wrong by 0.06, 19 small rare ones": (uneven, 0.06),
}


def single_tests(y, p, group):
    """Return exact p-values of each category on its own, as far as binomial tests are exact.

    The normal approximation is that of the sum of independent events; for rare events the
    binomial test with the mean prediction replaces it.
    """
    found = {}
    for one in np.unique(group):
        rows = group == one
        z = (y - p)[rows].sum() / np.sqrt((p * (1 - p))[rows].sum())
        value = 2.0 * norm.sf(abs(z))
        if p[rows].sum() < 20:
            value = binomtest(int(y[rows].sum()), int(rows.sum()), p[rows].mean()).pvalue
        found[str(one)] = value
    return found


def study(case, n_repeats, n_resamples=999):
    """Return one row of the table for a case."""
    make, wrong_by = CASES[case]
    named, only, marginal, any_found, bonferroni, alone = np.zeros(6)
    for seed in range(n_repeats):
        rng = np.random.default_rng([seed, 16])
        p, truth, groups, (column, wrong) = make(rng, wrong_by)
        y = (rng.random(p.size) < truth).astype(int)
        result = calibration_by_group(
            y, p, groups, metric=None, n_resamples=n_resamples, random_state=seed
        )
        label = f"{column} = {wrong}"
        found = result.label[result.significant].tolist()
        any_found += bool(found)
        named += label in found
        only += found == [label]
        raw = result.label[result.pvalue_marginal <= LEVEL].tolist()
        marginal += raw == [label]
        tests = {name: single_tests(y, p, values) for name, values in groups.items()}
        n_tests = sum(map(len, tests.values()))
        bonferroni += tests[column][wrong] <= LEVEL / n_tests
        alone += tests[column][wrong] <= LEVEL
    shares = [named, only, marginal, bonferroni, alone, any_found]
    names = ["named", "named alone", "alone without overlap", "Bonferroni", "one test", "any found"]
    rates = dict(zip(names, (float(one / n_repeats) for one in shares)))
    if wrong_by == 0.0:
        rates = {name: rates[name] if name == "any found" else None for name in names}
    return {"case": case, "repeats": n_repeats, **rates}


def timing(n, n_categories, n_resamples=199):
    """Return the time and memory for many rows and categories."""
    rng = np.random.default_rng(0)
    p = rng.beta(2.0, 5.0, n)
    y = (rng.random(n) < p).astype(int)
    groups = {"site": rng.integers(0, n_categories, n).astype(str), "sex": rng.integers(0, 2, n)}
    started = time.perf_counter()
    calibration_by_group(y, p, groups, metric=None, n_resamples=n_resamples, random_state=0)
    seconds = time.perf_counter() - started
    return {
        "case": f"time: {n:,} rows, {n_categories:,} categories, {n_resamples} draws",
        "seconds": round(seconds, 2),
        "peak MiB": round(peak_memory()),
    }


def run(quick=False):
    n_repeats = 20 if quick else 300
    rows = []
    for case in CASES:
        rows.append(study(case, n_repeats, 199 if quick else 499))
        print(rows[-1], flush=True)
    for n, n_categories in [(10_000, 20)] if quick else [(10_000, 20), (10**6, 1000)]:
        rows.append(timing(n, n_categories))
        print(rows[-1], flush=True)
    return rows


def plot(rows, path):
    from matplotlib.figure import Figure

    table = pd.DataFrame(rows).dropna(subset=["named"])
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    ax = figure.subplots()
    place = np.arange(len(table))[::-1]
    series = {
        "named alone": ("#0072b2", 0.26, "named, and no other"),
        "named": ("#56b4e9", 0.0, "named"),
        "Bonferroni": ("#e69f00", -0.26, "single tests, Bonferroni"),
    }
    for name, (color, shift, label) in series.items():
        ax.barh(place + shift, 100 * table[name], height=0.25, color=color, label=label)
    ax.set_yticks(place, table["case"])
    ax.set_xlabel("data sets in which the wrong group is found (%)")
    ax.set_xlim(0, 100)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    figure.savefig(path, dpi=120)
