"""Every way to add up pairs agrees with the double loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sklearn_calib._core import pair_form
from sklearn_calib._core.planner import n_frequencies
from tests._core._data import (
    ON_THE_LINE,
    assert_same_form,
    form_by_loops,
    positions,
    residual_columns,
)

EXACT_ON_THE_LINE = [
    ("laplacian", "line"),
    ("laplacian", "tiles"),
    ("rbf", "fourier"),
    ("rbf", "windows"),
    ("rbf", "tiles"),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bandwidth", [1e-6, 1e-3, 0.05, 0.3, 1.0, 1e6])
@pytest.mark.parametrize("data", ON_THE_LINE)
def test_every_way_on_the_line_agrees_with_the_loop(data, bandwidth, weighted):
    points = positions(data)
    columns = residual_columns(len(points), 5, weighted)
    expected = {k: form_by_loops(points, columns, k, bandwidth) for k in ("laplacian", "rbf")}
    for kernel, way in EXACT_ON_THE_LINE:
        if way == "fourier" and n_frequencies(np.ptp(points) / bandwidth) > 5000:
            continue  # right, but a wait; the tiny bandwidth below asks for it once
        form = pair_form(points, kernel=kernel, bandwidth=bandwidth, algorithm=way)
        assert form.algorithm == way
        assert form.certificate is None
        assert_same_form(form(columns), expected[kernel], columns)
        assert_same_form(form(columns[:, 0]), expected[kernel][:1], columns[:, :1])


@pytest.mark.parametrize("way", ["fourier", "windows"])
def test_what_is_left_out_is_at_rounding_level(monkeypatch, way):
    # Columns of one sign: any error of the kernel adds up over all pairs.
    monkeypatch.setattr("sklearn_calib._core.ways.windows.FEW_NEIGHBOURS", -1)
    points, columns = np.linspace(0.0, 1.0, 300), np.ones((300, 1))
    for bandwidth in np.geomspace(0.02, 1.0, 20):
        form = pair_form(points, kernel="rbf", bandwidth=bandwidth, algorithm=way)
        expected = form_by_loops(points, columns, "rbf", bandwidth)
        np.testing.assert_allclose(form(columns), expected, rtol=1e-13)


@pytest.mark.parametrize(("kernel", "way"), EXACT_ON_THE_LINE)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_points(kernel, way, n):
    points, columns = np.linspace(0.1, 0.4, n), np.ones((n, 1))
    form = pair_form(points, kernel=kernel, bandwidth=0.3, algorithm=way)
    assert_same_form(form(columns), form_by_loops(points, columns, kernel, 0.3), columns)


@settings(max_examples=60, deadline=None)
@given(
    points=hnp.arrays(float, st.integers(2, 25), elements=st.floats(0.0, 1.0)),
    exponent=st.floats(-6.0, 6.0),
    data=st.data(),
)
def test_generated_cases_on_the_line(points, exponent, data):
    shape = (len(points), data.draw(st.integers(1, 3)))
    columns = data.draw(hnp.arrays(float, shape, elements=st.floats(-1.0, 1.0, width=32)))
    bandwidth = 10.0**exponent
    for kernel, way in EXACT_ON_THE_LINE:
        if way == "fourier" and n_frequencies(np.ptp(points) / bandwidth) > 200:
            continue
        form = pair_form(points, kernel=kernel, bandwidth=bandwidth, algorithm=way)
        assert_same_form(form(columns), form_by_loops(points, columns, kernel, bandwidth), columns)


@settings(max_examples=40, deadline=None)
@given(
    points=hnp.arrays(float, st.tuples(st.integers(2, 20), st.just(3)), elements=st.floats(-5, 5)),
    exponent=st.floats(-3.0, 3.0),
    kernel=st.sampled_from(["laplacian", "rbf"]),
)
def test_generated_cases_in_three_dimensions(points, exponent, kernel):
    columns = residual_columns(len(points), 2, True)
    form = pair_form(points, kernel=kernel, bandwidth=10.0**exponent)
    assert_same_form(form(columns), form_by_loops(points, columns, kernel, 10.0**exponent), columns)


@pytest.mark.parametrize(("kernel", "way"), EXACT_ON_THE_LINE)
def test_many_columns_are_the_single_columns(kernel, way):
    points, columns = positions("uniform", n=150), residual_columns(150, 100, False)
    form = pair_form(points, kernel=kernel, bandwidth=0.1, algorithm=way, n_columns=100)
    single = np.concatenate([form(columns[:, c]) for c in range(100)])
    assert_same_form(form(columns), single, columns)


@pytest.mark.parametrize(("kernel", "way"), EXACT_ON_THE_LINE)
def test_columns_in_portions(monkeypatch, kernel, way):
    points, columns = positions("uniform"), residual_columns(70, 7, False)
    form = pair_form(points, kernel=kernel, bandwidth=0.1, algorithm=way)
    at_once = form(columns)
    monkeypatch.setattr("sklearn_calib._core.forms._PORTION", 3 * form._way.column_size)
    assert_same_form(form(columns), at_once, columns)


@pytest.mark.parametrize(("kernel", "way"), EXACT_ON_THE_LINE)
def test_row_order_does_not_matter(kernel, way):
    points, columns = positions("tied", n=200), residual_columns(200, 3, True)
    order = np.random.default_rng(2).permutation(200)
    form, shuffled = (
        pair_form(r, kernel=kernel, bandwidth=0.2, algorithm=way) for r in (points, points[order])
    )
    assert_same_form(shuffled(columns[order]), form(columns), columns)
