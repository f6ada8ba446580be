"""How the reference cases of the recalibration networks are read and run."""

from functools import partial

import jax
import numpy as np

from sklearn_calib._core.gate import call
from sklearn_calib._core.network_training import Settings, TrainingRows
from sklearn_calib._core.recalibration import (
    train_networks,
)
from tests._reference import parametrize_cases

reference = parametrize_cases("recalibration")


def case_data(case, suffix=""):
    p = np.array(case["inputs"]["y_proba" + suffix])
    x = np.array(case["inputs"]["x_cal" if not suffix else "x" + suffix]).reshape(p.size, -1)
    return np.column_stack([np.ones_like(p), p, x]), np.column_stack([1 - p, p])


def case_params(case):
    given = {name: np.array(value) for name, value in case["inputs"]["init_params"].items()}
    layers = range(len(given) // 2)
    return [(given[f"W{k}"][np.newaxis], given[f"b{k}"][np.newaxis]) for k in layers]


def case_options(case):
    params = case["params"]
    n_features = case_data(case)[0].shape[1] - 2
    return {
        "alpha": params["alpha"],
        "beta": params["beta"],
        "gamma": 0.0,
        "prob_bandwidth": params["sigma_k_used"],
        "feature_bandwidth": np.full(n_features, params["sigma_l_used"]),
        "learning_rate": params["learning_rate"],
    }


def train_case(case, max_iter):
    inputs, base = case_data(case)
    n = len(base)
    codes = np.array(case["inputs"]["y"], dtype=int)
    return train_networks(
        inputs,
        base,
        codes,
        np.ones(n),
        params=case_params(case),
        skip=np.zeros((1, inputs.shape[1], 1)),
        held_out=np.empty((1, 0), dtype=int),
        batch_size=n,
        link="identity",
        max_iter=max_iter,
        **case_options(case),
    )


def evaluate(function, case):
    inputs, base = case_data(case)
    codes = np.array(case["inputs"]["y"], dtype=np.int32)
    settings = Settings(**case_options(case), max_iter=0, n_iter_no_change=0, tol=0.0)
    params = [(w[0], b[0]) for w, b in case_params(case)]
    rows = TrainingRows(inputs, base, codes, np.ones(len(base)))
    skip = np.zeros((inputs.shape[1], 1))
    return call(jax.jit(partial(function, link="identity")), params, skip, rows, settings)


def some_rows(n_classes, n=12, n_features=2, seed=0):
    rng = np.random.default_rng(seed)
    base = rng.dirichlet(np.ones(n_classes), size=n)
    seen = base[:, 1:] if n_classes == 2 else base
    inputs = np.column_stack([np.ones(n), seen, rng.normal(size=(n, n_features))])
    codes = rng.integers(0, n_classes, n).astype(np.int32)
    return TrainingRows(inputs, base, codes, rng.uniform(0.5, 2.0, n)), rng
