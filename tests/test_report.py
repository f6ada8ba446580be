"""The report says what the functions of the package say, in every form, whatever the input."""

import html.parser
import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.metrics import brier_score_loss, log_loss

from sklearn_calib import (
    ReliabilityDisplay,
    calibration_report,
    check_calibration,
    local_bias_band,
    metrics,
)
from sklearn_calib._utils.random_streams import check_generator
from sklearn_calib.datasets import make_calibration_data
from sklearn_calib.inference._nulls.simulation import draw_labels

NASTY = '<script>alert(1)</script> & "q"\n$x_1$ \u65e5\u672c \U0001f389' + "w" * 80


@pytest.fixture(scope="module")
def binary():
    X, y, p = make_calibration_data(n=300, seed=1)
    X = np.column_stack([X, np.random.default_rng(0).normal(size=300)])
    return y.astype(int), p, X


@pytest.fixture(scope="module")
def report(binary):
    return calibration_report(*binary, n_resamples=99, feature_names=["age", "dose"])


@pytest.fixture(scope="module")
def multiclass():
    rng = np.random.default_rng(2)
    proba = rng.dirichlet([1.0, 1.0, 2.0], 200)
    truth = np.where(rng.random((200, 1)) < 0.5, proba, proba[:, [1, 0, 2]])
    codes = [rng.choice(3, p=row) for row in truth]
    return np.array(["ant", "bee", "cat"])[codes], proba, rng.normal(size=(200, 2))


def value(report, name):
    return report.to_frame().loc[name, "value"]


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("weighted", [False, True])
def test_metrics_are_the_functions(binary, strategy, weighted):
    y, p, X = binary
    weight = np.random.default_rng(3).integers(0, 3, y.size) if weighted else None
    result = calibration_report(
        y, p, X, n_bins=7, strategy=strategy, n_resamples=19, sample_weight=weight
    )
    for name in ("ece", "mce", "average_calibration_error"):
        function = getattr(metrics, name)
        expected = function(y, p, n_bins=7, strategy=strategy, sample_weight=weight)
        assert value(result, name) == expected
    for name in ("skce", "kce", "mmce"):
        expected = getattr(metrics, name)(y, p, sample_weight=weight)
        assert_allclose(value(result, name), expected, rtol=1e-9)
    klce = metrics.klce(y, p, X, feature_bandwidth="scaled", sample_weight=weight)
    assert_allclose(value(result, "klce"), klce, rtol=1e-9)
    scores = log_loss(y, p, sample_weight=weight), brier_score_loss(y, p, sample_weight=weight)
    ours = [value(result, "log loss"), value(result, "Brier score")]
    assert_allclose(ours, scores, rtol=0 if weight is None else 1e-13)
    assert result.displays["reliability"].ece == value(result, "ece")


def test_multiclass_metrics_are_the_functions(multiclass):
    y, proba, X = multiclass
    result = calibration_report(y, proba, X, n_resamples=19)
    for name in ("ece", "mce", "average_calibration_error", "skce", "kce", "mmce"):
        assert_allclose(value(result, name), getattr(metrics, name)(y, proba), rtol=1e-9)
    assert_allclose(
        value(result, "klce"), metrics.klce(y, proba, X, feature_bandwidth="scaled"), rtol=1e-9
    )
    assert result.to_frame().loc["ece", "target"] == "confidence"
    assert result.to_frame().loc["skce", "target"] == "canonical"
    squares = ((proba - (y[:, None] == ["ant", "bee", "cat"])) ** 2).sum(axis=1)
    assert_allclose(value(result, "Brier score"), squares.mean(), rtol=1e-12)


