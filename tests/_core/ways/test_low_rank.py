import numpy as np
import pytest

from sklearn_calib._core import pair_form
from sklearn_calib._core.matches import merge_codes
from sklearn_calib._core.ways.low_rank import ProductKernel, _random_pairs, pivoted_cholesky
from tests._core._data import assert_same_form, positions, residual_columns


def forms(points, bandwidth, **options):
    low_rank = pair_form(points, kernel="rbf", bandwidth=bandwidth, algorithm="low_rank", **options)
    return low_rank, pair_form(points, kernel="rbf", bandwidth=bandwidth, algorithm="tiles")


def test_a_small_tolerance_gives_the_exact_form():
    points, columns = positions("normal2", n=400), residual_columns(400, 4, True)
    low_rank, exact = forms(points, 2.0, tol=1e-15)
    assert low_rank.algorithm == "low_rank"
    assert low_rank.certificate.rank < 200
    assert_same_form(low_rank(columns), exact(columns), columns)


def test_stops_at_tol():
    points = positions("normal2", n=500)
    loose, strict = (forms(points, 1.0, tol=tol)[0].certificate for tol in (1e-2, 1e-5))
    assert loose.trace <= 1e-2 * 500
    assert strict.trace <= 1e-5 * 500
    assert loose.rank < strict.rank < 400


@pytest.mark.parametrize(("tol", "needed"), [(0.9, 100), (0.5, 500), (0.75, 250)])
def test_stops_with_the_block_of_pivots_that_reaches_tol(tol, needed):
    """Of far points, each pivot explains itself alone: rank r leaves a trace of n - r."""
    n, block = 1000, 32
    certificate = forms(1e3 * np.arange(n)[:, np.newaxis], 1.0, tol=tol, max_rank=n)[0].certificate
    assert certificate.trace == n - certificate.rank
    assert needed <= certificate.rank < needed + block


def test_stops_at_max_rank():
    certificate = forms(positions("normal5", n=500), 1.0, max_rank=37)[0].certificate
    assert certificate.rank == 37


def test_stops_at_the_numerical_rank():
    distinct = positions("normal3", n=12)
    points = distinct[np.random.default_rng(0).integers(12, size=300)]
    low_rank, exact = forms(points, 1.0, tol=0.0)
    columns = residual_columns(300, 2, False)
    assert low_rank.certificate.rank == 12
    assert low_rank.certificate.trace < 1e-10
    assert_same_form(low_rank(columns), exact(columns), columns)


@pytest.mark.parametrize("bandwidth", [5.0, 50.0, 1e3])
def test_ends_for_smooth_kernels_that_are_explained_to_the_last_digit(bandwidth):
    points = positions("normal3", n=1000)
    low_rank = forms(points, bandwidth, tol=0.0, max_rank=1000)[0]
    assert low_rank.certificate.rank < 500
    assert low_rank.certificate.trace < 1e-10 * 1000


@pytest.mark.parametrize("n", [1, 2])
def test_few_points(n):
    low_rank, exact = forms(np.arange(n)[:, None] * 0.3, 1.0)
    columns = np.ones((n, 1))
    assert_same_form(low_rank(columns), exact(columns), columns)
    assert low_rank.certificate.relative_std == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("data", "bandwidth", "max_rank"), [("normal2", 1.0, 30), ("normal5", 1.5, 60)]
)
def test_certificate(data, bandwidth, max_rank):
    n = 400
    points = positions(data, n=n)
    low_rank, exact = forms(points, bandwidth, max_rank=max_rank)
    columns = np.random.default_rng(3).choice([-1.0, 1.0], size=(n, 4000))
    value, error = exact(columns), low_rank(columns) - exact(columns)
    relative = error.std() / value.std()
    # The pairs of the certificate and the draws here both leave a few per cent of noise.
    assert low_rank.certificate.relative_std == pytest.approx(relative, rel=0.15)
    assert abs(error.mean()) < 5 * error.std() / np.sqrt(4000)
    assert np.all(np.abs(error) <= low_rank.certificate.trace * n)


def test_hard_bound_where_it_is_nearly_reached():
    points = np.zeros((50, 1))
    points[25:] = 100.0
    low_rank, exact = forms(points, 1.0, max_rank=1)
    columns = np.ones((50, 1))
    error = np.abs(low_rank(columns) - exact(columns))
    assert 0.9 * low_rank.certificate.trace < error / 25 < low_rank.certificate.trace * 50


def test_is_seeded():
    points, columns = positions("normal5", n=300), residual_columns(300, 1, False)
    first, again, other = (
        forms(points, 1.0, max_rank=20, seed=seed)[0](columns) for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other


def test_pivots_spread_over_clusters_of_very_different_size():
    # Uniform pivots would miss the small cluster (20 of 2000 rows) with 3 columns in most seeds.
    rng = np.random.default_rng(0)
    points = np.concatenate(
        [1e-3 * rng.normal(size=(1980, 2)), 9 + 1e-3 * rng.normal(size=(20, 2))]
    )
    for seed in range(10):
        assert forms(points, 1.0, max_rank=3, seed=seed)[0].certificate.trace < 0.1


@pytest.mark.parametrize("cells", [[0, 0, 0, 0], [2, 0, 1, 2, 2, 1, 2]])
def test_the_pairs_of_the_certificate_are_of_one_cell_and_equally_probable(cells):
    cells = np.array(cells)
    i, j = _random_pairs(cells, np.random.default_rng(0))
    n = len(cells)
    possible = (cells[:, np.newaxis] == cells) & ~np.eye(n, dtype=bool)
    count = np.zeros((n, n))
    np.add.at(count, (i, j), 1)
    assert count.sum() == 10_000
    expected = 10_000 * possible / possible.sum()
    assert (np.abs(count - expected) <= 4.5 * np.sqrt(expected)).all()


def test_points_that_are_alone_in_their_cells_have_no_pairs():
    assert [len(part) for part in _random_pairs(np.arange(4), np.random.default_rng(0))] == [0, 0]


def test_a_common_offset_changes_no_digit():
    """Differences of positions next to 2 ** 38 are still exact, and so is the result."""
    points = np.round(positions("normal2", n=200) * 2.0**14) * 2.0**-14
    columns = residual_columns(200, 3, False)
    here, there = (forms(points + offset, 0.5)[0](columns) for offset in (0.0, 2.0**38))
    assert_same_form(there, here, columns)


class _Counted:
    """A random stream that counts how often candidates are drawn from it."""

    def __init__(self):
        self.rng, self.n_choices = np.random.default_rng(0), 0

    def choice(self, *args, **options):
        self.n_choices += 1
        return self.rng.choice(*args, **options)

    def uniform(self, **options):
        return self.rng.uniform(**options)


def test_nothing_is_drawn_once_the_rank_is_reached():
    """Far points accept every candidate but for repetitions, so that one block is enough."""
    kernel = ProductKernel(1e3 * np.arange(1000.0)[:, np.newaxis], merge_codes(1000, None, None))
    rng = _Counted()
    factor, left = pivoted_cholesky(kernel, tol=0.0, max_rank=5, rng=rng)
    assert (factor.shape, left.sum(), rng.n_choices) == ((1000, 5), 995.0, 1)
