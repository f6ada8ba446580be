"""Features become numbers and categories by the documented rule."""

import numpy as np
import pandas as pd
import pytest

from sklearn_calib._data.features import FeatureEncoder


def kinds(X, **options):
    """Return "number" or the categories for each feature."""
    encoder = FeatureEncoder(**options).fit(X)
    return [encoder.categories(k) or "number" for k in range(encoder.n_features)]


def test_whole_numbers_with_few_values_are_categories():
    rng = np.random.default_rng(0)
    n = 200
    X = pd.DataFrame(
        {
            "two": rng.integers(2, size=n),
            "ten": np.arange(n) % 10,
            "ten as floats": np.arange(n) % 10 * 1.0,
            "eleven": np.arange(n) % 11,
            "fractions": rng.integers(2, size=n) / 2,
        }
    )
    digits = tuple(map(str, range(10)))
    assert kinds(X) == [("0", "1"), digits, digits, "number", "number"]
    assert kinds(X[:199]) == [("0", "1"), "number", "number", "number", "number"]
    assert kinds(X, categorical_features="from_dtype") == ["number"] * 5
    assert kinds(X.to_numpy(), count_values=False) == ["number"] * 5


@pytest.mark.parametrize("listed", [["b"], [1], [False, True], np.array(["b"])])
def test_a_list_overrides_the_rule(listed):
    X = pd.DataFrame({"a": [0, 1, 0, 1], "b": [0.5, 1.5, 2.5, 0.5]})
    assert kinds(X, categorical_features=listed) == ["number", ("0.5", "1.5", "2.5")]


def test_booleans_with_names_are_matched_with_the_features_by_name():
    X = pd.DataFrame({"a": [0.0, 1.0, 0.5, 1.0], "b": [0.5, 1.5, 2.5, 0.5]})
    listed = pd.Series([True, False], index=["b", "a"])
    for dtype in (bool, "boolean"):
        found = kinds(X, categorical_features=listed.astype(dtype))
        assert found == ["number", ("0.5", "1.5", "2.5")]
    with pytest.raises(ValueError, match=r"categorical_features is a Series, whose index must be"):
        kinds(X, categorical_features=listed.set_axis(["b", "c"]))


def test_text_is_a_category_whatever_is_listed():
    X = pd.DataFrame({"a": ["x", "y"], "b": [0.5, 1.5]})
    assert kinds(X, categorical_features=[]) == [("x", "y"), "number"]


def test_missing_values_are_a_category_of_their_own():
    X = pd.DataFrame({"a": ["x", None, "y"], "b": [0.5, np.nan, 2.5], "c": [1, np.nan, 0]})
    encoder = FeatureEncoder().fit(X)
    features = encoder.transform(X)
    assert encoder.number_features == [1]
    assert encoder.code_features == [0, 1, 2]
    assert encoder.levels == [
        ("x", "y", "missing"),
        ("present", "missing"),
        ("0", "1", "missing"),
    ]
    np.testing.assert_array_equal(features.numbers, [[0.5], [1.5], [2.5]])
    np.testing.assert_array_equal(features.codes, [[0, 0, 1], [2, 1, 2], [1, 0, 0]])
    assert not features.unseen.any()
    np.testing.assert_array_equal(features.column(1), [0.5, np.nan, 2.5])
    np.testing.assert_array_equal(features.column(2), [1, 2, 0])


def test_columns_without_information_are_one_category():
    X = pd.DataFrame({"gone": [np.nan, np.nan], "one": [3, 3], "text": ["a", "a"]})
    assert kinds(X) == [("missing",), ("3",), ("a",)]


def test_a_thousand_categories():
    values = [f"site {k}" for k in range(1000)]
    encoder = FeatureEncoder().fit(values)
    codes = encoder.transform(values[::-1]).codes[:, 0]
    assert [encoder.levels[0][code] for code in codes] == values[::-1]


def test_unseen_values_raise_or_are_marked():
    X = pd.DataFrame({"site": ["a", "b"], "k": [0, 1], "age": [30.5, 40.5]})
    new = pd.DataFrame({"site": ["b", "z"], "k": [2, 1], "age": [np.nan, 50.0]})
    encoder = FeatureEncoder().fit(X)
    message = "Feature 'k' is 2 in row 0 of X, but X has the categories '0', '1' there"
    with pytest.raises(ValueError, match=message):
        encoder.transform(new)
    with pytest.raises(ValueError, match=r"'site' is 'z' in row 0 of X.*'a', 'b'"):
        encoder.transform(new[1:])
    with pytest.raises(ValueError, match=r"'age' is missing in row 0 of X.*no missing values"):
        encoder.transform(new[:1].assign(k=0))
    features = encoder.transform(new, unseen="code")
    np.testing.assert_array_equal(features.codes, [[1, -1], [-1, 1]])
    np.testing.assert_array_equal(features.numbers, [[35.5], [50.0]])
    np.testing.assert_array_equal(features.unseen, [[False, True, True], [True, False, False]])
    np.testing.assert_array_equal(features.one_hot(), [[0, 1, 0, 0], [0, 0, 0, 1]])


