"""Train the networks that recalibrate probabilities: NumPy in, NumPy out."""

from itertools import count, pairwise
from typing import NamedTuple

import numpy as np

from .correction import SMALLEST, log_probabilities, network
from .gate import call, finish_callbacks, load_jax, size_bucket

__all__ = [
    "SMALLEST",
    "TrainedNetworks",
    "held_out_rows",
    "initial_params",
    "log_probabilities",
    "network",
    "train_networks",
]

_MAX_HELD_OUT = 10_000  # rows that judge one network
_NUMBERS = count()


class TrainedNetworks(NamedTuple):
    """What `train_networks` found.

    Attributes
    ----------
    params : list of (ndarray, ndarray)
        Weights and biases of each layer, float64, networks stacked along the first axis: those of
        the best held-out score, or of the last step if no rows were held out.
    n_iter : int
        Steps taken.
    best_iter : int
        The step that `params` belong to.
    loss_curve : ndarray of shape (n_iter,)
        Loss of the batch before each step, the mean over the networks.
    validation_scores : ndarray of shape (n_checks,)
        Minus the mean log loss on held-out rows, before training and then at every check.
    stopped : bool
        Whether training ended because the held-out score got no better.
    """

    params: list
    n_iter: int
    best_iter: int
    loss_curve: np.ndarray
    validation_scores: np.ndarray
    stopped: bool


def initial_params(sizes, n_networks, rng):
    """Draw initial parameters with which the networks correct nothing.

    Hidden weights are 0.1 times standard normal, biases and the last layer are zero. `sizes` are
    the widths of all layers, from the input to the output; the result has the weights (n_networks,
    fan_in, fan_out) and biases of each layer.
    """
    params = [
        (0.1 * rng.standard_normal((n_networks, fan_in, fan_out)), np.zeros((n_networks, fan_out)))
        for fan_in, fan_out in pairwise(sizes)
    ]
    params[-1][0][:] = 0.0
    return params


def held_out_rows(codes, n_networks, fraction, rng):
    """Return the rows that each network does not train on, at least one and at most 10,000.

    The rows are put in an order in which the classes alternate evenly; network k holds out the
    stretch of `fraction` of them that begins at k / n_networks, cyclically. So every share has the
    classes in proportion, and shares overlap as little as possible.
    """
    n = codes.size
    place = np.empty(n)
    for code in np.unique(codes):
        members = rng.permutation(np.flatnonzero(codes == code))
        place[members] = (np.arange(members.size) + rng.random()) / members.size
    order = np.argsort(place, kind="stable")
    share = min(max(round(fraction * n), 1), n - 1, _MAX_HELD_OUT)
    start = np.arange(n_networks) * n // n_networks
    return order[(start[:, np.newaxis] + np.arange(share)) % n]


