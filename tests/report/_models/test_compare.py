"""The report of several models says which one is better, and why."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.metrics import log_loss

from sklearn_calib import calibration_by_group, calibration_report, compare_calibration
from sklearn_calib.metrics import score_decomposition
from tests.report._checker import Checker, check_page

NASTY = '<b>bold</b> & "q" $x_1$'


@pytest.fixture(scope="module")
def data():
    """A sharp model that is too extreme, and a cautious one that is calibrated."""
    rng = np.random.default_rng(1)
    z, u = rng.normal(size=(2, 1200))
    y = (rng.random(1200) < expit(1.3 * z + 0.8 * u)).astype(int)
    return y, expit(2.2 * (1.3 * z + 0.8 * u)), expit(1.1 * z)


@pytest.fixture(scope="module")
def report(data):
    y, sharp, cautious = data
    return calibration_report(y, {NASTY: sharp, "cautious": cautious}, n_resamples=39)


def test_each_report_is_that_of_the_model_alone(data, report):
    y, _, cautious = data
    alone = calibration_report(y, cautious, n_resamples=39)
    assert report.reports["cautious"].to_frame().equals(alone.to_frame())
    assert report.reports["cautious"].verdict == alone.verdict
    assert report.reports["cautious"].advice == alone.advice


def test_the_comparison_is_the_function(data, report):
    y, sharp, cautious = data
    models = {NASTY: sharp, "cautious": cautious}
    expected = compare_calibration(y, models, statistic=None, n_resamples=39, random_state=0)
    assert report.comparison.to_frame().equals(expected.to_frame())
    assert report.best == expected.best == "cautious"
    assert report.verdict.startswith(f"cautious is better than {NASTY}: its log loss is lower by")


def test_the_verdict_says_where_the_difference_comes_from(data, report):
    y, sharp, cautious = data
    one, other = (score_decomposition(y, p, score="log_loss") for p in (sharp, cautious))
    gain = one.miscalibration - other.miscalibration
    loss = one.discrimination - other.discrimination
    assert gain > loss > 0.0
    assert_allclose(gain - loss, log_loss(y, sharp) - log_loss(y, cautious), rtol=1e-9)
    assert (
        f"Compared with {NASTY}, cautious gains {gain:.2g} by better calibration and loses "
        f"{loss:.2g} by worse discrimination (log loss)."
    ) in report.verdict


def test_a_model_that_knows_more_is_not_thrown_away(data, report):
    """It is worse as it is, and would be the better one after recalibration."""
    y, sharp, cautious = data
    parts = [score_decomposition(y, p, score="log_loss") for p in (sharp, cautious)]
    left = [part.score - part.miscalibration for part in parts]
    assert left[0] < left[1]
    assert f"its log loss could be {left[0]:.3f}, and that of cautious {left[1]:.3f}" in (
        report.verdict
    )
    assert report.verdict.endswith("Recalibrate both before you choose.")


def test_a_better_model_that_is_miscalibrated_is_kept(data):
    """A user who goes by the headline of each report would take the calibrated one."""
    y = data[0]
    rng = np.random.default_rng(5)
    truth = np.clip(y * 0.55 + 0.2 + 0.1 * rng.normal(size=y.size), 0.02, 0.98)
    models = {"knows": truth, "constant": np.full(y.size, y.mean())}
    report = calibration_report(y, models, n_resamples=39)
    assert report.best == "knows"
    assert report.reports["knows"].tests["omnibus"].pvalue <= 0.05
    assert report.reports["constant"].tests["omnibus"].pvalue > 0.05
    assert report.verdict.startswith("knows is better than constant")
    assert "That is a reason to recalibrate knows, not to give it up." in report.verdict


def test_page_and_text(report, tmp_path):
    assert report.to_html(tmp_path / "a.html") is None
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    checker = check_page(page)
    text = "".join(checker.texts)
    assert report.verdict in text
    # How to read the pictures stands below the first ones.
    guide = text.index("Reading the pictures")
    assert text.index("The reliability curves together") < guide < text.index(NASTY, guide)
    assert guide < text.index(next(iter(report.reports.values())).verdict)
    assert text.index(f"What to do next. {report.advice}") < text.index("Side by side")
    for one in report.reports.values():
        assert one.verdict in text
        assert one.advice in text
    # One picture of the curves, one per score or error, and those of each model.
    n_own = sum(len(one.displays) for one in report.reports.values())
    assert [tag for tag, _ in checker.seen].count("img") == 1 + 3 + n_own
    part = Checker()
    part.feed(report._repr_html_())
    assert part.faults == []
    plain = str(report)
    assert max(map(len, plain.splitlines())) <= 80
    assert plain.splitlines()[0] == "Calibration report"
    assert f"Model: {NASTY}" in plain
    words = " ".join(plain.split())
    assert words.index(f"What to do next: {report.advice}") < words.index("Model: ")
    assert repr(report) == f"<ModelsReport of {NASTY}, cautious: cautious is best>"


def test_frame_and_dict(data, report):
    frame = report.to_frame()
    assert list(frame.index) == [NASTY, "cautious"]
    assert_allclose(frame.loc["cautious", "log loss"], log_loss(data[0], data[2]), rtol=1e-12)
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert content["best"] == "cautious"
    assert content["advice"] == report.advice
    assert content["reports"]["cautious"]["n_samples"] == 1200
    assert content["comparison"]["differences"][0]["measure"] == "log_loss"


def test_curves_of_many_models_are_not_all_drawn(data, report):
    from sklearn_calib.report._models.curves import CurvesTogether

    one = report.displays["reliability"].displays["cautious"]
    together = CurvesTogether({f"m{k}": one for k in range(7)})
    assert together.left_out == ["m5", "m6"]


def test_the_curves_hold_the_best_model_first(report):
    display = report.displays["reliability"].plot()
    assert list(display.displays) == ["cautious", NASTY]
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert "cautious" in labels


def test_several_classes():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([1.0, 1.0, 2.0], 200)
    y = np.array(["a", "b", "c"])[[rng.choice(3, p=row) for row in proba]]
    flat = 0.5 * proba + 0.5 / 3
    report = calibration_report(y, {"right": proba, "flat": flat}, n_resamples=19)
    assert report.best == "right"
    assert "(in the mean over the classes)" in report.verdict
    assert "means over the classes" in str(report)


def test_an_infinite_log_loss_leaves_the_brier_score():
    y = np.array([0, 1, 1, 0] * 10)
    sure = np.where(np.arange(40) == 0, 1.0, 0.2 + 0.6 * y)
    report = calibration_report(y, {"sure": sure, "half": np.full(40, 0.5)}, n_resamples=19)
    assert "The log loss of sure is infinite" in report.verdict
    assert "(Brier score)" in report.verdict
    json.dumps(report.to_dict(), allow_nan=False)
    check_page(report.to_html())


def test_groups_are_looked_at_for_each_model(data):
    y, sharp, cautious = data
    site = {"site": np.arange(y.size) % 2, "sex": np.arange(y.size) % 3}
    models = {"sharp": sharp, "cautious": cautious}
    report = calibration_report(y, models, groups=site, max_interaction=2, n_resamples=19)
    assert [one.groups.n_groups for one in report.reports.values()] == [11, 11]
    table = calibration_by_group(y, sharp, site, n_resamples=19)
    with pytest.raises(ValueError, match="groups is the table of one model"):
        calibration_report(y, models, groups=table, n_resamples=19)


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({}, "at least two models by name, got 0"),
        ({"a": [0.2, 0.5, 0.9]}, "at least two models by name, got 1.*for a report of one model"),
        ({"a": [0.2, 0.5, 0.9], " ": [0.2, 0.5, 0.9]}, "must be different texts"),
        ({1: [0.2, 0.5, 0.9], "1": [0.2, 0.5, 0.9]}, "must be different texts"),
        ({"a": [0.2, 0.5, 0.9], "b": [0.2, 1.5, 0.9]}, "predictions of 'b'.*column 0 is 1.5"),
        ({"a": [0.2, 0.5, 0.9], "b": [0.2, 0.9]}, "predictions of 'b'"),
    ],
)
def test_models_that_cannot_be_compared(models, message):
    with pytest.raises(ValueError, match=message):
        calibration_report([0, 1, 1], models, n_resamples=19)


def test_progress_names_the_model(data):
    y, sharp, cautious = data
    said = []
    calibration_report(
        y[:50], {"a": sharp[:50], "b": cautious[:50]}, n_resamples=19, verbose=said.append
    )
    assert said[0] == "comparing models"
    assert "a: preparing" in said
    assert said[-1] == "b: 19 of 19 draws"
