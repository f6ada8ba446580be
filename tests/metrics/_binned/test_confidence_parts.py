"""Over- and underconfidence: known answers, their sum, and which one sees what."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.metrics import ece, overconfidence, underconfidence
from tests.metrics._registry import binary_data, multiclass_data


@pytest.mark.parametrize("data", [binary_data, multiclass_data])
@pytest.mark.parametrize("options", [{}, {"strategy": "quantile", "n_bins": 4}, {"bins": [0, 1]}])
def test_both_parts_make_the_error_of_the_confidence(data, options):
    y, proba = data()
    w = np.random.default_rng(0).uniform(0.2, 3.0, 40)
    for weight in (None, w):
        given = {"sample_weight": weight, **options}
        parts = overconfidence(y, proba, **given) + underconfidence(y, proba, **given)
        assert_allclose(parts, ece(y, proba, target="confidence", **given), rtol=1e-12)


def test_three_bins_by_hand():
    # Confidence 0.9 with accuracy 0.5, 0.7 with 1, 0.6 with 1; two, one and one of four rows.
    P = [[0.9, 0.1], [0.1, 0.9], [0.3, 0.7], [0.6, 0.4]]
    y = [0, 0, 1, 0]
    assert_allclose(overconfidence(y, P), 0.5 * 0.4, rtol=1e-12)
    assert_allclose(underconfidence(y, P), 0.25 * 0.3 + 0.25 * 0.4, rtol=1e-12)
    assert_allclose(overconfidence(y, P, by_confidence=True), 0.5 * 0.9 * 0.4, rtol=1e-12)
    by_confidence = 0.25 * 0.7 * 0.3 + 0.25 * 0.6 * 0.4
    assert_allclose(underconfidence(y, P, by_confidence=True), by_confidence, rtol=1e-12)


def test_each_part_sees_its_side_only():
    p = np.array([0.7] * 10)
    always_right, always_wrong = np.ones(10, dtype=int), np.zeros(10, dtype=int)
    assert overconfidence(always_right, p) == 0.0
    assert underconfidence(always_right, p) == pytest.approx(0.3, rel=1e-12)
    assert overconfidence(always_wrong, p) == pytest.approx(0.7, rel=1e-12)
    assert underconfidence(always_wrong, p) == 0.0


def test_options_are_checked():
    with pytest.raises(ValueError, match="by_confidence must be"):
        overconfidence([0, 1], [0.2, 0.7], by_confidence="yes")
    with pytest.raises(ValueError, match="n_bins must be"):
        underconfidence([0, 1], [0.2, 0.7], n_bins=0)
    with pytest.raises(TypeError, match="target"):
        overconfidence([0, 1], [0.2, 0.7], target="binary")
