"""Results show numbers that belong to features with the names of the features."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_calib import check_calibration, local_bias_band

RNG = np.random.default_rng(0)
P = RNG.random(60)
Y = (RNG.random(60) < P).astype(int)
COLUMNS = {"age": RNG.normal(40, 9, 60), "sex": ["f", "m"] * 30, "income": RNG.random(60)}
OPTIONS = {"n_resamples": 19, "random_state": 0, "feature_bandwidth": "scaled"}


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("function", [check_calibration, local_bias_band])
def test_bandwidths_of_a_table_have_the_names_of_its_columns(function, table):
    result = function(Y, P, table(COLUMNS), **OPTIONS)
    age, sex, income = result.feature_bandwidth
    assert np.isnan(sex)
    text = f"feature_bandwidth={{'age': {age:.4g}, 'sex': nan, 'income': {income:.4g}}}"
    assert text in repr(result)
    assert "&#x27;age&#x27;: " in result._repr_html_()
    assert result.to_dict()["feature_names"] == ["age", "sex", "income"]


def test_the_omnibus_test_names_them_as_well():
    result = check_calibration(Y, P, pd.DataFrame(COLUMNS), statistic="omnibus", **OPTIONS)
    assert "feature_bandwidth={'age': " in repr(result)


def test_many_are_cut_and_an_array_has_no_names():
    X = RNG.normal(size=(60, 7))
    named = check_calibration(Y, P, pd.DataFrame(X).add_prefix("x"), **OPTIONS)
    assert "'x4': " in repr(named)
    assert "x5" not in repr(named)
    assert "... (7 values)}" in repr(named)
    plain = check_calibration(Y, P, X, **OPTIONS)
    assert plain.feature_names is None
    assert "feature_bandwidth=[" in repr(plain)
