"""The Fourier way at its limits."""

from sklearn_calib._core import pair_form
from tests._core._data import assert_same_form, form_by_loops, positions, residual_columns


def test_fourier_at_a_tiny_bandwidth():
    points, columns = positions("uniform", n=20), residual_columns(20, 2, False)
    form = pair_form(points, kernel="rbf", bandwidth=1e-5, algorithm="fourier")
    assert_same_form(form(columns), form_by_loops(points, columns, "rbf", 1e-5), columns)
