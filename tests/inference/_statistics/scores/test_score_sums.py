"""Score tests from sums are those of the rows, where predictions are certain as well."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.inference._statistics.statistic import STATISTICS

CASES = {
    "plain": ([0, 1, 1, 0, 1], [0.2, 0.4, 0.9, 0.7, 0.3]),
    "right at 0 and 1": ([0, 1, 1, 0, 1], [0.0, 1.0, 0.9, 0.7, 0.3]),
    "wrong at 0": ([1, 1, 1, 0, 1], [0.0, 1.0, 0.9, 0.7, 0.3]),
    "wrong at 1": ([0, 0, 1, 0, 1], [0.0, 1.0, 0.9, 0.7, 0.3]),
    "tiny probabilities": ([0, 1, 1, 0, 1], [1e-300, 1e-9, 0.9, 0.7, 1.0]),
    "certain and right": ([0, 1, 1], [0.0, 1.0, 1.0]),
    "certain and wrong": ([0, 1, 0], [0.0, 1.0, 1.0]),
    "only one half": ([0, 1, 0], [0.5, 0.5, 0.5]),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["cox_score", "slope_score", "classwise_score"])
def test_the_value_is_that_of_the_rows(name, case, weighted):
    y, p = map(np.array, CASES[case])
    weight = np.arange(1.0, y.size + 1.0) if weighted else None
    described = STATISTICS[name]
    data = check_predictions(y, p, sample_weight=weight, labels=[0, 1])
    expected = described.prepare(data, **described.options)(data.codes)[0]
    merged = described.mergeable(2, **described.options)
    total = merged.sums.zero()
    for row in range(y.size):  # the smallest distance to 0 is in another batch than the zero
        total = total + merged.sums.of_batch(data.take([row]))
    assert_allclose(merged.value(total), expected, rtol=1e-12, atol=1e-14)


def test_equal_predictions_say_nothing_about_the_slope():
    described = STATISTICS["slope_score"]
    data = check_predictions([0, 1, 1, 0], [0.3] * 4)
    merged = described.mergeable(2, **described.options)
    assert merged.value(merged.sums.of_batch(data)) == 0.0
