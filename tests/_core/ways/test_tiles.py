"""Tiles of pairs in any number of dimensions."""

import sys
from subprocess import run

import numpy as np
import pytest

from sklearn_calib._core import pair_form
from tests._core._data import assert_same_form, form_by_loops, positions, residual_columns


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
    assert_same_form(form(columns), form_by_loops(points, columns, kernel, bandwidth), columns)


@pytest.mark.parametrize("kernel", ["laplacian", "rbf"])
def test_more_rows_than_a_tile(kernel):
    points, columns = positions("normal2", n=700), residual_columns(700, 2, True)
    form = pair_form(points, kernel=kernel, bandwidth=1.5)
    assert_same_form(form(columns), form_by_loops(points, columns, kernel, 1.5), columns)


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
