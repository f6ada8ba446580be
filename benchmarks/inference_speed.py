"""Time and memory of calibration tests, beside the algorithm of the reference implementation."""

import multiprocessing
import time

import numpy as np

from sklearn_calib import check_calibration
from sklearn_calib.kernels import klce_kernel, select_bandwidths

from ._record import peak_memory

N_DRAWS = 999


def make_data(n, n_features, seed=0):
    """Return calibrated binary data."""
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.05, 0.95, size=n)
    X = rng.normal(size=(n, n_features)) if n_features else None
    return (rng.random(n) < p).astype(int), p, X


def reference_test(y, p, X, n_draws, seed=0):
    """Build the n x n kernel and evaluate one quadratic form per permutation of the residuals."""
    prob_bandwidth, feature_bandwidth = select_bandwidths(X, p)
    K = klce_kernel(X, p, prob_bandwidth=prob_bandwidth, feature_bandwidth=feature_bandwidth)
    np.fill_diagonal(K, 0.0)
    n, e, rng = len(y), y - p, np.random.default_rng(seed)
    observed = e @ K @ e / (n * (n - 1))
    values = np.empty(n_draws)
    for b in range(n_draws):
        permuted = rng.permutation(e)
        values[b] = permuted @ K @ permuted / (n * (n - 1))
    return observed, (1 + np.count_nonzero(values >= observed)) / (1 + n_draws)


def _measured(connection, n, n_features, options, repeats):
    """Run a test in a process of its own and send back time, memory and result."""
    y, p, X = make_data(n, n_features)
    before = peak_memory()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = check_calibration(y, p, X, n_resamples=N_DRAWS, random_state=0, **options)
        seconds.append(time.perf_counter() - start)
    certificate = result.certificate and result.certificate.relative_std
    connection.send((min(seconds), (peak_memory() - before) / 1024, result.algorithm, certificate))


def measure(n, n_features, repeats=1, **options):
    """Return a row of the table; the first run includes compilation if there is only one."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measured, args=(sender, n, n_features, options, repeats))
    process.start()
    seconds, gib, algorithm, certificate = receiver.recv()
    process.join()
    return {
        "test": f"{'klce' if n_features else options.get('statistic', 'skce')}, n = {n:,}"
        + (f", d = {n_features}" if n_features else ""),
        "algorithm": algorithm,
        "seconds": round(seconds, 2),
        "GiB above inputs": round(gib, 2),
        "relative error": certificate,
    }


def run(quick=False):
    n = 1000 if quick else 10_000
    rows = [measure(n, 5, repeats=3)]
    y, p, X = make_data(n, 5)
    start = time.perf_counter()
    reference_test(y, p, X, N_DRAWS)
    seconds = time.perf_counter() - start
    ratio = round(seconds / rows[0]["seconds"], 1)
    rows.append({"test": f"reference algorithm, n = {n:,}, d = 5", "seconds": round(seconds, 2)})
    rows[0] |= {"reference / ours": ratio, "limit": "at least 20", "ok": ratio >= 20}
    many = 10_000 if quick else 100_000
    row = measure(many, 2, algorithm="low_rank")
    ok = row["seconds"] < 60 and row["GiB above inputs"] < 2
    rows.append(row | {"limit": "60 s, 2 GiB", "ok": ok})
    row = measure(many, 0, repeats=2)
    rows.append(row | {"limit": "15 s", "ok": row["seconds"] < 15})
    for statistic in ("kce", "ece"):
        rows.append(measure(many, 0, repeats=2, statistic=statistic))
    return rows


def plot(rows, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 2.8), layout="constrained")
    ax = figure.subplots()
    names = [row["test"] for row in rows]
    colors = ["0.6" if "reference" in name else "#0072b2" for name in names]
    bars = ax.barh(names, [row["seconds"] for row in rows], color=colors)
    ax.bar_label(bars, fmt="%.1f s", padding=3)
    ax.invert_yaxis()
    ax.set_xscale("log")
    ax.set_xlim(right=5 * max(row["seconds"] for row in rows))
    ax.set_xlabel(f"seconds for {N_DRAWS} draws")
    figure.savefig(path, dpi=120)
