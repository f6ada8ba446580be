"""Categories and missing values in the report."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import calibration_report


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    n = 1000
    women, old = rng.random(n) < 0.4, rng.random(n)
    p = rng.uniform(0.3, 0.7, size=n)
    y = (rng.random(n) < p - 0.2 * women).astype(int)
    X = pd.DataFrame({"sex": np.where(women, "F", "M"), "age": 30 + 40 * old})
    X.loc[rng.random(n) < 0.1, "age"] = np.nan
    return y, p, X, women


@pytest.fixture(scope="module")
def report(data):
    y, p, X, _ = data
    return calibration_report(y, p, X, n_resamples=99)


def test_the_region_is_the_group_with_its_rates(data, report):
    y, p, _, women = data
    (region,) = report.regions
    assert region.where == "sex = F"
    assert region.n_samples == women.sum()
    assert_allclose(region.share, women.mean())
    assert_allclose(region.predicted, p[women].mean())
    rate, n, z = y[women].mean(), women.sum(), 1.959963984540054
    assert_allclose(region.observed, rate)
    # The limits of Wilson's interval solve (rate - q)^2 = z^2 q (1 - q) / n.
    for limit in (region.observed_low, region.observed_high):
        assert_allclose((rate - limit) ** 2, z**2 * limit * (1 - limit) / n, rtol=1e-9)
    assert region.observed_low < rate < region.observed_high


@pytest.mark.usefixtures("without_drawing")
def test_the_sentence_has_rows_share_and_rates(data, report):
    y, p, _, women = data
    text = " ".join(str(report).split())
    assert (
        f"sex = F: {women.sum():,} rows ({women.mean():.1%}), predicted {p[women].mean():.3g}, "
        f"observed {y[women].mean():.3g} (interval "
    ) in text
    assert "sex = F: " in report.to_html()


def test_the_dict_names_the_categories(report):
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    (bound,) = content["regions"][0]["bounds"]
    assert bound == {"name": "sex", "lower": None, "upper": None, "categories": ["F"]}


@pytest.mark.parametrize(
    ("wrong", "other", "where", "category"),
    [("missing", None, "sex = missing", "missing"), (None, "missing", "sex is missing", None)],
)
def test_the_region_of_missing_values_has_their_rows(data, wrong, other, where, category):
    """Rates of the text "missing" were shown for the rows whose category is missing."""
    y, p, _, women = data
    X = pd.DataFrame({"sex": np.where(women, wrong, other)})
    report = calibration_report(y, p, X, n_resamples=99)
    (region,) = report.regions
    assert (region.where, region.n_samples) == (where, women.sum())
    assert_allclose(region.observed, y[women].mean())
    (bound,) = report.to_dict()["regions"][0]["bounds"]
    assert bound["categories"] == [category or "missing value"]
    assert type(bound["categories"][0]) is str


def test_the_pictures_mark_the_categories(report):
    display = report.displays["local bias, sex"].plot()
    labels = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert labels == ["F", "M"]
    assert "local bias, map" in report.displays


def test_two_features_of_a_region_are_named_together():
    """An error where a category and a number meet is no error of either alone."""
    rng = np.random.default_rng(0)
    n = 1000
    sex, age = rng.choice(["F", "M"], size=n), rng.uniform(20, 80, size=n)
    wrong = (sex == "F") == (age < 50)
    p = np.full(n, 0.5)
    y = (rng.random(n) < 0.5 + np.where(wrong, -0.2, 0.2)).astype(int)
    X = pd.DataFrame({"sex": sex, "age": age})
    regions = calibration_report(y, p, X, n_resamples=99).regions
    assert len(regions) >= 4
    for region in regions[:4]:
        assert [bound.name for bound in region.bounds] == ["sex", "age"]
        assert region.bounds[0].categories in (("F",), ("M",))


def test_a_region_of_several_categories_lists_the_shorter_side():
    from sklearn_calib._data.features import MISSING, PRESENT
    from sklearn_calib.inference._local.bounds import Bound

    one = Bound("site", categories=("a",), others=("b", "c"))
    most = Bound("site", categories=("a", "b", "c"), others=("d",))
    some = Bound("site", categories=("a", "b"), others=("c", "d"))
    many = Bound("site", categories=tuple("abcde"), others=tuple("fghij"))
    assert list(map(str, (one, most, some, many))) == [
        "site = a",
        "site ≠ d",
        "site is one of a, b",
        "site is one of a, b, c and 2 more",
    ]
    gone = Bound("age", categories=(MISSING,), others=(PRESENT,))
    known = Bound("age", categories=(PRESENT,), others=(MISSING,))
    assert (str(gone), str(known)) == ("age is missing", "age is not missing")
    text = [Bound("note", categories=(word,)) for word in ("missing", "present")]
    assert list(map(str, text)) == ["note = missing", "note = present"]
