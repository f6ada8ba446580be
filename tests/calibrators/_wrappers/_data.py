"""Data and wrappers that the tests of this folder share."""

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from sklearn_calib.calibrators import (
    BetaCalibrator,
    CalibratedClassifier,
    CrossFitTransformer,
    HistogramCalibrator,
    IsotonicCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
)

METHODS = ["platt", "beta", "isotonic", "histogram", "temperature"]

# The same methods as they are in the literature, also where CalibratedClassifier fits them.
PLAIN_METHODS = {
    "platt": PlattCalibrator(),
    "beta": BetaCalibrator(smooth=False, eps=1e-15),
    "isotonic": IsotonicCalibrator(pseudo_count=0),
    "histogram": HistogramCalibrator(pseudo_count=0),
    "temperature": TemperatureCalibrator(),
}


def two_classes():
    return make_classification(n_samples=200, n_features=5, flip_y=0.2, random_state=0)


def three_classes():
    return make_classification(
        n_samples=240, n_features=5, n_informative=4, n_redundant=0, n_classes=3, random_state=0
    )


def weighted_data():
    X, y = make_classification(n_samples=300, n_features=4, flip_y=0.3, random_state=1)
    return X, y, np.where(y == 1, 9.0, 1.0)


def frame():
    X, y = two_classes()
    table = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(
        town=np.where(X[:, 2] > 0, "Rome", "Oslo")
    )
    model = make_pipeline(
        ColumnTransformer([("town", OneHotEncoder(), ["town"])], remainder="passthrough"),
        LogisticRegression(),
    )
    return table, y, model


WRAPPERS = {
    "CalibratedClassifier": lambda **options: CalibratedClassifier(
        GaussianNB(), OneVsRestCalibrator(), **options
    ),
    "CrossFitTransformer": lambda **options: CrossFitTransformer(GaussianNB(), **options),
}
