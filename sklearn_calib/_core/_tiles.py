"""Pair sums over tiles of the kernel matrix: any kernel, any dimension, bounded memory."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


def kernel_tile(a, b, *, kernel):
    """Kernel between the rows of two small blocks, from plain differences."""
    squared = sum((a[:, None, k] - b[None, :, k]) ** 2 for k in range(a.shape[1]))
    return jnp.exp(-squared if kernel == "rbf" else -jnp.sqrt(squared))


@partial(jax.jit, static_argnames=("kernel", "tile"))
def tile_sums(points, columns, *, kernel, tile):
    """Sum `k(r_i, r_j) v_ic v_jc` over i != j for every column, upper triangle of tiles only."""
    n_tiles = points.shape[0] // tile
    off_diagonal = 1.0 - jnp.eye(tile)

    def rows(i):
        start = i * tile
        return (
            lax.dynamic_slice_in_dim(points, start, tile),
            lax.dynamic_slice_in_dim(columns, start, tile),
        )

    def tile_row(i, total):
        a, v = rows(i)

        def add_tile(j, product):
            b, w = rows(j)
            return product + kernel_tile(a, b, kernel=kernel) @ w

        product = (kernel_tile(a, a, kernel=kernel) * off_diagonal) @ v
        product += 2.0 * lax.fori_loop(i + 1, n_tiles, add_tile, jnp.zeros_like(v))
        return total + jnp.sum(v * product, axis=0)

    return lax.fori_loop(0, n_tiles, tile_row, jnp.zeros(columns.shape[1]))
