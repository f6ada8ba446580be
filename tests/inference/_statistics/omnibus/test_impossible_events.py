"""Rows in which what happened had probability zero: no calibrated model has one."""

import dask.array as da
import numpy as np
import pytest

from sklearn_calib.inference import check_calibration

_ZERO_HAPPENS = ([1, 0, 1, 0, 0], [0.0, 0.3, 0.7, 0.0, 0.4])
_ONE_DOES_NOT = ([1, 0, 1, 0, 0], [0.6, 0.3, 1.0, 1.0, 0.4])
_ZERO_CLASS = ([2, 0, 1, 2], [[0.5, 0.5, 0.0], [0.6, 0.4, 0.0], [0.2, 0.8, 0.0], [0.1, 0.2, 0.7]])


def omnibus(y, p, **options):
    return check_calibration(y, p, statistic="omnibus", n_resamples=39, random_state=0, **options)


@pytest.mark.parametrize(("y", "p"), [_ZERO_HAPPENS, _ONE_DOES_NOT, _ZERO_CLASS])
def test_an_impossible_event_is_more_extreme_than_all_draws(y, p):
    result = omnibus(y, p)
    assert (result.statistic, result.pvalue) == (np.inf, 1 / 40)
    part = result.parts[0]
    assert (part.name, part.statistic, part.adjusted_pvalue) == ("impossible_events", 1.0, 1 / 40)
    assert result.finding_at(0.05).endswith("in 1 row probability zero was given to what happened")


def test_the_other_parts_stay_as_they_are():
    y, p = np.array(_ZERO_HAPPENS[0]), np.array(_ZERO_HAPPENS[1])
    parts = omnibus(y, p).parts
    assert [part.name for part in parts[1:]] == ["slope_score", "cox_score", "rank_skce"]
    alone = [
        check_calibration(y, p, statistic=part.name, n_resamples=39, random_state=0)
        for part in parts[1:]
    ]
    assert [part.pvalue for part in parts[1:]] == [one.pvalue for one in alone]


def test_certain_predictions_that_come_true_are_no_finding():
    result = omnibus([0, 0, 1, 1, 0, 1], [0.0, 0.0, 1.0, 1.0, 0.5, 0.5])
    assert "impossible_events" not in [part.name for part in result.parts]
    assert result.pvalue > 0.5


def test_a_row_of_weight_zero_proves_nothing():
    y, p = _ZERO_HAPPENS
    result = omnibus(y, p, sample_weight=[0, 1, 1, 1, 1])
    assert result.parts[0].name == "slope_score"


@pytest.mark.parametrize(("top", "n_rows"), [(1.0, 2), (0.9, 0)])
def test_of_the_largest_probability_only_a_wrong_one_is_impossible(top, n_rows):
    """Another class of probability zero says nothing about the event of the target."""
    p = [[top, 1.0 - top, 0.0], [0.0, top, 1.0 - top], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]]
    parts = omnibus([2, 0, 1, 1], p, target="confidence").parts
    assert sum(part.statistic for part in parts if part.name == "impossible_events") == n_rows


def test_several_rows_are_counted():
    result = omnibus([1, 1, 0, 0, 1], [0.0, 0.0, 1.0, 0.2, 0.6])
    assert result.finding_at(0.05).endswith(
        "; in 3 rows probability zero was given to what happened"
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning:dask")
def test_partitions_find_it_as_well():
    y, p = (da.from_array(np.tile(one, 20), chunks=30) for one in _ONE_DOES_NOT)
    result = omnibus(y, p)
    assert (result.statistic, result.pvalue) == (np.inf, 1 / 40)
    assert (result.parts[0].name, result.parts[0].statistic) == ("impossible_events", 20.0)
    with_the_rest = [part.name for part in result.parts[1:]]
    assert with_the_rest == ["slope_score", "cox_score", "rank_skce"]
