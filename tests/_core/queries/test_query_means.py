import numpy as np
import pytest

from sklearn_calib._core import local_means
from tests._core._data import residual_columns
from tests._oracles import loop_local_means


def make(n, m, d, seed=0):
    rng = np.random.default_rng(seed)
    points, queries = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    bandwidth = np.linspace(0.4, 0.9, d)
    return points, queries, bandwidth, residual_columns(n, 2, False), rng.uniform(size=(n, 3))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize(("n", "m", "d"), [(30, 9, 1), (70, 65, 3), (600, 3, 2), (3, 520, 2)])
def test_agrees_with_the_loop(n, m, d, offset, weighted):
    points, queries, bandwidth, columns, variances = make(n, m, d)
    points, queries = points + offset, queries + offset
    weights = np.random.default_rng(5).exponential(size=n) if weighted else None
    result = local_means(
        points, queries, columns, bandwidth=bandwidth, variances=variances, weights=weights
    )
    assert [part.shape for part in result] == [(m, 2), (m, 3), (m,), (m,), (m,)]
    for q in range(0, m, max(1, m // 10)):
        expected = loop_local_means(
            points.tolist(),
            queries[q].tolist(),
            columns.tolist(),
            variances.tolist(),
            [1.0] * n if weights is None else weights.tolist(),
            bandwidth.tolist(),
        )
        for actual, wanted in zip(result, expected):
            np.testing.assert_allclose(actual[q], wanted, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("smallest", [0, -5, -300])
def test_rows_as_query_points(smallest):
    """Own weights may be tiny beside the largest one."""
    points, _, bandwidth, columns, variances = make(600, 1, 2)
    weights = np.exp(np.random.default_rng(0).uniform(smallest, 0, size=600))
    weights[1] = 1.0
    chosen = [0, 1, 511, 599]
    result = local_means(
        points,
        points[chosen],
        columns,
        bandwidth=bandwidth,
        variances=variances,
        weights=weights,
        of_points=True,
    )
    data = (columns.tolist(), variances.tolist(), weights.tolist(), bandwidth.tolist())
    for k, q in enumerate(chosen):
        expected = loop_local_means(points.tolist(), points[q].tolist(), *data)
        for actual, wanted in zip(result, expected):
            np.testing.assert_allclose(actual[k], wanted, rtol=1e-11, atol=1e-13)
        logs = np.log(weights) - (((points - points[q]) / bandwidth) ** 2).sum(axis=1)
        np.testing.assert_allclose(
            result.log_total[k], np.logaddexp.reduce(logs), rtol=1e-12, atol=1e-14
        )


def test_leave_one_out():
    points, _, bandwidth, columns, variances = make(600, 1, 2)
    result = local_means(
        points, points, columns, bandwidth=bandwidth, variances=variances, leave_one_out=True
    )
    for q in (0, 511, 512, 599):
        expected = loop_local_means(
            points.tolist(),
            points[q].tolist(),
            columns.tolist(),
            variances.tolist(),
            [1.0] * 600,
            bandwidth.tolist(),
            left_out=q,
        )
        for actual, wanted in zip(result, expected):
            np.testing.assert_allclose(actual[q], wanted, rtol=1e-11, atol=1e-13)


def test_far_query_gets_its_nearest_point():
    points = np.array([0.0, 1.0, 3.0])
    result = local_means(points, np.array([1e3, -1e4]), np.array([5.0, 6.0, 7.0]), bandwidth=0.1)
    np.testing.assert_allclose(result.mean[:, 0], [7.0, 5.0])
    np.testing.assert_allclose(result.effective_size, 1.0)
    np.testing.assert_allclose(result.log_largest_weight, [-(9970.0**2), -(1e5**2)], rtol=1e-12)
    np.testing.assert_allclose(result.log_total, result.log_largest_weight, rtol=1e-12)
    assert result.variance is None


def test_far_queries_share_the_points_at_one_place_by_their_weights():
    """By hand: of two points at 3 with the weights 1 and 3, beside one that is too far away."""
    points, columns = np.array([0.0, 3.0, 3.0]), np.array([5.0, 6.0, 10.0])
    variances, weights = np.array([100.0, 2.0, 4.0]), np.array([2.0, 1.0, 3.0])
    made = local_means(
        points, np.array([1e3]), columns, bandwidth=0.1, variances=variances, weights=weights
    )
    np.testing.assert_allclose(made.mean, [[(6.0 + 3 * 10.0) / 4]], rtol=1e-12)
    np.testing.assert_allclose(made.variance, [[(1 * 2.0 + 9 * 4.0) / 16]], rtol=1e-12)
    np.testing.assert_allclose(made.effective_size, [16 / 10], rtol=1e-12)
    np.testing.assert_allclose(made.log_total, [np.log(4.0) - 9970.0**2], rtol=1e-12)
    np.testing.assert_allclose(made.log_largest_weight, [np.log(3.0) - 9970.0**2], rtol=1e-12)


@pytest.mark.parametrize("far", [1e155, -1e200, 1e300])
def test_a_query_beyond_all_squares(far):
    """However far away it is, the points on its side are nearer, and the nearest one has all."""
    points, columns = np.array([[0.0, 0], [1, 0], [3, 0]]), np.array([5.0, 6.0, 10.0])
    queries = np.array([[far, 0.0], [3.0, 0.0]])
    result = local_means(points, queries, columns, bandwidth=0.1)
    nearest = 10.0 if far > 0 else 5.0
    np.testing.assert_allclose(result.mean[:, 0], [nearest, 10.0], rtol=1e-14)
    np.testing.assert_allclose(result.effective_size, [1.0, 1.0])
    outlier = np.vstack([points, [far / 4, 0.0]])
    result = local_means(outlier, queries, np.append(columns, 2.0), bandwidth=0.1)
    np.testing.assert_allclose(result.mean[:, 0], [2.0, 10.0], rtol=1e-14)


def test_rows_of_weight_zero_do_not_count():
    points, queries, bandwidth, columns, variances = make(40, 6, 2)
    weights = np.r_[np.ones(30), np.zeros(10)]
    options = {"bandwidth": bandwidth}
    whole = local_means(points, queries, columns, variances=variances, weights=weights, **options)
    part = local_means(points[:30], queries, columns[:30], variances=variances[:30], **options)
    for a, b in zip(whole, part):
        np.testing.assert_allclose(a, b, rtol=1e-13)


def test_many_columns_in_portions(monkeypatch):
    points, queries, bandwidth, _, variances = make(100, 20, 2)
    columns = residual_columns(100, 7, False)
    at_once = local_means(points, queries, columns, bandwidth=bandwidth, variances=variances)
    monkeypatch.setattr("sklearn_calib._core.queries.query_means._PORTION", 300)
    portions = local_means(points, queries, columns, bandwidth=bandwidth, variances=variances)
    for a, b in zip(portions, at_once):
        np.testing.assert_allclose(a, b, rtol=1e-13)
