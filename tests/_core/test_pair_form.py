import sys
from subprocess import run

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sklearn_calib._core import pair_form
from sklearn_calib._core.planner import applicable_ways, n_frequencies
from tests._core._data import ON_THE_LINE, assert_same_form, positions, residual_columns
from tests._oracles import loop_pair_form

EXACT_ON_THE_LINE = [
    ("laplacian", "line"),
    ("laplacian", "tiles"),
    ("rbf", "fourier"),
    ("rbf", "windows"),
    ("rbf", "tiles"),
]


def oracle(points, columns, kernel, bandwidth):
    points = points.reshape(len(points), -1)
    bandwidth = np.broadcast_to(bandwidth, points.shape[1])
    return loop_pair_form(points.tolist(), columns.tolist(), kernel, bandwidth.tolist())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bandwidth", [1e-6, 1e-3, 0.05, 0.3, 1.0, 1e6])
@pytest.mark.parametrize("data", ON_THE_LINE)
def test_every_way_on_the_line_agrees_with_the_loop(data, bandwidth, weighted):
    points = positions(data)
    columns = residual_columns(len(points), 5, weighted)
    expected = {k: oracle(points, columns, k, bandwidth) for k in ("laplacian", "rbf")}
    for kernel, way in EXACT_ON_THE_LINE:
        if way == "fourier" and n_frequencies(np.ptp(points) / bandwidth) > 5000:
            continue  # right, but a wait; the tiny bandwidth below asks for it once
        form = pair_form(points, kernel=kernel, bandwidth=bandwidth, algorithm=way)
        assert form.algorithm == way
        assert form.certificate is None
        assert_same_form(form(columns), expected[kernel], columns)
        assert_same_form(form(columns[:, 0]), expected[kernel][:1], columns[:, :1])


@pytest.mark.parametrize("bandwidth", [1e-6, 1e-3, 0.05, 0.1, 0.3, 1.0, 1e6])
@pytest.mark.parametrize("data", ON_THE_LINE)
def test_boxes_agree_with_the_loop(monkeypatch, data, bandwidth):
    monkeypatch.setattr("sklearn_calib._core.ways.windows._FEW_NEIGHBOURS", -1)
    points = positions(data)
    columns = residual_columns(len(points), 5, True)
    form = pair_form(points, kernel="rbf", bandwidth=bandwidth, algorithm="windows")
    assert type(form._way._sums).__name__ == "Boxes"
    assert_same_form(form(columns), oracle(points, columns, "rbf", bandwidth), columns)


@pytest.mark.parametrize("way", ["fourier", "windows"])
def test_what_is_left_out_is_at_rounding_level(monkeypatch, way):
    # Columns of one sign: any error of the kernel adds up over all pairs.
    monkeypatch.setattr("sklearn_calib._core.ways.windows._FEW_NEIGHBOURS", -1)
    points, columns = np.linspace(0.0, 1.0, 300), np.ones((300, 1))
    for bandwidth in np.geomspace(0.02, 1.0, 20):
        form = pair_form(points, kernel="rbf", bandwidth=bandwidth, algorithm=way)
        expected = oracle(points, columns, "rbf", bandwidth)
        np.testing.assert_allclose(form(columns), expected, rtol=1e-13)


def test_fourier_at_a_tiny_bandwidth():
    points, columns = positions("uniform", n=20), residual_columns(20, 2, False)
    form = pair_form(points, kernel="rbf", bandwidth=1e-5, algorithm="fourier")
    assert_same_form(form(columns), oracle(points, columns, "rbf", 1e-5), columns)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", ["laplacian", "rbf"])
@pytest.mark.parametrize("bandwidth", [1e-3, 0.2, 50.0])
@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("data", ["simplex3", "simplex10", "normal2", "normal7", "tied rows3"])
def test_tiles_agree_with_the_loop_in_any_dimension(data, offset, bandwidth, kernel, weighted):
    points = positions(data) + offset
    columns = residual_columns(len(points), 3, weighted)
    form = pair_form(points, kernel=kernel, bandwidth=bandwidth)
    assert form.algorithm == "tiles"
    assert_same_form(form(columns), oracle(points, columns, kernel, bandwidth), columns)


