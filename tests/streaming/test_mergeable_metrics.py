"""Every metric that declares itself mergeable gives the number of arrays.

The loop reads the descriptions, so that a new metric is in it without being listed.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from sklearn_calib import metrics
from sklearn_calib._data.predictions import check_predictions
from sklearn_calib._data.sums import NotMergeableError, Totals
from sklearn_calib.inference._statistics import statistic
from sklearn_calib.metrics._metric import METRICS
from sklearn_calib.streaming import CalibrationState
from tests.streaming._data import make_rows

# What options of these names must be for parts of the data to know them.
FIXED = {
    "kernel": "rbf",
    "bandwidth": 0.3,
    "locations": [0.0, 0.1, 0.5, 0.9],
    "bins": [0.0, 0.1, 0.35, 0.4, 0.8, 1.0],
}


def _in_any_order(described):
    """Tell whether rows may come in any order, and need not be sorted first."""
    if described.mergeable is None:
        return False
    fixed = {key: value for key, value in FIXED.items() if key in described.options}
    return described.mergeable(2, **{**described.options, **fixed}).sums.sorted_by is None


DESCRIBED = {
    name: one for name, one in {**METRICS, **statistic.STATISTICS}.items() if _in_any_order(one)
}


def options_of(name, **more):
    """Return options with which a metric can be merged."""
    allowed = DESCRIBED[name].options
    return {key: value for key, value in {**FIXED, **more}.items() if key in allowed}


def in_memory(name, rows, options):
    """Return the value of one array and the size of the terms that it adds up."""
    data = check_predictions(rows.y, rows.proba, sample_weight=rows.weight)
    described = DESCRIBED[name]
    return float(described.prepare(data, **{**described.options, **options})(data.codes)[0])


def merged_value(name, rows, options, n_batches):
    """Return the value and the bound of merged states of batches."""
    batches = np.array_split(np.arange(rows.y.size), n_batches)
    labels = np.unique(rows.y)
    states = [
        CalibrationState({name: options}, labels=labels).update(**rows.part(batch))
        for batch in batches
    ]
    total = sum(states[1:], start=states[0])
    return total.result()[name], total.bounds()[name]


def targets(name):
    """Return the targets for several classes with which a metric can be merged."""
    found = []
    for target in ("confidence", "classwise", "canonical", "top_label"):
        if "target" not in DESCRIBED[name].options:
            return [None]
        options = options_of(name, target=target)
        try:
            DESCRIBED[name].mergeable(3, **{**DESCRIBED[name].options, **options})
            found.append(target)
        except ValueError:
            pass
    return found


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", DESCRIBED)
def test_two_classes(name, weighted):
    rows = make_rows(2, 60, 0, weighted=weighted)
    value, bound = merged_value(name, rows, options_of(name), 5)
    expected = in_memory(name, rows, options_of(name))
    assert abs(value - expected) <= bound + 1e-12 * (1.0 + abs(expected))
    if bound == 0.0:
        assert_allclose(value, expected, rtol=1e-10)
    assert bound <= 0.05


@pytest.mark.parametrize(
    ("name", "target"), [(name, target) for name in DESCRIBED for target in targets(name)]
)
def test_three_classes(name, target):
    rows = make_rows(3, 60, 1, weighted=True)
    options = options_of(name) if target is None else options_of(name, target=target)
    value, bound = merged_value(name, rows, options, 4)
    expected = in_memory(name, rows, options)
    assert abs(value - expected) <= bound + 1e-12 * (1.0 + abs(expected))
    if bound == 0.0:
        assert_allclose(value, expected, rtol=1e-10)


def test_each_metric_has_a_target_for_several_classes():
    assert [name for name in DESCRIBED if not targets(name)] == []


@pytest.mark.parametrize("name", DESCRIBED)
def test_a_weight_is_as_many_rows_where_the_metric_says_so(name):
    """Where copies of rows give the value of weights in one array, they do when merged, too."""
    rows = make_rows(2, 60, 2, weighted=False)
    copies = np.random.default_rng(0).integers(0, 3, 60)
    copies[:4] = 2
    weighted = rows._replace(weight=copies.astype(float))
    repeated = np.repeat(np.arange(60), copies)
    repeated = rows._replace(y=rows.y[repeated], proba=rows.proba[repeated])
    options = options_of(name)
    in_arrays = [in_memory(name, one, options) for one in (weighted, repeated)]
    merged = [merged_value(name, one, options, 3)[0] for one in (weighted, repeated)]
    assert_allclose(np.diff(merged), np.diff(in_arrays), atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    borders=st.lists(st.integers(0, 40), max_size=5),
    weighted=st.booleans(),
)
def test_splits_and_orders_of_rows_are_not_visible(seed, borders, weighted):
    rows = make_rows(2, 40, seed, weighted=weighted)
    shuffled = np.random.default_rng(seed).permutation(40)
    asked = {name: options_of(name) for name in DESCRIBED}
    whole = CalibrationState(asked).update(**rows.part(slice(None)))
    parts = [
        CalibrationState(asked).update(**rows.part(part))
        for part in np.split(shuffled, sorted(borders))
    ]
    merged = parts[0]
    for one in parts[1:]:
        merged = one.merge(merged)
    expected = whole.result()
    for name, value in merged.result().items():
        assert_allclose(value, expected[name], rtol=1e-12, atol=1e-14, err_msg=name)


@pytest.mark.parametrize("name", DESCRIBED)
def test_sums_are_compared_by_kind_and_options(name):
    options = {**DESCRIBED[name].options, **options_of(name)}
    first, second = (DESCRIBED[name].mergeable(2, **options).sums for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    zero = first.zero()
    assert isinstance(zero, Totals)
    assert zero.high.shape == (first.size,)
    rows = make_rows(2, 20, 3, weighted=False)
    totals = first.of_batch(check_predictions(rows.y, rows.proba))
    assert totals.high.shape == zero.high.shape
    assert totals.least.shape == zero.least.shape


def test_binned_errors_share_one_table():
    state = CalibrationState(("ece", "mce", "average_calibration_error")).update([0, 1], [0.2, 0.7])
    assert len({one.sums for one in state._plan.merged.values()}) == 1


REFUSED = {
    "quantiles": ("ece", {"strategy": "quantile"}, "Give edges as bins="),
    "number of bins": ("mce", {"n_bins": "auto"}, "depends on the number of rows"),
    "Laplacian kernel": ("skce", {}, "take SortedSkceState"),
    "median": ("kce", {"bandwidth": "median"}, "Pass a number"),
    "narrow kernel": ("kce", {"bandwidth": 1e-4}, "at least 0.0005"),
    "order of rows": ("skce", {"kernel": "rbf", "estimator": "ul"}, "order of the rows"),
    "vectors": ("kce", {"target": "canonical"}, "'confidence' or 'classwise'"),
    "groups of equal size": ("hosmer_lemeshow", {}, "Give their edges as bins="),
    "locations": ("ucme", {}, "Give locations"),
    "median of ucme": ("ucme", {"locations": [0.5], "bandwidth": "median"}, "Pass a number"),
    "wrong option": ("ece", {"norm": "l3"}, "norm must be one of"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_options_that_depend_on_all_rows_are_refused_with_the_reason(case):
    name, options, words = REFUSED[case]
    with pytest.raises(ValueError, match=words) as error:
        CalibrationState({name: options})
    assert str(error.value).startswith(f"{name}: ")
    assert isinstance(error.value, NotMergeableError) == (case != "wrong option")


def test_metrics_without_sums_are_refused_by_name():
    with pytest.raises(NotMergeableError, match="'klce' is no function of sums") as error:
        CalibrationState("klce")
    assert "'skce'" in str(error.value)
    assert "'mmce'" not in str(error.value)
    with pytest.raises(NotMergeableError, match=r"mmce: kernel='laplacian'.*SortedSkceState"):
        CalibrationState("mmce")
    with pytest.raises(NotMergeableError, match="there is no metric 'eec'"):
        CalibrationState(("ece", "eec"))
    with pytest.raises(ValueError, match="'ece' has no option 'bin'"):
        CalibrationState({"ece": {"bin": 3}})
    with pytest.raises(TypeError, match=r"the options of 'ece' must be a mapping.*got 'n_bins'"):
        CalibrationState({"ece": "n_bins"})


def test_a_function_stands_for_its_name():
    assert CalibrationState((metrics.ece, "mce")).metrics == ("ece", "mce")
    assert CalibrationState(metrics.ece).metrics == ("ece",)
    with pytest.raises(TypeError, match="metrics must be names of metrics, got 3"):
        CalibrationState(3)
