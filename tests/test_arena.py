"""The benchmark of calibrators: its splits and its tables give right values on made data."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import arena
from benchmarks._arena import data, methods, tables
from benchmarks.calibrated_predictions import divergence, draw
from sklearn_calib.calibrators import AdaptiveCalibrator


def test_losses_by_hand():
    proba = np.array([[0.5, 0.5], [0.9, 0.1], [0.0, 1.0]])
    log_loss, brier = tables.losses(np.array([0, 1, 0]), proba)
    assert log_loss == pytest.approx(-np.log(0.5 * 0.1 * 1e-15) / 3, rel=1e-12)
    assert brier == pytest.approx((0.5 + 2 * 0.81 + 2.0) / 3, rel=1e-12)


def test_losses_leave_the_predictions_as_they_are():
    proba = np.array([[0.5, 0.5]])
    tables.losses(np.array([0]), proba)
    assert (proba == 0.5).all()


def test_win_rates_by_hand():
    """Two runs of three methods: a wins both, b and c share the first and b wins the second."""
    table = pd.DataFrame({"a": [0.1, 0.1], "b": [0.2, 0.2], "c": [0.2, 0.3]})
    rates = tables.win_rates(table)
    assert rates["a"] == 1.0
    assert rates["b"] == pytest.approx((0.25 + 0.5) / 2)
    assert rates["c"] == pytest.approx((0.25 + 0.0) / 2)


def test_a_method_without_a_value_takes_no_part_in_a_run():
    table = pd.DataFrame({"a": [0.1, 0.3], "b": [0.2, 0.2], "c": [np.nan, 0.1]})
    rates = tables.win_rates(table)
    assert rates["a"] == pytest.approx((1.0 + 0.0) / 2)
    assert rates["b"] == pytest.approx((0.0 + 0.5) / 2)
    assert rates["c"] == 1.0


def test_win_rates_average_to_a_half():
    table = pd.DataFrame(np.random.default_rng(0).uniform(size=(20, 7)))
    assert tables.win_rates(table).mean() == pytest.approx(0.5, abs=1e-12)


def test_gains_are_percentages_of_the_base_loss():
    table = pd.DataFrame({"base": [0.5, 0.2], "a": [0.4, 0.3]})
    assert tables.gains(table)["a"].tolist() == pytest.approx([20.0, -50.0])
    assert tables.gains(table)["base"].tolist() == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize(("n_classes", "group"), [(2, "2"), (3, "3-9"), (9, "3-9"), (10, "10+")])
def test_groups_of_classes(n_classes, group):
    assert tables.class_group(n_classes) == group


def test_split_gives_every_row_to_one_part_and_keeps_the_shares_of_the_classes():
    y = np.repeat([0, 1, 2], [500, 300, 30])
    parts = data.split_rows(y, np.random.default_rng(0))
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(830))
    assert np.bincount(y[parts[0]]).tolist() == [250, 150, 15]
    assert np.bincount(y[parts[1]]).tolist() == [100, 60, 6]
    assert np.bincount(y[parts[2]]).tolist() == [150, 90, 9]


def test_rare_classes_are_left_out_and_rows_are_limited():
    y = np.repeat(["many", "enough", "rare"], [20_000, 1000, 24])
    rows = data.select_rows(y, np.random.default_rng(0))
    assert set(y[rows]) == {"many", "enough"}
    assert len(rows) == len(set(rows)) == data.MAX_ROWS


def test_calibration_rows_have_every_class_in_its_proportion():
    y = np.repeat([0, 1, 2], [900, 97, 3])
    rows = data.calibration_rows(y, 100, np.random.default_rng(0))
    assert len(set(rows)) == 100
    assert np.abs(np.bincount(y[rows]) - [90, 10, 1]).max() <= 1
    assert np.bincount(y[rows]).min() >= 1


def test_sizes_go_as_far_as_there_are_rows():
    assert data.sizes_of(np.zeros(1000)) == [100, 300, 1000]


@pytest.fixture
def made_table(monkeypatch):
    def table():
        rng = np.random.default_rng(0)
        X = rng.normal(size=(800, 3))
        return X, (X[:, 0] + rng.normal(size=800) > 0).astype(int)

    monkeypatch.setitem(data.DATA, "made", table)
    monkeypatch.setattr(methods, "installed", dict)


def test_the_recorded_losses_are_those_of_the_calibrator(made_table):
    """The adaptive calibrator, fitted here on the same rows, has the recorded log loss."""
    records = pd.DataFrame(arena.records_of("made", ["naive Bayes"]))
    (predictions,) = data.predictions("made", ["naive Bayes"])
    rows = data.calibration_rows(predictions.y_cal, 100, np.random.default_rng(1))
    fitted = AdaptiveCalibrator().fit(predictions.proba_cal[rows], predictions.y_cal[rows])
    expected = tables.losses(predictions.y_test, fitted.predict_proba(predictions.proba_test))
    (found,) = records[records["method"] == "adaptive"].to_dict("records")
    assert (found["log_loss"], found["brier"]) == pytest.approx(expected, abs=1e-9)
    assert found["n"] == 100
    assert not records["failed"].any()


def test_a_method_that_raises_counts_as_the_base_model(made_table, monkeypatch):
    def broken(run):
        raise RuntimeError("not today")

    monkeypatch.setattr(methods, "methods", lambda n_classes: {"broken": broken})
    records = pd.DataFrame(arena.records_of("made", ["naive Bayes"]))
    records = records[records["part"] == "methods"].set_index("method")
    assert records.loc["broken", "failed"]
    assert records.loc["broken", "log_loss"] == records.loc["base", "log_loss"]


def test_tables_and_pictures_are_made_from_the_rows(made_table, tmp_path):
    records = arena.records_of("made", ["naive Bayes", "logistic"])
    rows = arena.rows_of(records, [arena.describe("made", records, ["naive Bayes", "logistic"])])
    arena.plot(rows, tmp_path / "arena.png")
    assert (tmp_path / "arena.png").stat().st_size > 10_000
    assert (tmp_path / "arena_rows.png").stat().st_size > 10_000
    table = pd.read_csv(tmp_path / "arena_classes_2.csv").set_index("method")
    assert table.loc["isotonic", "times isotonic"] == 1.0
    assert table.loc["base", "mean gain %, log loss"] == 0.0
    losses = pd.DataFrame(records).query("part == 'methods'")
    losses = losses.pivot(index="model", columns="method", values="log_loss")
    gain = 100 * (1 - losses["Platt"] / losses["base"])
    assert table.loc["Platt", "mean gain %, log loss"] == pytest.approx(gain.mean(), abs=0.005)
    assert table.loc["Platt", "worst gain %, log loss"] == pytest.approx(gain.min(), abs=0.05)
    by_rows = pd.read_csv(tmp_path / "arena_rows.csv")
    assert list(by_rows) == ["method", "2 classes, n = 100"]


def test_scikit_learn_sees_the_decision_function_of_the_model():
    """Its sigmoid of recorded scores is the one of the model itself."""
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.datasets import load_breast_cancer
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.frozen import FrozenEstimator

    X, y = load_breast_cancer(return_X_y=True)
    model = LinearDiscriminantAnalysis().fit(X[:300], y[:300])
    cal, test = slice(300, 450), slice(450, None)
    part = data.Predictions(
        "made", "made", y[cal], y[test],
        model.predict_proba(X[cal]), model.predict_proba(X[test]),
        model.decision_function(X[cal]), model.decision_function(X[test]),
    )  # fmt: skip
    fit, predict = methods.scikit_learn("sigmoid", part)
    fit()
    expected = CalibratedClassifierCV(FrozenEstimator(model)).fit(X[cal], y[cal])
    assert predict() == pytest.approx(expected.predict_proba(X[test]), abs=1e-12)


def test_draw_and_divergence_of_calibrated_predictions():
    proba, y = draw(50_000, 3, 1.0, np.random.default_rng(0))
    for k in range(3):
        likely = proba[:, k] > 0.6
        error = np.mean((y[likely] == k) - proba[likely, k])
        assert abs(error) < 4 * np.sqrt(0.25 / likely.sum())
    half, most = np.array([[0.5, 0.5]]), np.array([[0.9, 0.1]])
    assert divergence(half, half) == 0.0
    assert divergence(half, most) == pytest.approx(-np.log(2 * np.sqrt(0.09)), rel=1e-12)
