"""Fit the parts of a correction one on top of the other, and choose how much of each to take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._core import recalibration as core
from .blending import choose_factors
from .groups import fit_groups
from .inputs import N_STAND_INS
from .log_odds import softmax, to_target
from .parts import NetworksPart, fit_categories, fit_score, fit_trees

PARTS = ("score", "categories", "linear", "networks", "trees")  # groups follow, if there are any
# Twice the held-out log-likelihood that a part must gain: more where held-out rows have chosen
# among many candidates, steps of networks or numbers of trees, and so flatter the winner.
_PRICES = {"score": 1.0, "categories": 1.0, "linear": 1.0, "networks": 4.0, "trees": 4.0}
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
    """Fit the parts, and choose the factor of each by the held-out log loss.

    Parameters
    ----------
    training : Training
        The rows.
    names : collection of str
        The parts that may be used, out of `PARTS`.
    input_map : InputMap
        Tells the categories.
    options : NetworkOptions
        How networks are trained.
    rng : numpy.random.Generator
        Random numbers.

    Returns
    -------
    Fitted
    """
    inputs, codes, held_out = training.inputs, training.codes, training.held_out
    weight = training.weight / training.weight.mean()
    n_classes = inputs.base.shape[1]
    target = to_target(codes, n_classes)
    parts, outputs = {}, {}
    logits = inputs.logits
    base = inputs.base
    if "score" in names:
        part, output = fit_score(inputs, codes, weight, held_out, rng)
        # Empirical Bayes has shrunk it already: held-out rows say whether it is wanted at all.
        part.factor = float(_factors(training, [output], options.link, [_PRICES["score"]])[0] > 0)
        parts["score"], outputs["score"] = part, part.factor * output
        if part.factor:
            logits = _cross_fitted(logits, part, output, held_out, inputs)
            base = _proba(logits)
    if "categories" in names and input_map.n_levels:
        parts["categories"], outputs["categories"] = fit_categories(
            inputs, input_map.n_levels, logits, target, weight, held_out, rng
        )
    if "trees" in names:
        parts["trees"], outputs["trees"] = fit_trees(
            inputs, logits, target, weight, held_out, input_map.is_categorical, rng
        )
    skip = None
    if "linear" in names:
        part = _train(training, inputs.base, None, [], options, rng)
        output = _on_held_out(part, training)
        before = outputs.get("score", np.zeros_like(output))
        price = [0.0, _PRICES["linear"]]
        of_score, part.factor = map(
            float, _factors(training, [before, output], options.link, price)
        )
        parts["linear"], outputs["linear"] = part, part.factor * output
        skip = part.factor * part.coefs[0]
        skip[:, 0] += part.factor * part.intercepts[0]  # the first input is one
        if before.any():
            moved = inputs.logits + of_score * (logits - inputs.logits)
            base = _proba(moved)
    if "networks" in names and options.hidden:
        part = _train(training, base, skip, options.hidden, options, rng)
        parts["networks"], outputs["networks"] = part, _on_held_out(part, training)
    order = [name for name in PARTS if name in parts]
    price = [0.0 if name in ("score", "linear") else _PRICES[name] for name in order]  # paid before
    factors = _factors(training, [outputs[name] for name in order], options.link, price)
    total = np.zeros_like(inputs.logits[held_out])
    for name, factor in zip(order, factors):
        parts[name].factor = float(parts[name].factor * factor)
        outputs[name] = factor * outputs[name]
        total += outputs[name]
    losses = tuple(_mean_loss(training, output, options.link) for output in (0.0 * total, total))
    parts = {name: parts[name] for name in order}
    if input_map.groups.chosen:
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

    A row with a category that was not seen in training gets the mean of the corrections of the
    same row with categories that were, as often as they occurred: nothing on account of its own.
    """
    inputs = input_map.transform(base, features)
    output = _sum(parts, inputs)
    if features is None:
        return output
    strange = (features.codes < 0).any(axis=1)
    if strange.any() and parts:
        output[strange] = np.mean(
            [
                _sum(
                    parts,
                    input_map.transform(
                        base[strange], input_map.stand_in(features[strange], number)
                    ),
                )
                for number in range(N_STAND_INS)
            ],
            axis=0,
        )
    return output


def _sum(parts, inputs):
    return sum((part.correct(inputs) for part in parts.values()), np.zeros_like(inputs.logits))


def _root_mean_square(output):
    return float(np.sqrt(np.mean(output**2)))


def _mean_loss(training, output, link):
    base, codes, weight = training.judges
    log_new = core.log_probabilities(base, output.reshape(len(codes), -1), link)
    return float(np.average(-log_new[np.arange(len(codes)), codes], weights=weight))


def _factors(training, outputs, link, price):
    base, codes, weight = training.judges
    stacked = np.array([output.reshape(len(codes), -1) for output in outputs])
    return choose_factors(base, stacked, codes, weight, link, price)


def _cross_fitted(logits, part, output, held_out, inputs):
    """Return the logits moved by a part; a held-out row by the member that has not seen it."""
    moved = logits + part.correct(inputs)
    moved[held_out] = logits[held_out] + part.factor * output
    return moved


def _proba(logits):
    proba = softmax(logits)
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