@pytest.mark.parametrize("name", ["ece", "mce", "average_calibration_error", "skce", "kce", "mmce"])
def test_one_set_of_labels_serves_all_metrics(binary, report, name):
    """Each row is the test of that metric with the same draws."""
    y, p, _ = binary
    test = check_calibration(y, p, statistic=name, n_resamples=99, random_state=0)
    row = report.to_frame().loc[name]
    assert row["pvalue"] == test.pvalue
    assert_allclose(row["expected"], test.expected, rtol=1e-9, atol=1e-12)
    limits = np.quantile(test.null_distribution, [0.025, 0.975])
    assert_allclose(row[["range_lower", "range_upper"]].tolist(), limits, rtol=1e-9, atol=1e-12)


def test_the_tests_are_those_of_the_package(binary, report):
    y, p, X = binary
    options = {"n_resamples": 99, "random_state": 0}
    overall = check_calibration(y, p, **options)
    local = check_calibration(y, p, X, feature_bandwidth="scaled", **options)
    for ours, theirs in ((report.tests["global"], overall), (report.tests["local"], local)):
        assert ours.pvalue == theirs.pvalue
        assert_allclose(ours.null_distribution, theirs.null_distribution, rtol=1e-7, atol=1e-12)
        assert_allclose(ours.statistic, theirs.statistic, rtol=1e-9)
        assert_allclose(ours.prob_bandwidth, theirs.prob_bandwidth)
        assert (ours.statistic_name, ours.target) == (theirs.statistic_name, theirs.target)
    assert_allclose(report.tests["local"].feature_bandwidth, local.feature_bandwidth)


def test_any_generator_will_do(binary):
    """Also one that cannot be spawned; the draws are those of the test."""
    y, p, X = binary

    def legacy():
        return np.random.Generator(np.random.RandomState(0)._bit_generator)

    found = calibration_report(y, p, X, n_resamples=99, random_state=legacy())
    expected = check_calibration(y, p, n_resamples=99, random_state=legacy())
    assert found.tests["global"].pvalue == expected.pvalue
    assert_allclose(found.tests["global"].null_distribution, expected.null_distribution, rtol=1e-7)


def test_draws_do_not_depend_on_their_batches(binary, report, monkeypatch):
    monkeypatch.setattr("sklearn_calib.report._errors._BATCH_CELLS", 7 * 300)
    again = calibration_report(*binary, n_resamples=99)
    pd.testing.assert_frame_equal(again.to_frame(), report.to_frame(), rtol=1e-9)
    assert_array_equal(again.displays["reliability"].upper, report.displays["reliability"].upper)


def test_the_diagram_is_that_of_the_display(binary, report):
    y, p, _ = binary
    display = ReliabilityDisplay.from_predictions(y, p, n_resamples=99)
    ours = report.displays["reliability"]
    for name in ("prob_true", "prob_pred", "count", "bin_edges", "lower", "upper"):
        assert_array_equal(getattr(ours, name), getattr(display, name))
    assert ours.pos_label == display.pos_label


def test_the_band_is_that_of_the_package(binary, report):
    y, p, X = binary
    band = local_bias_band(y, p, X, n_resamples=99, feature_bandwidth="scaled", random_state=0)
    assert_allclose(report.band.bias, band.bias, rtol=1e-10)
    assert_array_equal(report.band.significant, band.significant)
    assert_allclose(report.band.critical_value, band.critical_value, rtol=1e-10)
    assert_array_equal(report.points, X)


def test_confidence_interval_of_the_proper_scores(binary, report):
    y, p, _ = binary
    losses = -np.log(np.where(y == 1, p, 1 - p))
    spread = norm.ppf(0.975) * losses.std() / np.sqrt(y.size)
    row = report.to_frame().loc["log loss"]
    assert_allclose(row["ci_lower"], losses.mean() - spread, rtol=1e-12)
    assert_allclose(row["ci_upper"], losses.mean() + spread, rtol=1e-12)
    assert np.isnan(row["pvalue"])


