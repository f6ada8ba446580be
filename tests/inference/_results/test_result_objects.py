"""Result objects: short text, plain dicts for JSON, tables and escaped HTML; absent draws."""

import html
import inspect
import json
import math
import re
from dataclasses import fields, is_dataclass, replace
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from types import UnionType
from typing import get_args, get_overloads, get_type_hints

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import Bunch

import sklearn_calib
from sklearn_calib import (
    NullDistributionDisplay,
    calibration_by_group,
    calibration_report,
    check_calibration,
    check_relevant_miscalibration,
    compare_calibration,
    local_bias_band,
)
from sklearn_calib._utils.results import Result, to_plain
from sklearn_calib.datasets import make_calibration_data
from sklearn_calib.inference import (
    CalibrationTestResult,
    LocalBiasBand,
    calibration_ci,
    calibration_line,
    calibration_test_score,
    required_sample_size,
)
from sklearn_calib.metrics import score_decomposition
from tests.inference._local._data import local_data as _data

X, Y, P = make_calibration_data(n=120, seed=3)
OPTIONS = {"n_resamples": 39, "random_state": 0}
Y3, P3, X3 = _data(60, n_classes=3)


MAKE = {
    "test": lambda: check_calibration(Y, P, **OPTIONS),
    "local test": lambda: check_calibration(Y3, P3, X3, feature_bandwidth="scaled", **OPTIONS),
    "low rank": lambda: check_calibration(Y, P, X, algorithm="low_rank", **OPTIONS),
    "classwise": lambda: check_calibration(
        Y3,
        P3,
        statistic="skce",
        statistic_params={"target": "classwise", "bandwidth": "median"},
        **OPTIONS,
    ),
    "cross-validated": lambda: calibration_test_score(GaussianNB(), X, Y, cv=3, **OPTIONS),
    "comparison": lambda: compare_calibration(Y, {"first": P, "second": P**2}, **OPTIONS),
    "interval": lambda: calibration_ci(Y, P, metric="ece", **OPTIONS),
    "intervals of groups": lambda: calibration_ci(Y, P, metric="brier", groups=["a", "b"] * 60),
    "line": lambda: calibration_line(Y, P),
    "sample size": lambda: required_sample_size(P, metric="calibration_slope", width=0.3),
    "decomposition": lambda: score_decomposition(Y, P),
    "relevant": lambda: check_relevant_miscalibration(Y, P, **OPTIONS),
    "band": lambda: local_bias_band(Y, P, X, alpha=0.1, **OPTIONS),
    "band of three classes": lambda: local_bias_band(Y3, P3, X3, min_effective_size=1, **OPTIONS),
    "groups": lambda: calibration_by_group(Y, P, {"group": ["a", "b"] * 60}, **OPTIONS),
    "report": lambda: calibration_report(Y, P, X, **OPTIONS),
    "report without features": lambda: calibration_report(Y3, P3, **OPTIONS),
    "report of models": lambda: calibration_report(Y, {"one": P, "two": P**2}, **OPTIONS),
}


@cache
def _result(name):
    """Compute a result when the first test needs it."""
    return MAKE[name]()


def _without_draws():
    """Return a result as a test against a reference distribution would have it."""
    return replace(
        _result("test"),
        null="asymptotic",
        null_distribution=None,
        expected=None,
        effect_size=None,
    )


def test_every_dataclass_that_a_public_function_returns_is_a_result():
    """Read from the signatures, so that a new function cannot be forgotten."""
    returned = set()
    for module in sklearn_calib._SUBMODULES:
        loaded = import_module(f"sklearn_calib.{module}")
        for name in loaded.__all__:
            function = getattr(loaded, name)
            if inspect.isfunction(function):
                for typed in get_overloads(function) or [function]:
                    hint = get_type_hints(typed, localns={"pd": pd}).get("return")
                    for kind in get_args(hint) if isinstance(hint, UnionType) else (hint,):
                        if inspect.isclass(kind) and kind.__module__.startswith("sklearn_calib"):
                            returned.add(kind)
    returned = {kind for kind in returned if not issubclass(kind, Bunch) and is_dataclass(kind)}
    assert returned == {type(result) for result in map(_result, MAKE)}
    for kind in returned:
        assert issubclass(kind, Result), kind


