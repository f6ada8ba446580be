"""How the reference cases of the metrics are read, and how close the values have to be."""

import numpy as np
from numpy.testing import assert_allclose

BINNED = {"rtol": 0, "atol": 1e-12}
KERNEL = {"rtol": 1e-10, "atol": 1e-14}


def close(value, expected):
    """Compare with a value that was worked out by hand."""
    assert_allclose(value, expected, rtol=0, atol=1e-12)


def reference_data(case, target):
    """Return labels, probabilities and options; class code k belongs to column k - 1."""
    y, p = np.array(case["inputs"]["y"]), np.array(case["inputs"]["p"])
    if target is None:
        return y, p, {"target": "binary"}
    return y, p, {"target": target, "labels": np.arange(1, p.shape[1] + 1)}


def expected_values(case):
    """Return the values for the edges ``k / n_bins``."""
    return case["decimal_edges"] if case.get("edge_sensitive") else case["expected"]
