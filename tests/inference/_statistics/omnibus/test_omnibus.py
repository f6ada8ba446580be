"""The omnibus test: its parts, options, and what its result holds."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from sklearn_calib.inference import GivenDraws, calibration_test_score, check_calibration
from sklearn_calib.inference._pvalues import monte_carlo_pvalue
from sklearn_calib.metrics import ece
from tests.inference._data import binary_data, multiclass_data


def omnibus(*data, n_resamples=39, random_state=0, **options):
    return check_calibration(
        *data, statistic="omnibus", n_resamples=n_resamples, random_state=random_state, **options
    )


def names(result):
    return [part.name for part in result.parts]


def test_the_parts_suit_the_data():
    y, p, X = binary_data()
    assert names(omnibus(y, p)) == ["slope_score", "cox_score", "rank_skce"]
    assert names(omnibus(y, p, X)) == [
        "slope_score",
        "logistic_score",
        "feature_rank_skce",
        "rank_skce",
        "normalized_klce",
    ]
    y, p, X = multiclass_data()
    assert names(omnibus(y, p)) == ["temperature_score", "classwise_score", "skce", "kce"]
    assert "klce" in names(omnibus(y, p, X))
    assert names(omnibus(y, p, target="confidence")) == ["slope_score", "cox_score", "rank_skce"]


def test_each_part_is_the_test_by_that_statistic_on_the_same_draws():
    y, p, X = binary_data()
    for part in omnibus(y, p, X).parts:
        data = (y, p, X) if part.local else (y, p)
        alone = check_calibration(*data, statistic=part.name, n_resamples=39, random_state=0)
        assert_allclose(part.statistic, alone.statistic, rtol=1e-9)
        assert_allclose(part.pvalue, alone.pvalue, rtol=1e-12)
        assert part.pvalue <= part.adjusted_pvalue + 1e-12 or part.pvalue < 2 / 40


def test_the_pvalue_is_that_of_the_most_significant_part():
    y, p, X = multiclass_data()
    result = omnibus(y, p, X)
    assert_allclose(min(result.part_pvalues.values()), result.pvalue, rtol=1e-12)
    assert result.pvalue == monte_carlo_pvalue(result.statistic, result.null_distribution)


def test_the_draws_do_not_depend_on_their_batches(monkeypatch):
    y, p, X = binary_data()
    expected = omnibus(y, p, X)
    monkeypatch.setattr("sklearn_calib.inference._nulls.batches._BATCH_CELLS", 7 * y.size)
    result = omnibus(y, p, X)
    assert_allclose(result.null_distribution, expected.null_distribution, rtol=1e-7)
    assert result.part_pvalues == expected.part_pvalues


@pytest.mark.parametrize("make", [binary_data, multiclass_data])
def test_scaled_weights_and_renamed_classes_change_nothing(make):
    y, p, X = make()
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=y.size)
    expected = omnibus(y, p, X, sample_weight=weight)
    scaled = omnibus(y, p, X, sample_weight=1e-3 * weight)
    assert_allclose(scaled.null_distribution, expected.null_distribution, rtol=1e-7)
    labels = ["a", "b", "c"][: y.max() + 1]
    renamed = omnibus(np.array(labels)[y], p, X, sample_weight=weight, labels=labels)
    assert_allclose(renamed.null_distribution, expected.null_distribution, rtol=1e-12)


def test_units_of_the_features_do_not_matter():
    y, p, X = binary_data()
    expected = omnibus(y, p, X)
    result = omnibus(y, p, X * [1e6, 1e-3] + [5.0, -2.0])
    assert_allclose(result.null_distribution, expected.null_distribution, rtol=1e-6)


def test_parts_can_be_chosen():
    y, p, X = binary_data()
    chosen = ["cox_score", ("ece", {"n_bins": 5}), ("ece", {"n_bins": 10}), "klce"]
    result = omnibus(y, p, X, statistic_params={"parts": chosen})
    assert names(result) == ["cox_score", "ece_1", "ece_2", "klce"]
    alone = check_calibration(y, p, statistic="ece", statistic_params={"n_bins": 5}, n_resamples=9)
    assert_allclose(result.parts[1].statistic, alone.statistic)
    pairs = omnibus(y, p, statistic_params={"parts": [("ece", {"n_bins": 3}), ("skce", {})]})
    table = omnibus(y, p, statistic_params={"parts": {"ece": {"n_bins": 3}, "skce": {}}})
    assert table.parts == pairs.parts
    assert table.parts[0].statistic == ece(y, p, n_bins=3)
    single = omnibus(y, p, statistic_params={"parts": ["cox_score"]})
    alone = check_calibration(y, p, statistic="cox_score", n_resamples=39, random_state=0)
    assert_allclose(single.pvalue, alone.pvalue)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ("ece", "parts must be a list of statistics"),
        ([], "at least one statistic, got an empty list"),
        (["omnibus"], r"names of statistics, .* got 'omnibus'"),
        ([len], "names of statistics, .* got <built-in function len>"),
        ([("ece", 10)], r"names of statistics, .* got \('ece', 10\)"),
        ({"ece": {"edges": 3}}, r"parts sets \['edges'\], which statistic='ece' does not have"),
        ({"ece": 3}, "pairs of a name and a dict of options"),
        ([("ece", {"edges": 3})], r"parts sets \['edges'\], which statistic='ece' does not have"),
        (["klce"], "part 'klce' measures local calibration and needs X"),
    ],
)
def test_wrong_parts_are_refused(parts, message):
    y, p, _ = binary_data()
    with pytest.raises(ValueError, match=message):
        omnibus(y, p, statistic_params={"parts": parts})


@pytest.mark.parametrize(
    "null",
    ["permutation", "wild", "asymptotic", GivenDraws("wild", np.ones((3, 60)))],
)
def test_other_nulls_are_refused(null):
    y, p, _ = binary_data()
    with pytest.raises(ValueError, match="Use null='simulation'"):
        omnibus(y, p, null=null)


def test_a_target_without_parts_is_refused():
    y, p, _ = multiclass_data()
    with pytest.raises(ValueError, match="target must be one of 'auto', 'binary', 'confidence'"):
        omnibus(y, p, target="classwise")


def test_the_result_shows_its_parts_everywhere():
    y, p, X = binary_data()
    table = pd.DataFrame(X, columns=["age", "dose"])
    truth = np.clip(p + 0.3 * np.sign(X[:, 0]), 0, 1)
    y = (truth > 0.5).astype(int)
    result = omnibus(y, p, table, n_resamples=99)
    assert result.pvalue == 0.01
    assert "age" in result.finding
    assert "finding='not calibrated (p = 0.01): " in repr(result)
    assert "part_pvalues={'slope_score'" in repr(result)
    assert "age" in result._repr_html_()
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert content["parts"][1]["name"] == "logistic_score"
    assert min(part["adjusted_pvalue"] for part in content["parts"]) == 0.01
    frame = result.to_frame()
    assert frame.loc[0, "finding"] == result.finding
    other = check_calibration(y, p, n_resamples=9, random_state=0)
    assert other.parts is None
    assert other.finding is None
    assert "finding" not in repr(other)
    assert other.describe(0.5) == f"not calibrated (p = {other.pvalue:.3g})"


def test_cross_validation_takes_it_by_name():
    y, _, X = binary_data(n=90)
    result = calibration_test_score(
        LogisticRegression(), X, y, cv=2, statistic="omnibus", n_resamples=19, random_state=0
    )
    assert [fold.statistic_name for fold in result.fold_results] == ["omnibus"] * 2
    assert len(result.to_frame()) == 2


def test_a_calibrated_model_has_no_finding():
    y, p, _ = binary_data(n=400)
    result = omnibus(y, p)
    assert result.finding == (
        f"no sign of miscalibration (p = {result.pvalue:.3g}; a shift of "
        f"{result.detectable_error:.2g} is found in 80 % of samples)"
    )
    assert result.finding_at(0.05) == ""


@pytest.mark.slow
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(("make", "n"), [(binary_data, 20), (binary_data, 60)])
def test_level(make, n, local):
    """At level 10 %: within four standard errors above."""
    n_repeats, found = 200, 0
    for seed in range(n_repeats):
        y, p, X = make(n=n, seed=seed)
        result = omnibus(y, p, X if local else None, n_resamples=19, random_state=seed)
        found += result.pvalue <= 0.1
    assert found / n_repeats <= 0.1 + 4 * np.sqrt(0.1 * 0.9 / n_repeats)


def test_it_finds_a_slope_that_the_default_misses():
    rng = np.random.default_rng(3)
    z = rng.normal(-3.5, 1.0, size=3000)
    p = 1 / (1 + np.exp(-z))
    y = (rng.random(3000) < 1 / (1 + np.exp(3.5 - 0.5 * (z + 3.5)))).astype(int)
    result = omnibus(y, p, n_resamples=99)
    assert result.pvalue == 0.01
    assert "too extreme" in result.finding
    assert_array_equal(sorted(result.part_pvalues), ["cox_score", "rank_skce", "slope_score"])


@pytest.mark.parametrize("option", ["prob_bandwidth", "feature_bandwidth"])
def test_bandwidths_of_features_need_features(option):
    y, p, X = binary_data()
    with pytest.raises(ValueError, match=f"{option} belongs to the parts about features .* no X"):
        omnibus(y, p, **{option: 0.3})
    changed = omnibus(y, p, X, **{option: 0.3})
    assert names(changed) == names(omnibus(y, p, X))
    assert changed.parts[-1].statistic != omnibus(y, p, X).parts[-1].statistic


def test_similarity_of_categories_needs_features():
    y, p, _ = binary_data()
    with pytest.raises(ValueError, match="category_similarity belongs to the parts about features"):
        omnibus(y, p, statistic_params={"category_similarity": 0.5})
