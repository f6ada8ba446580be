"""Targets: which events are measured, and their residuals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib._data.targets import reduce_target, resolve_target
from tests._oracles import loop_events


@pytest.mark.parametrize(
    ("n_classes", "target"),
    [
        (2, "binary"),
        *[(k, target) for k in (2, 3, 5) for target in ("confidence", "classwise", "canonical")],
    ],
)
def test_reductions_are_the_plain_loop(n_classes, target):
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(n_classes), size=20)
    P[:3] = np.eye(n_classes)[[0, 1, 0]]
    codes = rng.integers(0, n_classes, 20)
    reductions = reduce_target(P, target)
    expected = loop_events(codes, P, target)
    assert len(reductions) == len(expected)
    for reduction, (points, residuals) in zip(reductions, expected, strict=True):
        assert_array_equal(reduction.proba, points)
        assert_allclose(reduction.residuals(codes)[:, :, 0], residuals, rtol=0, atol=1e-16)


def test_residuals_of_several_draws_are_those_of_each():
    rng = np.random.default_rng(1)
    P = rng.dirichlet(np.ones(3), size=10)
    draws = rng.integers(0, 3, (10, 4))
    for target in ("confidence", "classwise", "canonical"):
        for reduction in reduce_target(P, target):
            together = reduction.residuals(draws)
            assert together.shape == (10, reduction.proba.shape[1], 4)
            for k in range(4):
                assert_array_equal(together[:, :, [k]], reduction.residuals(draws[:, k]))


def test_canonical_residuals_sum_to_zero():
    P = np.random.default_rng(2).dirichlet(np.ones(4), size=10)
    (reduction,) = reduce_target(P, "canonical")
    residuals = reduction.residuals(np.arange(10) % 4)
    assert_allclose(residuals.sum(axis=1), 0, rtol=0, atol=1e-15)


def test_confidence_ties_take_the_first_column():
    (reduction,) = reduce_target(np.array([[0.4, 0.4, 0.2], [0.25, 0.375, 0.375]]), "confidence")
    assert reduction.event.tolist() == [[0], [1]]


def test_auto():
    for multiclass in ("canonical", "confidence"):
        assert resolve_target("auto", 2, multiclass=multiclass) == "binary"
        assert resolve_target("auto", 3, multiclass=multiclass) == multiclass
    assert resolve_target("classwise", 2, multiclass="canonical") == "classwise"


def test_targets_that_do_not_fit():
    with pytest.raises(ValueError, match=r"target must be one of 'auto', 'binary', .*got 'top'"):
        resolve_target("top", 3, multiclass="canonical")
    with pytest.raises(ValueError, match=r"'binary' needs binary data.*3 columns.*'confidence'"):
        resolve_target("binary", 3, multiclass="canonical")
    allowed = ("auto", "binary", "confidence")
    with pytest.raises(ValueError, match=r"Use one of 'confidence', or pass the column"):
        resolve_target("binary", 3, multiclass="confidence", allowed=allowed)
    with pytest.raises(ValueError, match=r"one of 'auto', 'binary', 'confidence', got 'classwise"):
        resolve_target("classwise", 3, multiclass="confidence", allowed=allowed)


def test_labels_as_they_are_drawn_say_themselves_whether_the_event_happens():
    """Bytes of two classes need no comparison; those of more classes are never taken for that."""
    codes = np.array([[0, 1, 1], [1, 0, 1]], dtype=np.int8)
    (binary,) = reduce_target(np.array([[0.4, 0.6], [0.9, 0.1]]), "binary")
    for same in (codes, codes.astype(np.int64), np.asfortranarray(codes)):
        np.testing.assert_array_equal(binary.happened(same)[:, 0], codes == 1)
    np.testing.assert_array_equal(binary.happened(codes[:, 1])[:, 0, 0], [True, False])
    assert binary.happened(codes[:0]).shape == (0, 1, 3)
    classes = reduce_target(np.full((2, 3), 1 / 3), "classwise")
    for k, one in enumerate(classes):
        np.testing.assert_array_equal(one.happened(2 * codes)[:, 0], 2 * codes == k)
