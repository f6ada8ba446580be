"""Results that no formula knows are those that were recorded."""

import json

import pytest
from numpy.testing import assert_allclose

from tests.recorded.__main__ import FILE, computed
from tests.recorded.cases import CASES

RECORDED = json.loads(FILE.read_text(encoding="utf-8"))


def test_every_case_is_recorded():
    assert list(RECORDED) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_the_numbers_are_those_recorded(name):
    assert_allclose(computed(name), RECORDED[name], rtol=1e-6, atol=1e-9)
