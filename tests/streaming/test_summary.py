"""Calibrators fitted from summaries, against those fitted to the rows in memory."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from sklearn_calib.calibrators import (
    AdaptiveCalibrator,
    BetaCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    KernelRecalibrator,
    MatrixScalingCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
    PriorShiftCalibrator,
    TemperatureCalibrator,
    VennAbersCalibrator,
)
from sklearn_calib.streaming import CalibrationState, CalibrationSummary

from ._summary_data import SHAPES, binary_rows, mean_loss, several_rows

BOUNDED = [
    PlattCalibrator(input="probability"),
    TemperatureCalibrator(input="probability"),
    BetaCalibrator(),
    BetaCalibrator(monotone=False, smooth=True),
    BetaCalibrator(parameters="ab"),
    BetaCalibrator(parameters="am"),
    BetaCalibrator(eps=0.013),
    AdaptiveCalibrator(),
    AdaptiveCalibrator(monotone=True),
    HistogramCalibrator(n_bins=15),
    HistogramCalibrator(n_bins=13),
    HistogramCalibrator(n_bins="auto"),
    HistogramCalibrator(n_bins=7, strategy="quantile"),
    IsotonicCalibrator(),
    IsotonicCalibrator(pseudo_count=2.0),
]


def _summary(y, p, weight=None, **options):
    return CalibrationSummary(**options).update(y, p, sample_weight=weight)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("calibrator", BOUNDED, ids=str)
def test_the_loss_exceeds_that_of_the_fit_in_memory_by_less_than_the_bound(shape, calibrator):
    y, p, weight = binary_rows(shape)
    summary = _summary(y, p, weight)
    fitted = summary.fit(calibrator)
    in_memory = clone(calibrator).fit(p, y, sample_weight=weight)
    loss, bound, proved = summary.loss_bound(fitted)
    smoothed = (
        isinstance(calibrator, PlattCalibrator) or getattr(calibrator, "smooth", None) is True
    )
    assert proved or (isinstance(calibrator, AdaptiveCalibrator) and bound > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = mean_loss(loss, fitted, y, p, weight, smoothed) - mean_loss(
            loss, in_memory, y, p, weight, smoothed
        )
    assert gap <= bound + 1e-13
    assert bound < (5e-4 if loss == "log_loss" and proved else 0.05)


@pytest.mark.parametrize("name", ["platt", "temperature", "beta", "adaptive"])
def test_smooth_maps_are_those_of_the_fit_in_memory_to_five_digits(name):
    y, p, _ = binary_rows("normal", n=20_000)
    fitted = _summary(y, p).fit(name)
    in_memory = clone(fitted).fit(p, y)
    assert_allclose(fitted.predict_proba(p), in_memory.predict_proba(p), atol=2e-5)


@pytest.mark.parametrize("shape", ["forest", "extreme"])
@pytest.mark.parametrize("n_bins", [8, 10, 15, 20, 100])
def test_histograms_of_usual_bins_are_exact(shape, n_bins):
    y, p, weight = binary_rows(shape)
    summary = _summary(y, p, weight)
    fitted = summary.fit(HistogramCalibrator(n_bins=n_bins))
    in_memory = HistogramCalibrator(n_bins=n_bins).fit(p, y, sample_weight=weight)
    assert_allclose(fitted.bin_values_, in_memory.bin_values_, rtol=1e-12)
    assert summary.loss_bound(fitted).bound == 0.0


def test_a_histogram_of_other_bins_is_exact_if_its_edges_are_given():
    y, p, _ = binary_rows("normal")
    calibrator = HistogramCalibrator(n_bins=13)
    in_memory = clone(calibrator).fit(p, y)
    near = _summary(y, p)
    exact = _summary(y, p, edges=np.arange(14) / 13)
    assert near.loss_bound(near.fit(calibrator)).bound > 1e-5
    assert exact.loss_bound(exact.fit(calibrator)).bound == 0.0
    assert_allclose(exact.fit(calibrator).bin_values_, in_memory.bin_values_, rtol=1e-12)
    assert np.abs(near.fit(calibrator).bin_values_ - in_memory.bin_values_).max() > 1e-6


@pytest.mark.parametrize("calibrator", [*BOUNDED, VennAbersCalibrator()], ids=str)
def test_few_different_probabilities_lose_nothing(calibrator):
    y, p, _ = binary_rows("forest")
    fitted = _summary(y, p).fit(calibrator)
    in_memory = clone(calibrator).fit(p, y)
    assert_allclose(fitted.predict_proba(p), in_memory.predict_proba(p), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("resolution", [3, 16])
@pytest.mark.parametrize("calibrator", BOUNDED, ids=str)
def test_the_bound_holds_for_coarse_cells_and_shows_how_coarse_they_are(calibrator, resolution):
    y, p, _ = binary_rows("normal")
    summary = _summary(y, p, resolution=resolution)
    fitted, in_memory = summary.fit(calibrator), clone(calibrator).fit(p, y)
    loss, bound, _ = summary.loss_bound(fitted)
    smoothed = (
        isinstance(calibrator, PlattCalibrator) or getattr(calibrator, "smooth", None) is True
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = mean_loss(loss, fitted, y, p, None, smoothed) - mean_loss(
            loss, in_memory, y, p, None, smoothed
        )
    assert gap <= bound + 1e-13
    fine = _summary(y, p)
    assert bound >= fine.loss_bound(fine.fit(calibrator)).bound


def test_the_bound_of_a_line_is_an_eighth_of_the_squared_slope_times_the_variance_in_a_cell():
    # Two probabilities in one cell of width one, of which all rows are events or non-events.
    z = np.array([0.1, 0.6])
    p, y = np.tile(1 / (1 + np.exp(-z)), 4), np.repeat([0, 1], 4)
    summary = _summary(np.r_[y, 0, 1], np.r_[p, 0.05, 0.95], resolution=1)
    fitted = summary.fit("platt")
    extremes = 2 / 10  # rows that have a cell of their own
    # The edges k / 100 and k / 15 separate the two values.
    assert summary.loss_bound(fitted).bound == 0.0
    near = np.tile([0.5001, 0.5009], 4)
    summary = _summary(np.r_[y, 0, 1], np.r_[near, 0.05, 0.95], resolution=1)
    fitted = summary.fit("platt")
    variance = np.var(np.log(near / (1 - near)))
    expected = fitted.slope_**2 / 8 * variance * (1 - extremes)
    assert_allclose(summary.loss_bound(fitted).bound, expected, rtol=1e-6)


@pytest.mark.parametrize("shape", ["extreme", "rare", "normal"])
@pytest.mark.parametrize("name", ["platt", "temperature", "adaptive"])
def test_probabilities_are_clipped_where_the_fit_in_memory_clips_them(shape, name):
    y, p, weight = binary_rows(shape)
    fitted = _summary(y, p, weight).fit(name)
    assert fitted.floor_ == clone(fitted).fit(p, y, sample_weight=weight).floor_


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(SHAPES)))
def test_any_split_in_any_order_gives_the_same_calibrators(seed, shape):
    y, p, weight = binary_rows(shape, n=600)
    weight = np.random.default_rng(1).random(600) if weight is None else weight
    rng = np.random.default_rng(seed)
    parts = np.array_split(rng.permutation(600), rng.integers(1, 9))
    pool = [_summary(y[rows], p[rows], weight[rows], labels=[0, 1]) for rows in parts]
    while len(pool) > 1:
        one, other = (pool.pop(rng.integers(len(pool))) for _ in range(2))
        pool.append(one.merge(other))
    whole = _summary(y, p, weight, labels=[0, 1])
    for calibrator in ("platt", "beta", "isotonic", "adaptive", HistogramCalibrator(n_bins=13)):
        assert_allclose(
            pool[0].fit(calibrator).predict_proba(p),
            whole.fit(calibrator).predict_proba(p),
            rtol=1e-12,
            atol=1e-12,
        )
    assert pool[0].n_samples == 600


@pytest.mark.parametrize("name", ["platt", "beta", "isotonic", "histogram", "adaptive"])
def test_a_row_of_weight_three_is_three_rows(name):
    y, p, _ = binary_rows("normal", n=500)
    times = np.random.default_rng(2).integers(0, 4, 500)
    weighted = _summary(y, p, times).fit(name)
    repeated = _summary(np.repeat(y, times), np.repeat(p, times)).fit(name)
    tolerance = 1e-5 if name == "adaptive" else 1e-10  # where the search for strengths stops
    assert_allclose(
        weighted.predict_proba(p), repeated.predict_proba(p), rtol=tolerance, atol=tolerance
    )


def test_adaptive_sees_the_weights_of_all_rows_and_not_the_number_of_cells():
    # A true slope of 0.97 is invisible in 200 rows and plain in two million.
    z = np.linspace(-3, 3, 101)
    p, rate = 1 / (1 + np.exp(-z)), 1 / (1 + np.exp(-0.97 * z))
    y = np.repeat([0, 1], p.size)
    share = np.r_[1 - rate, rate]
    slopes = [
        _summary(y, np.tile(p, 2), n * share / p.size).fit("adaptive").slope_ for n in (200, 2e6)
    ]
    assert slopes[0] > 0.995
    assert_allclose(slopes[1], 0.97, atol=2e-3)


@pytest.mark.parametrize("n_columns", [1, 2])
def test_a_calibrator_takes_as_many_columns_as_the_summary_did(n_columns):
    y, p, _ = binary_rows("normal", n=500)
    proba = p if n_columns == 1 else np.column_stack([1 - p, p])
    for name in ("platt", "isotonic", "adaptive"):
        fitted = _summary(y, proba).fit(name)
        assert fitted.n_features_in_ == n_columns
        assert fitted.predict_proba(proba).shape == (500, 2)
    both = OneVsRestCalibrator("isotonic")
    summary = _summary(y, proba)
    fitted = summary.fit(both)
    assert len(fitted.calibrators_) == n_columns
    one = summary.loss_bound(summary.fit("isotonic")).bound
    assert_allclose(summary.loss_bound(fitted).bound, n_columns * one, rtol=1e-6)


@pytest.mark.parametrize("labels", [[-1, 1], ["no", "yes"], [False, True]])
def test_labels_of_any_kind_are_those_of_the_calibrator(labels):
    y, p, _ = binary_rows("normal", n=300)
    fitted = _summary(np.array(labels)[y], p, labels=labels).fit("platt")
    assert_array_equal(fitted.classes_, labels)
    again = CalibrationSummary.from_json(
        _summary(np.array(labels)[y], p, labels=labels).to_json()
    ).fit("platt")
    assert_array_equal(again.classes_, labels)
    assert again.classes_.dtype == fitted.classes_.dtype


@pytest.mark.parametrize("name", ["platt", "beta", "isotonic", "histogram", "temperature"])
def test_one_against_the_rest_of_several_classes(name):
    y, proba, weight = several_rows()
    calibrator = OneVsRestCalibrator(name, input="probability")
    summary = _summary(y, proba, weight)
    fitted, in_memory = summary.fit(calibrator), clone(calibrator).fit(proba, y, weight)
    loss, bound, proved = summary.loss_bound(fitted)
    gap = 0.0
    for k, (one, other) in enumerate(zip(fitted.calibrators_, in_memory.calibrators_)):
        hit = (y == fitted.classes_[k]).astype(int)
        S = (
            np.log(proba[:, k] / (1 - proba[:, k]))
            if name in ("platt", "temperature")
            else proba[:, k]
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            gap += mean_loss(loss, one, hit, S, weight, name == "platt")
            gap -= mean_loss(loss, other, hit, S, weight, name == "platt")
    assert proved
    assert gap <= bound + 1e-12
    if name in ("platt", "temperature"):
        assert fitted.floor_ == in_memory.floor_
    assert_allclose(
        fitted.predict_proba(proba),
        in_memory.predict_proba(proba),
        atol=0.05 if name == "isotonic" else 1e-4,
    )


@pytest.mark.parametrize("name", ["temperature", "matrix_scaling", "vector_scaling"])
def test_a_sample_of_all_rows_is_exact(name):
    y, proba, weight = several_rows(n=800)
    y, proba, weight = (np.concatenate([part, part[:200]]) for part in (y, proba, weight))
    summary = _summary(y, proba, weight, sample_size=4000)
    fitted = summary.fit(name)
    in_memory = clone(fitted).fit(proba, y, sample_weight=weight)
    assert_allclose(fitted.predict_proba(proba), in_memory.predict_proba(proba), atol=1e-8)
    assert summary.loss_bound(fitted).bound == 0.0


def test_a_sample_of_some_rows_has_the_weights_of_all_and_the_loss_that_is_expected():
    y, proba, weight = several_rows(n=6000)
    summary = _summary(y, proba, weight, sample_size=800)
    shift = summary.fit(PriorShiftCalibrator())
    share = [np.sum(weight[y == label]) / np.sum(weight) for label in "abcd"]
    assert_allclose(shift.source_prevalence_, share, rtol=1e-12)
    fitted = summary.fit("matrix_scaling")
    in_memory = MatrixScalingCalibrator().fit(proba, y, sample_weight=weight)

    def loss(calibrator):
        p = calibrator.predict_proba(proba)[np.arange(6000), np.searchsorted(list("abcd"), y)]
        return -np.average(np.log(p), weights=weight)

    _, bound, proved = summary.loss_bound(fitted)
    # The loss over a sample of 800 rows exceeds the best one by about chi squared(20) / 1600.
    assert not proved
    assert 0 < loss(fitted) - loss(in_memory) < 2.5 * bound


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_sample_does_not_depend_on_order_and_split(seed):
    y, proba, weight = several_rows(n=600)
    y, proba, weight = (np.concatenate([part, part[:100]]) for part in (y, proba, weight))
    rng = np.random.default_rng(seed)
    options = {"sample_size": 120, "labels": list("abcd")}
    parts = np.array_split(rng.permutation(700), rng.integers(2, 7))
    split = sum(_summary(y[rows], proba[rows], weight[rows], **options) for rows in parts)
    whole = _summary(y, proba, weight, **options)
    for name in ("temperature", "isotonic"):
        assert_allclose(
            split.fit(name).predict_proba(proba), whole.fit(name).predict_proba(proba), rtol=1e-12
        )


def test_another_seed_draws_another_sample():
    y, proba, _ = several_rows(n=2000)
    fits = [_summary(y, proba, sample_size=100, random_state=k).fit("temperature") for k in (0, 1)]
    assert fits[0].temperature_ != fits[1].temperature_


def test_a_document_holds_every_bit():
    y, proba, weight = several_rows(n=500)
    for summary in (
        CalibrationSummary(),
        _summary(*binary_rows("extreme", n=500)),
        _summary(*binary_rows("single precision", n=500), resolution=16, edges=[0.123]),
        _summary(y, proba, weight, sample_size=60, random_state=5),
    ):
        again = CalibrationSummary.from_json(summary.to_json())
        assert again.to_json() == summary.to_json()
        assert repr(again) == repr(summary)
        if summary.n_samples:
            merged = again.merge(summary)
            assert merged.n_samples == 2 * summary.n_samples


def test_documents_of_others_are_refused():
    summary = _summary([0, 1, 1], [0.2, 0.6, 0.7])
    document = json.loads(summary.to_json())
    with pytest.raises(ValueError, match="CalibrationState"):
        CalibrationSummary.from_json(CalibrationState().to_json())
    with pytest.raises(ValueError, match="CalibrationSummary"):
        CalibrationState.from_json(summary.to_json())
    with pytest.raises(ValueError, match="version"):
        CalibrationSummary.from_json(json.dumps({**document, "version": 99}))
    document["content"]["columns"][0]["totals"][0][1][0] = 7.0
    with pytest.raises(ValueError, match="checksum"):
        CalibrationSummary.from_json(json.dumps(document))


def test_the_size_does_not_depend_on_the_number_of_rows():
    rng = np.random.default_rng(0)
    summary = CalibrationSummary()
    for _ in range(4):
        p = rng.uniform(0.01, 0.99, 20_000)
        summary.update(rng.random(20_000) < p, p)
    # Log-odds from -4.6 to 4.6 have 1178 cells; the edges k / 100, k / 15 and k / 8 cut 110 more.
    n_cells = int(repr(summary).split("n_cells=")[1].rstrip(")"))
    assert summary.n_samples == 80_000
    assert 1250 < n_cells <= 1288


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda s: s.fit(PlattCalibrator()), ValueError, "input='probability'"),
        (lambda s: s.fit(KernelRecalibrator()), ValueError, "features"),
        (lambda s: s.fit("plat"), ValueError, "platt"),
        (lambda s: s.fit(7), TypeError, "predict_proba"),
        (lambda s: s.loss_bound(s.fit("venn_abers")), ValueError, "IsotonicCalibrator"),
        (lambda s: s.loss_bound(IsotonicCalibrator()), ValueError, "not fitted"),
        (lambda s: s.merge(CalibrationState()), TypeError, "CalibrationSummary"),
        (lambda s: s.merge(CalibrationSummary(resolution=64)), ValueError, "resolution"),
        (lambda s: s.merge(CalibrationSummary(edges=[0.3])), ValueError, "edges"),
        (lambda s: s.merge(CalibrationSummary(labels=[0, 1])), ValueError, "labels"),
        (lambda s: s.update([1], [[0.5, 0.5]]), ValueError, "2 columns"),
        (lambda s: s.update([1], [1.5]), ValueError, "probabilities"),
        (lambda s: s.update([2], [0.5]), ValueError, "label"),
        (lambda s: CalibrationSummary().fit("platt"), ValueError, "no rows"),
        (lambda s: CalibrationSummary(resolution=0), ValueError, "resolution"),
        (lambda s: CalibrationSummary(edges=[1.2]), ValueError, "edges"),
        (lambda s: CalibrationSummary(sample_size=0), ValueError, "sample_size"),
        (lambda s: CalibrationSummary(random_state=-1), ValueError, "random_state"),
        (lambda s: CalibrationSummary().update([1, 1], [0.4, 0.5]).fit(), ValueError, "class"),
    ],
)
def test_refusals_say_what_to_do(call, error, words):
    summary = _summary([0, 1, 1], [0.2, 0.6, 0.7])
    before = summary.to_json()
    with pytest.raises(error, match=words):
        call(summary)
    assert summary.to_json() == before


def test_a_missing_class_of_several_is_named():
    y, proba, _ = several_rows(n=200)
    kept = y != "c"
    summary = _summary(y[kept], proba[kept], labels=list("abcd"))
    with pytest.raises(ValueError, match="'c'"):
        summary.fit("isotonic")
    with pytest.raises(ValueError, match="class"):
        summary.fit("temperature")
