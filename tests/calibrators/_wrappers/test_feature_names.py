"""The names of a data frame's columns on their way to a calibrator that reads features by name."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import validate_data

from sklearn_calib.calibrators import CalibratedClassifier, CrossFitTransformer
from tests._spies import Recorder
from tests.calibrators._features._data import small_recalibrator

pytestmark = pytest.mark.filterwarnings("ignore:The held-out log loss still got better")


@pytest.fixture(scope="module")
def patients():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(size=300), "site": rng.integers(0, 12, size=300)})
    y = rng.uniform(size=300) < expit(table["age"] - (table["site"] > 5))
    return table.astype(float), np.where(y, "yes", "no")


def calibrated(**options):
    calibrator = small_recalibrator(max_iter=20, n_networks=2, **options)
    return CalibratedClassifier(LogisticRegression(), calibrator, cv=2)


@pytest.mark.parametrize(
    ("by_name", "by_position"),
    [
        ({"groups": ["site"]}, {"groups": [3]}),
        pytest.param(
            {"categorical_features": ["site"]},
            {"categorical_features": [1]},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_names_choose_the_same_features_as_positions(patients, by_name, by_position):
    X, y = patients
    plain = X.to_numpy()
    expected = calibrated(**by_position).fit(plain, y).predict_proba(plain)
    model = calibrated(**by_name).fit(X, y)
    assert_allclose(model.predict_proba(X), expected, rtol=1e-12)
    assert_allclose(pickle.loads(pickle.dumps(model)).predict_proba(X), expected, rtol=1e-12)
    assert clone(model).calibrator.get_params().items() >= by_name.items()


class Reader(Recorder):
    """Keeps what it is given, reads features of any kind and checks their names."""

    def fit(self, S, y):
        validate_data(self, S, skip_check_array=True)
        return super().fit(S, y)

    def predict_proba(self, S):
        validate_data(self, S, skip_check_array=True, reset=False)
        return super().predict_proba(S)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags


def read(X, y, passthrough="auto", **options):
    reader = Reader(takes_features=True)
    model = CalibratedClassifier(LogisticRegression(), reader, passthrough=passthrough, **options)
    return model.fit(X, y)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize(
    ("passthrough", "names"),
    [
        ("auto", ["age", "site"]),
        (["site"], ["site"]),
        ([1], ["site"]),
        (StandardScaler(), ["age", "site"]),
    ],
)
def test_names_of_features(patients, kind, ensemble, passthrough, names):
    X, y = patients
    table = kind(X.to_dict("list"))
    model = read(table, y, passthrough, ensemble=ensemble)
    model.predict_proba(table)
    for one in model.calibrators_:
        assert one.feature_names_in_.tolist() == ["no", "yes", *names]
        assert list(one.seen_at_predict_.columns) == ["no", "yes", *names]
    if passthrough == "auto" and not ensemble:
        assert_array_equal(model.calibrator_.S_[names], X)  # rows are where they were


def test_a_name_that_a_class_and_a_feature_share_is_that_of_the_feature(patients):
    X, y = patients
    for own, expected in [
        (["age", "yes"], ["no", "probability_yes", "age", "yes"]),
        (
            ["probability_yes", "yes"],
            ["no", "probability_probability_yes", "probability_yes", "yes"],
        ),
    ]:
        seen = read(X.set_axis(own, axis=1), y).calibrator_.feature_names_in_
        assert seen.tolist() == expected
    both = read(X.set_axis(["yes", "no"], axis=1), y)  # would be taken for the probabilities
    assert not hasattr(both.calibrator_, "feature_names_in_")
    assert_array_equal(both.calibrator_.S_[:, 2:], X)


def test_names_are_compared_with_those_of_the_fit(patients):
    X, y = patients
    model = read(X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict_proba(X[["site", "age"]])
    with pytest.warns(UserWarning, match="LogisticRegression was fitted with") as warned:
        model.predict_proba(X.to_numpy())
    assert len(warned) == 1  # the classifier has said it
    by_name = make_pipeline(ByName(), LogisticRegression())
    model.set_params(estimator=by_name).fit(X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict_proba(X[["site", "age"]])  # the features would change their places


class ByName(StandardScaler):
    """Reads its columns by name, whatever their order."""

    def fit(self, X, y=None):
        return super().fit(X[["age", "site"]].to_numpy())

    def transform(self, X):
        return super().transform(X[["age", "site"]].to_numpy())


def test_a_pipeline_hands_names_on_in_data_frames(patients):
    X, y = patients
    calibrator = small_recalibrator(max_iter=20, n_networks=2, groups=["site"])
    pipeline = make_pipeline(
        CrossFitTransformer(LogisticRegression(), cv=2, passthrough=True), calibrator
    )
    with pytest.raises(ValueError, match=r"groups names 'site'.*set_output\(transform='pandas'\)"):
        pipeline.fit(X, y)
    pipeline.set_output(transform="pandas").fit(X, y)
    assert "groups" in pipeline[-1].components_
