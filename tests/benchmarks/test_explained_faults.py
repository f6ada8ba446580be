"""Faults that are said to change nothing are in lines that exist, so that reasons do not rot."""

import re
from pathlib import Path

import pytest

import sklearn_calib
from benchmarks._mutation import explained

PACKAGE = Path(sklearn_calib.__file__).parent  # also where the tests run beside no source tree


@pytest.mark.parametrize(("path", "line", "change"), explained.EXPLAINED)
def test_the_line_and_what_is_changed_are_there(path, line, change):
    lines = [one.strip() for one in (PACKAGE / path).read_text(encoding="utf-8").splitlines()]
    assert line in lines
    assert change is None or change.split(" -> ")[0] in line


@pytest.mark.parametrize("reason", explained.NAMES)
def test_numbers_that_change_no_result_have_these_names(reason):
    for path, names in explained.NAMES[reason].items():
        text = (PACKAGE / path).read_text(encoding="utf-8")
        for name in names:
            assert re.search(rf"\b{name}\b", text), (path, name)


def test_the_ways_of_the_planner_have_these_costs():
    text = (PACKAGE / "_core" / "planner.py").read_text(encoding="utf-8")
    assert all(line in text for line in explained.WAYS)
