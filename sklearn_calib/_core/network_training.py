"""Loss and training loop of the recalibration networks, compiled by JAX.

Everything is computed in the dtype of the arrays that come in.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from .correction import clipped, log_probabilities, network
from .gate import large

Array = jax.Array | np.ndarray
CHECK_EVERY = 20  # optimiser steps between two looks at the held-out rows
# Whom compiled training tells about its progress, by the number that it is given.
LISTENERS: dict[int, Callable[[str], object]] = {}


def _tell(listener, step, loss, score):
    """Tell a listener how training goes; called by compiled code."""
    held_out = "" if np.isnan(score) else f", best held-out score {score:.5f}"
    LISTENERS[int(listener)](f"step {step}: training loss {loss:.5f}{held_out}")


class TrainingRows(NamedTuple):
    """Rows of the data.

    Attributes
    ----------
    inputs : array of shape (n, n_inputs)
        What the network reads; the features are the last columns.
    base : array of shape (n, n_classes)
        Base probabilities.
    codes : array of shape (n,)
        Labels as column numbers of `base`.
    weight : array of shape (n,)
        Weights; zero for padding.
    """

    inputs: Array
    base: Array
    codes: Array
    weight: Array

    def take(self, index):
        """Return the rows at some positions."""
        return TrainingRows(*(array[index] for array in self))


class Settings(NamedTuple):
    """The numbers that steer training: traced, so that changing one compiles nothing.

    Attributes
    ----------
    alpha, beta, gamma : float
        Weights of the three terms of the loss.
    prob_bandwidth : float
        Bandwidth of the kernel on probabilities.
    feature_bandwidth : array of shape (n_features,)
        Bandwidth of each feature.
    learning_rate : float
        Step size of Adam.
    max_iter, n_iter_no_change : int
        Largest number of steps, and of steps without a better held-out score.
    tol : float
        By how much a held-out score must be better to count.
    """

    alpha: Array
    beta: Array
    gamma: Array
    prob_bandwidth: Array
    feature_bandwidth: Array
    learning_rate: Array
    max_iter: Array
    n_iter_no_change: Array
    tol: Array


class TrainingState(NamedTuple):
    """What the training loop carries; the networks are stacked along the first axis."""

    step: jax.Array
    params: list
    moments: tuple
    best_step: jax.Array
    best_score: jax.Array
    best_params: list
    losses: jax.Array
    scores: jax.Array


def loss_terms(params, skip, rows, settings, link):
    """Return the divergence from the base, the squared kernel error and the log loss."""
    log_new = log_probabilities(rows.base, network(params, skip, rows.inputs, jnp), link, jnp)
    base = clipped(rows.base, jnp)
    weight, total = rows.weight, rows.weight.sum()
    divergence = weight @ jnp.sum(base * (jnp.log(base) - log_new), axis=1) / total
    log_loss = -(weight @ _of_labels(log_new, rows.codes)) / total
    return divergence, _squared_klce(jnp.exp(log_new), rows, settings), log_loss


def total_loss(params, skip, rows, settings, link):
    """Return the weighted sum of the three terms."""
    divergence, klce, log_loss = loss_terms(params, skip, rows, settings, link)
    return settings.alpha * divergence + settings.beta * klce + settings.gamma * log_loss


def _squared_klce(proba, rows, settings):
    """Unbiased squared local kernel error; the gradient flows through residual and kernel."""
    residual = jax.nn.one_hot(rows.codes, proba.shape[1], dtype=proba.dtype) - proba
    if proba.shape[1] == 2:
        proba, residual = proba[:, 1:], residual[:, 1:]
    features = rows.inputs[:, rows.inputs.shape[1] - settings.feature_bandwidth.size :]
    distance = _squared_distances(proba / settings.prob_bandwidth)
    distance += _squared_distances(features / settings.feature_bandwidth)
    kernel = jnp.exp(-distance) * (1.0 - jnp.eye(distance.shape[0], dtype=proba.dtype))
    weighted = rows.weight[:, None] * residual
    pair_sum = jnp.sum(weighted * (kernel @ weighted))
    total = rows.weight.sum()
    pair_weight = total**2 - rows.weight @ rows.weight
    has_pairs = pair_weight > 1e-6 * total**2
    return jnp.where(has_pairs, pair_sum / jnp.where(has_pairs, pair_weight, 1.0), 0.0)


def _squared_distances(points):
    if points.shape[1] <= 1:
        return jnp.sum((points[:, None] - points[None]) ** 2, axis=2)
    points = points - lax.stop_gradient(points.mean(axis=0))
    square = jnp.sum(points**2, axis=1)
    return jnp.maximum(square[:, None] + square[None, :] - 2.0 * points @ points.T, 0.0)


def _of_labels(log_proba, codes):
    return jnp.take_along_axis(log_proba, codes[..., None], axis=-1)[..., 0]


@large
def train(
    params, skip, rows, batches, n_batches, held_out, curves, settings, listener, *, link, verbose
):
    """Train several networks side by side in one compiled loop, and return its last state.

    Step t of a network uses the rows in entry ``t % n_batches`` of `batches`, of shape (n_batches
    or more, n_networks, batch_size). `skip`, a linear map that is added to the networks, stays as
    it is. Every `CHECK_EVERY` steps the networks are judged on the rows `held_out`, of shape
    (n_networks, n_held_out), by the mean log loss over the rows of all of them; without any,
    training runs for `max_iter` steps. `curves` are buffers, of `max_iter` or more entries, for the
    loss of every step and the score of every check. `LISTENERS` has the `listener` that is told
    about progress if `verbose`; for `link` see `log_probabilities`.
    """
    optimizer = optax.adam(settings.learning_rate)
    value_and_gradient = jax.vmap(
        jax.value_and_grad(partial(total_loss, settings=settings, link=link))
    )
    validation = rows.take(held_out)

    def step(_, state):
        batch = rows.take(batches[state.step % n_batches])
        losses, gradient = value_and_gradient(state.params, skip, batch)
        updates, moments = optimizer.update(gradient, state.moments)
        return state._replace(
            step=state.step + 1,
            params=optax.apply_updates(state.params, updates),
            moments=moments,
            losses=state.losses.at[state.step].set(losses.mean()),
        )

    def judge(state):
        output = network(state.params, skip, validation.inputs, jnp)
        log_proba = log_probabilities(validation.base, output, link, jnp)
        weighted = validation.weight * _of_labels(log_proba, validation.codes)
        score = weighted.sum() / validation.weight.sum()
        choose = partial(jnp.where, score > state.best_score + settings.tol)
        return state._replace(
            best_step=choose(state.step, state.best_step),
            best_score=choose(score, state.best_score),
            best_params=jax.tree.map(choose, state.params, state.best_params),
            scores=state.scores.at[-(-state.step // CHECK_EVERY)].set(score),
        )

    def advance(state):
        stop = jnp.minimum(state.step + CHECK_EVERY, settings.max_iter)
        state = lax.fori_loop(state.step, stop, step, state)
        state = judge(state) if held_out.size else state
        if verbose:
            score = state.best_score if held_out.size else jnp.asarray(np.nan)
            jax.debug.callback(_tell, listener, stop, state.losses[stop - 1], score)
        return state

    def unfinished(state):
        improving = state.step - state.best_step < settings.n_iter_no_change
        return (state.step < settings.max_iter) & (improving | (held_out.size == 0))

    start = TrainingState(
        step=jnp.int32(0),
        params=params,
        moments=optimizer.init(params),
        best_step=jnp.int32(0),
        best_score=jnp.asarray(-np.inf, rows.weight.dtype),
        best_params=params,
        losses=curves[0],
        scores=curves[1],
    )
    return lax.while_loop(unfinished, advance, judge(start) if held_out.size else start)
