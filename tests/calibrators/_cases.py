"""How the reference cases of the calibrators are read."""

import numpy as np

STRATEGY = {"equal_width": "uniform", "equal_freq": "quantile"}


def reference_data(case, name):
    """Return S, y and new S; `name` is what the case calls S."""
    inputs = case["inputs"]
    return (np.array(inputs[name], dtype=float), np.array(inputs["y"])), np.array(
        inputs["newdata"], dtype=float
    )


def off_edges(case):
    """Leave out values on a bin edge: the reference has other edges than ``k / n_bins``."""
    return not case.get("edge_sensitive")
