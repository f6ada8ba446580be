"""Gradient boosting of other packages, and samplers, inside `CalibratedClassifier`."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from sklearn_calib import CalibratedClassifier

DOC = Path(__file__).parents[2] / "doc"
LIBRARIES = {
    "xgboost": ("XGBClassifier", {"n_estimators": 60}),
    "lightgbm": ("LGBMClassifier", {"n_estimators": 60, "verbose": -1}),
    "catboost": (
        "CatBoostClassifier",
        {"iterations": 60, "verbose": 0, "allow_writing_files": False},
    ),
}


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(3000, n_informative=5, flip_y=0.2, weights=[0.8], random_state=0)
    return train_test_split(X, y, random_state=0, stratify=y)


@pytest.mark.parametrize(
    ("library", "labels"),
    [(name, [0, 1]) for name in LIBRARIES] + [(k, ["no", "yes"]) for k in ("lightgbm", "catboost")],
)
def test_boosted_trees_get_better(data, library, labels):
    """Labels are numbers, or text where the library takes it."""
    module = pytest.importorskip(library)
    X, X_test, y, y_test = data
    names = np.array(labels)
    name, options = LIBRARIES[library]
    base = getattr(module, name)(random_state=0, **options)
    model = CalibratedClassifier(base).fit(X, names[y])
    assert list(model.classes_) == list(names)
    calibrated = log_loss(y_test, model.predict_proba(X_test))
    raw = log_loss(y_test, base.fit(X, names[y]).predict_proba(X_test))
    assert calibrated < raw


def test_resampling_inside_keeps_the_base_rate(data):
    """SMOTE changes how often the event is seen; the calibrator sees the natural rate."""
    sampling = pytest.importorskip("imblearn.over_sampling")
    pipeline = pytest.importorskip("imblearn.pipeline")
    X, X_test, y, y_test = data
    base = pipeline.make_pipeline(
        sampling.SMOTE(random_state=0), DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
    )
    raw = base.fit(X, y).predict_proba(X_test)[:, 1].mean()
    model = CalibratedClassifier(base).fit(X, y)
    calibrated = model.predict_proba(X_test)[:, 1].mean()
    assert raw > y_test.mean() + 0.05
    assert abs(calibrated - y_test.mean()) < 0.02


def test_the_guide_shows_what_the_recipe_of_resampling_prints(capsys):
    pytest.importorskip("imblearn")
    runpy.run_path(str(DOC / "recipes" / "resampling.py"))
    printed = _numbers(capsys.readouterr().out)
    shown = _numbers((DOC / "user_guide" / "imbalance.rst").read_text(encoding="utf-8"))
    assert len(printed) == 5
    for name, numbers in printed.items():
        assert_allclose(shown[name], numbers, atol=0.01)


def _numbers(text):
    """Return the numbers of a table, whose lines begin with a name."""
    rows = re.findall(r"^ *([a-zA-Z][a-zA-Z, ]*?) +(0\.\d{3}[\d. ]*)$", text, re.MULTILINE)
    return {name: [float(one) for one in numbers.split()] for name, numbers in rows}
