"""How the reference cases of the kernel tests are read."""

import numpy as np


def skce_options(case):
    """Return data and options of a case; class code k belongs to column k - 1."""
    target, p = case["params"]["type"], np.array(case["inputs"]["p"])
    options = {"statistic_params": {"bandwidth": case["params"]["bandwidth"]}}
    if target is not None:
        options |= {"target": target, "labels": np.arange(1, p.shape[1] + 1)}
    return (case["inputs"]["y"], p), options


def name_starts(word):
    return lambda case: case["name"].startswith(word)
