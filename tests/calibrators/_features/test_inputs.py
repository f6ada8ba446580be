"""Which tables are read, and categories that stand in for one that was not seen."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone

from sklearn_calib._data.features import FeatureEncoder
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
