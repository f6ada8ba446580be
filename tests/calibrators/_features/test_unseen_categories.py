"""A category that was not seen in training gets the mean over those that were seen."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit

from sklearn_calib import KernelRecalibrator
from sklearn_calib._data.features import FeatureEncoder
from sklearn_calib.calibrators._features.assembly import correct
from sklearn_calib.calibrators._features.inputs import InputMap


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
