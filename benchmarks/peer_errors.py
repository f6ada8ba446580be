"""Speed of errors and tests beside other packages, call by call in turn.

All packages of a task run in one process, one call of each after the other, so that what else the
machine does slows all of them alike. Results are compared where the definitions are the same.
Packages that are not installed are left out; to install them: ``pip install ".[peers]"``. Set
``OMP_NUM_THREADS=1``: with more threads, products of long vectors wait for other programs.
"""

import time
import warnings
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from .peers import make_data

SIZES = (400, 10_000, 100_000)
_PAIRS = 10_000  # rows of an n x n matrix that still fits
_ROUNDS, _SECONDS = 5, 1.0


class Peer(NamedTuple):
    """A package's way to do a task.

    Attributes
    ----------
    package : str
        Its name.
    module : str or None
        The module it needs.
    function : callable
        ``function(y, p)`` -> numbers.
    tolerance : float or None
        How far they may be from this package's; None where the definition is another one.
    rows : int or None
        The largest number of rows that it manages.
    """

    package: str
    module: str | None
    function: Any
    tolerance: float | None = 1e-10
    rows: int | None = None


def _ours(name, **options):
    def measure(y, p):
        from sklearn_calib import metrics

        return getattr(metrics, name)(y, p, **options)

    return Peer("sklearn_calib", None, measure)


def _ours_tested(statistic, *, value, **params):
    def measure(y, p):
        from sklearn_calib.inference import check_calibration

        result = check_calibration(
            y, p, statistic=statistic, null="asymptotic", statistic_params=params
        )
        return np.array([result.statistic, result.pvalue])[value]

    return Peer("sklearn_calib", None, measure)


def _probcal(name, *, attributes=None, tolerance=1e-10, rows=None, scale=1.0, **options):
    def measure(y, p):
        import probcal.metrics

        result = getattr(probcal.metrics, name)(y, p, **options)
        if attributes is not None:
            result = np.array([getattr(result, one) for one in attributes])
        return scale * result

    return Peer("probcal", "probcal", measure, tolerance, rows)


def _netcal(name, *arguments, tolerance=1e-10, rows=None):
    def measure(y, p):
        import netcal.metrics

        return getattr(netcal.metrics, name)(*arguments).measure(p, y)

    return Peer("netcal", "netcal", measure, tolerance, rows)


def _mcgrad(name, *, tolerance=1e-10, power=1.0, **options):
    def measure(y, p):
        import mcgrad.metrics

        return getattr(mcgrad.metrics, name)(y, p, **options) ** power

    return Peer("mcgrad", "mcgrad", measure, tolerance)


def _uncertainty(name, *, tolerance=1e-10, **options):
    def measure(y, p):
        import calibration

        return getattr(calibration, name)(p, y, **options)

    return Peer("uncertainty-calibration", "calibration", measure, tolerance)


def _relplot(name, *, tolerance, **options):
    def measure(y, p):
        import relplot.metrics

        return getattr(relplot.metrics, name)(p, y, **options)

    return Peer("relplot", "relplot", measure, tolerance)


def _debiased_uncertainty(y, p):
    from calibration import get_equal_bins, lower_bound_scaling_ce

    return lower_bound_scaling_ce(p, y, num_bins=10, binning_scheme=get_equal_bins)


def _mmce_netcal(y, p):
    from netcal.metrics import MMCE

    return MMCE().measure(np.column_stack([1.0 - p, p]), y)


def _statsmodels_slope(y, p):
    import statsmodels.api as sm
    from scipy.special import logit

    model = sm.GLM(y, sm.add_constant(logit(p)), family=sm.families.Binomial())
    return model.fit(tol=1e-12).params[1]


def _decomposition(y, p):
    from sklearn_calib.metrics import score_decomposition

    parts = score_decomposition(y, p)
    return np.array([parts.miscalibration, parts.discrimination, parts.uncertainty])


def _decomposition_probcal(y, p):
    from probcal import corp_reliability

    parts = corp_reliability(y, p, bands=None)
    return np.array([getattr(parts, f"brier_{part}") for part in ("mcb", "dsc", "unc")])


def _decomposition_scikit_learn(y, p):
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(y_min=0, y_max=1).fit(p, y).predict(p)
    total, least, base = (np.mean((y - q) ** 2) for q in (p, fitted, y.mean()))
    return np.array([total - least, base - least, base])


def _columns(n):
    """Return two columns of categories that have nothing to do with the labels."""
    rng = np.random.default_rng(1)
    return {"a": rng.integers(5, size=n).astype(str), "b": rng.integers(8, size=n).astype(str)}


def _groups(y, p):
    from sklearn_calib.metrics import multicalibration_error

    columns = _columns(y.size)
    return multicalibration_error(y, p, columns, distance="kuiper", max_interaction=2, min_rows=10)


def _groups_mcgrad(y, p):
    import pandas as pd
    from mcgrad.metrics import MulticalibrationError

    columns = _columns(y.size)
    return MulticalibrationError(
        pd.DataFrame({"y": y, "p": p, **columns}),
        "y",
        "p",
        categorical_segment_columns=[*columns],
        max_depth=2,
        max_values_per_segment_feature=10,
        min_samples_per_segment=10,
        precision_dtype="float64",
    ).mce_sigma


_MASS = {"n_bins": 10, "strategy": "quantile"}

