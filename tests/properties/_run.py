"""How a cell of the table is tried."""

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.properties._exceptions import EXEMPT
from tests.properties._outcomes import Refusal

# Numbers of examples for each cell, in a quick run and in a thorough one.
FEW, MANY = 3, 100


def cells(subjects, properties):
    """Return the cells in which a property is tried, as parameters of a test."""
    return [
        pytest.param(subject, prop, id=f"{subject.name}-{prop.name}")
        for subject in subjects
        for prop in properties
        if prop.rows_for(subject) is not None
        if not any(one.when is None and one.covers(subject, prop) for one in EXEMPT)
    ]


def run(subject, prop, n_examples, *, fixed=True, shrink=True):
    """Try a property of a callable on examples.

    Parameters
    ----------
    subject : Subject
    prop : Property
    n_examples : int
        How many examples, if the callable is quick.
    fixed : bool
        Whether the examples are the same each time.
    shrink : bool
        Whether to look for the smallest example that fails.
    """
    exempt = [one for one in EXEMPT if one.covers(subject, prop)]
    answered = []

    @settings(
        max_examples=max(1, n_examples // subject.cost),
        derandomize=fixed,
        database=None,
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data(), prop.rows_for(subject))
    def holds(data, rows):
        forms = [
            options
            for options in subject.forms_for(rows.n_classes)
            if not any(one.when(options, rows) for one in exempt)
        ]
        if not forms:
            return
        options = data.draw(st.sampled_from(forms))
        found = prop.check(subject, options, rows, data.draw)
        answered.append(not isinstance(found, Refusal))

    with np.errstate(over="ignore"):
        holds()
    assert any(answered) or n_examples <= FEW, "no example has given an answer"