@pytest.mark.parametrize("kernel", ["laplacian", "rbf"])
def test_more_rows_than_a_tile(kernel):
    points, columns = positions("normal2", n=700), residual_columns(700, 2, True)
    form = pair_form(points, kernel=kernel, bandwidth=1.5)
    assert_same_form(form(columns), oracle(points, columns, kernel, 1.5), columns)


@pytest.mark.parametrize("kernel", ["laplacian", "rbf"])
def test_more_tile_rows_than_strands(kernel):
    points, columns = positions("normal2", n=2500), residual_columns(2500, 2, True)
    d = np.hypot(*(points[:, None] - points).transpose(2, 0, 1)) / 1.5
    K = np.exp(-d if kernel == "laplacian" else -(d**2))
    np.fill_diagonal(K, 0.0)
    form = pair_form(points, kernel=kernel, bandwidth=1.5)
    assert_same_form(form(columns), np.sum(columns * (K @ columns), axis=0), columns)


def test_one_bandwidth_a_coordinate_is_a_product_of_kernels():
    p, X = positions("uniform"), positions("normal2")
    bandwidth = np.array([0.1, 1.0, 3.0])
    points, columns = np.column_stack([p, X]), residual_columns(70, 2, False)
    K = np.exp(-(((p[:, None] - p) / 0.1) ** 2))
    for k in range(2):
        K *= np.exp(-(((X[:, k, None] - X[:, k]) / bandwidth[1 + k]) ** 2))
    np.fill_diagonal(K, 0.0)
    form = pair_form(points, kernel="rbf", bandwidth=bandwidth)
    assert_same_form(form(columns), np.sum(columns * (K @ columns), axis=0), columns)


@pytest.mark.parametrize(("kernel", "way"), EXACT_ON_THE_LINE)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_points(kernel, way, n):
    points, columns = np.linspace(0.1, 0.4, n), np.ones((n, 1))
    form = pair_form(points, kernel=kernel, bandwidth=0.3, algorithm=way)
    assert_same_form(form(columns), oracle(points, columns, kernel, 0.3), columns)


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
        assert_same_form(form(columns), oracle(points, columns, kernel, bandwidth), columns)


@settings(max_examples=40, deadline=None)
@given(
    points=hnp.arrays(float, st.tuples(st.integers(2, 20), st.just(3)), elements=st.floats(-5, 5)),
    exponent=st.floats(-3.0, 3.0),
    kernel=st.sampled_from(["laplacian", "rbf"]),
)
def test_generated_cases_in_three_dimensions(points, exponent, kernel):
    columns = residual_columns(len(points), 2, True)
    form = pair_form(points, kernel=kernel, bandwidth=10.0**exponent)
    assert_same_form(form(columns), oracle(points, columns, kernel, 10.0**exponent), columns)


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


@pytest.mark.parametrize(
    ("kernel", "dimension", "algorithm"),
    [("laplacian", 1, "fourier"), ("laplacian", 2, "line"), ("rbf", 3, "windows")],
)
def test_an_algorithm_that_does_not_apply_names_those_that_do(kernel, dimension, algorithm):
    with pytest.raises(ValueError, match="does not apply") as error:
        pair_form(np.zeros((5, dimension)), kernel=kernel, bandwidth=1.0, algorithm=algorithm)
    for way in applicable_ways(kernel, dimension):
        assert way in str(error.value)


def test_unknown_kernel():
    with pytest.raises(ValueError, match=r"kernel must be .* got 'matern'"):
        pair_form(np.zeros(5), kernel="matern", bandwidth=1.0)


_PEAK_ABOVE_INPUTS = """
import numpy as np
from sklearn_calib._core import pair_form

def peak():  # of this process since it started; `ru_maxrss` would include its parent's
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))

def work(n):
    rng = np.random.default_rng(0)
    P, V = rng.dirichlet(np.ones(10), size=n), rng.normal(size=(n, 10))
    before = peak()
    pair_form(P, kernel="laplacian", bandwidth=0.2, n_columns=10)(V)
    return peak() - before

work(1000)
print(work(50_000))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_memory_of_tiles_does_not_grow_with_the_square():
    done = run(
        [sys.executable, "-c", _PEAK_ABOVE_INPUTS], capture_output=True, text=True, check=True
    )
    # 50,000 x 50,000 doubles are 19 GiB; a few copies of the inputs (8 MiB) and tiles are left.
    assert float(done.stdout) < 128
