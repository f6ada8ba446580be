"""Compiled part of the query form."""

import jax.numpy as jnp
from jax import lax

from ..ways.tiles import log_matches, squared_distances, tile_of


def weighted_means(
    points,
    queries,
    inverse_bandwidth,
    codes,
    query_codes,
    log_similarity,
    first,
    stop,
    log_weights,
    columns,
    variances,
    *,
    tile,
    query_tile,
    leave_one_out,
    of_points,
):
    """Average columns around queries in tiles: first the largest log weight, then the sums.

    Where the query points are rows the largest log weight of all rows serves as well.

    Parameters
    ----------
    points : array of shape (d, n)
        Positions, one coordinate a row.
    queries : array of shape (d, m)
        Query points, one coordinate a row.
    inverse_bandwidth : array of shape (d,)
        One over the distance divisors.
    codes : array of int of shape (n_codes, n)
        Categories of the rows, one column of codes a row.
    query_codes : array of int of shape (n_codes, m)
        Categories of the query points.
    log_similarity : array of shape (n_codes,)
        Logarithm of the kernel between different codes.
    first, stop : array of int of shape (m // query_tile,)
        For each tile of query points, the first tile of rows that it meets and the one after the
        last.
    log_weights : array of shape (n,)
        Logarithms of the row weights, minus infinity for rows that do not count.
    columns : array of shape (n, n_columns)
        What to average.
    variances : array of shape (n, n_variances)
        Variances of the rows.
    tile, query_tile : int
        Divisors of n and m.
    leave_one_out : bool
        Whether point q has no weight at query q.
    of_points : bool
        Whether each query point is a row whose weight is not tiny beside the largest one.

    Returns
    -------
    tuple of arrays
        `mean`, `variance`, `effective_size`, `log_largest_weight` and `log_total`, as in
        `LocalMeans`. Where no row meets the query point the first three are NaN, and the logarithms
        are minus infinity.
    """
    n_query_tiles = queries.shape[1] // query_tile

    def around(q):
        centre = tile_of(queries, q, query_tile, 1)

        def log_tile(j):
            squared = squared_distances(centre, tile_of(points, j, tile, 1), inverse_bandwidth)
            logs = tile_of(log_weights, j, tile, 0)[None, :] - squared
            if codes.shape[0]:
                own = tile_of(query_codes, q, query_tile, 1)
                logs = logs + log_matches(own, tile_of(codes, j, tile, 1), log_similarity)
            if leave_one_out:
                query_index = q * query_tile + jnp.arange(query_tile)
                same = query_index[:, None] == j * tile + jnp.arange(tile)[None, :]
                logs = jnp.where(same, -jnp.inf, logs)
            return logs

        def raise_largest(j, largest):
            return jnp.maximum(largest, jnp.max(log_tile(j), axis=1))

        nothing = jnp.full(query_tile, -jnp.inf)
        if of_points:
            reference = jnp.full((query_tile, 1), jnp.max(log_weights))
        else:
            found = lax.fori_loop(first[q], stop[q], raise_largest, nothing)
            reference = jnp.where(found > -jnp.inf, found, 0.0)[:, None]

        def add_tile(j, sums):
            largest, total, squares, mean, variance = sums
            logs = log_tile(j)
            w = jnp.exp(logs - reference)
            w2 = w * w
            return (
                jnp.maximum(largest, jnp.max(logs, axis=1)),
                total + jnp.sum(w, axis=1),
                squares + jnp.sum(w2, axis=1),
                mean + w @ tile_of(columns, j, tile, 0),
                variance + w2 @ tile_of(variances, j, tile, 0),
            )

        zero = jnp.zeros(query_tile)
        start = (
            nothing,
            zero,
            zero,
            jnp.zeros((query_tile, columns.shape[1])),
            jnp.zeros((query_tile, variances.shape[1])),
        )
        sums = lax.fori_loop(first[q], stop[q], add_tile, start)
        largest, total, squares, mean, variance = sums
        return (
            mean / total[:, None],
            variance / total[:, None] ** 2,
            total**2 / squares,
            largest,
            jnp.log(total) + reference[:, 0],
        )

    results = lax.map(around, jnp.arange(n_query_tiles))
    return tuple(r.reshape(-1, *r.shape[2:]) for r in results)