@pytest.mark.parametrize("name", MAKE)
def test_dict_is_strict_json_and_comes_back(name):
    content = _result(name).to_dict()
    assert json.loads(json.dumps(content, allow_nan=False)) == content


@pytest.mark.parametrize("name", [name for name in MAKE if "report" not in name])
def test_dict_holds_every_field(name):
    result = _result(name)
    content = result.to_dict()
    assert {field.name for field in fields(result)} <= set(content)
    for field in fields(result):
        value = getattr(result, field.name)
        if isinstance(value, np.ndarray):
            assert content[field.name] == value.tolist()
        elif isinstance(value, float):
            assert content[field.name] == value


def test_results_inside_results_are_dicts():
    folds = _result("cross-validated").to_dict()["fold_results"]
    assert [fold["pvalue"] for fold in folds] == _result("cross-validated").fold_pvalues.tolist()
    low = _result("low rank")
    assert low.to_dict()["certificate"] == low.certificate._asdict()


def test_nan_and_infinity_in_a_dict():
    """JSON has neither: NaN is None, and infinity is text that float reads."""
    with pytest.warns(UserWarning, match="No query point"):
        band = local_bias_band(Y, P, X, min_effective_size=1e6, **OPTIONS)
    content = json.loads(json.dumps(band.to_dict(), allow_nan=False))
    assert float(content["critical_value"]) == math.inf
    draws = np.array([0.1, np.nan, -np.inf])
    content = replace(_result("test"), null_distribution=draws).to_dict()
    assert content["null_distribution"] == [0.1, None, "-inf"]


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float32(0.5), 0.5),
        (np.int8(3), 3),
        (np.True_, True),
        (np.str_("a"), "a"),
        (np.float64("nan"), None),
        ((1, (2.0, None)), [1, [2.0, None]]),
        ({1: np.array([[1, 2]])}, {"1": [[1, 2]]}),
        (np.array(["a", None], dtype=object), ["a", None]),
        (np.datetime64("2020-01-02"), "2020-01-02"),
        (1 + 2j, "(1+2j)"),
    ],
)
def test_plain_values(value, plain):
    assert to_plain(value) == plain
    assert type(to_plain(value)) is type(plain)


@pytest.mark.parametrize("name", MAKE)
def test_repr_is_short_and_names_the_class(name):
    text = repr(_result(name))
    assert type(_result(name)).__name__ in text
    assert len(text) < 600
    assert all(len(line) <= 120 for line in text.splitlines())
    assert "array(" not in text


def test_repr_has_one_bandwidth_per_feature_and_is_cut_after_five():
    """Equal bandwidths are all named, in the order of the features."""
    results = [_result("local test"), _result("band of three classes")]
    widths, text = [2.0, 0.5], "feature_bandwidth=[2, 0.5]"
    for function in (check_calibration, local_bias_band):
        result = function(Y3, P3, X3, feature_bandwidth=widths, **OPTIONS)
        assert f"{text}," in repr(result)
    for widths, text in (
        ([2.0], "feature_bandwidth=[2]"),
        ([2.0, 0.5, 2.0], "feature_bandwidth=[2, 0.5, 2]"),
        ([5.0, 4, 3, 2, 1], "feature_bandwidth=[5, 4, 3, 2, 1]"),
        ([6.0, 5, 4, 3, 2, 1], "feature_bandwidth=[6, 5, 4, 3, 2, ... (6 values)]"),
    ):
        for result in results:
            assert f"{text}," in repr(replace(result, feature_bandwidth=np.array(widths)))
    assert re.search(r"prob_bandwidth=\[\S+, \S+, \S+\]", repr(_result("classwise")))