def test_weights_in_the_confidence_interval_are_those_of_a_ratio():
    y, p = np.array([0, 1, 1, 0]), np.array([0.2, 0.6, 0.9, 0.3])
    weight = np.array([1.0, 3.0, 0.5, 2.0])
    row = calibration_report(y, p, sample_weight=weight, n_resamples=19).to_frame()
    terms = (y - p) ** 2
    mean = np.average(terms, weights=weight)
    spread = norm.ppf(0.975) * np.sqrt((weight**2 * (terms - mean) ** 2).sum()) / weight.sum()
    assert_allclose(row.loc["Brier score", "ci_upper"], mean + spread, rtol=1e-12)


def test_regions_hold_significant_points_only(binary, report):
    y, p, X = binary
    region = report.regions[0]
    assert region.bias < 0
    assert (region.event, region.where.split()[0]) == (1, "age")
    total = sum(region.n_significant for region in report.regions)
    assert total == np.count_nonzero(report.band.significant)
    inside = np.ones(y.size, bool)
    for bound in region.bounds:
        column = X[:, ["age", "dose"].index(bound.name)]
        inside &= (column > bound.lower) & (column <= bound.upper)
    hits = inside & report.band.significant
    assert (region.n_points, region.n_significant) == (inside.sum(), hits.sum())
    assert_allclose(region.bias, report.band.bias[hits].mean())
    assert_allclose(region.predictions, np.quantile(p[hits], [0.05, 0.95]))


