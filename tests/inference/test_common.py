"""What holds for every statistic that `check_calibration` knows by name."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib.inference import check_calibration
from tests.inference._data import binary_data, multiclass_data
from tests.inference._registry import STATISTICS

CLOSE = {"rtol": 1e-10, "atol": 1e-14}
every = pytest.mark.parametrize("name", STATISTICS)
with_a_value = pytest.mark.parametrize(
    "name", [name for name in STATISTICS if STATISTICS[name].function]
)
on_both = pytest.mark.parametrize("make", [binary_data, multiclass_data])


def check(name, y, proba, X, **options):
    """Test with few draws, which is enough for what does not depend on their number."""
    options = {"n_resamples": 19, "random_state": 0, **options}
    return check_calibration(*STATISTICS[name].arguments(y, proba, X), statistic=name, **options)


def test_the_registry_knows_every_statistic():
    with pytest.raises(ValueError, match=r"statistic must be one of .* or a callable") as error:
        check_calibration([0, 1], [0.2, 0.7], statistic="nothing")
    names = re.findall(r"'(\w+)'", str(error.value).split(" or a callable")[0])
    assert sorted(names) == sorted(["auto", *STATISTICS])


@with_a_value
@on_both
def test_the_value_is_what_the_function_computes(name, make):
    y, proba, X = make()
    result = check(name, y, proba, X)
    arguments = STATISTICS[name].arguments(y, proba, X)
    assert_allclose(result.statistic, STATISTICS[name].function(*arguments), **CLOSE)
    assert result.statistic_name == name
    assert result.null == "simulation"


@every
@on_both
def test_the_pvalue_counts_the_draws(name, make):
    result = check(name, *make())
    assert result.null_distribution.shape == (19,)
    assert np.isfinite(result.null_distribution).all()
    larger = np.count_nonzero(result.null_distribution >= result.statistic)
    smaller = np.count_nonzero(result.null_distribution <= result.statistic)
    if STATISTICS[name].two_sided:
        assert result.pvalue == min(1.0, 2 * (1 + min(larger, smaller)) / 20)
    else:
        assert result.pvalue == (1 + larger) / 20


@every
def test_the_same_seed_gives_the_same_draws_and_another_one_others(name):
    data = binary_data()
    first, again, other = (check(name, *data, random_state=seed) for seed in (0, 0, 1))
    assert_array_equal(first.null_distribution, again.null_distribution)
    assert (first.null_distribution != other.null_distribution).any()


@with_a_value
@on_both
def test_the_order_of_the_rows_does_not_change_the_value(name, make):
    y, proba, X = make()
    order = np.random.default_rng(1).permutation(len(y))
    expected = check(name, y, proba, X).statistic
    assert_allclose(check(name, y[order], proba[order], X[order]).statistic, expected, **CLOSE)


@every
@on_both
def test_rows_of_weight_zero_are_left_out(name, make):
    y, proba, X = make()
    weight = np.where(np.arange(len(y)) % 4 == 0, 0.0, 2.0)
    kept = weight > 0
    result = check(name, y, proba, X, sample_weight=weight)
    expected = check(name, y[kept], proba[kept], X[kept])
    assert_allclose(result.statistic, expected.statistic, **CLOSE)
    assert_allclose(result.null_distribution, expected.null_distribution, **CLOSE)


@every
def test_two_columns_are_the_vector_of_the_positive_class(name):
    y, p, X = binary_data()
    expected, result = (check(name, y, proba, X) for proba in (p, np.column_stack([1 - p, p])))
    assert_allclose(result.statistic, expected.statistic, **CLOSE)
    assert_allclose(result.null_distribution, expected.null_distribution, **CLOSE)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, one in STATISTICS.items()
        if one.along_predictions and not one.blind_to_reversal
    ],
)
def test_a_model_that_is_always_wrong_has_the_smallest_pvalue(name):
    _, p, X = binary_data(n=400)
    wrong = np.zeros(400, dtype=int) if STATISTICS[name].total else (p < 0.5).astype(int)
    smallest = (2 if STATISTICS[name].two_sided else 1) / 20
    assert check(name, wrong, p, X).pvalue == smallest


@every
def test_certain_and_right_predictions_are_never_rejected(name):
    y, _, X = binary_data()
    result = check(name, y, y.astype(float), X)
    if STATISTICS[name].if_right is not None:
        assert_allclose(result.statistic, STATISTICS[name].if_right, atol=1e-14)
    assert result.pvalue == 1.0
