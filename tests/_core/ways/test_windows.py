"""The windows of the squared exponential kernel on the line."""

import numpy as np
import pytest

from sklearn_calib._core import pair_form
from tests._core._data import (
    ON_THE_LINE,
    assert_same_form,
    form_by_loops,
    positions,
    residual_columns,
)


@pytest.mark.parametrize("bandwidth", [1e-6, 1e-3, 0.05, 0.1, 0.3, 1.0, 1e6])
@pytest.mark.parametrize("data", ON_THE_LINE)
def test_boxes_agree_with_the_loop(monkeypatch, data, bandwidth):
    monkeypatch.setattr("sklearn_calib._core.ways.windows.FEW_NEIGHBOURS", -1)
    points = positions(data)
    columns = residual_columns(len(points), 5, True)
    form = pair_form(points, kernel="rbf", bandwidth=bandwidth, algorithm="windows")
    assert type(form._way._sums).__name__ == "Boxes"
    assert_same_form(form(columns), form_by_loops(points, columns, "rbf", bandwidth), columns)


@pytest.mark.parametrize("spread", [0.0, 1e-8])
def test_a_crowd_far_from_an_outlier_costs_no_square(spread):
    # Range over bandwidth is a million, and all points but one are neighbours of each other.
    n = 200_000
    rng = np.random.default_rng(0)
    points = np.append(spread * rng.uniform(size=n), 1.0)
    columns = residual_columns(n + 1, 1, False)
    form = pair_form(points, kernel="rbf", bandwidth=1e-6)
    crowd = columns[:n, 0]
    if spread:
        # exp(-x^2) = 1 - x^2 + x^4 / 2 to 1e-12, so moments give the sum.
        x = points[:n] / 1e-6
        m = [crowd @ x**k for k in range(7)]
        full = m[0] ** 2 - 2 * (m[0] * m[2] - m[1] ** 2)
        full += m[0] * m[4] - 4 * m[1] * m[3] + 3 * m[2] ** 2
        full -= (m[0] * m[6] - 6 * m[1] * m[5] + 15 * m[2] * m[4] - 10 * m[3] ** 2) / 3
    else:
        full = crowd.sum() ** 2
    assert form.algorithm == "windows"
    assert_same_form(form(columns), [full - crowd @ crowd], columns)


def test_windows_with_few_and_with_many_neighbours():
    points, columns = positions("uniform", n=3000), residual_columns(3000, 2, True)
    few, many = 3e-3, 3e-2
    for bandwidth, sums in [(few, "Pairs"), (many, "Boxes")]:
        form = pair_form(points, kernel="rbf", bandwidth=bandwidth, algorithm="windows")
        assert type(form._way._sums).__name__ == sums
        tiles = pair_form(points, kernel="rbf", bandwidth=bandwidth, algorithm="tiles")
        assert_same_form(form(columns), tiles(columns), columns)
