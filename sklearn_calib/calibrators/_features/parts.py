"""The parts of a correction, fitted several times, each time without the rows that judge them.

Each part has `factor`, how much of it is taken, and `correct(inputs)`, the mean of what its
members add to the log-odds, times that factor.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..._core import recalibration as core
from ..._utils.stack import warnings_taken_by
from .._multiclass.adaptive import AdaptiveCalibrator
from .boosted_trees import BoostedTrees, fit_boosted_trees
from .category_effects import fit_category_effects
from .log_odds import to_logits

_MAX_SCORE_ROWS = 50_000


@dataclass
class ScorePart:
    """A map of the probabilities alone, an adaptive calibrator for each member."""

    maps: list
    factor: float = 1.0

    def correct(self, inputs):
        """Return the correction, shape (n, n_outputs)."""
        return self.factor * np.mean([_moved(one, inputs) for one in self.maps], axis=0)


@dataclass
class TreesPart:
    """Boosted trees."""

    trees: BoostedTrees
    factor: float = 1.0

    def correct(self, inputs):
        """Return the correction, shape (n, n_outputs)."""
        members = range(len(self.trees.blocks))
        return self.factor * np.mean(
            [self.trees.correct(member, inputs.trees) for member in members], axis=0
        )


@dataclass
class CategoriesPart:
    """Shifts and slopes by category."""

    effects: list
    factor: float = 1.0

    def correct(self, inputs):
        """Return the correction, shape (n, n_outputs)."""
        return self.factor * np.mean(
            [one.correct(inputs.levels, inputs.scores) for one in self.effects], axis=0
        )


@dataclass
class NetworksPart:
    """Networks, or a linear map of what they read (no hidden layers)."""

    coefs: list
    intercepts: list
    factor: float = 1.0
    trained: core.TrainedNetworks | None = field(default=None, repr=False)

    def correct(self, inputs):
        """Return the correction, shape (n, n_outputs)."""
        return self.factor * self.of_members(inputs.network).mean(axis=0)

    def of_members(self, network):
        """Return the correction by each member, shape (n_members, n, n_outputs)."""
        return core.network(list(zip(self.coefs, self.intercepts)), None, network)


def fit_score(inputs, codes, weight, held_out, rng):
    """Return the part and its output on held-out rows."""
    maps, output = [], []
    n_classes = inputs.base.shape[1]
    structure = "auto" if n_classes == 2 else ("slope", "bias")
    for own in held_out:
        rows = _others(len(codes), own, _MAX_SCORE_ROWS, rng)
        calibrator = None
        if np.unique(codes[rows]).size == n_classes:
            share = weight[rows] / weight[rows].mean()
            with warnings_taken_by(lambda _: None):  # of convergence, and of hard labels
                calibrator = AdaptiveCalibrator(structure).fit(
                    inputs.base[rows], codes[rows], share
                )
        maps.append(calibrator)
        output.append(_moved(calibrator, inputs.take(own)))
    return ScorePart(maps), np.array(output)


def fit_trees(inputs, logits, target, weight, held_out, is_categorical, rng):
    """Return the part and its output on held-out rows."""
    trees, output = fit_boosted_trees(
        inputs.trees, logits, target, weight, held_out, is_categorical, rng
    )
    return TreesPart(trees), output


def fit_categories(inputs, n_levels, logits, target, weight, held_out, rng):
    """Return the part and its output on held-out rows."""
    effects, output = [], []
    for own in held_out:
        rows = _others(len(weight), own, len(weight), rng)
        effects.append(
            fit_category_effects(
                inputs.levels[rows], n_levels, inputs.scores[rows], logits[rows],
                target[rows], weight[rows], rng,
            )
        )  # fmt: skip
        output.append(effects[-1].correct(inputs.levels[own], inputs.scores[own]))
    return CategoriesPart(effects), np.array(output)


def _moved(calibrator, inputs):
    """Return by how much a calibrator moves the logits; none moves nothing."""
    if calibrator is None:
        return np.zeros_like(inputs.logits)
    moved = to_logits(calibrator.predict_proba(inputs.base)) - inputs.logits
    return moved if moved.shape[1] == 1 else moved - moved.mean(axis=1, keepdims=True)


def _others(n, own, at_most, rng):
    rows = np.delete(np.arange(n), own)
    return rows if rows.size <= at_most else np.sort(rng.choice(rows, at_most, replace=False))
