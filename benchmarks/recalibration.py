"""Local recalibration: error against the truth, against other calibrators, and time.

The figures behind the defaults of ``KernelRecalibrator``. Brier scores of planted data are
expectations over the labels of 20,000 fresh rows, so that they carry no noise of the test labels.
"""

import time
import warnings
from resource import RUSAGE_SELF, getrusage

import numpy as np
import pandas as pd
from scipy.special import logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.preprocessing import StandardScaler

from benchmarks import _recalibration_data as data
from sklearn_calib import check_calibration
from sklearn_calib.calibrators import (
    CalibratedClassifier,
    IsotonicCalibrator,
    KernelRecalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
)
from sklearn_calib.kernels import select_bandwidths
from sklearn_calib.metrics import klce

N_TEST = 20_000
PLANTED = [
    (data.planted, (500, 1000, 5000)),
    (data.nonlinear, (1000, 5000)),
    (data.calibrated, (500, 1000, 5000)),
    (data.calibrated_5, (500, 1000, 5000)),
]
VARIANTS = {
    "default": {},
    "no divergence (alpha=0)": {"alpha": 0.0},
    "no kernel term (beta=0)": {"beta": 0.0},
    "no log loss (gamma=0)": {"gamma": 0.0},
    "more log loss (gamma=1)": {"gamma": 1.0},
    "no early stopping, no shrinkage": {"early_stopping": False, "max_iter": 1000},
    "no linear stage": {},
    "no networks": {"hidden_layer_sizes": ()},
    "one network": {"n_networks": 1},
    "ten networks": {"n_networks": 10},
    "additive on probabilities": {"link": "identity"},
    "batch 256": {"batch_size": 256},
    "learning rate 0.01": {"learning_rate": 0.01},
}


class _NetworksOnly(KernelRecalibrator):
    """Without the linear stage, which no parameter turns off."""

    _allowed = tuple(part for part in KernelRecalibrator._allowed if part != "linear")


def run(quick=False):
    """Return one row per data set and method, of the ablation, and of the times."""
    n_seeds = 2 if quick else 10
    return [
        large_row(10_000 if quick else 1_000_000),  # first, for the peak memory
        *planted_rows(n_seeds),
        *real_rows(n_seeds),
        *time_rows(n_full_batch=2 if quick else 5),
    ]


def planted_rows(n_seeds):
    """Error on data whose truth is known: alternatives, and the variants at n = 1000."""
    rows = []
    for make, sizes in PLANTED:
        for n in sizes:
            variants = VARIANTS if n == 1000 else {"default": {}}
            results = [_planted_seed(make, n, seed, variants) for seed in range(n_seeds)]
            for method in results[0]:
                records = [result[method] for result in results]
                rows.append(
                    {"part": "planted", "data": make.__name__, "n": n, "method": method}
                    | {key: _mean(records, key) for key in records[0]}
                )
    return rows


def _planted_seed(make, n, seed, variants):
    X, y, f, _ = make(n, seed)
    X_test, y_test, f_test, truth = make(N_TEST, 10_000 + seed)
    predictions = {"raw": f_test} | _alternatives(X, y, f, X_test, f_test)
    S, S_test = np.column_stack([1 - f, f, X]), np.column_stack([1 - f_test, f_test, X_test])
    fitted = {}
    for name, options in variants.items():
        make_model = _NetworksOnly if name == "no linear stage" else KernelRecalibrator
        fitted[name] = _fit(make_model(random_state=seed, **options), S, y)
        predictions[name] = fitted[name].predict_proba(S_test)[:, 1]
    records = {}
    for name, p in predictions.items():
        excess = np.mean((p - truth) ** 2)
        records[name] = {
            "brier": excess + np.mean(truth * (1 - truth)),
            "excess": excess,
            "auc": roc_auc_score(y_test, p),
        }
        if name in ("raw", "default", "logistic on (logit p, X)"):
            records[name]["rejected"] = np.mean(
                [
                    check_calibration(
                        y_test[rows], p[rows], X_test[rows], n_resamples=199, random_state=seed
                    ).pvalue
                    <= 0.05
                    for rows in np.split(np.arange(4 * 500), 4)
                ]
            )
        if name in fitted:
            records[name] |= {
                "shrinkage": fitted[name].shrinkage_,
                "steps": fitted[name].best_iter_,
            }
    return records


def _alternatives(X, y, f, X_test, f_test):
    score, score_test = (logit(np.clip(p, 1e-6, 1 - 1e-6)) for p in (f, f_test))
    oracle = LogisticRegression(C=np.inf, max_iter=5000)
    oracle.fit(np.column_stack([score, X]), y)
    isotonic = IsotonicCalibrator().fit(f, y)
    platt = PlattCalibrator(input="probability").fit(f, y)
    return {
        "logistic on (logit p, X)": oracle.predict_proba(np.column_stack([score_test, X_test]))[
            :, 1
        ],
        "isotonic": isotonic.predict_proba(f_test)[:, 1],
        "Platt": platt.predict_proba(f_test)[:, 1],
    }


