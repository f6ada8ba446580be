"""Boosted trees that correct log-odds, started from given ones.

Every block of trees is a Newton step: a gradient boosting regressor is fitted to the working
response ``(y - p) / (p (1 - p))`` with the weights ``p (1 - p)``, which approximates the log loss
up to the third order. Then the probabilities are renewed for the next block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from .log_odds import log_loss, to_proba

BLOCK = 20  # trees between two renewals of the probabilities
_MAX_BLOCKS = 12
_MAX_ROWS = 200_000  # rows that one member is trained on
_SIZES = (4, 12)  # leaves of a tree; the first block of each decides which goes on
_LEARNING_RATE = 0.1
_FEWEST_ROWS = 20  # rows in a leaf
_RIDGE = 5.0  # in units of p (1 - p) of one row
_MAX_BINS = 64
_SMALLEST_CURVATURE = 1e-4
_LEAST_GAIN = 1e-5  # of held-out log loss, for another block


class BoostedTrees(NamedTuple):
    """Trees of all members.

    Attributes
    ----------
    blocks : list of list of list of HistGradientBoostingRegressor
        By member, block and output.
    n_trees : int
        Number of trees of each member and output that are used.
    """

    blocks: list
    n_trees: int

    def correct(self, member, inputs):
        """Return the correction of one member, shape (n, n_outputs)."""
        full, rest = divmod(self.n_trees, BLOCK)
        blocks = self.blocks[member]
        n_outputs = len(blocks[0]) if blocks else 1
        correction = np.zeros((inputs.shape[0], n_outputs))
        for place, block in enumerate(blocks[: full + (rest > 0)]):
            for output, trees in enumerate(block):
                if place < full:
                    correction[:, output] += trees.predict(inputs)
                else:
                    correction[:, output] += _staged(trees, inputs)[rest - 1]
        return correction


def fit_boosted_trees(inputs, logits, target, weight, held_out, is_categorical, rng):
    """Boost trees until the held-out log loss of all members together gets no better.

    Trees read `inputs`, in which NaN is a missing value, and start from `logits`, which are
    log-odds (one output) or log-probabilities; `target` is one where the row has the class of the
    output. Weights have the mean one. `held_out` has the rows that each member does not train on;
    the correction of each member there is the second result.
    """
    training = [_training_rows(logits.shape[0], own, rng) for own in held_out]
    seed = int(rng.integers(2**31 - 1))
    courses = [
        _Course(inputs, logits, target, weight, held_out, training, is_categorical, size, seed)
        for size in _SIZES
    ]
    for course in courses:
        course.advance()
    course = min(courses, key=lambda one: one.best_loss)
    while course.improves and len(course.blocks[0]) < _MAX_BLOCKS:
        course.advance()
    return BoostedTrees(course.blocks, course.n_trees), course.best_output


class _Course:
    """Members of one size of tree on their way."""

    def __init__(
        self, inputs, logits, target, weight, held_out, training, is_categorical, size, seed
    ):
        self._inputs, self._target, self._weight = inputs, target, weight
        self._held_out, self._training = held_out, training
        self._start = logits[held_out]
        self._options = {
            "max_iter": BLOCK, "learning_rate": _LEARNING_RATE, "max_leaf_nodes": size,
            "min_samples_leaf": _FEWEST_ROWS, "l2_regularization": _RIDGE, "max_bins": _MAX_BINS,
            "early_stopping": False, "random_state": seed,
            "categorical_features": is_categorical if is_categorical.any() else None,
        }  # fmt: skip
        self._now = [logits[rows] for rows in training]
        self._output = np.zeros_like(self._start)
        self.blocks: list[list] = [[] for _ in held_out]
        self.n_trees, self.best_output = 0, self._output
        self.best_loss = self._loss(self._output)
        self.improves = True

    def _loss(self, output):
        losses = log_loss(self._start + output, self._target[self._held_out])
        return np.average(losses, weights=self._weight[self._held_out])

    def advance(self):
        """Add one block to every member, and note the best number of trees so far."""
        stages = np.empty((BLOCK, *self._output.shape))
        for member, rows in enumerate(self._training):
            proba = to_proba(self._now[member])
            inputs, block = self._inputs[rows], []
            for output in range(proba.shape[1]):
                p = proba[:, output]
                curvature = np.maximum(p * (1.0 - p), _SMALLEST_CURVATURE)
                share = self._weight[rows] * curvature
                response = (self._target[rows, output] - p) / curvature
                response -= np.average(response, weights=share)  # else the trees take an intercept
                trees = HistGradientBoostingRegressor(**self._options)
                trees.fit(inputs, response, sample_weight=share)
                self._now[member][:, output] += trees.predict(inputs)
                stages[:, member, :, output] = _staged(trees, self._inputs[self._held_out[member]])
                block.append(trees)
            self.blocks[member].append(block)
        stages += self._output
        losses = [self._loss(stage) for stage in stages]
        best = int(np.argmin(losses))
        self.improves = losses[best] < self.best_loss - _LEAST_GAIN
        if self.improves:
            self.best_loss = losses[best]
            self.best_output = stages[best].copy()
            self.n_trees = (len(self.blocks[0]) - 1) * BLOCK + best + 1
        self._output = stages[-1].copy()


def _staged(trees, inputs):
    """Return the sums of the first 1, 2, ... trees, shape (BLOCK, n)."""
    return np.array(list(trees.staged_predict(inputs)))


def _training_rows(n, held_out, rng):
    rows = np.delete(np.arange(n), held_out)
    return rows if rows.size <= _MAX_ROWS else np.sort(rng.choice(rows, _MAX_ROWS, replace=False))
