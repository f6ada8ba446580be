"""Log-odds and log-probabilities, there and back, and their log loss."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_softmax

from sklearn_calib.calibrators._features.log_odds import log_loss, to_logits, to_proba, to_target


def test_two_classes_have_one_column():
    proba = np.array([[0.25, 0.75], [0.5, 0.5], [0.9, 0.1]])
    logits = to_logits(proba)
    assert_allclose(logits, np.log([[3.0], [1.0], [1 / 9]]), rtol=1e-12, atol=1e-15)
    assert_allclose(to_proba(logits), proba[:, 1:], rtol=1e-12)
    target = to_target(np.array([1, 0, 1]), 2)
    assert_array_equal(target, [[1.0], [0.0], [1.0]])
    assert_allclose(log_loss(logits, target), -np.log([0.75, 0.5, 0.1]), rtol=1e-12)


def test_more_classes_have_a_column_each():
    proba = np.array([[0.2, 0.3, 0.5], [0.7, 0.1, 0.2]])
    logits = to_logits(proba)
    assert_allclose(logits, np.log(proba), rtol=1e-12)
    assert_allclose(to_proba(logits + np.array([[3.0], [900.0]])), proba, rtol=1e-12)
    target = to_target(np.array([2, 0]), 3)
    assert_array_equal(target, [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    shifted = 2.0 * logits + 800.0
    expected = -log_softmax(2.0 * np.log(proba), axis=1)[[0, 1], [2, 0]]
    assert_allclose(log_loss(shifted, target), expected, rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_zero_and_one_are_a_millionth_away(n_classes):
    proba = np.eye(n_classes)[:2]
    least, most = np.log(1e-6), np.log1p(-1e-6)
    logits = to_logits(proba)
    if n_classes == 2:
        assert_allclose(logits[:, 0], [least - most, most - least], rtol=1e-9)
    else:
        assert_allclose(logits, [[most, least, least], [least, most, least]], rtol=1e-9)