def test_repr_of_a_test_by_hand():
    result = CalibrationTestResult(
        statistic=0.123456,
        pvalue=0.05,
        null_distribution=np.zeros(19),
        expected=-1e-9,
        effect_size=0.351363,
        statistic_name="skce",
        target="binary",
        null="simulation",
        n_samples=10,
        prob_bandwidth=0.2,
    )
    assert repr(result) == (
        "CalibrationTestResult(\n"
        "    statistic=0.1235, pvalue=0.05, expected=-1e-09, effect_size=0.3514,\n"
        "    statistic_name='skce', target='binary', null='simulation', n_samples=10,\n"
        "    n_resamples=19, prob_bandwidth=0.2,\n"
        ")"
    )


class _Table(HTMLParser):
    """Collect the elements and the text of the cells."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.cells, self.scopes = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "th":
            self.scopes.append(dict(attrs).get("scope"))
        if tag in ("th", "td"):
            self.cells.append("")

    def handle_data(self, data):
        if self.cells:
            self.cells[-1] += data.strip("\n")


@pytest.mark.parametrize("name", [name for name in MAKE if "report" not in name])
def test_html_is_a_table_with_headers_and_a_caption(name):
    result = _result(name)
    text = result._repr_html_()
    table = _Table(text)
    assert table.tags[:3] == ["table", "caption", "tbody"]
    assert f"<caption>{type(result).__name__}</caption>" in text
    assert set(table.scopes) == {"row"}
    named = dict(zip(table.cells[::2], table.cells[1::2], strict=True))
    frame = {key for key in type(result)._summary if getattr(result, key) is not None}
    assert set(named) == frame
    assert None not in named.values()


def test_html_escapes_names():
    def statistic(y_true, y_proba):
        return float(np.mean(y_true))

    statistic.__name__ = "<script>alert('&')</script>"
    result = check_calibration(Y, P, statistic=statistic, **OPTIONS)
    text = result._repr_html_()
    assert "<script" not in text
    assert html.escape(statistic.__name__) in text
    assert set(_Table(text).tags) == {"table", "caption", "tbody", "tr", "th", "td"}


@pytest.mark.parametrize("name", ["test", "local test", "low rank", "interval"])
def test_frame_is_one_row_to_be_put_below_others(name):
    result = _result(name)
    frame = result.to_frame()
    assert len(frame) == 1
    assert list(frame) == list(type(result)._summary)
    row = frame.iloc[0]
    for key in ("statistic", "pvalue", "estimate", "low"):
        if hasattr(result, key):
            assert row[key] == getattr(result, key)
    assert len(pd.concat([frame, frame])) == 2


def test_frame_of_local_bandwidths_is_a_list():
    result = _result("local test")
    cell = result.to_frame().loc[0, "feature_bandwidth"]
    assert cell == result.feature_bandwidth.tolist()


def test_frame_of_folds():
    result = _result("cross-validated")
    frame = result.to_frame()
    assert frame.index.tolist() == [0, 1, 2]
    assert frame.index.name == "fold"
    assert frame["pvalue"].tolist() == result.fold_pvalues.tolist()
    assert frame["n_samples"].tolist() == [one.n_samples for one in result.fold_results]
    assert result.n_folds == 3


def test_frame_of_a_band():
    band = _result("band")
    frame = band.to_frame()
    assert (frame.index.name, len(frame)) == ("query", 120)
    for name in ("bias", "null_std", "effective_size", "tested", "significant"):
        assert frame[name].tolist() == getattr(band, name).tolist()


def test_frame_of_a_band_of_three_classes():
    band = _result("band of three classes")
    frame = band.to_frame()
    assert (list(frame.index.names), len(frame)) == (["query", "column"], 180)
    for query, column in ((0, 0), (7, 2), (59, 1)):
        row = frame.loc[(query, column)]
        assert row["bias"] == band.bias[query, column]
        assert row["null_std"] == band.null_std[query, column]
        assert row["significant"] == band.significant[query, column]
        assert row["effective_size"] == band.effective_size[query]
        assert row["tested"] == band.tested[query]


def test_counts_of_a_band():
    ones = np.ones(2)
    band = LocalBiasBand(
        bias=np.array([[0.1, -0.1], [0.3, -0.3], [0.0, 0.0]]),
        null_std=np.full((3, 2), 0.1),
        effective_size=np.array([20.0, 30.0, 1.0]),
        critical_value=2.0,
        limit=np.full((3, 2), 0.2),
        significant=np.array([[False, False], [True, True], [False, False]]),
        tested=np.array([True, True, False]),
        alpha=0.05,
        n_resamples=99,
        min_effective_size=10.0,
        prob_bandwidth=0.3,
        feature_bandwidth=ones,
    )
    assert (band.n_queries, band.n_tested, band.n_significant) == (3, 2, 2)
    assert repr(band).startswith(
        "LocalBiasBand(\n"
        "    n_significant=2, n_tested=2, n_queries=3, alpha=0.05, critical_value=2,\n"
    )


# -- Tests against a reference distribution make no draws ------------------------------------------


def test_a_result_without_draws():
    result = _without_draws()
    assert result.n_resamples == 0
    assert "expected" not in repr(result)
    assert "effect_size" not in repr(result)
    assert "null='asymptotic', n_samples=120, n_resamples=0" in repr(result).replace("\n   ", "")
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert content["null_distribution"] is content["expected"] is content["effect_size"] is None
    assert "effect_size" not in result._repr_html_()
    assert result.to_frame()["effect_size"].isna().all()
    assert tuple(result) == (result.statistic, result.pvalue)


def test_frame_of_folds_without_draws():
    folds = replace(_result("cross-validated"), fold_results=(_without_draws(), _without_draws()))
    assert folds.to_frame()["expected"].isna().all()


def test_display_says_why_there_is_nothing_to_draw():
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    with pytest.raises(ValueError, match="null_distribution is None, so there is nothing to draw"):
        NullDistributionDisplay.from_result(_without_draws())
    with pytest.raises(
        ValueError, match=r"makes no draws\. Repeat the test with null='simulation'"
    ):
        NullDistributionDisplay(None, 0.1, 0.2).plot()
    assert plt.get_fignums() == before


# -- Bandwidths of the report ----------------------------------------------------------------------


def _bandwidth_note(**options):
    report = calibration_report(Y3 == 1, P3[:, 1], X3 * [1.0, 3.0], **OPTIONS, **options)
    (note,) = [note for note in report.notes if "feature_bandwidth" in note]
    assert " ".join(note.split()) in " ".join(str(report).split())
    assert html.escape(note) in report.to_html()
    return report, note


@pytest.mark.usefixtures("without_drawing")
def test_report_states_its_bandwidths_and_the_other_default():
    report, note = _bandwidth_note()
    widths = report.band.feature_bandwidth
    assert f"feature_bandwidth=[{widths[0]:.4g}, {widths[1]:.4g}]" in note
    assert f"prob_bandwidth={report.band.prob_bandwidth:.4g} and" in note
    assert "The default of check_calibration and local_bias_band is 'median'" in note
    test = report.tests["local"]
    assert test.feature_bandwidth.tolist() == widths.tolist()
    same = check_calibration(
        Y3 == 1, P3[:, 1], X3 * [1.0, 3.0], feature_bandwidth="scaled", **OPTIONS
    )
    assert test.statistic == pytest.approx(same.statistic, rel=1e-10)
    default = inspect.signature(check_calibration).parameters["feature_bandwidth"].default
    assert default == "median"


@pytest.mark.usefixtures("without_drawing")
def test_report_with_the_bandwidths_of_the_test_says_no_more():
    for width in ("median", [1.0, 2.0]):
        _, note = _bandwidth_note(feature_bandwidth=width)
        assert "default" not in note
