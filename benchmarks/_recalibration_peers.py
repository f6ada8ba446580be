"""What other packages make of scores and features: peers of the recalibrator.

Every peer is a function of the training rows ``(X, y, f)`` and of the test rows ``(X, f)`` that
returns probabilities. MCGrad and LightGBM are optional.
"""

import logging
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

N_FOLDS = 5


def _log_odds(f):
    return logit(np.clip(f, 1e-6, 1 - 1e-6))


def raw(X, y, f, X_test, f_test):
    """Return the forecast as it is."""
    return f_test


def platt(X, y, f, X_test, f_test):
    """Fit a logistic regression on the log-odds alone."""
    model = LogisticRegression(C=np.inf, max_iter=5000).fit(_log_odds(f)[:, None], y)
    return model.predict_proba(_log_odds(f_test)[:, None])[:, 1]


def logistic(X, y, f, X_test, f_test):
    """Fit a logistic regression on log-odds and features, one column for each category."""
    both = pd.get_dummies(pd.concat([X, X_test]), dtype=float).to_numpy()
    scaler = StandardScaler().fit(both[: len(X)])
    train, test = scaler.transform(both[: len(X)]), scaler.transform(both[len(X) :])
    model = LogisticRegression(C=1e4, max_iter=5000).fit(np.c_[_log_odds(f), train], y)
    return model.predict_proba(np.c_[_log_odds(f_test), test])[:, 1]


def lightgbm(X, y, f, X_test, f_test):
    """Boost trees from the log-odds; the number of trees by cross-validation."""
    import lightgbm as lgb

    options = {
        "objective": "binary", "learning_rate": 0.05, "num_leaves": 15, "min_data_in_leaf": 20,
        "verbosity": -1, "num_threads": 1, "seed": 0,
    }  # fmt: skip
    S, S_test = X.assign(log_odds=_log_odds(f)), X_test.assign(log_odds=_log_odds(f_test))
    data = lgb.Dataset(S, y.astype(int), init_score=_log_odds(f), free_raw_data=False)
    course = lgb.cv(
        options, data, 300, nfold=N_FOLDS, stratified=True, seed=0,
        callbacks=[lgb.early_stopping(30, verbose=False)],
    )  # fmt: skip
    losses = np.array(course["valid binary_logloss-mean"])
    at_start = -np.mean(np.where(y, np.log(f), np.log1p(-f)))
    if losses.min() >= at_start:
        return f_test
    model = lgb.train(options, data, int(losses.argmin()) + 1)
    return expit(_log_odds(f_test) + model.predict(S_test, raw_score=True))


def mcgrad(X, y, f, X_test, f_test):
    """Fit MCGrad with its defaults."""
    from mcgrad.methods import MCGrad

    logging.disable(logging.INFO)
    categorical = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    numerical = [name for name in X if name not in categorical]
    names = {
        "prediction_column_name": "forecast",
        "categorical_feature_column_names": categorical or None,
        "numerical_feature_column_names": numerical or None,
    }
    text = dict.fromkeys(categorical, str)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MCGrad(random_state=0, lightgbm_params={"num_threads": 1})
        model.fit(
            X.astype(text).assign(forecast=f, label=y.astype(int)),
            label_column_name="label",
            **names,
        )
        return model.predict(X_test.astype(text).assign(forecast=f_test), **names)


def available():
    """Return the peers that can be run here, by name."""
    peers = {"raw": raw, "Platt": platt, "logistic on (logit p, X)": logistic}
    if find_spec("lightgbm"):
        peers["LightGBM from logit p"] = lightgbm
    if find_spec("mcgrad"):
        peers["MCGrad"] = mcgrad
    return peers
