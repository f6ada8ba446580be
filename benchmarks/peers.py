"""Speed and memory beside other packages: the same work, after a check that the results agree.

Each measurement runs in a process of its own, so that memory peaks do not mix; packages that are
not installed are left out. To install them: ``pip install ".[peers]"``. venn-abers computes another
quantity (intervals of probabilities), so there is no same work to compare. Errors and tests are
compared in `peer_errors`.
"""

import warnings
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context

import numpy as np

from ._record import best_time, peak_memory

QUERY = np.linspace(0.013, 0.987, 50)  # off the bin edges, where packages differ


def make_data(n):
    """Return labels and distorted probabilities of a binary problem."""
    rng = np.random.default_rng(0)
    p = rng.uniform(size=n)
    return (rng.uniform(size=n) < p**1.5).astype(int), p


# One function per task and package: (y, p) -> a number or the calibrated values of QUERY.


def ece_sklearn_calib(y, p):
    from sklearn_calib.metrics import ece

    return ece(y, p, n_bins=10)


def ece_netcal(y, p):
    from netcal.metrics import ECE

    return ECE(10).measure(p, y)


def ece_uncertainty_calibration(y, p):
    from calibration import get_ece

    return get_ece(p, y, num_bins=10)


def skce_sklearn_calib(y, p):
    from sklearn_calib.metrics import skce

    return skce(y, p)


def skce_numpy_matrix(y, p):
    """Evaluate the definition with an n x n matrix, as the published codes do."""
    e = y - p
    kernel = np.exp(-np.abs(p[:, None] - p[None, :]) / 0.2)
    np.fill_diagonal(kernel, 0.0)
    return e @ kernel @ e / (y.size * (y.size - 1))


def isotonic_sklearn_calib(y, p):
    from sklearn_calib.calibrators import IsotonicCalibrator

    return IsotonicCalibrator().fit(p, y).predict_proba(QUERY)[:, 1]


def isotonic_sklearn(y, p):
    from sklearn.isotonic import IsotonicRegression

    return IsotonicRegression(out_of_bounds="clip").fit(p, y).predict(QUERY)


def isotonic_netcal(y, p):
    from netcal.binning import IsotonicRegression

    return IsotonicRegression().fit(p, y).transform(QUERY)


def histogram_sklearn_calib(y, p):
    from sklearn_calib.calibrators import HistogramCalibrator

    return HistogramCalibrator(n_bins=10).fit(p, y).predict_proba(QUERY)[:, 1]


def histogram_netcal(y, p):
    from netcal.binning import HistogramBinning

    return HistogramBinning(10).fit(p, y).transform(QUERY)


def beta_sklearn_calib(y, p):
    from sklearn_calib.calibrators import BetaCalibrator

    return BetaCalibrator().fit(p, y).predict_proba(QUERY)[:, 1]


def beta_betacal(y, p):
    from betacal import BetaCalibration

    return BetaCalibration("abm").fit(p.reshape(-1, 1), y).predict(QUERY)


def beta_netcal(y, p):
    from netcal.scaling import BetaCalibration

    return BetaCalibration().fit(p, y).transform(QUERY)


def temperature_sklearn_calib(y, p):
    from sklearn_calib.calibrators import TemperatureCalibrator

    return TemperatureCalibrator(input="probability").fit(p, y).predict_proba(QUERY)[:, 1]


def temperature_netcal(y, p):
    from netcal.scaling import TemperatureScaling

    return TemperatureScaling().fit(p, y).transform(QUERY)


# task: (rows, largest difference that counts as equal, {package: (module it needs, function)})
TASKS = {
    "ECE, 10 bins": (
        1_000_000,
        1e-10,
        {
            "sklearn_calib": (None, ece_sklearn_calib),
            "netcal": ("netcal", ece_netcal),
            "uncertainty-calibration": ("calibration", ece_uncertainty_calibration),
        },
    ),
    "SKCE, Laplacian": (
        10_000,
        1e-12,
        {
            "sklearn_calib": (None, skce_sklearn_calib),
            "NumPy, n x n matrix": (None, skce_numpy_matrix),
        },
    ),
    "isotonic": (
        200_000,
        1e-9,
        {
            "sklearn_calib": (None, isotonic_sklearn_calib),
            "scikit-learn": (None, isotonic_sklearn),
            "netcal": ("netcal", isotonic_netcal),
        },
    ),
    "histogram, 10 bins": (
        200_000,
        1e-9,
        {
            "sklearn_calib": (None, histogram_sklearn_calib),
            "netcal": ("netcal", histogram_netcal),
        },
    ),
    "beta": (
        200_000,
        1e-3,
        {
            "sklearn_calib": (None, beta_sklearn_calib),
            "betacal": ("betacal", beta_betacal),
            "netcal": ("netcal", beta_netcal),
        },
    ),
    "temperature": (
        200_000,
        1e-4,
        {
            "sklearn_calib": (None, temperature_sklearn_calib),
            "netcal": ("netcal", temperature_netcal),
        },
    ),
}


def measure(function, n):
    """Return the result of a function, its best time, and by how much it raised the peak memory."""
    warnings.simplefilter("ignore")
    function(*make_data(100))  # imports and first compilations are not part of the work
    y, p = make_data(n)
    before = peak_memory()
    result = function(y, p)
    memory = peak_memory() - before
    return result, best_time(lambda: function(y, p), n_repeats=3), memory


def run(quick=False):
    """Measure every task with every installed package."""
    rows = []
    for task, (n, tolerance, packages) in TASKS.items():
        n = min(n, 2_000) if quick else n
        reference = None
        for package, (module, function) in packages.items():
            if module is not None and find_spec(module) is None:
                print(f"  {package} is not installed: left out of {task!r}")
                continue
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                result, seconds, memory = process.submit(measure, function, n).result()
            if reference is None:
                reference = result, seconds
            difference = float(np.abs(np.subtract(result, reference[0])).max())
            if difference > tolerance:
                raise RuntimeError(
                    f"{task}: {package} differs from sklearn_calib by {difference:.1e}, more than "
                    f"{tolerance:g}: not the same work."
                )
            rows.append(
                {
                    "task": task,
                    "n": n,
                    "package": package,
                    "seconds": float(f"{seconds:.3g}"),
                    "times sklearn_calib": float(f"{seconds / reference[1]:.3g}"),
                    "peak MiB above input": round(memory, 1),
                    "largest difference": float(f"{difference:.1e}"),
                }
            )
    return rows


def plot(rows, path):
    """Draw the time of each package as a multiple of this package's."""
    from matplotlib.figure import Figure

    others = [row for row in rows if row["package"] != "sklearn_calib"]
    labels = [f"{row['task']}\n{row['package']} (n = {row['n']:,})" for row in others]
    figure = Figure(figsize=(7, 0.55 * len(others) + 1), layout="constrained", dpi=150)
    ax = figure.subplots()
    ax.axvline(1, color="black", linestyle="--", linewidth=1)
    ratios = [row["times sklearn_calib"] for row in others]
    bars = ax.barh(labels, ratios, color="tab:blue")
    texts = [f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2g}" for ratio in ratios]
    white = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    ax.bar_label(bars, labels=texts, padding=4, bbox=white)
    ax.set(xscale="log", xlabel="run time as a multiple of sklearn_calib's")
    ax.set_xlim(right=5 * max(ratios))
    ax.invert_yaxis()
    figure.savefig(path)
