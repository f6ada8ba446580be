"""Centred isotonic regression, block by block."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.calibrators import CenteredIsotonicCalibrator, IsotonicCalibrator
from tests.calibrators._samples import sample


def centred_by_hand(p, y, weight, queries):
    """Pool adjacent violators one pair at a time, then interpolate between the mean scores."""
    blocks = []
    for point in np.unique(p):
        here = p == point
        total = weight[here].sum()
        blocks.append([total, (weight * y)[here].sum() / total, point, point, point])
        while len(blocks) > 1 and blocks[-2][1] >= blocks[-1][1]:
            (v, b, s, first, _), (w, c, t, _, last) = blocks[-2:]
            total = v + w
            blocks[-2:] = [[total, (v * b + w * c) / total, (v * s + w * t) / total, first, last]]
    x, value = [], []
    for _, rate, centre, first, last in blocks:
        ends = [first, last] if rate in (0.0, 1.0) else [centre]
        x += ends
        value += [rate] * len(ends)
    return np.interp(queries, x, value)


@pytest.mark.parametrize("seed", range(10))
def test_blocks_shrink_to_their_mean_score(seed):
    p, y, weight = sample(seed, n_samples=20 + 10 * seed, ends=True)
    queries = np.r_[p, np.linspace(0, 1, 101)]
    result = CenteredIsotonicCalibrator().fit(p, y, weight).predict_proba(queries)[:, 1]
    assert_allclose(result, centred_by_hand(p, y, weight, queries), rtol=0, atol=1e-12)


def test_the_order_is_kept_strictly_where_the_values_are_inside():
    p, y, _ = sample(3, n_samples=200)
    queries = np.linspace(0, 1, 1001)
    flat, centred = (
        kind().fit(p, y).predict_proba(queries)[:, 1]
        for kind in (IsotonicCalibrator, CenteredIsotonicCalibrator)
    )
    assert np.unique(centred).size > 2 * np.unique(flat).size
    assert (np.diff(centred) >= 0).all()
