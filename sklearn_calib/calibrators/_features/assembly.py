"""Fit the parts of a correction one on top of the other, and choose how much of each to take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._core import recalibration as core
from .blending import choose_factors
from .groups import fit_groups
from .log_odds import to_proba, to_target
from .parts import NetworksPart, fit_categories, fit_score, fit_trees

PARTS = ("score", "categories", "linear", "networks", "trees")  # groups follow, if there are any
_PRICE = 2.0  # twice the held-out log-likelihood that a kind of correction must gain
_CHUNK = 1 << 14  # rows, each with one of the categories that stand in, that are corrected at once
_LINEAR_STEP = 5.0  # a linear map is as well conditioned with longer steps


@dataclass(frozen=True)
class NetworkOptions:
    """What `train_networks` needs besides data.

    Attributes
    ----------
    hidden : list of int
        Widths of the hidden layers.
    n_members : int
        Number of networks.
    learning_rate : float
        Step size of the networks.
    link : {"logit", "identity"}
        What corrections are added to.
    others : dict
        The other keywords of `train_networks`.
    """

    hidden: list
    n_members: int
    learning_rate: float
    link: str
    others: dict


@dataclass(frozen=True)
class Training:
    """The rows of a fit.

    Attributes
    ----------
    inputs : Inputs
        In the form that the parts read.
    codes : ndarray of int of shape (n,)
        Labels.
    weight : ndarray of shape (n,)
        Positive weights.
    held_out : ndarray of int of shape (n_members, n_held_out)
        Rows that each member does not train on.
    """

    inputs: Any
    codes: np.ndarray
    weight: np.ndarray
    held_out: np.ndarray

    @property
    def judges(self):
        """Base, labels and weights of the held-out rows of all members, one after the other."""
        rows = self.held_out.ravel()
        return self.inputs.base[rows], self.codes[rows], self.weight[rows]


class Fitted(NamedTuple):
    """What `fit_parts` found.

    Attributes
    ----------
    parts : dict of str to part
        The parts with their factors.
    sizes : dict of str to float
        Root mean square of what each adds to the log-odds of held-out rows.
    losses : tuple of float
        Held-out log loss without and with the correction (groups aside).
    """

    parts: dict
    sizes: dict
    losses: tuple


def fit_networks_alone(training, options, rng):
    """Train networks on all rows, without any other part."""
    part = _train(training, training.inputs.base, None, options.hidden, options, rng)
    output = part.correct(training.inputs)
    return Fitted({"networks": part}, {"networks": _root_mean_square(output)}, (np.nan, np.nan))


def fit_parts(training, names, input_map, options, rng):
    """Fit the parts, out of `PARTS`, and choose the factor of each by the held-out log loss."""
    inputs, codes, held_out = training.inputs, training.codes, training.held_out
    weight = training.weight / training.weight.mean()
    target = to_target(codes, inputs.base.shape[1])
    parts, outputs, say = {}, {}, options.others["say"]
    if "score" in names:
        say("map of the score")
        parts["score"], outputs["score"] = fit_score(inputs, codes, weight, held_out, rng)
    if "linear" in names:
        say("linear part")
        parts["linear"] = _train(training, inputs.base, None, [], options, rng)
        outputs["linear"] = _on_held_out(parts["linear"], training)
    smooth = list(parts)
    _choose(parts, outputs, dict.fromkeys(smooth, _PRICE), training, options.link)
    logits = _cross_fitted(smooth, parts, outputs, training)  # the other parts correct the rest
    if "categories" in names and input_map.n_levels:
        say("categories")
        parts["categories"], outputs["categories"] = fit_categories(
            inputs, input_map.n_levels, logits, target, weight, held_out, rng
        )
    if "networks" in names and options.hidden:
        say("networks")
        base, skip = inputs.base, None
        if "score" in parts and parts["score"].factor:
            base = _proba(_cross_fitted(["score"], parts, outputs, training))
        if "linear" in parts:
            linear = parts["linear"]
            skip = linear.factor * linear.coefs[0]
            skip[:, 0] += linear.factor * linear.intercepts[0]  # the first input is one
        parts["networks"] = _train(training, base, skip, options.hidden, options, rng)
        outputs["networks"] = _on_held_out(parts["networks"], training)
    if "trees" in names:
        say("trees")
        parts["trees"], outputs["trees"] = fit_trees(
            inputs, logits, target, weight, held_out, input_map.is_categorical, rng
        )
    parts = {name: parts[name] for name in PARTS if name in parts}
    price = {name: 0.0 if name in smooth else _PRICE for name in parts}  # they have paid
    total = _choose(parts, outputs, price, training, options.link)
    losses = tuple(_mean_loss(training, output, options.link) for output in (0.0 * total, total))
    if input_map.groups.chosen:
        say("groups")
        rows = held_out.ravel()
        judged = inputs.take(rows)
        moved = judged.logits + total.reshape(judged.logits.shape)
        parts["groups"] = fit_groups(
            judged, input_map.groups.n_levels, moved, target[rows], weight[rows], rng
        )
        outputs["groups"] = parts["groups"].correct(judged)
    return Fitted(parts, {name: _root_mean_square(outputs[name]) for name in parts}, losses)


def correct(parts, input_map, base, features):
    """Return the correction of rows, shape (n, n_outputs).

    A row with a category that was not seen in training gets no shift and slope for it. The parts
    that cannot do without a category give the mean of what they give to the same row with each
    of the categories that were seen, weighted by how often they occurred.
    """
    inputs = input_map.transform(base, features)
    output = _sum(parts, inputs)
    if features is None:
        return output
    unseen = features.codes < 0
    strange = np.flatnonzero(unseen.any(axis=1))
    if not parts or not strange.size:
        return output
    patterns, pattern = np.unique(unseen[strange], axis=0, return_inverse=True)
    for k, columns in enumerate(patterns):
        rows = strange[pattern.ravel() == k]
        codes, share = input_map.stand_ins(np.flatnonzero(columns))
        at_once = -(-_CHUNK // share.size)
        for start in range(0, rows.size, at_once):
            some = rows[start : start + at_once]
            inputs = input_map.with_stand_ins(base[some], features[some], columns, codes)
            each = _sum(parts, inputs).reshape(some.size, share.size, -1)
            output[some] = share @ each
    return output


def _sum(parts, inputs):
    return sum((part.correct(inputs) for part in parts.values()), np.zeros_like(inputs.logits))


def _root_mean_square(output):
    return float(np.sqrt(np.mean(output**2)))


def _mean_loss(training, output, link):
    base, codes, weight = training.judges
    log_new = core.log_probabilities(base, output.reshape(len(codes), -1), link)
    return float(np.average(-log_new[np.arange(len(codes)), codes], weights=weight))


def _choose(parts, outputs, price, training, link):
    """Set the factors of the parts that have a price, and return what they add together.

    Outputs on held-out rows are multiplied by the factors.
    """
    base, codes, weight = training.judges
    stacked = np.array([outputs[name].reshape(len(codes), -1) for name in price])
    factors = choose_factors(base, stacked, codes, weight, link, list(price.values()))
    for name, factor in zip(price, factors):
        parts[name].factor = float(parts[name].factor * factor)
        outputs[name] = factor * outputs[name]
    return sum(outputs[name] for name in price)


def _cross_fitted(names, parts, outputs, training):
    """Return the logits moved by some parts; a held-out row by members that have not seen it."""
    logits, held_out = training.inputs.logits, training.held_out
    moved = logits + sum(parts[name].correct(training.inputs) for name in names)
    moved[held_out] = logits[held_out] + sum(outputs[name] for name in names)
    return moved


def _proba(logits):
    proba = to_proba(logits)
    return np.column_stack([1.0 - proba, proba]) if proba.shape[1] == 1 else proba


def _on_held_out(part, training):
    """Return what the networks add on their own held-out rows."""
    output = []
    for k, own in enumerate(training.held_out):
        layers = [(w[k], b[k]) for w, b in zip(part.coefs, part.intercepts)]
        output.append(core.network(layers, None, training.inputs.network[own]))
    return np.array(output)


def _train(training, base, skip, hidden, options, rng):
    network = training.inputs.network
    n_outputs = training.inputs.logits.shape[1]
    if skip is None:
        skip = np.zeros((options.n_members, network.shape[1], n_outputs))
    sizes = [network.shape[1], *hidden, n_outputs]
    trained = core.train_networks(
        network,
        base,
        training.codes,
        training.weight,
        params=core.initial_params(sizes, options.n_members, rng),
        skip=skip,
        held_out=training.held_out,
        link=options.link,
        learning_rate=options.learning_rate * (1 if hidden else _LINEAR_STEP),
        rng=rng,
        **options.others,
    )
    return NetworksPart(
        [weights for weights, _ in trained.params],
        [biases for _, biases in trained.params],
        trained=trained,
    )
