"""The page "How we know it is right" counts every reference value and every record."""

import json
import runpy
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
TABLES = runpy.run_path(str(PROJECT / "doc" / "evidence_tables.py"))


def test_every_reference_value_has_a_source():
    table = TABLES["reference_values"]()
    files = list((PROJECT / "tests" / "reference").glob("*.json"))
    total, parts = table.iloc[-1], table.iloc[:-1]
    assert total["files"] == parts["files"].sum() == len(files)
    cases = [len(json.loads(path.read_bytes())["cases"]) for path in files]
    assert total["cases"] == parts["cases"].sum() == sum(cases)
    # The file of uncertainty-calibration is the only one of its source.
    (debiased,) = parts[parts["made with"].str.contains("uncertainty-calibration")]["cases"]
    path = PROJECT / "tests" / "reference" / "ece_debiased.json"
    assert debiased == len(json.loads(path.read_bytes())["cases"])


def test_each_record_has_its_row_and_others_are_left_out():
    table = TABLES["measured"]()
    results = PROJECT / "benchmarks" / "results"
    records = [name for name in TABLES["_STUDIES"] if (results / f"{name}.json").exists()]
    assert set(table["record"]) == {f"``{name}``" for name in records}
    assert table["found"].str.contains(r"\d").all()
    assert not table["found"].str.contains("nan").any()


@pytest.mark.parametrize(
    ("value", "numbers"),
    [({"a": [1, 2.5, None], "b": "1"}, 2), ([True, [0, [3]]], 2), (None, 0)],
)
def test_numbers_are_counted_wherever_they_are(value, numbers):
    assert TABLES["_count_numbers"](value) == numbers
