"""Record the numbers anew."""

import json
from pathlib import Path

import numpy as np

from .cases import CASES

FILE = Path(__file__).with_name("numbers.json")


def computed(name):
    """Return the numbers of a case as a flat list."""
    return np.asarray(list(CASES[name]()), dtype=float).tolist()


if __name__ == "__main__":
    numbers = {name: computed(name) for name in CASES}
    FILE.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
