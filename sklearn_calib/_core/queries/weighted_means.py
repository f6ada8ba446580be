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
):
    """Average columns around queries in tiles: first the largest log weight, then the sums.

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

    Returns
    -------
    tuple of arrays
        `mean`, `variance`, `effective_size` and `log_largest_weight`, as in `LocalMeans`. Where no
        row meets the query point these are NaN, and the logarithm is minus infinity.
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
        largest = lax.fori_loop(first[q], stop[q], raise_largest, nothing)
        reference = jnp.where(largest > -jnp.inf, largest, 0.0)[:, None]

        def add_tile(j, sums):
            total, squares, mean, variance = sums
            w = jnp.exp(log_tile(j) - reference)
            w2 = w * w
            return (
                total + jnp.sum(w, axis=1),
                squares + jnp.sum(w2, axis=1),
                mean + w @ tile_of(columns, j, tile, 0),
                variance + w2 @ tile_of(variances, j, tile, 0),
            )

        zero = jnp.zeros(query_tile)
        start = (
            zero,
            zero,
            jnp.zeros((query_tile, columns.shape[1])),
            jnp.zeros((query_tile, variances.shape[1])),
        )
        total, squares, mean, variance = lax.fori_loop(first[q], stop[q], add_tile, start)
        return (
            mean / total[:, None],
            variance / total[:, None] ** 2,
            total**2 / squares,
            largest,
        )

    results = lax.map(around, jnp.arange(n_query_tiles))
    return tuple(r.reshape(-1, *r.shape[2:]) for r in results)