def test_regions_where_two_features_meet():
    """An error of opposite sign in two quadrants is described by both features."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(1500, 2))
    quadrant = X[:, 0] * X[:, 1] > 0
    y = np.zeros(1500)
    for rows, rate in ((quadrant, 0.8), (~quadrant, 0.2)):
        y[np.flatnonzero(rows)[: round(rate * rows.sum())]] = 1
    result = calibration_report(y, np.full(1500, 0.5), X, n_resamples=99, feature_bandwidth=0.3)
    assert result.verdict.startswith("The predictions are right on average")
    first_four = result.regions[:4]
    for region in first_four:
        bounds = {bound.name: bound for bound in region.bounds}
        signs = [
            1 if np.isfinite(bounds[name].lower) else -1 for name in ("feature 0", "feature 1")
        ]
        assert np.prod(signs) == np.sign(region.bias)
        assert region.n_significant > 100


def test_no_regions_for_a_calibrated_model():
    rng = np.random.default_rng(5)
    X, p = rng.normal(size=(300, 2)), rng.random(300)
    result = calibration_report(rng.random(300) < p, p, X, n_resamples=99)
    assert result.regions == []
    assert "No point of the band is significant at level 0.05." in str(result)
    assert result.verdict.startswith("No sign of miscalibration in 300 rows")


def test_regions_of_more_classes_name_the_class(multiclass):
    y, proba, X = multiclass
    codes = np.searchsorted(["ant", "bee", "cat"], y)
    wrong = np.where(X[:, [0]] > 0, np.eye(3)[codes] * 0.05 + 0.95 / 3, proba)
    wrong[:, 0] = np.where(X[:, 0] > 0, 0.9, wrong[:, 0])
    wrong /= wrong.sum(axis=1, keepdims=True)
    result = calibration_report(y, wrong, X, n_resamples=99)
    assert result.regions[0].event in ("ant", "bee", "cat")
    assert f"{result.regions[0].event}: predicted too" in str(result)
    assert any("bias" in name for name in result.displays)


def test_large_data_use_a_sample_for_the_local_parts_and_say_so(binary):
    y, p, X = binary
    result = calibration_report(y, p, X, n_resamples=19, max_local_samples=100)
    frame = result.to_frame()
    assert frame.loc["klce", "n_samples"] == 100
    assert frame.loc["ece", "n_samples"] == frame.loc["skce", "n_samples"] == 300
    assert result.points.shape == (100, 2)
    note = "The local parts use a random sample of 100 of the 300 rows."
    assert note in result.notes
    assert note in result.to_html()
    again = calibration_report(y, p, X, n_resamples=19, max_local_samples=100)
    assert_array_equal(again.points, result.points)
    pd.testing.assert_frame_equal(again.to_frame(), frame)


def test_the_sample_uses_its_part_of_the_drawn_labels(binary):
    y, p, X = binary
    result = calibration_report(y, p, X, n_resamples=3, alpha=0.3, max_local_samples=100)
    rows = [int(np.flatnonzero((point == X).all(axis=1))[0]) for point in result.points]
    codes = draw_labels(check_generator(0), np.column_stack([1 - p, p]), 3)
    expected = [
        metrics.klce(labels, p[rows], X[rows], feature_bandwidth="scaled", labels=[0, 1])
        for labels in codes[rows].T
    ]
    drawn = result.tests["local"].null_distribution
    assert_allclose(drawn, expected, rtol=1e-9)
    assert value(result, "klce") == pytest.approx(
        metrics.klce(y[rows], p[rows], X[rows], feature_bandwidth="scaled"), rel=1e-9
    )


def test_many_classes_use_a_sample_for_pairs_of_rows(multiclass):
    y, proba, _ = multiclass
    result = calibration_report(y, proba, n_resamples=19, max_local_samples=50)
    frame = result.to_frame()
    assert frame.loc["skce", "n_samples"] == frame.loc["kce", "n_samples"] == 50
    assert frame.loc["mmce", "n_samples"] == 200
    assert "SKCE and KCE use a random sample of 50 of the 200 rows." in result.notes


def test_sampling_leaves_the_draws_alone(binary, report):
    y, p, X = binary
    sampled = calibration_report(y, p, X, n_resamples=99, max_local_samples=100)
    assert_allclose(
        sampled.tests["global"].null_distribution,
        report.tests["global"].null_distribution,
        rtol=1e-12,
    )


def test_text(report):
    text = str(report)
    assert text.splitlines()[0] == "Calibration report"
    assert max(map(len, text.splitlines())) <= 80
    row = report.to_frame().loc["ece"]
    line = next(line for line in text.splitlines() if line.startswith("ECE"))
    assert line.split() == [
        "ECE",
        "binary",
        f"{row['value']:.4f}",
        f"{row['expected']:.4f}",
        f"{row['range_lower']:.4f}",
        "to",
        f"{row['range_upper']:.4f}",
        f"{row['pvalue']:.3g}",
    ]
    assert "- predicted too high by" in text
    assert repr(report).startswith("<CalibrationReport of 300 rows, 2 classes: global p=0.01")


def test_dict_holds_what_json_can(report):
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert content["metrics"][0]["value"] == value(report, "ece")
    assert content["tests"]["local"]["pvalue"] == report.tests["local"].pvalue
    assert content["regions"][0]["bounds"][0]["name"] == "age"
    assert content["reliability"]["count"] == report.displays["reliability"].count.tolist()
    assert content["verdict"] == report.verdict


def test_frame(report):
    frame = report.to_frame()
    assert list(frame.index) == [
        "ece",
        "mce",
        "average_calibration_error",
        "skce",
        "kce",
        "mmce",
        "klce",
        "log loss",
        "Brier score",
    ]
    errors = frame.iloc[:7]
    assert (errors["range_lower"] <= errors["expected"]).all()
    assert (errors["expected"] <= errors["range_upper"]).all()


class Checker(html.parser.HTMLParser):
    """Collect what makes a page invalid: elements left open or misplaced, repeated attributes."""

    VOID = frozenset(("meta", "img", "br", "link", "input", "hr"))
    PARENTS = {
        "li": {"ul"},
        "tr": {"thead", "tbody"},
        "td": {"tr"},
        "th": {"tr"},
        "thead": {"table"},
        "tbody": {"table"},
        "figcaption": {"figure"},
        "title": {"head"},
        "meta": {"head"},
        "head": {"html"},
        "body": {"html"},
    }
    BLOCKS = frozenset(("table", "figure", "ul", "div", "main", "h1", "h2", "p"))

    def __init__(self):
        super().__init__(convert_charrefs=False)
        self.open, self.faults, self.seen, self.texts = [], [], [], []
        self.doctype = None

    def handle_decl(self, decl):
        self.doctype = decl
        if self.seen:
            self.faults.append("late doctype")

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if len(dict(attrs)) != len(attrs):
            self.faults.append(f"repeated attribute in {tag}")
        parent = self.open[-1] if self.open else None
        if tag in self.PARENTS and parent not in self.PARENTS[tag]:
            self.faults.append(f"{tag} in {parent}")
        if tag in self.BLOCKS and set(self.open) & {"p", "small", "span", "h1", "h2"}:
            self.faults.append(f"{tag} inside text")
        if tag == "img" and not dict(attrs).get("alt"):
            self.faults.append("image without alt")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"stray </{tag}>")

    def handle_data(self, data):
        if self.open[-1:] != ["style"] and ("<" in data or ">" in data or "&" in data):
            self.faults.append(f"unescaped text {data!r}")
        self.texts.append(data)

    def handle_entityref(self, name):
        if name not in ("amp", "lt", "gt", "quot"):
            self.faults.append(f"unknown entity {name}")
        self.texts.append({"amp": "&", "lt": "<", "gt": ">", "quot": '"'}[name])

    def handle_charref(self, name):
        self.texts.append(chr(int(name[1:], 16) if name.startswith("x") else int(name)))

    def handle_comment(self, data):
        self.faults.append("comment")


def check_page(page):
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.faults == []
    assert checker.open == []
    assert checker.doctype == "DOCTYPE html"
    tags = [tag for tag, _ in checker.seen]
    for single in ("html", "head", "title", "body", "main", "h1"):
        assert tags.count(single) == 1
    assert "script" not in tags
    for tag, attrs in checker.seen:
        assert "href" not in attrs
        assert tag != "img" or attrs["src"].startswith("data:image/png;base64,")
        assert not any(name.startswith("on") for name in attrs)
    return checker


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<p>a<div>b</div></p>", "div inside text"),
        ("<p>a & b</p>", "unescaped text"),
        ("<ul><p>a</p></ul><li>b</li>", "li in None"),
        ("<p>a</b></p>", "stray </b>"),
        ('<img src="a">', "image without alt"),
        ('<p id="a" id="b"></p>', "repeated attribute"),
    ],
)
def test_the_checker_of_pages_sees_faults(page, fault):
    checker = Checker()
    checker.feed(page)
    assert any(fault in found for found in checker.faults)


def test_page(report, tmp_path):
    assert report.to_html(tmp_path / "a.html") is None
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page == report.to_html()
    checker = check_page(page)
    assert [tag for tag, _ in checker.seen].count("img") == len(report.displays) == 6
    text = "".join(checker.texts)
    assert report.verdict in text
    for row in report.metrics:
        assert f"{row.pvalue:.3g}" in text
    assert "age >" in text


def test_notebook_form(report):
    part = report._repr_html_()
    assert part.startswith("<style>")
    assert "<html" not in part
    checker = Checker()
    checker.feed(part)
    assert checker.faults == []
    assert checker.open == []


def test_pictures_leave_the_users_figures_alone(report):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    report.to_html()
    assert plt.get_fignums() == before


@pytest.mark.parametrize("n_classes", [2, 3])
def test_hostile_names_and_labels(n_classes):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(n_classes), 150)
    labels = sorted([NASTY, "b", "\u00e9\n<td>"][:n_classes])
    y = np.array(labels)[[rng.choice(n_classes, p=row**3 / (row**3).sum()) for row in proba]]
    X = pd.DataFrame(rng.normal(size=(150, 2)), columns=[NASTY, 'a"b\n<'])
    result = calibration_report(y, proba, X, labels=labels, title=NASTY, n_resamples=39)
    checker = check_page(result.to_html())
    assert " ".join(NASTY.split()) in "".join(checker.texts)
    assert "\n" not in result.title
    json.dumps(result.to_dict(), allow_nan=False)
    str(result)


def test_two_hundred_classes():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.full(200, 0.05), 150)
    y = np.array([rng.choice(200, p=row) for row in proba])
    result = calibration_report(y, proba, rng.normal(size=150), labels=range(200), n_resamples=19)
    assert result.n_classes == 200
    check_page(result.to_html())


@pytest.mark.parametrize(
    ("y", "p", "X"),
    [
        ([0, 1, 1], [0.2, 0.5, 0.9], [1.0, 2.0, 3.0]),
        ([0, 1] * 20, [0.5] * 40, np.ones((40, 2))),
        ([0, 1, 0, 1], [0.0, 1.0, 0.0, 1.0], None),
        ([1] * 12, [0.7] * 12, None),
    ],
    ids=["three rows", "constant", "certain", "one class"],
)
def test_small_and_constant_data(y, p, X):
    result = calibration_report(y, p, X, n_resamples=19)
    check_page(result.to_html())
    assert np.isfinite(result.to_frame()["value"]).all()
    json.dumps(result.to_dict(), allow_nan=False)


def test_too_few_rows_around_the_points_is_said():
    result = calibration_report([0, 1, 1], [0.2, 0.5, 0.9], [1.0, 2.0, 3.0], n_resamples=19)
    assert "No point has enough rows around it to be tested." in str(result)
    assert any("effective size" in note for note in result.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": [[0.0], [np.nan], [1.0]]}, "X must be finite; row 1, column 0 is nan"),
        ({"y_proba": [0.2, np.nan, 0.3]}, "y_proba must be finite; row 1"),
        ({"y_proba": [0.2, 1.5, 0.3]}, "row 1, column 0 is 1.5"),
        ({"feature_names": ["a", "b"], "X": [0, 1, 2]}, "one name for each of the 1 features"),
        ({"alpha": 1.5}, "alpha must be"),
        ({"n_resamples": 0}, "n_resamples must be"),
        ({"n_resamples": 18}, "n_resamples=18 is too small for alpha=0.05.* at least 19"),
        ({"alpha": 0.001}, "n_resamples=199 is too small for alpha=0.001.* at least 999"),
        ({"max_local_samples": 1}, "max_local_samples must be"),
        ({"strategy": "isotonic"}, "strategy must be one of 'uniform', 'quantile'"),
        ({"y_true": [1], "y_proba": [0.5]}, "n too small"),
    ],
)
def test_bad_input(change, message):
    arguments = {"y_true": [0, 1, 1], "y_proba": [0.2, 0.5, 0.9], **change}
    with pytest.raises(ValueError, match=message):
        calibration_report(**arguments)


def test_bad_cells_of_a_frame_are_named():
    y, p = [0, 1, 1], [0.2, 0.5, 0.9]
    frame = pd.DataFrame({"age": [1.0, 2.0, np.nan], "city": ["a", "b", "c"]})
    with pytest.raises(ValueError, match="Column 'age' of X must be finite; row 2 is nan"):
        calibration_report(y, p, frame)
    with pytest.raises(ValueError, match="Column 'city' of X"):
        calibration_report(y, p, frame.fillna(0.0))
    with pytest.raises(ValueError, match="must have the same number of rows, got 3 and 2"):
        calibration_report(y, p, frame[["age"]].iloc[:2])
    with pytest.raises(ValueError, match="X has no column"):
        calibration_report(y, p, frame[[]])


def test_progress(binary, capsys):
    y, p, X = binary
    said = []
    calibration_report(y, p, X, n_resamples=19, verbose=said.append)
    assert said == ["preparing", "19 of 19 sets of labels", "looking for regions"]
    assert capsys.readouterr() == ("", "")
    calibration_report(y, p, n_resamples=19, verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "s: 19 of 19 sets of labels" in err
