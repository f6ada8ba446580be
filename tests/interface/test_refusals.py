"""Wrong arguments get an error that names them, and good ones of unusual types work."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

from sklearn_calib import (
    CalibratedClassifier,
    CalibrationComparisonDisplay,
    LocalBiasDisplay,
    ModelDifferenceDisplay,
    NullDistributionDisplay,
    ReliabilityDisplay,
    calibration_report,
    check_calibration,
    compare_calibration,
    local_bias_band,
    local_calibration_bias,
)
from sklearn_calib.calibrators import (
    BetaCalibrator,
    CrossFitTransformer,
    IsotonicCalibrator,
    KernelRecalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
)
from sklearn_calib.datasets import fetch_compas
from sklearn_calib.inference import calibration_test_score
from sklearn_calib.metrics import ece, kce, klce, skce

# Scores that say nothing give Platt scaling a slope of either sign.
pytestmark = pytest.mark.filterwarnings("ignore:The slope of")

RNG = np.random.default_rng(0)
P = RNG.random(40)
X = RNG.normal(size=(40, 2))
Y = (RNG.random(40) < P).astype(int)
S = np.column_stack([P, X])
MASK = np.arange(40) % 7 == 3


def masked(values):
    values = np.asarray(values)
    return np.ma.array(
        values, mask=np.broadcast_to(MASK.reshape(-1, *[1] * (values.ndim - 1)), values.shape)
    )


MASKED = {
    "y_true": lambda: ece(masked(Y), P),
    "y_proba": lambda: skce(Y, masked(P)),
    "sample_weight": lambda: ece(Y, P, sample_weight=masked(np.ones(40))),
    "X": lambda: klce(Y, P, masked(X)),
    "X_query": lambda: local_calibration_bias(Y, P, X, X_query=masked(X), proba_query=P),
    "S": lambda: PlattCalibrator().fit(masked(P), Y),
    "y": lambda: BetaCalibrator().fit(P, masked(Y)),
    "S in predict_proba": lambda: BetaCalibrator().fit(P, Y).predict_proba(masked(P)),
    "y of a classifier": lambda: CalibratedClassifier(LogisticRegression(), PlattCalibrator()).fit(
        X, masked(Y)
    ),
    "report": lambda: calibration_report(Y, P, masked(X), n_resamples=19),
    "cross-validation": lambda: calibration_test_score(LogisticRegression(), X, masked(Y)),
    "X of CalibratedClassifier": lambda: CalibratedClassifier(LogisticRegression()).fit(
        masked(X), Y
    ),
    "X in predict_proba": lambda: (
        CalibratedClassifier(LogisticRegression()).fit(X, Y).predict_proba(masked(X))
    ),
    "X of CrossFitTransformer": lambda: CrossFitTransformer(LogisticRegression()).fit(masked(X), Y),
    "X of cross-validation": lambda: calibration_test_score(LogisticRegression(), masked(X), Y),
    "X of display": lambda: ReliabilityDisplay.from_estimator(
        LogisticRegression().fit(X, Y), masked(X), Y
    ),
}


@pytest.mark.parametrize("case", MASKED)
def test_masked_values_are_refused(case):
    with pytest.raises(ValueError, match=r"masked array with \d+ masked values"):
        MASKED[case]()


def test_a_mask_that_hides_nothing_is_fine():
    assert ece(np.ma.array(Y), np.ma.array(P)) == ece(Y, P)


FLAGS = {
    "squared": lambda v: kce(Y, P, squared=v),
    "squared of a test": lambda v: check_calibration(
        Y, P, statistic="kce", statistic_params={"squared": v}
    ),
    "add_one": lambda v: check_calibration(Y, P, add_one=v),
    "leave_one_out": lambda v: local_calibration_bias(Y, P, X, leave_one_out=v),
    "local": lambda v: calibration_test_score(LogisticRegression(), X, Y, local=v),
    "histogram": lambda v: ReliabilityDisplay([0.1], [0.2], [3]).plot(histogram=v),
    "colorbar": lambda v: LocalBiasDisplay(X, P).plot(colorbar=v),
    "table": lambda v: CalibrationComparisonDisplay.from_predictions(
        Y, {"model": P}, n_resamples=9, table=v
    ),
    "filter_propublica": lambda v: fetch_compas(filter_propublica=v),
    "monotone": lambda v: BetaCalibrator(monotone=v).fit(P, Y),
    "standardize": lambda v: KernelRecalibrator(standardize=v).fit(P, Y),
    "early_stopping": lambda v: KernelRecalibrator(early_stopping=v).fit(P, Y),
    "ensemble": lambda v: CalibratedClassifier(
        LogisticRegression(), PlattCalibrator(), ensemble=v
    ).fit(X, Y),
}


@pytest.mark.parametrize("value", ["False", "True", 0, 1, None, [1]], ids=repr)
@pytest.mark.parametrize("flag", FLAGS)
def test_flags_are_true_or_false(flag, value):
    with pytest.raises(ValueError, match=flag.split()[0]):
        FLAGS[flag](value)


MULTILABEL = np.array([[1, 0, 1], [1, 1, 0], [0, 0, 1], [0, 0, 0]])


@pytest.mark.parametrize(
    "call",
    [
        lambda: ece(MULTILABEL, np.full((4, 3), 0.4)),
        lambda: check_calibration(MULTILABEL, np.full((4, 3), 0.4)),
        lambda: calibration_report(MULTILABEL, np.full((4, 3), 0.4)),
        lambda: ece(MULTILABEL, [np.full((4, 2), 0.5)] * 3),
        lambda: OneVsRestCalibrator().fit(np.full((4, 3), 0.4), MULTILABEL),
    ],
)
def test_multilabel_targets_name_two_ways_that_work(call):
    with pytest.raises(ValueError, match=r"multilabel.*\[:, k\].*ravel\(\)"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda y: CalibratedClassifier(LogisticRegression()).fit(X, y),
        lambda y: CrossFitTransformer(LogisticRegression()).fit(X, y),
        lambda y: calibration_test_score(LogisticRegression(), X, y),
    ],
)
def test_multilabel_targets_of_classifiers_name_two_ways(call):
    for labels in (np.column_stack([Y, 1 - Y, Y]), np.column_stack([Y, 1 - Y, Y]).tolist()):
        with pytest.raises(ValueError, match=r"multilabel.*\[:, k\].*MultiOutputClassifier"):
            call(labels)


def test_the_ways_for_multilabel_targets_of_classifiers_work():
    labels = np.column_stack([Y, 1 - Y])
    model = MultiOutputClassifier(CalibratedClassifier(LogisticRegression())).fit(X, labels)
    one = CalibratedClassifier(LogisticRegression()).fit(X, labels[:, 1])
    assert_array_equal(model.predict_proba(X)[1], one.predict_proba(X))


def test_the_two_ways_for_multilabel_targets_work():
    proba = np.linspace(0.1, 0.9, 12).reshape(4, 3)
    assert np.isfinite([ece(MULTILABEL[:, k], proba[:, k]) for k in range(3)]).all()
    assert np.isfinite(ece(MULTILABEL.ravel(), proba.ravel()))


@pytest.mark.parametrize(
    "scores",
    [
        np.array(["0.3"] * 40),
        np.array([b"0.3"] * 40),
        np.array(["0.3"] * 40, dtype=object),
        np.full(40, "2020-01-01", dtype="M8[D]"),
        np.full(40, 3, dtype="m8[s]"),
        pd.Series([pd.Timedelta(days=1)] * 40),
        pd.Series(pd.to_datetime(["2020"] * 40)),
        pd.Series(["0.3"] * 40, dtype="category"),
        pd.DataFrame({"a": P, "b": [pd.Timedelta(days=1)] * 40}),
        pd.DataFrame({"a": P, "b": ["0.3"] * 40}),
    ],
    ids=str,
)
@pytest.mark.parametrize("calibrator", [PlattCalibrator(), OneVsRestCalibrator("platt")])
def test_scores_that_are_no_numbers_are_refused(calibrator, scores):
    with pytest.raises(ValueError, match=r"^S must hold numbers"):
        calibrator.fit(scores, Y)
    fitted = calibrator.fit(np.tile(X[:, [0]], np.ndim(scores)), Y)
    with pytest.raises(ValueError, match=r"^S must hold numbers"):
        fitted.predict_proba(scores)


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [2.0, 3.0], ["a", "b"]])
def test_object_arrays_as_labels(labels):
    plain = np.array(labels)[Y]
    objects = plain.astype(object)
    for calibrator in (PlattCalibrator(), IsotonicCalibrator(), OneVsRestCalibrator("platt")):
        scores = P if isinstance(calibrator, IsotonicCalibrator) else X[:, 0]
        expected = calibrator.fit(scores, plain).predict_proba(scores)
        assert_array_equal(calibrator.fit(scores, objects).predict_proba(scores), expected)
        assert calibrator.classes_.tolist() == labels
        calibrator.fit(scores, pd.Series(objects))
    model = CalibratedClassifier(LogisticRegression(), PlattCalibrator(), cv=3).fit(X, objects)
    assert model.classes_.tolist() == labels


@pytest.mark.parametrize(
    "labels", [[0, "a"], [None, 1], [pd.NA, "a"]], ids=["mixture", "missing", "missing text"]
)
def test_object_arrays_that_are_no_labels(labels):
    """They are no regression targets, of which scikit-learn's message would speak."""
    objects = np.array(labels, dtype=object)[Y]
    for fit in (
        lambda: BetaCalibrator().fit(P, objects),
        lambda: BetaCalibrator().fit(P, objects.tolist()),
        lambda: CalibratedClassifier(LogisticRegression()).fit(X, objects),
        lambda: calibration_test_score(LogisticRegression(), X, objects),
    ):
        with pytest.raises(ValueError, match="y must hold labels of one type without missing"):
            fit()