def test_other_columns_than_in_fit_are_refused():
    X = pd.DataFrame({"a": ["x", "y"], "b": [0.5, 1.5]})
    encoder = FeatureEncoder().fit(X)
    with pytest.raises(ValueError, match="must have the 2 features of X, got 1"):
        encoder.transform(X[["a"]])
    with pytest.raises(ValueError, match="the columns of X, 'a', 'b', in the same order, got 'b'"):
        encoder.transform(X[["b", "a"]])
    with pytest.raises(ValueError, match="Feature 'b' is a number in X, and X holds 'z'"):
        encoder.transform([["x", "z"]])
    with pytest.raises(ValueError, match=r"Feature 'a' is a category in X.*the numbers 1\.5, 2"):
        encoder.transform(pd.DataFrame({"a": [2.0, 1.5, np.nan], "b": 0.5}), unseen="code")
    nothing = encoder.transform(pd.DataFrame({"a": [np.nan], "b": 0.5}), unseen="code")
    assert nothing.codes.tolist() == [[-1]]


def test_a_category_of_booleans_may_be_given_as_numbers():
    encoder = FeatureEncoder().fit(pd.DataFrame({"a": [True, False, True], "b": [0.1, 0.2, 0.3]}))
    assert encoder.transform([[1, 0.1], [0, 0.1]]).codes.tolist() == [[1], [0]]


def test_complex_numbers_are_refused_with_the_name_of_their_column():
    encoder = FeatureEncoder().fit(pd.DataFrame({"a": ["x", "y"], "b": [0.5, 1.5]}))
    for table in (pd.DataFrame({"a": ["x", "y"], "b": [1j, 2.0]}), [["x", 1j], ["y", 2]]):
        with pytest.raises(ValueError, match=r"^Column ('b'|1) of X holds the complex number 1j;"):
            encoder.transform(table)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"categorical_features": "all"}, "must be one of .*'auto', 'from_dtype'.*got 'all'"),
        (
            {"categorical_features": ["c"]},
            "holds 'c', which is neither a position from 0 and below 2",
        ),
        ({"categorical_features": [2]}, "holds 2, which is neither a position from 0 and below 2"),
        (
            {"categorical_features": [-1]},
            "holds -1, which is neither a position from 0 and below 2",
        ),
        ({"categorical_features": [0, 0]}, "holds feature 'feature 0' more than once"),
        ({"categorical_features": ["feature 1", "feature 1"]}, "'feature 1' more than once"),
        ({"categorical_features": [True]}, "one boolean for each of the 2 features, got 1"),
        ({"category_similarity": 1.0}, "below 1, got 1.0"),
        ({"category_similarity": -0.1}, "at least 0"),
        ({"category_similarity": True}, "got True"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        FeatureEncoder(**options).fit([[0, 1], [1, 0]])


@pytest.mark.parametrize("options", [{}, {"categorical_features": [0]}])
def test_identifiers_that_floating_point_would_round_are_categories_of_their_own(options):
    ids = np.array([2**53, 2**53 + 1], dtype=np.int64)
    for values in (ids, pd.DataFrame({"id": ids}), [[2**53], [2**53 + 1]]):
        encoder = FeatureEncoder(**options).fit(values)
        assert encoder.levels == [("9007199254740992", "9007199254740993")]
        assert encoder.transform(values).codes.ravel().tolist() == [0, 1]
    with pytest.raises(ValueError, match="is 9007199254740995 in row 0"):
        encoder.transform([[2**53 + 3]])


def test_identifiers_that_floating_point_has_rounded_are_no_categories():
    rounded = np.array([2.0**53, 2.0**53 + 2])
    with pytest.raises(ValueError, match="as integers or as text"):
        FeatureEncoder([0]).fit(rounded)
    assert FeatureEncoder().fit(rounded).number_features == [0]


def test_no_category_has_the_name_of_another():
    encoder = FeatureEncoder().fit(pd.DataFrame({"a": ["missing", None, "x"]}))
    assert encoder.levels == [("missing", "x", "missing value")]
    mixed = pd.DataFrame({"a": pd.Series([1, "1"], dtype="category")})
    with pytest.raises(ValueError, match="Column 'a' of X holds the categories 1 and '1'"):
        FeatureEncoder().fit(mixed)
