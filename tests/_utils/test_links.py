"""Link functions against reference values."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.special import expit, softmax

from sklearn_calib._utils.links import logit
from tests._reference import parametrize_cases


@parametrize_cases("links")
def test_links(case):
    expected = np.array(case["expected"]["value"], dtype=float)
    if case["name"].startswith("logit"):
        result = logit(np.array(case["inputs"]["p"]), case["params"]["eps"])
    elif case["name"] == "inv_logit":
        result = expit(np.array(case["inputs"]["x"], dtype=float))
    else:
        result = softmax(np.array(case["inputs"]["x"], dtype=float), axis=1)
    assert_allclose(result, expected, rtol=1e-12, atol=1e-300)