@pytest.mark.parametrize(
    ("labels", "call"),
    [
        (Y, lambda y: BetaCalibrator().fit(y, P)),
        (Y, lambda y: OneVsRestCalibrator().fit(y, P)),
        (np.array(["a", "b"])[Y], lambda y: BetaCalibrator().fit(y, P)),
        (Y, lambda y: calibration_report(P, y)),
        (np.array(["a", "b"])[Y], lambda y: calibration_report(P, y)),
        (Y + 1, lambda y: calibration_report(P, y)),
    ],
)
def test_swapped_labels_and_probabilities(labels, call):
    with pytest.raises(ValueError, match=r"must hold class labels, got the continuous.*swapped\?"):
        call(labels)


AXES = {
    "reliability": lambda ax: ReliabilityDisplay.from_predictions(Y, P, n_resamples=9, ax=ax),
    "comparison": lambda ax: CalibrationComparisonDisplay.from_predictions(
        Y, {"a": P, "b": P}, n_resamples=9, ax=ax
    ),
    "differences": lambda ax: ModelDifferenceDisplay.from_result(
        compare_calibration(Y, {"a": P, "b": P}, n_resamples=9), ax=ax
    ),
    "null": lambda ax: NullDistributionDisplay([0.1, 0.2], 0.1, 0.5).plot(ax=ax),
    "local": lambda ax: LocalBiasDisplay(X[:, 0], P).plot(ax=ax),
}


