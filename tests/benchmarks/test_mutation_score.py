"""The table of small faults counts what the tests noticed, when drawn and since."""

import json
from pathlib import Path

import pytest

import sklearn_calib
from benchmarks._mutation.mutants import mutants_of

pytest.importorskip("coverage")  # which tests run which line

from benchmarks.mutation_score import _known_ends, table

ROOT = Path(sklearn_calib.__file__).parents[1]


def test_the_total_tells_both_shares_and_what_changes_nothing():
    places = mutants_of(ROOT, "sklearn_calib/_data/bins.py")
    (same,) = (one for one in places if "new[:1]" in _line(one) and one.old == "1")
    others = [one for one in places if one.line != same.line][:4]
    ends = [["value"], ["survived", "error"], ["survived", "survived"], ["time"]]
    rows = table(ROOT, [*zip(others, ends), (same, ["survived"])], 1234)
    assert [row["end"] for row in rows] == [
        "2 of 5 (40.0 %) when they were drawn, 3 (60.0 %) since tests for the others have been "
        "written; 1 of the other 2 change nothing; of those that change anything, 50.0 % when "
        "drawn",
        "not noticed",
        "changes nothing",
    ]
    assert rows[0]["mutant"] == "drawn from 1,234 places"
    assert rows[0]["reason"] == (
        "Noticed 1 by a failed assertion, 1 by an error, 1 by the time limit; of those that change "
        "anything, 75.0 %."
    )
    assert rows[1] == {"end": "not noticed", "mutant": str(others[2]), "reason": ""}
    (total,) = table(ROOT, [(others[0], ["value"])], 10)
    assert total["end"] == "1 of 1 (100.0 %)"


def test_a_mutant_that_is_judged_again_has_several_ends(tmp_path):
    file = tmp_path / "judged.jsonl"
    assert not _known_ends(file)
    lines = [(3, "survived"), (0, "value"), (3, "error")]
    file.write_text("".join(json.dumps({"number": k, "end": end}) + "\n" for k, end in lines))
    assert _known_ends(file) == {3: ["survived", "error"], 0: ["value"]}


def _line(mutant):
    return (ROOT / mutant.path).read_text(encoding="utf-8").splitlines()[mutant.line - 1]