def train_networks(
    inputs,
    base,
    codes,
    weight,
    *,
    params,
    skip,
    held_out,
    batch_size,
    link,
    alpha,
    beta,
    gamma,
    prob_bandwidth,
    feature_bandwidth,
    learning_rate,
    max_iter,
    n_iter_no_change=0,
    tol=0.0,
    dtype=np.float64,
    rng=None,
    say=None,
):
    """Minimise ``alpha * KL(base || new) + beta * KLCE^2(new) + gamma * log loss(new)`` with Adam.

    Networks read `inputs`, of which the last ``feature_bandwidth.size`` columns are the features
    that the kernel compares. `base` are probabilities whose rows sum to one, `codes` column numbers
    of these, and weights are positive. `params` are as `initial_params` returns them; `skip`, a
    linear map that is added to the networks, stays as it is. Each network does not train on its
    rows in `held_out`, which may be empty, and ends after `n_iter_no_change` steps without a
    held-out score that is better by more than `tol`. A step takes `batch_size` rows, drawn by
    `rng`, or all at once if that is at least as many as there are to train on.

    A step costs O(n_networks * batch_size^2) for the kernel and O(n_networks * batch_size) for the
    networks, independent of n. Compiled once per size bucket of rows, batch, held-out rows and
    steps; the numbers are arguments of the compiled program.
    """
    load_jax()
    from .network_training import CHECK_EVERY, LISTENERS, Settings, TrainingRows, train

    n, n_classes = base.shape
    padding = size_bucket(n + 1, smallest=8192) - n  # at least one, for unused places of batches
    rows = TrainingRows(
        np.pad(inputs, ((0, padding), (0, 0))).astype(dtype),
        np.pad(base, ((0, padding), (0, 0)), constant_values=1.0 / n_classes).astype(dtype),
        np.pad(codes, (0, padding)).astype(np.int32),
        np.pad(weight / weight.mean(), (0, padding)).astype(dtype),
    )
    batches = _draw_batches(n, held_out, batch_size, max_iter, rng)
    n_steps = size_bucket(max_iter)
    curves = np.zeros(n_steps, dtype), np.zeros(n_steps // CHECK_EVERY + 2, dtype)
    settings = Settings(
        alpha=np.asarray(alpha, dtype),
        beta=np.asarray(beta, dtype),
        gamma=np.asarray(gamma, dtype),
        prob_bandwidth=np.asarray(prob_bandwidth, dtype),
        feature_bandwidth=np.asarray(feature_bandwidth, dtype),
        learning_rate=np.asarray(learning_rate, dtype),
        max_iter=np.asarray(max_iter, np.int32),
        n_iter_no_change=np.asarray(n_iter_no_change, np.int32),
        tol=np.asarray(tol, dtype),
    )
    listener = next(_NUMBERS)
    if say:
        LISTENERS[listener] = say
    state = call(
        train,
        [tuple(array.astype(dtype) for array in layer) for layer in params],
        skip.astype(dtype),
        rows,
        _pad_indices(batches, n, n_steps if len(batches) > 1 else 1, smallest=128),
        np.int32(len(batches)),
        _pad_indices(held_out, n, len(held_out), smallest=256, coarse_until=1024),
        curves,
        settings,
        np.int32(listener),
        link=link,
        verbose=bool(say),
    )
    if say:
        finish_callbacks()
        del LISTENERS[listener]
    n_iter = int(state.step)
    judged = held_out.size > 0
    best_iter = int(state.best_step) if judged else n_iter
    return TrainedNetworks(
        params=[
            tuple(array.astype(np.float64) for array in layer)
            for layer in (state.best_params if judged else state.params)
        ],
        n_iter=n_iter,
        best_iter=best_iter,
        loss_curve=state.losses[:n_iter].astype(np.float64),
        validation_scores=state.scores[: 1 - (-n_iter // CHECK_EVERY)].astype(np.float64)
        if judged
        else np.empty(0),
        stopped=n_iter - best_iter >= n_iter_no_change,
    )


def _draw_batches(n, held_out, batch_size, max_iter, rng):
    """Draw row numbers, shape (n_batches, n_networks, batch_size), epoch by epoch; or all rows."""
    in_training = np.ones((len(held_out), n), dtype=bool)
    np.put_along_axis(in_training, held_out, False, axis=1)
    training = [np.flatnonzero(own) for own in in_training]
    n_training = training[0].size
    if batch_size >= n_training:
        return np.array(training)[np.newaxis]
    per_epoch = n_training // batch_size
    n_epochs = -(-max_iter // per_epoch)
    batches = np.empty((n_epochs * per_epoch, len(held_out), batch_size), dtype=np.int32)
    for epoch in np.split(batches, n_epochs):
        for k, own in enumerate(training):
            drawn = rng.permutation(own)[: per_epoch * batch_size]
            epoch[:, k] = drawn.reshape(per_epoch, batch_size)
    return batches[:max_iter]


def _pad_indices(indices, padding_row, length, **buckets):
    """Pad the first axis to a length and the last one to its size bucket, with a padding row."""
    width = indices.shape[-1] and size_bucket(indices.shape[-1], **buckets)
    shape = (length, *indices.shape[1:-1], width)
    padded = np.full(shape, padding_row, dtype=np.int32)
    padded[tuple(map(slice, indices.shape))] = indices
    return padded
