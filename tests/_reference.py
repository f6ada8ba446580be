"""Reference numbers of ``tests/reference``, computed with other software."""

import json
from functools import cache
from pathlib import Path

import pytest

_FOLDER = Path(__file__).parent / "reference"


@cache
def load_cases(name):
    """Return the list of cases in ``tests/reference/<name>.json``."""
    return json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]


def parametrize_cases(name, keep=lambda case: True):
    """Parametrize a test over the cases of one reference file."""
    cases = [case for case in load_cases(name) if keep(case)]
    assert cases, f"no case of {name}.json is left"
    return pytest.mark.parametrize("case", cases, ids=[case["name"] for case in cases])
