"""Weights in units so small or large that their squares are no numbers give the same answers."""

import numpy as np
import pytest

from tests.properties._data import MOST_ROWS, Rows
from tests.properties._exceptions import EXEMPT
from tests.properties._outcomes import assert_same
from tests.properties._properties import unit_of_weights
from tests.properties._table import Property
from tests.properties.test_table import SUBJECTS

# Products of two weights vanish, or overflow.
UNITS = (1e-200, 1e160)
PROPERTY = Property(unit_of_weights.__name__, unit_of_weights, None)
WEIGHTED = [one for one in SUBJECTS if "sample_weight" in one.takes]
QUICK = [one for one in WEIGHTED if one.cost < 20]


def mixed_rows(n_classes, n=MOST_ROWS):
    """Return rows with errors and unequal weights, which all callables can use."""
    rng = np.random.default_rng(n_classes)
    proba = rng.dirichlet(np.ones(n_classes), n).round(3)
    proba[:, -1] = 1.0 - proba[:, :-1].sum(axis=1)
    proba = np.clip(proba, 0.0, 1.0)
    y = (rng.random((n, 1)) > proba.cumsum(axis=1)[:, :-1]).sum(axis=1)
    y[: 2 * n_classes] = np.repeat(np.arange(n_classes), 2)
    X = rng.normal(size=(n, 2))
    proba = proba[:, 1] if n_classes == 2 else proba
    weight, group = rng.uniform(0.5, 3.0, n), rng.choice(["a", "b"], n)
    return Rows(y, proba, X, group, weight, np.arange(n_classes), proba[:8].copy(), X[:8].copy())


def compare(subject, n_classes, forms):
    """Assert that a callable answers the same in all units of weights, or says why not."""
    rows = mixed_rows(n_classes)
    exempt = [one for one in EXEMPT if one.covers(subject, PROPERTY)]
    for options in forms:
        counted = any(one.when is None or one.when(options, rows) for one in exempt)
        first = None if counted else subject.answer(rows, options)
        for unit in UNITS:
            other = rows.but(weight=unit * rows.weight)
            if subject.kind == "state":
                with pytest.raises(ValueError, match="sample_weight must be zero or lie between"):
                    subject.answer(other, options)
                continue
            second = subject.answer(other, options)  # a warning is an error
            if not counted:
                without = {"weight", "count"}
                rtol, atol = subject.rtol, subject.atol
                assert_same(first, second, rtol=rtol, atol=atol, without=without)


@pytest.mark.parametrize("subject", QUICK, ids=lambda s: s.name)
def test_extreme_units_of_weights(subject):
    # What intervals and tests do with weights depends on their options.
    forms = subject.forms_for(2)
    compare(subject, 2, forms if subject.kind == "function" else forms[:1])


@pytest.mark.slow
@pytest.mark.parametrize("subject", WEIGHTED, ids=lambda s: s.name)
def test_extreme_units_of_weights_with_every_option(subject):
    for n_classes in set(subject.classes) & {2, 3}:
        monotone = "monotone" if subject.name.endswith("AdaptiveCalibrator") else ""
        forms = [
            one
            for one in subject.forms_for(n_classes)
            if n_classes == 2 or not monotone or not one["calibrator"].monotone
        ]
        compare(subject, n_classes, forms)
