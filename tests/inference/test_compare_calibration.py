"""Comparing models: values, differences, words, infinite losses, inputs, level and power."""

from functools import partial

import numpy as np
import pandas as pd
import polars
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from sklearn.metrics import brier_score_loss, log_loss

from benchmarks.comparison_study import outcomes, true_differences
from benchmarks.level_study import bounds
from sklearn_calib import check_calibration, compare_calibration, metrics
from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.metrics import ece, klce, skce
from tests.inference._data import binary_data, multiclass_data

FEW = {"n_resamples": 39, "random_state": 0, "statistic": None}


def two_models(n=300, seed=0):
    """A right model, and one that knows less and is right on average."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n)
    truth = expit(1.5 * score)
    y = (rng.random(n) < truth).astype(int)
    return y, {"coarse": np.where(score > 0, 0.7, 0.3), "fine": truth}


def of(result, measure):
    (found,) = [one for one in result.differences if one.measure == measure]
    return found


def test_values_are_those_of_scikit_learn_and_the_metrics():
    y, models = two_models()
    result = compare_calibration(y, models, metrics=["ece", "skce"], **FEW)
    for name, p in models.items():
        assert_allclose(result.values[name]["log_loss"], log_loss(y, p), rtol=1e-12)
        assert_allclose(result.values[name]["brier"], brier_score_loss(y, p), rtol=1e-12)
        assert result.values[name]["ece"] == ece(y, p)
        assert_allclose(result.values[name]["skce"], skce(y, p), rtol=1e-12)
    one = of(result, "log_loss")
    assert (one.first, one.second, one.label) == ("coarse", "fine", "log loss")
    assert_allclose(one.difference, one.second_value - one.first_value, rtol=1e-12)
    assert one.low <= one.difference <= one.high


def test_several_classes_and_weights():
    y, proba, _ = multiclass_data(120)
    flat = 0.5 * proba + 0.5 / 3
    w = np.random.default_rng(0).uniform(0, 2, size=120)
    w[:5] = 0
    result = compare_calibration(y, {"a": proba, "b": flat}, sample_weight=w, **FEW)
    for name, p in (("a", proba), ("b", flat)):
        values = result.values[name]
        assert_allclose(values["log_loss"], log_loss(y, p, sample_weight=w), rtol=1e-12)
        brier = brier_score_loss(y, p, sample_weight=w, labels=[0, 1, 2])
        assert_allclose(values["brier"], brier, rtol=1e-12)
        assert_allclose(values["ece"], ece(y, p, sample_weight=w), rtol=1e-12)
    assert result.n_samples == 115
    kept = w > 0
    again = compare_calibration(
        y[kept], {"a": proba[kept], "b": flat[kept]}, sample_weight=5 * w[kept], **FEW
    )
    assert_allclose(of(again, "brier").low, of(result, "brier").low, rtol=1e-9)


def test_the_better_model_is_not_given_up_because_a_test_rejects_it():
    """Log loss .56 and miscalibrated against .66 and right on average: the first one is better."""
    rng = np.random.default_rng(0)
    known, hidden = rng.normal(size=(2, 2000))
    truth = expit(known + hidden)
    y = (rng.random(2000) < truth).astype(int)
    rate = np.array([y[hidden > 0].mean(), y[hidden <= 0].mean()])
    models = {"cautious": np.where(hidden > 0, *rate), "sharp": expit(1.5 * logit(truth))}
    result = compare_calibration(y, models, n_resamples=199, random_state=0)
    test = check_calibration(
        y, models["sharp"], statistic="omnibus", n_resamples=199, random_state=0
    )
    assert test.pvalue <= 0.05
    assert result.best == "sharp"
    assert result.calibration_pvalues["sharp"] <= 0.05 < result.calibration_pvalues["cautious"]
    words = result.verdict
    assert str(result) == words
    assert words.startswith("sharp is better than cautious: its log loss is lower by 0.")
    assert "(95 % interval 0." in words
    assert ", p = 0.005)" in words
    assert ", although its ECE is higher by 0." in words
    assert words.endswith(
        "A test finds sharp miscalibrated (p = 0.005), but not cautious. That is a reason to "
        "recalibrate sharp, not to give it up."
    )


def test_words_for_models_that_cannot_be_told_apart():
    y, models = two_models(30)
    p = models["fine"]
    result = compare_calibration(y, {"a": p, "b": p + 1e-3 * np.sin(np.arange(30))}, **FEW)
    assert "cannot be told apart by the log loss" in result.verdict
    same = compare_calibration(y, {"a": p, "b": p}, **FEW)
    assert same.verdict == "a and b have the same log loss."
    assert all(one.pvalue == 1.0 and one.difference == 0.0 for one in same.differences)
    assert (of(same, "brier").low, of(same, "brier").high) == (0.0, 0.0)


def test_infinite_log_loss():
    """Probability zero for what happened: said in words, no p-value, the Brier score decides."""
    y, models = two_models(50)
    wrong = models["fine"].copy()
    wrong[:2] = 1.0 - y[:2]
    result = compare_calibration(y, {"fine": models["fine"], "wrong": wrong}, **FEW)
    one = of(result, "log_loss")
    assert one.difference == np.inf
    assert np.isnan([one.low, one.high, one.pvalue, one.adjusted_pvalue]).all()
    assert np.isfinite(of(result, "brier").pvalue)
    assert result.best == "fine"
    assert result.n_impossible == {"fine": 0, "wrong": 2}
    assert result.verdict.startswith(
        "The log loss of wrong is infinite: in 2 rows it gave probability zero to what happened. "
        "By the log loss, fine is better than wrong on these rows, without a p-value; its Brier "
        "score is lower by "
    )
    both = compare_calibration(y, {"a": wrong, "b": wrong}, **FEW)
    assert np.isnan(of(both, "log_loss").difference)
    assert of(both, "brier").pvalue == 1.0
    assert both.to_dict()["values"]["a"]["log_loss"] == "inf"
    assert both.verdict.endswith("a and b have the same Brier score.")


def test_if_every_log_loss_is_infinite_the_brier_score_decides():
    y, models = two_models(200)
    worse, better = 0.5 * models["fine"] + 0.1, models["fine"].copy()
    worse[0] = better[0] = 1 - y[0]
    result = compare_calibration(y, {"worse": worse, "better": better}, **FEW)
    assert result.best == "better"
    assert "better is better than worse: its Brier score is lower by" in result.verdict
    only = compare_calibration(y, {"a": worse, "b": better}, scores=["log_loss"], **FEW)
    assert "a and b cannot be compared by the log loss, which is not finite" in only.verdict


def test_words_for_errors():
    """A slope is further from one, not higher; and an error says which model is calibrated."""
    y, models = two_models(300)
    models = {"flat": 0.3 + 0.4 * models["fine"], "fine": models["fine"]}
    options = {**FEW, "scores": [], "metrics": ["calibration_slope"]}
    result = compare_calibration(y, models, **options)
    assert result.verdict.startswith(
        "fine is better calibrated than flat: its slope error is lower by"
    )
    slope = metrics.calibration_slope(y, models["flat"])
    assert_allclose(result.values["flat"]["calibration_slope"], slope - 1.0, rtol=1e-9)


def test_three_models_are_corrected_by_pairs():
    y, models = two_models(60)
    models["noisy"] = np.clip(models["fine"] + 0.1 * np.sin(np.arange(60)), 0.01, 0.99)
    options = {**FEW, "metrics": []}
    holm = compare_calibration(y, models, **options).to_frame().query("measure == 'brier'")
    plain = compare_calibration(y, models, correction="none", **options).to_frame()
    plain = plain.query("measure == 'brier'")
    assert [*zip(holm["first"], holm["second"])] == [
        ("coarse", "fine"),
        ("coarse", "noisy"),
        ("fine", "noisy"),
    ]
    assert_allclose(holm["pvalue"], plain["pvalue"])
    assert_allclose(plain["pvalue"], plain["adjusted_pvalue"])
    smallest = holm["pvalue"].idxmin()
    assert holm["adjusted_pvalue"][smallest] == min(1.0, 3 * holm["pvalue"][smallest])


def test_between_turns_the_sign():
    y, models = two_models(60)
    result = compare_calibration(y, models, **FEW)
    forwards, backwards = (result.between(*names)[0] for names in (models, [*models][::-1]))
    assert backwards.difference == -forwards.difference
    assert (backwards.low, backwards.high) == (-forwards.high, -forwards.low)
    assert (backwards.first, backwards.second_value) == ("fine", forwards.first_value)
    with pytest.raises(ValueError, match=r"two of the models \['coarse', 'fine'\], got 'x'"):
        result.between("x", "fine")


def test_forms_of_input():
    y, models = two_models(60)
    expected = compare_calibration(y, models, **FEW).to_frame()
    pairs = {name: np.column_stack([1 - p, p]) for name, p in models.items()}
    frames = {name: pd.DataFrame(p, columns=["1", "0"][::-1]) for name, p in pairs.items()}
    for given in (pairs, frames, pd.DataFrame(models), polars.DataFrame(models)):
        result = compare_calibration(y, given, **FEW).to_frame()
        pd.testing.assert_frame_equal(result, expected, rtol=1e-9)
    listed = compare_calibration(y, list(models.values()), **FEW)
    assert listed.models == ("model 0", "model 1")
    text = np.array(["no", "yes"])[y]
    named = compare_calibration(text, models, pos_label="yes", **FEW)
    assert named.values == compare_calibration(y, models, **FEW).values


def test_metrics_with_options_features_and_functions():
    y, p, X = binary_data(80)
    models = {"a": p, "b": 0.8 * p + 0.1}
    result = compare_calibration(
        y, models, X, scores=[], metrics=[ece, "klce"], metric_params={"ece": {"n_bins": 4}}, **FEW
    )
    assert result.values["b"] == {
        "ece": ece(y, models["b"], n_bins=4),
        "klce": pytest.approx(klce(y, models["b"], X), rel=1e-10),
    }
    assert result.best == min(models, key=lambda name: result.values[name]["ece"])


def test_each_model_is_tested_with_features():
    """Right on average and wrong on each side of a feature: only the local test finds it."""
    rng = np.random.default_rng(0)
    x, p = rng.choice([-1.0, 1.0], size=400), rng.uniform(0.3, 0.7, size=400)
    truth = p + 0.2 * x
    y = (rng.random(400) < truth).astype(int)
    options = {"n_resamples": 39, "random_state": 0, "metrics": []}
    plain = compare_calibration(y, {"blind": p, "right": truth}, **options)
    assert plain.calibration_pvalues["blind"] > 0.05
    local = compare_calibration(y, {"blind": p, "right": truth}, x, **options)
    assert local.calibration_pvalues["blind"] == 0.025
    assert local.calibration_pvalues["right"] > 0.05
    assert compare_calibration(y, [p, truth], statistic=None, **options).calibration_pvalues == {}


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_errors_by_loops(strategy):
    """The larger p-value and the wider interval of exchanged models and of resampled rows.

    Errors with bins that do not depend on the rows are computed in another way than others.
    """
    y, models = two_models(40)
    first, second = models.values()
    result = compare_calibration(
        y,
        models,
        scores=[],
        metric_params={"ece": {"strategy": strategy}},
        n_resamples=19,
        random_state=3,
        statistic=None,
        confidence_level=0.9,
    )
    ece = partial(metrics.ece, strategy=strategy)
    rng = check_generator(3)
    rows_rng = np.random.default_rng(rng.integers(2**63, size=4))
    observed = ece(y, second) - ece(y, first)
    exchanged = [
        ece(y, np.where(flip, first, second)) - ece(y, np.where(flip, second, first))
        for flip in rng.random((19, 40)) < 0.5
    ]
    chosen = [rows_rng.integers(40, size=40) for _ in range(19)]
    resampled = [ece(y[k], second[k]) - ece(y[k], first[k]) - observed for k in chosen]
    sizes = np.abs([exchanged, resampled])
    counts = np.count_nonzero(sizes >= abs(observed) - 1e-12, axis=1)
    (one,) = result.differences
    assert one.pvalue == (1 + counts.max()) / 20
    half = np.sort(sizes, axis=1)[:, -2].max()
    assert_allclose([one.low, one.high], [observed - half, observed + half], rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_probas": {"a": [0.1, 0.2, 0.3]}}, "at least two models, got 1"),
        ({"y_probas": 5}, "must be a dict of name to probabilities, a table .* got int"),
        (
            {"y_probas": {"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2]}},
            "The predictions of 'b' in y_probas: .*y_proba",
        ),
        ({"scores": ["auc"]}, r"scores must hold names out of \['log_loss', 'brier'\], got 'auc'"),
        ({"scores": "log_loss", "metrics": ["nothing"]}, "metrics must hold names out of"),
        ({"scores": [], "metrics": []}, "both empty"),
        ({"scores": ["brier", "brier"]}, "holds 'brier' twice"),
        ({"scores": 3}, "scores must be a list of names"),
        (
            {"metrics": [3]},
            r"metrics must hold names .* or be callables",
        ),
        (
            {"metrics": [sorted]},
            r"sorted\(y_true, y_proba\), which does not fit",
        ),
        (
            {"y_probas": {1: [0.1, 0.2, 0.3], "1": [0.1, 0.2, 0.4]}},
            r"names of the models must differ as texts, got \[1, '1'\]",
        ),
        ({"metric_params": {"mce": {}}}, r"options of \['mce'\], which metrics=\['ece'\] does not"),
        ({"metric_params": {"ece": {"width": 3}}}, r"sets \['width'\], which ece does not have"),
        ({"metrics": ["klce"]}, "need X, the features"),
        ({"X": [1, 2, 3], "statistic": None}, "Neither the metrics nor the test use X"),
        ({"correction": "fdr"}, "correction must be one of 'holm', 'bonferroni', 'none'"),
        ({"confidence_level": 1.0}, "confidence_level must be a finite number above 0 and below 1"),
        ({"n_resamples": 0}, "n_resamples must be a whole number of at least 1"),
        ({"statistic": "auc"}, "statistic must be one of"),
        ({"statistic": "klce"}, "statistic='klce' needs X"),
    ],
)
def test_malformed(change, message):
    arguments = {"y_true": [0, 1, 1], "y_probas": [[0.1, 0.2, 0.3], [0.2, 0.4, 0.6]], **change}
    with pytest.raises(ValueError, match=message):
        compare_calibration(**arguments)


def test_models_of_different_classes():
    y = np.array([0, 1, 1, 0])
    swapped = pd.DataFrame({"model": [0.1, 0.4, 0.6, 0.2]})
    three = np.full((4, 3), 1 / 3)
    with pytest.raises(ValueError, match="The predictions of 'b'"):
        compare_calibration(y, {"a": swapped["model"], "b": three})


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 50])
@pytest.mark.parametrize("models", ["same noise", "0.1 too high, 0.1 too low"])
def test_equally_good_models_are_told_apart_at_the_level(models, n):
    for row in outcomes(models, n, 300, ("log_loss", "brier"), n_resamples=99):
        assert row["told apart"] <= bounds(300)[1]
        assert row["covered"] >= 1 - bounds(300)[1]


@pytest.mark.slow
def test_exchangeable_errors_are_told_apart_at_the_level():
    (row,) = outcomes("same noise", 50, 100, ("ece",), n_resamples=39)
    assert row["told apart"] <= bounds(100)[1]


@pytest.mark.slow
def test_a_sharp_model_is_found_and_its_gain_is_covered():
    truth = true_differences("sharp and cautious")
    assert truth["log_loss"] > 0.1
    for row in outcomes("sharp and cautious", 200, 100, ("log_loss", "brier"), n_resamples=99):
        assert row["told apart"] >= 0.9
        assert row["covered"] >= 1 - bounds(100)[1]


@pytest.mark.slow
def test_errors_of_opposite_sign_are_not_told_apart():
    """Models that are 0.1 too high and 0.1 too low have the same error; a mixture has none."""
    (row,) = outcomes("0.1 too high, 0.1 too low", 200, 60, ("ece",), n_resamples=39)
    assert row["told apart"] <= bounds(60)[1]


@pytest.mark.parametrize("other", [["x", "z"], ["x", "y", "z"]])
def test_models_of_different_classes_are_refused(other):
    p = np.linspace(0.1, 0.9, 6)
    tables = {
        "a": pd.DataFrame({"x": 1 - p, "y": p}),
        "b": pd.DataFrame({name: (1 - p, p / 2, p / 2)[k] for k, name in enumerate(other)}),
    }
    tables["b"] = tables["b"].div(tables["b"].sum(axis=1), axis=0)
    with pytest.raises(
        ValueError, match=r"must predict the same classes.*'a' has \['x', 'y'\] and 'b' \['x', "
    ):
        compare_calibration(np.repeat("x", 6), tables, n_resamples=19)


def test_draws_in_which_both_models_have_an_infinite_slope_do_not_warn():
    p = np.array([0.25, 0.0, 1.0])
    result = compare_calibration(
        [1, 0, 0],
        {"one": p, "two": 0.5 * p + 0.25},
        metrics=["calibration_slope"],
        statistic=None,
        n_resamples=19,
        random_state=0,
    )
    assert result.n_samples == 3
