"""Documents are read as they were written, and nothing else is."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import brier_score_loss, log_loss

from sklearn_calib import check_calibration, metrics
from sklearn_calib._data.sums import Totals
from sklearn_calib.streaming import CalibrationState, SortedSkceState
from sklearn_calib.streaming._sums.documents import (
    plain_totals,
    read_document,
    read_totals,
    write_document,
)

TEXT = CalibrationState().update([0, 1], [0.2, 0.7]).to_json()


def evaluate(name, y, p, w, options):
    """Return a metric, score or statistic of one array."""
    scores = {"log_loss": log_loss, "brier": brier_score_loss}
    if name in scores:
        return scores[name](y, p, sample_weight=w)
    if hasattr(metrics, name):
        return getattr(metrics, name)(y, p, sample_weight=w, **options)
    return check_calibration(
        y, p, statistic=name, sample_weight=w, statistic_params=options, n_resamples=1
    ).statistic


def test_numbers_keep_their_bits():
    rng = np.random.default_rng(0)
    numbers = np.concatenate([rng.random(50) * 10.0 ** rng.integers(-300, 300, 50), [-0.0, 5e-324]])
    totals = Totals(numbers, numbers[::-1].copy(), np.array([np.inf, 1.0, -np.inf]))
    text = write_document("X", 1, plain_totals(totals))
    copy = read_totals(read_document(text, "X", 1))
    for name in ("high", "low", "least"):
        assert_array_equal(getattr(copy, name).view(int), getattr(totals, name).view(int))


def test_the_text_is_plain_json_without_special_numbers():
    def refuse(constant):
        raise AssertionError(constant)

    document = json.loads(TEXT, parse_constant=refuse)
    assert document["format"] == "sklearn_calib.CalibrationState"
    assert document["version"] == 1


def _changed(**fields):
    return json.dumps({**json.loads(TEXT), **fields})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (_changed(version=2), "has version 2, and this release reads versions up to 1"),
        (_changed(version="1"), "has version '1'"),
        (_changed(format="elsewhere.State"), "holds 'elsewhere.State', not"),
        (_changed(content={}), "checksum does not fit"),
        (_changed(checksum="0"), "checksum does not fit"),
        (TEXT.replace("1.0", "2.0", 1), "checksum does not fit"),
        (TEXT[:-10], "no JSON document"),
        ("", "no JSON document"),
        ("[1]", "holds 'no state'"),
        ("[" * 100_000, "no JSON document"),
        (TEXT.replace("1.0", "NaN", 1), "NaN is no finite number"),
        (TEXT.replace("1.0", "-Infinity", 1), "-Infinity is no finite number"),
        (TEXT.replace("1.0", "1e999", 1), "1e999 is no finite number"),
        (SortedSkceState().to_json(), "holds 'sklearn_calib.SortedSkceState'"),
    ],
)
def test_other_newer_and_damaged_documents_are_refused(text, words):
    with pytest.raises(ValueError, match=words):
        CalibrationState.from_json(text)


def test_sums_of_another_layout_are_refused():
    """As after a change of the bins that a metric keeps, without a new version."""
    content = json.loads(TEXT)["content"]
    content["totals"][1]["high"].append(0.0)
    with pytest.raises(ValueError, match="other sums than this release keeps"):
        CalibrationState.from_json(write_document("CalibrationState", 1, content))
    del content["totals"][1]
    with pytest.raises(ValueError, match="other sums than this release keeps"):
        CalibrationState.from_json(write_document("CalibrationState", 1, content))


def test_documents_of_version_1_stay_readable():
    """A change of what is kept, or of its order, needs a new version."""
    path = Path(__file__).with_name("calibration_state_1.json")
    reference = json.loads(path.read_text(encoding="utf-8"))
    state = CalibrationState.from_json(json.dumps(reference["document"]))
    y, p, w = (np.array(reference["rows"][name]) for name in ("y", "p", "w"))
    assert state.n_samples == y.size
    for name, value in state.result().items():
        expected = evaluate(name, y, p, w, reference["options"].get(name, {}))
        assert_allclose(value, expected, rtol=1e-10)
    assert state.group_table()["n"].tolist() == reference["rows"]["rows of groups"]


def test_a_document_is_text():
    with pytest.raises(TypeError, match="text must be str or bytes, got dict"):
        CalibrationState.from_json({})
    assert CalibrationState.from_json(TEXT.encode()).n_samples == 2
