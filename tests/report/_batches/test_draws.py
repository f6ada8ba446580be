"""Labels drawn for one batch after the other are those that one stream draws for all rows."""

import numpy as np
import pytest

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.inference._nulls.simulation import draw_labels
from sklearn_calib.report._batches.draws import DrawnLabels


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "sizes",
    [(1, 2), (300, 700), (9000, 20_000, 1)],
    ids=["all draws at a time", "some draws at a time", "one draw in pieces"],
)
def test_batches_have_the_labels_of_all_rows(sizes, n_classes):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(n_classes), size=sum(sizes))
    predictions = check_predictions(
        rng.integers(0, n_classes, sum(sizes)), proba, labels=range(n_classes)
    )
    expected = draw_labels(check_generator(3), predictions.proba, 39)
    drawn, first = DrawnLabels(3, sum(sizes), 39), 0
    for size in sizes:
        part = predictions.take(slice(first, first + size))
        for own in (drawn, DrawnLabels(3, sum(sizes), 39, first)):
            codes = own.codes(part)
            np.testing.assert_array_equal(codes[:, 0], part.codes)
            np.testing.assert_array_equal(codes[:, 1:], expected[first : first + size])
        first += size
