"""Documents are read as they were written, and nothing else is."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_calib._data.sums import Totals
from sklearn_calib.streaming import CalibrationState, SortedSkceState
from sklearn_calib.streaming._sums.documents import (
    plain_totals,
    read_document,
    read_totals,
    write_document,
)

TEXT = CalibrationState().update([0, 1], [0.2, 0.7]).to_json()


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
        (SortedSkceState().to_json(), "holds 'sklearn_calib.SortedSkceState'"),
    ],
)
def test_other_newer_and_damaged_documents_are_refused(text, words):
    with pytest.raises(ValueError, match=words):
        CalibrationState.from_json(text)


def test_a_document_is_text():
    with pytest.raises(TypeError, match="must be text, got dict"):
        CalibrationState.from_json({})
    assert CalibrationState.from_json(TEXT.encode()).n_samples == 2
