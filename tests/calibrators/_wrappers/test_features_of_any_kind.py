"""Text, categories and missing values on their way to a calibrator that reads them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sklearn_calib.calibrators import CalibratedClassifier
from sklearn_calib.calibrators._wrappers.score_source import ScoreSource
from tests.calibrators._features._data import small_recalibrator


@pytest.fixture(scope="module")
def patients():
    """Women have a log-odds of 1.5 less, which the classifier cannot see; some ages are missing."""
    rng = np.random.default_rng(0)
    sex = rng.choice(["female", "male"], size=1200)
    age = rng.normal(size=1200)
    age[rng.uniform(size=1200) < 0.1] = np.nan
    score = rng.normal(size=1200)
    y = rng.uniform(size=1200) < expit(score - 1.5 * (sex == "female"))
    return pd.DataFrame({"score": score, "sex": sex, "age": age}), y


def calibrated():
    reads_score = make_pipeline(
        make_column_transformer(("passthrough", ["score"])), LogisticRegression()
    )
    return CalibratedClassifier(reads_score, small_recalibrator(), cv=3)


def test_the_recalibrator_reads_text_and_missing_values_behind_a_classifier(patients):
    X, y = patients
    new = calibrated().fit(X, y).predict_proba(X)[:, 1]
    for sex in ("female", "male"):
        own = X["sex"] == sex
        assert_allclose(new[own].mean(), y[own].mean(), atol=0.03)  # 0.13 without the text


def test_kinds_of_tables_give_the_same_features(patients):
    X, y = patients
    expected = calibrated().fit(X, y).predict_proba(X)
    for table in (X.astype({"sex": "category"}), pl.DataFrame(X.to_dict("list"))):
        assert_allclose(calibrated().fit(table, y).predict_proba(table), expected, rtol=1e-12)


def test_a_category_that_is_a_number_stays_a_category():
    """Read as a number it would be one that has an order."""
    source = ScoreSource(None, _Same(), np.arange(2), any_kind=True)
    table = pd.DataFrame({"place": pd.Categorical([30, 4, None]), "x": [1.5, np.nan, 2.0]})
    features = source.features(table)
    assert features.iloc[0].tolist() == ["30", 1.5]
    assert pd.isna(features.iloc[2, 0])
    assert source.features(table[["x"]]).to_numpy().dtype == np.float64


class _Same:
    def transform(self, X):
        return X