@pytest.mark.parametrize("display", AXES)
@pytest.mark.parametrize("ax", [5, "ax", [1, 2, 3], object()], ids=["number", "text", "list", "?"])
def test_axes_are_axes(display, ax):
    with pytest.raises(TypeError, match="ax must be a Matplotlib Axes"):
        AXES[display](ax)


def test_a_statistic_of_any_signature_takes_features():
    statistics = [
        lambda *data, **options: 0.1,
        lambda y_true, *data: 0.1,
        lambda y_true, y_proba, X=None: 0.1,
    ]
    for statistic in statistics:
        result = check_calibration(
            [0, 1, 0, 1], [0.1, 0.4, 0.6, 0.8], [0.0, 1, 2, 3], statistic=statistic, n_resamples=9
        )
        assert result.pvalue == 1.0
    with pytest.raises(ValueError, match="does not use X: its third argument is 'labels'"):
        check_calibration(Y, P, X, statistic=lambda y, p, labels=None: 0.1, n_resamples=9)


@pytest.mark.parametrize("params", [5, "C", [1]])
def test_params_of_a_fit_are_a_dict(params):
    with pytest.raises(ValueError, match=r"params must be None or a dict"):
        calibration_test_score(LogisticRegression(), X, Y, params=params)


def test_polars_everywhere():
    pl = pytest.importorskip("polars")
    table, y, p = pl.DataFrame({"age": X[:, 0], "size": X[:, 1]}), pl.Series(Y), pl.Series(P)
    frame = pd.DataFrame({"age": X[:, 0], "size": X[:, 1]})
    reports = [calibration_report(Y, P, given, n_resamples=19) for given in (table, frame)]
    assert reports[0].to_dict() == reports[1].to_dict()
    assert ece(y, p, sample_weight=p) == ece(Y, P, sample_weight=P)
    assert klce(y, p, table) == klce(Y, P, X)
    options = {"n_resamples": 19, "random_state": 0}
    assert_array_equal(
        local_bias_band(y, p, table, **options).bias, local_bias_band(Y, P, X, **options).bias
    )
    display = LocalBiasDisplay.from_predictions(y, p, table, features=["size"], n_resamples=19)
    assert display.feature_names == ["size"]
