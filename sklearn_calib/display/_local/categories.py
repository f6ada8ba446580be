"""Draw categories along an axis: where their points and bands lie, and what they are called."""

import numpy as np

from .._style import plain

# The part of an axis that the points of a category take up.
WIDTH = 0.6
# Multiples of these numbers fill the unit square evenly: points of two categories in a map.
_STEPS = (0.7548776662466927, 0.5698402909980532)
_MOST_TICKS = 30
_LONGEST = 40


def side_by_side(position, limit):
    """Return positions of points beside each other, those with the narrowest band first.

    `position` is the number of the category of each point, and `limit` the half width of the band
    there, or None.
    """
    limit = np.zeros(len(position)) if limit is None else limit
    order = np.lexsort((limit, position))
    first = np.searchsorted(position[order], position[order])
    rank = np.arange(len(order)) - first
    _, of_category, size = np.unique(position[order], return_inverse=True, return_counts=True)
    placed = np.empty(len(order))
    placed[order] = position[order] + WIDTH * ((rank + 0.5) / size[of_category] - 0.5)
    return placed


def apart(position, axis):
    """Return positions on one axis (0 or 1) of a map at which no points of a category overlap."""
    return position + WIDTH * (np.arange(1, len(position) + 1) * _STEPS[axis] % 1.0 - 0.5)


def band_outline(position, limit, category=None):
    """Return positions and half widths of a band, which is interrupted between categories.

    Points whose number is missing have no place.
    """
    known = ~np.isnan(position)
    order = np.flatnonzero(known)[np.argsort(position[known], kind="stable")]
    position, limit = position[order], limit[order]
    if category is None:
        return position, limit
    category = category[order]
    positions, limits = [], []
    for one in np.unique(category):
        inside = limit[category == one]
        edges = one - WIDTH / 2, one + WIDTH / 2
        positions += [edges[0], *position[category == one], edges[1], edges[1]]
        limits += [inside[0], *inside, inside[-1], np.nan]
    return np.array(positions), np.array(limits)


def mark_categories(axis, names):
    """Write the names of categories at their numbers; None leaves an axis of numbers."""
    if names is None:
        return
    step = -(-len(names) // _MOST_TICKS)
    places = np.arange(0, len(names), step)
    long = axis.axis_name == "x" and sum(len(str(names[k])) for k in places) > _LONGEST
    axis.set_ticks(
        places,
        [plain(str(names[k])[:30]) for k in places],
        **({"rotation": 45, "ha": "right"} if long else {}),
    )
