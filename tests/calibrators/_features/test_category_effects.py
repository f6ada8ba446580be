"""Shifts and slopes by category: many rows are represented by some of them."""

import numpy as np
from numpy.testing import assert_array_equal

from sklearn_calib.calibrators._features import category_effects
from sklearn_calib.calibrators._features.category_effects import fit_category_effects


def test_of_many_rows_some_are_drawn(monkeypatch):
    rng = np.random.default_rng(0)
    levels = rng.integers(-1, 3, size=(60, 1))
    scores, target = rng.normal(size=(60, 1)), rng.integers(0, 2, size=(60, 1)).astype(float)
    rows = levels, [3], scores, 0.5 * scores, target, rng.uniform(0.5, 2.0, size=60)
    drawn = np.sort(np.random.default_rng(7).choice(60, 40, replace=False))
    expected = fit_category_effects(
        *(one[drawn] if isinstance(one, np.ndarray) else one for one in rows), None
    )
    for most, same in ((40, True), (60, False)):
        monkeypatch.setattr(category_effects, "_MAX_ROWS", most)
        found = fit_category_effects(*rows, np.random.default_rng(7))
        assert np.array_equal(found.effects[0], expected.effects[0]) == same
    assert_array_equal(found.effects[0], fit_category_effects(*rows, None).effects[0])