def real_rows(n_seeds, sets=None):
    """Log loss and KLCE^2 on real data: raw, isotonic, recalibrated."""
    rows = []
    for name in sets or data.REAL:
        results = [_real_seed(data.REAL[name], seed) for seed in range(n_seeds)]
        for method in results[0]:
            records = [result[method] for result in results]
            rows.append(
                {"part": "real", "data": name, "method": method}
                | {key: _mean(records, key) for key in records[0]}
            )
    return rows


def _real_seed(make, seed):
    classifier, X, X_test, y, y_test = make(seed)
    models = {
        "raw": classifier.fit(X, y),
        "isotonic": CalibratedClassifier(classifier, OneVsRestCalibrator("isotonic")),
        "default": CalibratedClassifier(classifier, KernelRecalibrator(random_state=seed)),
    }
    scaled = StandardScaler().fit(X).transform(X_test)
    classes = np.unique(y)
    records, bandwidths = {}, None
    for name, model in models.items():
        P = (model if name == "raw" else _fit(model, X, y)).predict_proba(X_test)
        bandwidths = bandwidths or select_bandwidths(scaled, P)
        prob, feature = bandwidths
        records[name] = {
            "log_loss": log_loss(y_test, P),
            "klce2": klce(
                y_test, P, scaled, prob_bandwidth=prob, feature_bandwidth=feature, labels=classes
            ),
        }
        if name == "default":
            records[name] |= {
                "shrinkage": model.calibrator_.shrinkage_,
                "steps": model.calibrator_.best_iter_,
            }
    return records


def time_rows(n_full_batch=10):
    """Warm time of 1000 steps at n = 5000, d = 5, with mini-batches and with all rows a step."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 5))
    f = 1 / (1 + np.exp(-X[:, 0]))
    y = rng.uniform(size=5000) < f
    S = np.column_stack([1 - f, f, X])

    def seconds(n_steps, **options):
        recalibrator = KernelRecalibrator(
            max_iter=n_steps, n_iter_no_change=10_000, random_state=0, **options
        )
        times = []
        for _ in range(2):
            start = time.perf_counter()
            _fit(recalibrator, S, y)
            times.append(time.perf_counter() - start)
        return {"first": times[0], "seconds": times[1]}

    options = {"early_stopping": False}
    rows = [{"part": "time", "method": "default, 1000 steps"} | seconds(1000)]
    rows.append(
        {"part": "time", "method": "double precision (standardize=False), 1000 steps"}
        | seconds(1000, standardize=False)
    )
    rows.append(
        {"part": "time", "method": "one network, 1000 steps"}
        | seconds(1000, n_networks=1, **options)
    )
    for n_networks in (1, 5):
        full = seconds(n_full_batch, batch_size=5000, n_networks=n_networks, **options)
        rows.append(
            {"part": "time", "method": f"all rows a step, {n_networks} networks, 1000 steps"}
            | {"first": full["first"], "seconds": full["seconds"] * 1000 / n_full_batch}
        )
    return rows


def large_row(n):
    """Time and memory above the inputs of one fit of many rows."""
    X, y, f, _ = data.nonlinear(n, 0)
    S = np.column_stack([1 - f, f, X])
    before = getrusage(RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    _fit(KernelRecalibrator(random_state=0), S, y)
    seconds = time.perf_counter() - start
    gib = (getrusage(RUSAGE_SELF).ru_maxrss - before) / 2**20
    return {"part": "time", "method": f"default, n = {n}", "first": seconds, "gib": gib}


def _fit(model, S, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(S, y)


def _mean(records, key):
    return round(float(np.mean([record[key] for record in records])), 6)


def plot(rows, path):
    """Draw the error of every method on planted data; write one table per part beside it."""
    from matplotlib.figure import Figure

    table = pd.DataFrame(rows)
    planted = table[table["part"] == "planted"].astype({"n": int})
    compared = [*planted["method"].unique()[:4], "default"]
    main = planted[planted["method"].isin(compared)]
    parts = {
        "error": main[["data", "n", "method", "brier", "excess", "auc", "rejected"]],
        "ablation": planted[planted["n"] == 1000].pivot_table(
            index="method", columns="data", values="excess", sort=False
        ).loc[list(VARIANTS)].reset_index(),
        "real": table.loc[table["part"] == "real", ["data", "method", "log_loss", "klce2"]],
        "time": table.loc[table["part"] == "time", ["method", "first", "seconds", "gib"]].round(2),
    }  # fmt: skip
    for name, part in parts.items():
        part.round(6).to_csv(path.with_name(f"{path.stem}_{name}.csv"), index=False)
    figure = Figure(figsize=(11, 4), layout="constrained")
    ax = figure.subplots()
    wide = main.pivot_table(index=["data", "n"], columns="method", values="excess", sort=False)
    for k, method in enumerate(compared):
        ax.bar(np.arange(len(wide)) + 0.16 * (k - 2), wide[method], width=0.16, label=method)
    ax.set_xticks(np.arange(len(wide)), [f"{name}\nn = {n}" for name, n in wide.index], fontsize=7)
    ax.set_ylabel("Brier score above the truth's")
    ax.legend()
    figure.savefig(path, dpi=120)
