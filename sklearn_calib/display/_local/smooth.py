"""Averages over neighbouring rows, which a picture can show where single values would hide it.

An average takes the bias and the limit with the same weights, none of them negative. Where no row's
bias exceeds its own limit, no average exceeds the average of the limits. So the joint band of the
rows is also a joint band of all averages.
"""

from typing import NamedTuple

import numpy as np

# Standard deviation of the weights along one feature: as a share of the rows, as a share of this
# near the ends, and at least.
_SHARE, _AT_ENDS, _LEAST = 0.025, 0.3, 2.0
# Standard deviation over two features, times a spread and the sixth root of the number of rows.
_WIDTH = 0.6
# Neighbours, counted with their weights, without which a place of a map stays empty.
_FEWEST = 1.5
_MOST_CELLS = 1000
_N_PIXELS = 150


class Averages(NamedTuple):
    """Averages of neighbouring rows.

    Attributes
    ----------
    bias : ndarray
        The average bias; NaN where there are too few rows.
    limit : ndarray or None
        The average limit.
    """

    bias: np.ndarray
    limit: np.ndarray | None

    @classmethod
    def weighted(cls, weight, bias, limit):
        """Return averages with these weights, shape (n_averages, n_rows)."""
        total = weight.sum(axis=1)
        return cls(weight @ bias / total, None if limit is None else weight @ limit / total)

    def outside(self, sign):
        """Return where the average is outside the band on the side of this sign."""
        if self.limit is None:
            return np.zeros(self.bias.shape, bool)
        return sign * self.bias > self.limit


def along(position, bias, limit):
    """Return at most 1000 places along one feature, and averages over the neighbours there.

    The weights are Gaussian in the rank of the feature, so that they adapt to the density of the
    rows. Their standard deviation is 2.5 % of the rows, and at least two rows. `limit` is the half
    width of the band at each row, or None.
    """
    _, value, count = np.unique(position, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - count / 2)[value]
    n = position.size
    _, cell, size = np.unique(
        np.floor(rank / n * _MOST_CELLS), return_inverse=True, return_counts=True
    )
    place, rank, bias = (np.bincount(cell, one) / size for one in (position, rank, bias))
    if limit is not None:
        limit = np.bincount(cell, limit) / size
    # narrower near the ends, where all neighbours lie on one side
    to_end = np.minimum(rank, n - rank)
    width = np.clip(to_end / 2, max(_AT_ENDS * _SHARE * n, _LEAST), max(_SHARE * n, _LEAST))
    weight = size * _gaussian(rank[:, None] - rank, width[:, None])
    return place, Averages.weighted(weight, bias, limit)


def within(category, bias, limit):
    """Return the categories that occur, and the averages of each, as :func:`along` does."""
    known = np.unique(category)
    return known, Averages.weighted((category == known[:, None]).astype(float), bias, limit)


class Pixels(NamedTuple):
    """One axis of a map: the places at which it is coloured.

    Attributes
    ----------
    edges : ndarray of shape (n_pixels + 1,)
        The edges of the pixels.
    weight : ndarray of shape (n_pixels, n_rows)
        How much each row counts at each pixel.
    nodes : ndarray of shape (n_nodes,)
        Places for contour lines.
    pixel : ndarray of int of shape (n_nodes,)
        The pixel of each of them; -1 for one between categories.
    """

    edges: np.ndarray
    weight: np.ndarray
    nodes: np.ndarray
    pixel: np.ndarray

    @classmethod
    def of_numbers(cls, position, view):
        """Return the axis of a feature of numbers between two limits."""
        edges = np.linspace(view[0], view[1], _N_PIXELS + 1)
        nodes = (edges[1:] + edges[:-1]) / 2
        inside = position[(position >= view[0]) & (position <= view[1])]
        if inside.size == 0:
            return cls(edges, np.zeros((_N_PIXELS, position.size)), nodes, np.arange(_N_PIXELS))
        low, high = np.quantile(inside, [0.16, 0.84])
        spread = (high - low) / 2 or np.std(inside) or 1.0
        step = np.median(np.diff(np.unique(inside))) if np.ptp(inside) > 0 else 0.0
        width = max(_WIDTH * spread * inside.size ** (-1 / 6), 0.6 * step)
        weight = _gaussian(nodes[:, None] - position, width)
        return cls(edges, weight, nodes, np.arange(_N_PIXELS))

    @classmethod
    def of_categories(cls, category, n_categories, width):
        """Return the axis of categories: a wide pixel for each, and gaps between them."""
        code = np.arange(n_categories)
        edges = (code[:, None] + np.array([-width / 2, width / 2])).ravel()
        weight = np.zeros((edges.size - 1, category.size))
        weight[::2] = category == code[:, None]
        nodes = np.sort(np.concatenate([edges, code[1:] - 0.5]))
        pixel = np.full(nodes.size, -1)
        pixel[0::3] = pixel[1::3] = 2 * code
        return cls(edges, weight, nodes, pixel)


def over(horizontal, vertical, bias, limit):
    """Return averages over the neighbours in two features, of shape (n_vertical, n_horizontal).

    They are NaN where there are too few rows.
    """

    def add_up(values):
        return (vertical.weight * values) @ horizontal.weight.T

    total = add_up(np.ones(bias.shape))
    total[total < _FEWEST] = np.nan
    return Averages(add_up(bias) / total, None if limit is None else add_up(limit) / total)


def _gaussian(distance, width):
    return np.exp(-0.5 * np.square(distance / width))
