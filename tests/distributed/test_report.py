from functools import partial

import numpy as np
import pandas as pd
import pytest

from sklearn_calib import ReliabilityDisplay, calibration_report
from tests.distributed._rows import as_array, as_table


@pytest.fixture(params=[False, True], ids=["plain", "weighted"])
def rows(request):
    rng = np.random.default_rng(3)
    p = rng.beta(0.5, 1.0, size=1000)
    weight = rng.uniform(0.5, 2.0, size=1000) if request.param else None
    return (rng.random(1000) < p**1.2).astype(int), p, weight


def in_partitions(function, y, p, weight, make, **options):
    own = None if weight is None else make(weight)
    table = pd.DataFrame(p) if p.ndim == 2 else p
    return function(make(y), make(table), sample_weight=own, **options)


@pytest.mark.parametrize("make", [as_array, as_table])
def test_the_numbers_are_those_of_a_report_of_all_rows(rows, make):
    options = {"n_resamples": 39, "random_state": 2}
    expected = calibration_report(*rows[:2], sample_weight=rows[2], **options)
    found = in_partitions(calibration_report, *rows, make, **options)
    known = {row.name: row for row in expected.metrics}
    assert len(found.metrics) >= 5
    for row in found.metrics:
        if row.name == "kce" and rows[2] is not None:
            continue
        np.testing.assert_allclose(row[2:7], known[row.name][2:7], rtol=1e-9, atol=1e-15)
    for mine, theirs in zip(found.scores, expected.scores, strict=True):
        np.testing.assert_allclose(mine[1:4], theirs[1:4], rtol=1e-10)
    assert found.n_samples == 1000
    assert "Calibration errors" in found.to_html()


def test_draws_from_a_generator_do_not_depend_on_the_partitions(rows):
    found = []
    for sizes in ((400, 0, 1, 250, 0, 349), (1000,)):
        options = {"n_resamples": 39, "random_state": np.random.default_rng(5)}
        make = partial(as_table, sizes=sizes)
        found.append(in_partitions(calibration_report, *rows, make, **options))
    for mine, theirs in zip(*(one.metrics for one in found), strict=True):
        np.testing.assert_allclose(mine[2:7], theirs[2:7], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("options", [{}, {"n_bins": 5}, {"bins": [0.0, 0.1, 0.5, 1.0]}])
def test_the_diagram_is_that_of_all_rows(rows, options):
    pytest.importorskip("matplotlib").use("Agg")
    options = {**options, "strategy": "uniform", "random_state": 0}
    expected = ReliabilityDisplay.from_predictions(*rows[:2], sample_weight=rows[2], **options)
    found = in_partitions(ReliabilityDisplay.from_predictions, *rows, as_table, **options)
    for name in ("prob_true", "prob_pred", "count", "bin_edges", "few", "ece"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-10)
    tolerance = 1e-12 if rows[2] is None else 0.05  # drawn, where there are weights
    np.testing.assert_allclose(found.lower, expected.lower, atol=tolerance)
    np.testing.assert_allclose(found.upper, expected.upper, atol=tolerance)
    for name in ("interval", "alpha", "strategy", "target", "pos_label"):
        assert getattr(found, name) == getattr(expected, name)
    plain = in_partitions(ReliabilityDisplay.from_predictions, *rows, as_table, interval=None)
    assert plain.lower is None


def test_what_needs_all_rows_is_refused(rows):
    y, p, _ = rows
    for option in ({"strategy": "quantile"}, {"interval": "bootstrap"}, {"classes": 3}):
        with pytest.raises(ValueError, match=f"{next(iter(option))}=.* needs all rows at once"):
            in_partitions(ReliabilityDisplay.from_predictions, *rows, as_array, **option)
    for option in ({"X": as_array(p)}, {"groups": as_array(y)}, {"strategy": "quantile"}):
        with pytest.raises(ValueError, match="needs all rows at once"):
            in_partitions(calibration_report, *rows, as_array, **option)


@pytest.mark.parametrize(
    "option",
    [
        {"feature_names": ["age"]},
        {"max_interaction": 2},
        {"prob_bandwidth": 0.1},
        {"feature_bandwidth": np.array([0.5])},
        {"categorical_features": [0]},
        {"min_effective_size": 20},
        {"max_local_samples": 500},
    ],
    ids=lambda option: next(iter(option)),
)
def test_options_of_parts_that_are_not_there_are_refused(option):
    y, p = np.array([0, 1, 1]), np.array([0.2, 0.6, 0.7])
    with pytest.raises(ValueError, match=f"^{next(iter(option))} belongs to .* Leave it out"):
        in_partitions(calibration_report, y, p, None, partial(as_array, sizes=(2, 1)), **option)


def test_progress_is_told():
    y, p = np.array([0, 1, 1]), np.array([0.2, 0.6, 0.7])
    steps = []
    make = partial(as_array, sizes=(2, 1))
    options = {"n_resamples": 19, "verbose": steps.append, "max_local_samples": 20_000}
    in_partitions(calibration_report, y, p, None, make, **options)
    assert steps[0] == "counting the rows of 2 partitions"
    assert "adding up 3 rows of 2 partitions" in steps
