"""The recalibration network and how its output corrects probabilities.

Written once for NumPy (prediction) and for JAX (training): `xp` is the array module.
"""

import numpy as np

SMALLEST = 1e-6  # probabilities are kept this far from 0 and 1; 1 - 1e-6 exists in float32 as well


def network(params, skip, inputs, xp=np):
    """Apply dense layers with ReLU between them, and add a linear map of the inputs.

    Parameters
    ----------
    params : list of (array of shape (..., fan_in, fan_out), array of shape (..., fan_out))
        Weights and biases of each layer; leading axes are separate networks.
    skip : array of shape (..., n_inputs, n_outputs) or None
        The linear map, if there is one.
    inputs : array of shape (n, n_inputs)
        One row a sample.
    xp : module, default=numpy
        Array module.

    Returns
    -------
    array of shape (..., n, n_outputs)
        The last layer is linear.
    """
    *hidden, (weights, biases) = params
    values = inputs
    for w, b in hidden:
        values = values @ w + b[..., np.newaxis, :]
        values = xp.where(values > 0, values, xp.zeros_like(values))
    values = values @ weights + biases[..., np.newaxis, :]
    return values if skip is None else values + inputs @ skip


def log_probabilities(base, output, link, xp=np):
    """Return the logarithm of the corrected probabilities.

    Parameters
    ----------
    base : array of shape (..., n_classes)
        Base probabilities, rows sum to one.
    output : array of shape (..., n_outputs)
        Correction: one column, that of the second class, for two classes, else one per class.
    link : {"logit", "identity"}
        What the correction is added to: log-probabilities, before normalisation, or
        probabilities, before clipping (and for more than two classes normalisation).
    xp : module, default=numpy
        Array module.

    Returns
    -------
    array of shape (..., n_classes)
        Finite for any finite output.
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
