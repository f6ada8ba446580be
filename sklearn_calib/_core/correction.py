"""The recalibration network and how its output corrects probabilities.

Written once for NumPy (prediction) and for JAX (training): `xp` is the array module.
"""

import numpy as np

SMALLEST = 1e-6  # probabilities are kept this far from 0 and 1; 1 - 1e-6 exists in float32 as well


def network(params, skip, inputs, xp=np):
    """Apply dense layers with ReLU between them, and add a linear map of the inputs.

    `params` are the weights (..., fan_in, fan_out) and biases of each layer, whose leading axes are
    separate networks, and `skip` is the map (..., n_inputs, n_outputs), if there is one. The last
    layer is linear; the result has the shape (..., n, n_outputs). `xp` is NumPy or that of JAX.
    """
    *hidden, (weights, biases) = params
    values = inputs
    for w, b in hidden:
        values = values @ w + b[..., np.newaxis, :]
        values = xp.where(values > 0, values, xp.zeros_like(values))
    values = values @ weights + biases[..., np.newaxis, :]
    return values if skip is None else values + inputs @ skip


def log_probabilities(base, output, link, xp=np):
    """Return the logarithm of the corrected probabilities, finite for any finite output.

    Rows of `base` sum to one. The correction has one column, that of the second class, for two
    classes, else one per class. With the link "logit" it is added to log-probabilities, before
    normalisation, with "identity" to probabilities, before clipping (and for more than two classes
    normalisation). `xp` is NumPy or that of JAX.
    """
    if output.shape[-1] == 1:
        output = xp.concatenate([xp.zeros_like(output), output], axis=-1)
    if link == "logit":
        logits = xp.log(clipped(base, xp)) + output
        logits = logits - logits.max(axis=-1, keepdims=True)
        return logits - xp.log(xp.exp(logits).sum(axis=-1, keepdims=True))
    proba = clipped(base + output, xp)
    if proba.shape[-1] == 2:
        proba = xp.concatenate([1.0 - proba[..., 1:], proba[..., 1:]], axis=-1)
    return xp.log(proba / proba.sum(axis=-1, keepdims=True))


def clipped(proba, xp=np):
    """Keep probabilities away from 0 and 1."""
    return xp.clip(proba, SMALLEST, 1.0 - SMALLEST)