# task: peers; the first is this package.
TASKS = {
    "ECE, 10 bins": [
        _ours("ece", n_bins=10),
        _netcal("ECE", 10),
        _uncertainty("get_ece", num_bins=10),
        _mcgrad("expected_calibration_error", num_bins=10),
        _probcal("ece", n_bins=10, strategy="width"),
        _relplot("binnedECE", nbins=10, tolerance=1e-10),
    ],
    "ECE, 10 bins of equal mass": [
        _ours("ece", **_MASS),
        _uncertainty("get_ece_em", num_bins=10),
        _mcgrad("adaptive_calibration_error", num_bins=10),
        _probcal("ece", n_bins=10),
    ],
    "debiased ECE, 10 bins of equal mass": [
        _ours("ece", debiased=True, **_MASS),
        Peer("uncertainty-calibration", "calibration", _debiased_uncertainty),
        _probcal("ece_debiased", n_bins=10, tolerance=None),
    ],
    "ECE by a sweep over bins": [_ours("ece_sweep"), _probcal("ece_sweep")],
    "MCE, 10 bins": [
        _ours("mce", n_bins=10),
        _netcal("MCE", 10),
        _probcal("ece", n_bins=10, strategy="width", norm="max"),
    ],
    "ACE, 10 bins": [_ours("average_calibration_error", n_bins=10), _netcal("ACE", 10)],
    "MMCE": [
        _ours("mmce", bandwidth=0.4, target="confidence"),
        Peer("netcal", "netcal", _mmce_netcal, rows=_PAIRS),
    ],
    "SKCE, Laplacian": [_ours("skce"), _probcal("skce", bandwidth=0.2, scale=0.5, rows=_PAIRS)],
    "smooth ECE": [
        _ours("smooth_ece"),
        _relplot("smECE", tolerance=2e-3),
        _probcal("smooth_ece", tolerance=None),
    ],
    "KS error": [_ours("ks_calibration_error"), _probcal("ecce", attributes=["stat_max"])],
    "Kuiper error": [_ours("kuiper_calibration_error"), _mcgrad("ecce")],
    "ICI": [_ours("integrated_calibration_index"), _probcal("ici", tolerance=None)],
    "E90": [
        _ours("integrated_calibration_index", summary="q90"),
        _probcal("e90", tolerance=None),
    ],
    "calibration slope": [
        _ours("calibration_slope"),
        _probcal("calibration_slope", tolerance=1e-7),
        Peer("statsmodels", "statsmodels", _statsmodels_slope, 1e-7),
    ],
    "calibration intercept": [
        _ours("calibration_intercept"),
        _probcal("calibration_intercept", tolerance=1e-7),
    ],
    "observed / expected": [
        _ours("observed_expected_ratio"),
        _mcgrad("calibration_ratio", power=-1.0),
    ],
    "Brier score in components": [
        Peer("sklearn_calib", None, _decomposition),
        Peer("probcal", "probcal", _decomposition_probcal),
        Peer("scikit-learn", None, _decomposition_scikit_learn),
    ],
    "likelihood ratio test of the line": [
        _ours_tested("cox_likelihood_ratio", value=[1]),
        _probcal("calibration_test", attributes=["p_value"], tolerance=1e-7),
    ],
    "Hosmer-Lemeshow test": [
        _ours_tested("hosmer_lemeshow", value=[0, 1]),
        _probcal("hosmer_lemeshow", attributes=["statistic", "p_value"], tolerance=1e-8),
    ],
    "Spiegelhalter test": [
        _ours_tested("spiegelhalter", value=[0, 1]),
        _probcal("spiegelhalter_z", attributes=["z", "p_value"]),
    ],
    "Kuiper test": [_ours_tested("kuiper", value=[1]), _mcgrad("ecce_pvalue", tolerance=1e-6)],
    "groups of two columns and their pairs": [
        Peer("sklearn_calib", None, _groups),
        Peer("mcgrad", "mcgrad", _groups_mcgrad, 1e-6),
    ],
}


def measure(peers, y, p):
    """Return the results and the best times of functions that are called in turn."""
    results = [peer.function(y, p) for peer in peers]
    best, started, n_rounds = np.full(len(peers), np.inf), time.perf_counter(), 0
    while n_rounds < _ROUNDS or (time.perf_counter() - started < _SECONDS and n_rounds < 100):
        n_rounds += 1
        for k, peer in enumerate(peers):
            start = time.perf_counter()
            peer.function(y, p)
            best[k] = min(best[k], time.perf_counter() - start)
    return results, best


def run(quick=False):
    """Measure every task with every installed package."""
    warnings.simplefilter("ignore")
    rows = []
    for task, peers in TASKS.items():
        installed = [one for one in peers if one.module is None or find_spec(one.module)]
        for n in SIZES[:1] if quick else SIZES:
            present = [one for one in installed if one.rows is None or n <= one.rows]
            results, seconds = measure(present, *make_data(n))
            for peer, result, time_ in zip(present[1:], results[1:], seconds[1:]):
                difference = float(np.abs(np.subtract(result, results[0])).max())
                if peer.tolerance is not None and difference > peer.tolerance:
                    raise RuntimeError(
                        f"{task}, n = {n}: {peer.package} differs by {difference:.1e}, more than "
                        f"{peer.tolerance:g}: not the same work."
                    )
                rows.append(
                    {
                        "task": task,
                        "n": n,
                        "package": peer.package,
                        "its ms": float(f"{1e3 * time_:.3g}"),
                        "sklearn_calib ms": float(f"{1e3 * seconds[0]:.3g}"),
                        "times the peer": float(f"{seconds[0] / time_:.3g}"),
                        "definition": "another one" if peer.tolerance is None else "the same",
                        "difference": float(f"{difference:.1e}"),
                    }
                )
                print(rows[-1], flush=True)
    return rows
