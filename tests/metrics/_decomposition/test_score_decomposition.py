"""The CORP decomposition: known answers, isotonic regression of other software, identities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss

from sklearn_calib.metrics import get_scorer_names, miscalibration, score_decomposition
from tests.metrics._registry import binary_data, multiclass_data

SCORES = {"brier": brier_score_loss, "log_loss": log_loss}


def _inside(seed=0, n=200):
    rng = np.random.default_rng(seed)
    p = rng.integers(1, 64, n) / 64
    return (rng.random(n) < p**1.7).astype(int), p, rng.uniform(0.2, 3.0, n)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("weighted", [False, True])
def test_is_the_score_of_the_isotonic_fit_and_of_the_base_rate(score, weighted):
    y, p, w = _inside()
    w = w if weighted else np.ones(y.size)
    parts = score_decomposition(y, p, score=score, sample_weight=w if weighted else None)
    fitted = IsotonicRegression(y_min=0, y_max=1).fit(p, y, sample_weight=w).predict(p)
    assert_allclose(parts.recalibrated[:, 0], fitted, rtol=1e-10, atol=1e-14)
    own = SCORES[score](y, p, sample_weight=w)
    recalibrated = SCORES[score](y, np.clip(fitted, 1e-300, None), sample_weight=w)
    base = SCORES[score](y, np.full(y.size, np.average(y, weights=w)), sample_weight=w)
    assert_allclose(parts.score, own, rtol=1e-12)
    assert_allclose(parts.miscalibration, own - recalibrated, rtol=1e-9)
    assert_allclose(parts.discrimination, base - recalibrated, rtol=1e-9)
    assert_allclose(parts.uncertainty, base, rtol=1e-12)
    total = parts.miscalibration - parts.discrimination + parts.uncertainty
    assert_allclose(total, parts.score, rtol=1e-14)


def test_four_rows_by_hand():
    y, p = [0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8]
    parts = score_decomposition(y, p, score="log_loss")
    assert parts.recalibrated.ravel().tolist() == [0.0, 0.5, 0.5, 1.0]
    own = -(2 * np.log(0.8) + 2 * np.log(0.4)) / 4
    assert_allclose(parts.score, own, rtol=1e-14)
    assert_allclose(parts.miscalibration, own - np.log(2) / 2, rtol=1e-14)
    assert_allclose(parts.discrimination, np.log(2) / 2, rtol=1e-14)
    assert_allclose(parts.uncertainty, np.log(2), rtol=1e-14)
    assert miscalibration(y, p, score="log_loss") == parts.miscalibration


def test_equal_probabilities_are_recalibrated_alike_in_any_order():
    for y in ([0, 1, 0], [1, 0, 0], [0, 0, 1]):
        parts = score_decomposition(y, [0.5, 0.5, 0.5])
        assert_allclose(parts.recalibrated, 1 / 3, rtol=1e-14)
        assert_allclose(parts.miscalibration, (0.5 - 1 / 3) ** 2, rtol=1e-13)
        assert parts.discrimination == 0.0


def test_a_certain_and_wrong_prediction_has_an_infinite_log_loss():
    parts = score_decomposition([1, 0, 1, 0], [0.0, 0.3, 0.6, 0.1], score="log_loss")
    assert parts.score == parts.miscalibration == np.inf
    # Pooled: (0, 1/2), (1, 1/2) at 0 and 0.1, then 0.3 joins them with rate 1/3.
    assert_allclose(parts.recalibrated.ravel(), [1 / 3, 1 / 3, 1.0, 1 / 3], rtol=1e-14)
    assert_allclose(parts.uncertainty, np.log(2), rtol=1e-14)
    pooled = (np.log(3) + 2 * np.log(1.5)) / 4
    assert_allclose(parts.discrimination, np.log(2) - pooled, rtol=1e-13)
    assert parts.to_dict()["score"] == "inf"
    right = score_decomposition([0, 1, 0, 1], [0.0, 1.0, 0.0, 1.0], score="log_loss")
    assert (right.score, right.miscalibration) == (0.0, 0.0)
    assert right.discrimination == right.uncertainty


def test_one_class_and_one_row():
    for y, p in (([1, 1], [0.25, 0.5]), ([1], [0.25])):
        parts = score_decomposition(y, p)
        assert parts.uncertainty == parts.discrimination == 0.0
        assert_allclose(parts.miscalibration, np.mean((1 - np.array(p)) ** 2), rtol=1e-14)


@pytest.mark.parametrize("score", SCORES)
def test_a_strictly_monotone_map_changes_the_miscalibration_only(score):
    y, p, w = _inside(1)
    one = score_decomposition(y, p, score=score, sample_weight=w)
    other = score_decomposition(y, p**3, score=score, sample_weight=w)
    assert other.discrimination == one.discrimination
    assert other.uncertainty == one.uncertainty
    assert other.miscalibration != one.miscalibration
    again = score_decomposition(y, one.recalibrated, score=score, sample_weight=w)
    assert_allclose(again.miscalibration, 0.0, atol=1e-15)


def test_classwise_is_the_mean_of_the_classes_and_of_the_brier_score():
    y, P = multiclass_data()
    parts = score_decomposition(y, P)
    assert parts.target == "classwise"
    each = [score_decomposition(y == k, P[:, k]) for k in range(4)]
    assert_allclose(parts.miscalibration, np.mean([one.miscalibration for one in each]), rtol=1e-12)
    assert_allclose(parts.score, np.mean((P - np.eye(4)[y]) ** 2), rtol=1e-13)
    assert parts.recalibrated.shape == (40, 4)
    top = score_decomposition(y, P, target="confidence")
    plain = score_decomposition(y == P.argmax(axis=1), P.max(axis=1))
    assert top.score == plain.score
    assert top.miscalibration == plain.miscalibration


def test_the_other_class_has_the_same_components():
    y, p = binary_data()
    one, other = score_decomposition(y, p), score_decomposition(1 - y, 1 - p)
    for name in ("score", "miscalibration", "discrimination", "uncertainty"):
        assert_allclose(getattr(other, name), getattr(one, name), rtol=1e-12)


def test_the_component_has_a_scorer_and_refuses_other_scores():
    assert "neg_miscalibration" in get_scorer_names()
    for function in (miscalibration, score_decomposition):
        with pytest.raises(ValueError, match="score must be one of 'brier', 'log_loss', got 'sph"):
            function([0, 1], [0.2, 0.6], score="spherical")
