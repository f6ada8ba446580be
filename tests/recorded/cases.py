"""Calls whose results depend on numbers that were chosen: strengths, limits, shares, draws.

No formula and no other software knows these results. They are recorded so that a change of them is
noticed, and made on purpose: run ``python -m tests.recorded`` and say in the changelog what is new.
"""

import numpy as np
import pandas as pd
from scipy.special import expit

from sklearn_calib import (
    calibration_by_group,
    check_calibration,
    compare_calibration,
)
from sklearn_calib.calibrators import (
    AdaptiveCalibrator,
    BetaCalibrator,
    DirichletCalibrator,
    HistogramCalibrator,
    VennAbersCalibrator,
)
from sklearn_calib.calibrators._features.category_effects import fit_category_effects
from sklearn_calib.calibrators._features.normal_scores import NormalScores
from sklearn_calib.inference import required_sample_size
from sklearn_calib.metrics import kde_ece, smooth_ece


def _binary(n=400, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.beta(1.2, 2.0, size=n)
    y = (rng.random(n) < expit(1.6 * np.log(p / (1 - p)) + 0.3)).astype(int)
    return y, p


def _three(n=300):
    rng = np.random.default_rng(1)
    proba = rng.dirichlet([1.0, 2.0, 1.5], size=n)
    true = proba**1.4 * np.array([1.0, 0.8, 1.3])
    true /= true.sum(axis=1, keepdims=True)
    return (true.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1), proba


def _adaptive(y, proba, queries, **options):
    model = AdaptiveCalibrator(**options).fit(proba, y)
    dof = list(model.effective_dof_.values())
    return [*model.predict_proba(queries).ravel(), *dof, *np.ravel(model.bias_), model.slope_]


def _wrong_group():
    y, p = _binary()
    table = pd.DataFrame(
        {"sex": np.where(np.arange(400) % 3, "m", "f"), "age": np.arange(400) % 80}
    )
    y = np.where((table.sex == "f") & (np.arange(400) % 2 == 0), 0, y)
    return y, p, table


def _by_group():
    y, p, X = _wrong_group()
    result = calibration_by_group(y, p, X, n_resamples=99, random_state=0)
    return [len(result.label), *result.pvalue[:6], *np.ravel(result.observed)[:6]]


def _compared():
    y, p = _binary()
    models = {"a": p, "b": expit(1.6 * np.log(p / (1 - p)) + 0.3)}
    result = compare_calibration(y, models, n_resamples=99, random_state=0)
    found = [v for one in result.differences for v in (one.difference, one.low, one.pvalue)]
    return [*found, *result.calibration_pvalues.values()]


def _effects():
    rng = np.random.default_rng(3)
    levels = np.column_stack([rng.integers(0, 5, 300), rng.integers(-1, 2, 300)])
    score = rng.normal(size=(300, 1))
    logits = 0.8 * score
    shift = np.array([0.9, -0.6, 0.1, 0.0, -0.4])[levels[:, 0]]
    target = (rng.random(300) < expit(logits[:, 0] + shift))[:, np.newaxis].astype(float)
    made = fit_category_effects(levels, [5, 2], score, logits, target, np.ones(300), rng)
    return [*made.effects[0].ravel(), *made.effects[1].ravel(), *made.variance.ravel()]


def _scores():
    rng = np.random.default_rng(4)
    numbers = np.column_stack([rng.standard_t(1.2, 200), rng.normal(size=200)])
    weight = rng.uniform(0.5, 2.0, 200)
    return NormalScores().fit(numbers, weight).transform(numbers[:5]).ravel()


GRID = np.linspace(0.02, 0.98, 5)
CORNERS = np.array([[0.98, 0.01, 0.01], [0.2, 0.5, 0.3], [0.0, 0.4, 0.6]])
TWO_VALUES = (_binary()[1] > 0.5) * 0.9 + 0.05
HARD = np.round(GRID * 10) / 10
CASES = {
    "adaptive, two classes": lambda: _adaptive(*_binary(), GRID),
    "adaptive, few rows": lambda: _adaptive(*_binary(40), GRID),
    "adaptive, two values": lambda: _adaptive(
        _binary()[0], (_binary()[1] > 0.5) * 0.9 + 0.05, HARD
    ),
    "adaptive, monotone": lambda: _adaptive(*_binary(), GRID, monotone=True),
    "adaptive, three classes": lambda: _adaptive(*_three(), CORNERS),
    "Dirichlet, chosen strength": lambda: (
        DirichletCalibrator().fit(_three()[1], _three()[0]).predict_proba(CORNERS).ravel()
    ),
    "beta": lambda: (
        BetaCalibrator(smooth=True).fit(_binary()[1], _binary()[0]).predict_proba(GRID).ravel()
    ),
    "histogram": lambda: (
        HistogramCalibrator().fit(_binary()[1], _binary()[0]).predict_proba(GRID).ravel()
    ),
    "Venn-Abers": lambda: (
        VennAbersCalibrator().fit(_binary()[1], _binary()[0]).predict_proba(GRID).ravel()
    ),
    "effects of categories": _effects,
    "normal scores": _scores,
    "groups": _by_group,
    "comparison": _compared,
    "omnibus, two classes": lambda: check_calibration(
        *_binary(150), statistic="omnibus", n_resamples=99, random_state=0
    ),
    "omnibus, three classes": lambda: check_calibration(
        *_three(), statistic="omnibus", n_resamples=49, random_state=0
    ),
    "rows for a power": lambda: [
        required_sample_size(_binary()[1], shift=0.1, statistic="skce", random_state=0).n_samples
    ],
    "rows for a width": lambda: [
        required_sample_size(_binary()[1], metric="ece", width=0.1, random_state=0).n_samples
    ],
    "smooth error": lambda: [smooth_ece(*_binary())],
    "density error": lambda: [kde_ece(*_binary())],
}
