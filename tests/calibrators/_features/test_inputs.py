"""Which tables are read, and categories that stand in for one that was not seen."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from scipy.special import expit, logit
from sklearn.base import clone

from sklearn_calib import KernelRecalibrator
from sklearn_calib._data.features import FeatureEncoder
from sklearn_calib.calibrators._features.assembly import correct
from sklearn_calib.calibrators._features.inputs import InputMap


def test_an_unseen_category_is_each_category_with_its_share_of_training():
    """And a category that was seen stays what it is, in the first place of the list as well."""
    n = 60
    table = pd.DataFrame({"a": ["u", "u", "v"] * 20, "b": ["x", "y", "z", "z", "z"] * 12})
    features = FeatureEncoder("auto").fit(table).transform(table)
    base = np.full((n, 2), 0.5)
    inputs = InputMap("logit", True, []).fit(base, features, np.ones(n))
    known = inputs.transform(base[:2], features[:2])
    for column, share in ((0, [2 / 3, 1 / 3]), (1, [3 / 5, 1 / 5, 1 / 5])):
        codes, given = inputs.stand_ins([column])
        assert_allclose(given, share, rtol=1e-15)
        unseen = features.codes[:2].copy()
        unseen[:, column] = -1
        rows = replace(features[:2], codes=unseen)
        each = inputs.with_stand_ins(base[:2], rows, [column], codes)
        assert_array_equal(each.levels, np.repeat(unseen, len(share), axis=0))
        # Trees read the rank of a category by its size.
        assert_array_equal(each.trees[:, column - 2], [*range(len(share))] * 2)
        other = np.repeat(known.trees[:, -1 - column], len(share))
        assert_array_equal(each.trees[:, -1 - column], other)


def test_networks_can_read_probabilities_and_numbers_as_they_are():
    """Indicators are divided by their least scale at most, since theirs may be tiny."""
    table = pd.DataFrame({"age": [30.0, 50.0, 70.0, 90.0], "sex": ["m", "f", "m", "m"]})
    features = FeatureEncoder("auto").fit(table).transform(table)
    for base in (np.array([[0.1, 0.9], [0.4, 0.6], [0.5, 0.5], [0.8, 0.2]]), np.full((4, 4), 0.25)):
        inputs = InputMap("identity", False, []).fit(base, features, np.ones(4))
        network = inputs.transform(base, features).network
        seen = base[:, 1:] if base.shape[1] == 2 else base
        male = table.sex == "m"
        assert_array_equal(network, np.column_stack([np.ones(4), seen, table.age, male]))


@pytest.mark.parametrize("option", ["median", "scaled", 2.0, [2.0]])
def test_bandwidths_of_features_that_are_all_categories(option):
    """Any option may be given, one number a feature as well, but what is none is refused."""
    table = pd.DataFrame({"sex": ["m", "f", "m", "m"]})
    features = FeatureEncoder("auto").fit(table).transform(table)
    base = np.array([[0.1, 0.9], [0.4, 0.6], [0.5, 0.5], [0.8, 0.2]])
    inputs = InputMap("identity", False, []).fit(base, features, np.ones(4))
    network = inputs.transform(base, features).network
    own, of_inputs = inputs.bandwidths(network, features, option, np.ones(4))
    assert own.tolist() == [0.0]
    assert of_inputs == pytest.approx([0.35])  # of an indicator that is as it is
    for wrong in (0.0, "x", [-1.0], [1.0, 2.0]):
        with pytest.raises(ValueError, match="feature_bandwidth must be"):
            inputs.bandwidths(network, features, wrong, np.ones(4))


def test_a_series_of_bandwidths_is_matched_with_the_features_by_name():
    table = pd.DataFrame({"a": [0.1, 0.2, 0.4, 0.9], "b": [30.0, 50.5, 70.0, 90.0]})
    features = FeatureEncoder("from_dtype").fit(table).transform(table)
    base = np.array([[0.1, 0.9], [0.4, 0.6], [0.5, 0.5], [0.8, 0.2]])
    inputs = InputMap("logit", True, []).fit(base, features, np.ones(4))
    network = inputs.transform(base, features).network
    own, _ = inputs.bandwidths(network, features, pd.Series({"b": 2.0, "a": 1.0}), np.ones(4))
    assert own.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("method", ["fit", "predict_proba"])
def test_a_sparse_matrix_and_nothing_are_refused_as_by_other_calibrators(fitted, biased, method):
    S, y, _ = biased
    use = fitted.predict_proba if method == "predict_proba" else partial(clone(fitted).fit, y=y)
    with pytest.raises(TypeError, match=r"^S cannot be used.*Use '\.toarray\(\)'"):
        use(csr_matrix(S))
    with pytest.raises(ValueError, match=r"^S cannot be used\. Expected 2D array"):
        use(None)


@pytest.mark.parametrize("base", [np.full((4, 2), 0.5), np.full((4, 3), 1.0 / 3.0)])
def test_trees_are_told_which_columns_are_categories(base):
    """Their columns are log-odds, one for two classes, then numbers, and then categories."""
    number, category = [30.0, 50.0, 70.0, 90.0], ["m", "f", "m", "x"]
    outputs = 1 if base.shape[1] == 2 else 3
    for numbers in (0, 1, 2):
        for categories in (0, 1, 3):
            columns = {f"n{k}": number for k in range(numbers)}
            columns |= {f"c{k}": category for k in range(categories)}
            table = pd.DataFrame(columns, index=range(4))
            features = FeatureEncoder("auto").fit(table).transform(table) if columns else None
            inputs = InputMap("logit", True, []).fit(base, features, np.ones(4))
            expected = [False] * (outputs + numbers) + [True] * categories
            assert inputs.is_categorical.tolist() == expected
            assert inputs.transform(base, features).trees.shape == (4, len(expected))


def _table(n_sites, n_wards=4, n=800):
    """Return a table whose sites, of very different sizes, have different errors."""
    rng = np.random.default_rng(0)
    score, other = rng.normal(size=(2, n))
    size = 1.0 / np.arange(1, n_sites + 1)
    site = np.append(np.arange(n_sites), rng.choice(n_sites, n - n_sites, p=size / size.sum()))
    ward = rng.integers(0, n_wards, n)
    truth = expit(score + np.where(site % 3 == 0, 2.0, -1.0) * (other > 0) * (ward + 1) / 3)
    S = pd.DataFrame({"score": expit(score), "other": other})
    S["site"], S["ward"] = [f"s{k}" for k in site], [f"w{k}" for k in ward]
    return S, rng.random(n) < truth


def _shares(column):
    """Return the categories of a column with how often each occurs."""
    return column.value_counts(normalize=True).items()


@pytest.mark.parametrize("n_sites", [25, 90])
def test_the_mean_counts_each_category_as_often_as_it_occurs(n_sites):
    """A rare category counts little, but counts: no rounding, and no bound on their number."""
    S, y = _table(n_sites)
    model = KernelRecalibrator(
        proba_columns=["score"], early_stopping=False, max_iter=60, random_state=0
    ).fit(S, y)  # a correction by networks alone
    some = S[:20]

    def moved(**change):
        return logit(model.predict_proba(some.assign(**change))[:, 1])

    right = sum(share * moved(site=site) for site, share in _shares(S.site))
    assert_allclose(moved(site="new"), right, atol=1e-12)
    if n_sites == 25:  # all combinations, with the products of the shares
        right = sum(
            share * other * moved(site=site, ward=ward)
            for (site, share), (ward, other) in product(_shares(S.site), _shares(S.ward))
        )
        assert_allclose(moved(site="new", ward="new"), right, atol=1e-12)


class _Part:
    """A correction that looks up a number for the category that trees read, and for the effect."""

    def __init__(self, of_trees, of_effects):
        self.of_trees, self.of_effects = np.array(of_trees), np.array(of_effects)

    def correct(self, inputs):
        rank = np.nan_to_num(inputs.trees[:, -1], nan=-1.0).astype(int)
        return (self.of_trees[rank] + self.of_effects[inputs.levels[:, 0]])[:, np.newaxis]


def test_effects_of_categories_are_left_out_and_trees_take_the_mean():
    """By hand: the mean of 4, 0 and 8 with the shares 1/2, 3/8 and 1/8, and no effect."""
    table = pd.DataFrame({"site": ["b"] * 4 + ["a"] * 3 + ["c"]})
    encoder = FeatureEncoder("auto").fit(table)
    base = np.full((8, 2), 0.5)
    inputs = InputMap("logit", True, []).fit(base, encoder.transform(table), np.ones(8))
    part = _Part([4.0, 0.0, 8.0], [10.0, 20.0, 30.0, 0.0])  # by rank; by code, the last one: none
    rows = encoder.transform(pd.DataFrame({"site": ["new", "a", "c", "other"]}), unseen="code")
    output = correct({"trees": part}, inputs, base[:4], rows)
    assert_allclose(output.ravel(), [3.0, 10.0, 38.0, 3.0], rtol=1e-15)


def test_weights_count_as_rows():
    """A category of weight 3 is as frequent as one of three rows."""
    table = pd.DataFrame({"site": ["a", "b", "b", "c"]})
    features = FeatureEncoder("auto").fit(table).transform(table)
    inputs = InputMap("logit", True, []).fit(np.full((4, 2), 0.5), features, np.r_[3, 1, 1, 0.5])
    codes, share = inputs.stand_ins([0])
    assert codes.ravel().tolist() == [0, 1, 2]
    assert_allclose(share, np.array([6, 4, 1]) / 11, rtol=1e-15)


def test_many_categories_of_several_features_keep_their_shares_in_few_combinations():
    """Those that no part tells apart are one, and others are paired so that each has its share."""
    rng = np.random.default_rng(1)
    n, sizes = 3000, (900, 40, 7)
    columns = [np.append(np.arange(k), rng.geometric(0.1, n - k) % k) for k in sizes]
    table = pd.DataFrame({f"f{k}": [f"c{one}" for one in own] for k, own in enumerate(columns)})
    features = FeatureEncoder("auto").fit(table).transform(table)
    inputs = InputMap("logit", True, []).fit(np.full((n, 2), 0.5), features, np.ones(n))
    codes, share = inputs.stand_ins([0, 1, 2])
    assert len(codes) <= 400
    rank = features.codes.copy()
    for k, own in enumerate(features.codes.T):
        rarer = np.argsort(-np.bincount(own), kind="stable")[60:]
        rank[np.isin(own, rarer), k] = rarer[0] if rarer.size else 0
        right = np.bincount(rank[:, k], minlength=sizes[k]) / n
        assert_allclose(np.bincount(codes[:, k], share, sizes[k]), right, atol=1e-14)
