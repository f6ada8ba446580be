"""Groups of rows keep their names from batch to batch."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import calibration_by_group
from sklearn_calib.streaming import CalibrationState
from tests.streaming._data import make_rows


def _columns(n):
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(["f", "m"], n)),
            "site": rng.choice([1, 2, 10], n),
            "open": rng.choice([True, False, None], n),
        }
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n_classes", "target"), [(2, "auto"), (3, "auto"), (3, "classwise")])
def test_the_table_is_that_of_calibration_by_group(n_classes, target, weighted):
    rows = make_rows(n_classes, 240, 2, weighted=weighted)
    groups = _columns(240)
    parts = []
    for part in np.array_split(np.arange(240), 6):
        one = CalibrationState(("ece", "log_loss"), target=target, labels=np.unique(rows.y))
        parts.append(one.update(**rows.part(part), groups=groups.iloc[part]))
    found = sum(parts).group_table()
    expected = calibration_by_group(
        rows.y, rows.proba, groups, sample_weight=rows.weight, target=target, n_resamples=19,
        random_state=0,
    ).to_frame()  # fmt: skip
    keys = ["feature", "category", *(["class"] if target == "classwise" else [])]
    both = found.merge(expected, on=keys, suffixes=("", "_of_arrays"))
    assert len(both) == len(found) == len(expected)
    for name in ("n", "weight", "observed", "predicted", "gap"):
        assert_allclose(both[name], both[f"{name}_of_arrays"], rtol=1e-12, atol=1e-15)
    if target != "classwise":
        assert_allclose(both["ece"], both["error"], rtol=1e-12)


def test_the_order_is_that_of_the_values():
    groups = pd.Series([10, 2, None, 1], name="site")
    table = CalibrationState("ece").update([0, 1, 0, 1], [0.1, 0.4, 0.3, 0.8], groups=groups)
    assert table.group_table()["category"].tolist() == ["1", "2", "10", "missing"]


def test_a_value_called_missing_is_not_a_missing_value():
    state = CalibrationState("ece").update([0, 1], [0.1, 0.4], groups={"g": ["missing", None]})
    assert state.group_table()["category"].tolist() == ["missing", "missing value"]


def test_the_metrics_of_a_group_are_those_of_its_rows():
    rows = make_rows(2, 64, 4, weighted=True)
    groups = np.random.default_rng(0).permutation(["a", "b"] * 32)
    options = {"metrics": ("kce", "mce", "brier")}
    table = CalibrationState(**options).update(**rows.part(slice(None)), groups=groups)
    for row in table.group_table().itertuples():
        alone = CalibrationState(**options).update(**rows.part(groups == row.category))
        for name, value in alone.result().items():
            assert_allclose(getattr(row, name), value, rtol=1e-12)


def test_a_group_of_one_row_has_no_unbiased_error():
    state = CalibrationState(("kce", "ece")).update([0, 1, 1], [0.1, 0.4, 0.5], groups=list("aab"))
    table = state.group_table().set_index("category")
    assert np.isnan(table.loc["b", "kce"])
    assert table.loc["b", "ece"] == 0.5
    assert np.isfinite(table.loc["a", "kce"])


def test_groups_are_in_documents():
    state = CalibrationState().update([0, 1, 1], [0.1, 0.4, 0.5], groups={"g": ["a", None, "a"]})
    copy = CalibrationState.from_json(state.to_json())
    pd.testing.assert_frame_equal(copy.group_table(), state.group_table())
    assert copy.group_columns == ("g",)


def test_columns_that_are_no_groups():
    with pytest.raises(ValueError, match="Cut them at fixed edges first"):
        CalibrationState().update([0, 1], [0.1, 0.4], groups={"age": [20.5, 30.0]})
    ids = np.arange(10_001).astype(str)
    with pytest.raises(ValueError, match="has 10,001 values in one batch"):
        CalibrationState().update(np.zeros(10_001), np.full(10_001, 0.5), groups={"id": ids})
    with pytest.raises(ValueError, match="same number of rows"):
        CalibrationState().update([0, 1], [0.1, 0.4], groups={"g": ["a"]})
    with pytest.raises(ValueError, match="The state has no groups"):
        CalibrationState().update([0, 1], [0.1, 0.4]).group_table()


def test_states_with_other_columns_are_not_merged():
    first = CalibrationState().update([0, 1], [0.1, 0.4], groups={"g": ["a", "b"]})
    second = CalibrationState().update([0, 1], [0.1, 0.4])
    with pytest.raises(ValueError, match="columns of groups: \\['g'\\] and none"):
        first.merge(second)
    assert first.merge(CalibrationState()).group_columns == ("g",)
