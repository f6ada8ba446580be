"""Reports of rows in batches, against reports of the same rows in memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib import ReliabilityDisplay, calibration_report, check_calibration
from sklearn_calib._core.poisson_binomial import event_count_limits
from sklearn_calib._data.bins import bin_index, uniform_edges
from sklearn_calib._data.predictions import check_predictions
from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.display._drawing.event_counts import EventCounts
from sklearn_calib.inference._nulls.simulation import draw_labels
from sklearn_calib.metrics import ece
from sklearn_calib.metrics._metric import METRICS
from sklearn_calib.report._batches.collect import Extent
from sklearn_calib.report._batches.draws import DrawnLabels
from sklearn_calib.report._batches.result import report_rows
from sklearn_calib.report._batches.rows import BatchedRows


def _rows(kind, n=800):
    rng = np.random.default_rng(3)
    weight = rng.random(n) + 0.1 if "weights" in kind else None
    if "classes" in kind:
        p = rng.dirichlet(np.ones(3), n)
        return (p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1), p, weight
    p = rng.beta(0.5, 2, n)
    p[:3], p[3:5] = 0.0, 1.0
    p = np.round(p, 3) if "ties" in kind else p
    return (rng.random(n) < p**1.2).astype(int), p, weight


def _report(kind, size, **options):
    """Return the report of batches of a size."""
    y, p, weight = _rows(kind)
    rows = check_predictions(y, p, sample_weight=weight)
    own = np.ones(y.size) if weight is None else weight
    extent = Extent(y.size, rows.classes, own.sum(), (own**2).sum(), weight is not None)

    def batches():
        for start in range(0, y.size, size):
            yield rows.take(slice(start, start + size))

    return report_rows(BatchedRows(batches, extent), **{"n_resamples": 39, **options})


@pytest.mark.parametrize("size", [61, 800])
@pytest.mark.parametrize("kind", ["", "ties", "weights", "classes", "classes, weights"])
def test_the_numbers_are_those_of_tests_and_diagrams_in_memory(kind, size):
    y, p, weight = _rows(kind)
    report = _report(kind, size, random_state=4)
    assert len(report.metrics) >= 6
    for row in report.metrics:
        test = check_calibration(
            y,
            p,
            statistic=row.name,
            n_resamples=39,
            sample_weight=weight,
            random_state=4,
            statistic_params={"target": row.target},
        )
        expected = [
            test.statistic,
            test.expected,
            *np.quantile(test.null_distribution, [0.025, 0.975]),
        ]
        assert_allclose(row[2:6], expected, rtol=1e-12, atol=1e-12)
        assert row.pvalue == test.pvalue
    target = "confidence" if "classes" in kind else "binary"
    display = ReliabilityDisplay.from_predictions(
        y,
        p,
        n_bins=15,
        strategy="uniform",
        target=target,
        n_resamples=39,
        sample_weight=weight,
        random_state=4,
    )
    ours = report.displays["reliability"]
    for name in ("prob_true", "prob_pred", "count", "lower", "upper", "bin_edges", "few", "ece"):
        assert_allclose(getattr(ours, name), getattr(display, name), rtol=1e-12, atol=1e-12)
    assert ours.count.dtype == display.count.dtype


@pytest.mark.parametrize(
    "kind",
    [
        "weights",
        pytest.param("ties", marks=pytest.mark.slow),
        pytest.param("classes", marks=pytest.mark.slow),
        pytest.param("classes, weights", marks=pytest.mark.slow),
    ],
)
def test_the_numbers_are_those_of_a_report_in_memory(kind):
    options = {"n_bins": 7, "bandwidth": 0.3, "alpha": 0.1, "random_state": 9, "n_resamples": 19}
    y, p, weight = _rows(kind)
    memory = calibration_report(y, p, sample_weight=weight, **options)
    batches = _report(kind, 100, **options)
    theirs = {row.name: row for row in memory.metrics}
    for row in batches.metrics:
        assert row[:2] == theirs[row.name][:2]
        assert_allclose(row[2:], theirs[row.name][2:], rtol=1e-12, atol=1e-12)
    for row, other in zip(batches.scores, memory.scores, strict=True):
        assert row.name == other.name
        assert_allclose(row[1:], other[1:], rtol=1e-12)
    ours, full = batches.to_dict(), memory.to_dict()
    assert set(ours) < set(full)
    assert ours["reliability"].keys() == full["reliability"].keys()
    for name, values in ours["reliability"].items():
        assert_allclose(values, full["reliability"][name], rtol=1e-12, atol=1e-12)
        assert [type(one) for one in values] == [type(one) for one in full["reliability"][name]]
    for name in ("n_samples", "n_classes", "classes", "alpha", "n_resamples"):
        assert ours[name] == full[name]
    names = {row.name for row in memory.metrics} - {row.name for row in batches.metrics}
    left_out = [METRICS[name].label for name in theirs if name in names]
    assert f"left out: {', '.join(left_out)}, the omnibus test" in batches.notes[-1]
    page = batches.to_html()
    assert '<p class="verdict">' in batches._repr_html_()  # in a notebook as well
    assert page.count("data:image/") == 1
    picture, guide = page.index("data:image/"), page.index("Reading the pictures")
    assert picture < guide < page.index("Calibration errors")
    assert f"{memory.metrics[0].value:.4f}" in page


def test_automatic_bins_count_the_effective_rows():
    y, p, weight = _rows("weights")
    value = _report("weights", 100, n_bins="auto").metrics[0].value
    assert_allclose(value, ece(y, p, n_bins="auto", sample_weight=weight), rtol=1e-12)


def test_the_verdict_is_that_of_the_smallest_pvalue():
    batches = _report("", 200)
    test = batches.tests["errors together"]
    assert test["pvalue"] == min(test["adjusted"].values())
    single = {row.name: row.pvalue for row in batches.metrics}
    assert all(test["adjusted"][name] >= single[name] - 1e-12 for name in single)
    assert f"p = {test['pvalue']:.3g}" in batches.verdict
    rows = BatchedRows(
        lambda: iter([check_predictions(np.arange(300) % 2, np.full(300, 0.7))]),
        Extent(300, np.array([0, 1]), 300.0, 300.0, False),
    )
    worse = report_rows(rows, n_resamples=39)
    assert worse.verdict.startswith("The predictions are not calibrated (p = 0.025, 300 rows")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_draws_in_pieces_are_those_of_all_rows(n_classes):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(n_classes), 100)
    rows = check_predictions(np.arange(100) % n_classes, proba)
    whole = draw_labels(check_generator(5), proba, 7)
    pieces = [
        DrawnLabels(5, 100, 7, part.start).codes(rows.take(part))
        for part in (slice(0, 13), slice(13, 14), slice(14, 100))
    ]
    assert_array_equal(np.vstack(pieces)[:, 1:], whole)
    assert_array_equal(np.vstack(pieces)[:, 0], rows.codes)


@pytest.mark.parametrize("n", [3, 40, 3000])
def test_the_band_of_the_diagram_is_exact_whatever_the_batches(n):
    rng = np.random.default_rng(n)
    p = rng.beta(0.3, 1.0, n)
    rows = check_predictions(rng.integers(0, 2, n), p)
    edges = uniform_edges(4)
    parts = [rows.take(slice(start, start + 170)) for start in range(0, n, 170)]
    first, *others = [EventCounts.of(part, edges, "binary") for part in parts]
    counts = sum(others, first)
    index = bin_index(p, edges)
    for level in (0.025, 0.0005):
        expected = [event_count_limits(p[index == k], level) for k in np.unique(index)]
        assert_array_equal(counts.limits(level), np.transpose(expected))


def test_too_few_draws_are_refused():
    with pytest.raises(ValueError, match="n_resamples"):
        _report("", 100, alpha=0.001)
