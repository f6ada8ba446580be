"""The mean embedding error: the double loop, locations, known answers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.metrics import ucme
from tests.metrics._registry import binary_data, multiclass_data


def _loop(y, p, locations, location_weight, width, w):
    total = 0.0
    for t, v in zip(locations, location_weight):
        smoothed = sum(b * (a - q) * np.exp(-abs(q - t) / width) for a, q, b in zip(y, p, w))
        total += v * smoothed**2
    return np.sqrt(total)


@pytest.mark.parametrize("width", [0.01, 0.2, 5.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_is_the_double_loop(width, weighted):
    y, p = binary_data()
    w = np.random.default_rng(0).uniform(0.2, 3.0, 40) if weighted else np.ones(40)
    share = w / w.sum()
    options = {"bandwidth": width, "sample_weight": w if weighted else None}
    assert_allclose(ucme(y, p, **options), _loop(y, p, p, share, width, share), rtol=1e-12)
    locations = [0.0, 0.3, 0.35, 1.0]
    expected = _loop(y, p, locations, np.full(4, 0.25), width, share)
    assert_allclose(ucme(y, p, locations=locations, **options), expected, rtol=1e-12)


def test_two_rows_by_hand():
    # Residuals 0.8 and -0.4, half the weight each, with the kernel value k of a distance of 0.2.
    k = np.exp(-0.2)
    at_first, at_second = 0.4 - 0.2 * k, 0.4 * k - 0.2
    expected = np.sqrt((at_first**2 + at_second**2) / 2)
    assert_allclose(ucme([1, 0], [0.2, 0.4], bandwidth=1.0), expected, rtol=1e-14)


def test_classes_on_their_own_are_averaged():
    y, P = multiclass_data()
    each = [ucme(y == k, P[:, k]) for k in range(4)]
    assert_allclose(ucme(y, P, target="classwise"), np.mean(each), rtol=1e-12)


def test_many_rows_at_given_locations_are_added_in_portions(monkeypatch):
    from sklearn_calib.metrics._kernel import ucme as module

    y, p = binary_data()
    whole = ucme(y, p, locations=[0.2, 0.7])
    monkeypatch.setattr(module, "_CELLS", 14)
    assert_allclose(ucme(y, p, locations=[0.2, 0.7]), whole, rtol=1e-13)


@pytest.mark.parametrize(
    ("locations", "words"),
    [
        ([], "locations is empty"),
        ([[0.1, 0.2]], r"locations must be a list of probabilities, got .*\(1, 2\)"),
        ([0.5, 1.5], r"locations must hold probabilities in \[0, 1\]"),
        ([0.5, np.nan], "locations must be finite"),
    ],
)
def test_bad_locations_are_refused(locations, words):
    with pytest.raises(ValueError, match=words):
        ucme([0, 1], [0.2, 0.7], locations=locations)
