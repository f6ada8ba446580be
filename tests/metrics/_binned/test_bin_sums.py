"""Sums over rows give the error of repeated and of exchanged rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import metrics
from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.metrics._metric import METRICS
from tests.metrics._registry import binary_data, multiclass_data

FORMS = [
    ("ece", {}),
    ("ece", {"norm": "l2"}),
    ("ece", {"debiased": True}),
    ("ece", {"debiased": True, "squared": True}),
    ("ece", {"squared": True, "closed": "right"}),
    ("ece", {"bins": [0, 0.25, 0.5, 1]}),
    ("ece", {"target": "top_label"}),
    ("ece", {"target": "classwise", "norm": "max"}),
    ("mce", {"n_bins": 6}),
    ("average_calibration_error", {}),
    ("overconfidence", {}),
    ("underconfidence", {"by_confidence": True}),
]


def _sums(y, proba, weight, name, options):
    predictions = check_predictions(y, proba, sample_weight=weight)
    return METRICS[name].prepare(predictions, **{**METRICS[name].options, **options}).sums_of_rows


@pytest.mark.parametrize(("name", "options"), FORMS)
@pytest.mark.parametrize("data", [binary_data, multiclass_data])
@pytest.mark.parametrize("weighted", [False, True])
def test_repeated_rows(name, options, data, weighted):
    y, proba = data()
    rng = np.random.default_rng(0)
    w = rng.uniform(0.1, 3.0, 40) if weighted else None
    sums = _sums(y, proba, w, name, options)
    count = rng.poisson(1.0, (5, 40))
    count[-1] = np.arange(40) == 7
    found = sums.of_sums(count.astype(float) @ sums.terms())
    classes = np.unique(y)
    for copies, value in zip(count, found, strict=True):
        rows = np.repeat(np.arange(40), copies)
        of_copies = getattr(metrics, name)(
            y[rows],
            proba[rows],
            sample_weight=None if w is None else w[rows],
            labels=classes,
            **options,
        )
        assert_allclose(value, of_copies, rtol=1e-9, atol=1e-12)


def test_exchanged_rows():
    """Of two models; a bin that an exchange has emptied counts as empty."""
    y, first = multiclass_data()
    second = 0.5 * first + 0.5 * first[::-1]
    terms = [_sums(y, one, None, "mce", {}).terms() for one in (first, second)]
    flip = np.random.default_rng(0).random((20, 40)) < 0.5
    found = _sums(y, first, None, "mce", {}).of_sums(
        (~flip).astype(float) @ terms[0] + flip.astype(float) @ terms[1]
    )
    expected = [metrics.mce(y, np.where(one[:, np.newaxis], second, first)) for one in flip]
    assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "fixed"),
    [
        ({}, True),
        ({"strategy": "quantile"}, False),
        ({"n_bins": "auto"}, False),
        ({"bins": [0, 0.5, 1]}, True),
    ],
)
def test_bins_that_depend_on_the_rows_have_no_sums(options, fixed):
    """The number of weighted rows, and so of automatic bins, is not that of other rows."""
    y, proba = binary_data()
    sums = _sums(y, proba, np.linspace(1, 2, 40), "ece", options)
    assert (sums is not None) == fixed
