"""Names for what is missing, which no category of the data has."""

from __future__ import annotations

from collections.abc import Iterable


class Presence(str):
    """The name of a category that says whether a value is known; text of the data is none."""

    __slots__ = ()


PRESENT = Presence("present")
MISSING = Presence("missing")


def word_for_missing(labels: Iterable[object]) -> str:
    """Return a name for missing values that is none of these labels."""
    taken, word = set(labels), "missing"
    while word in taken:
        word = f"{word} value"
    return word


def name_missing(labels: Iterable[str | None]) -> list[str]:
    """Return names of categories with a word that no other has in place of None."""
    labels = list(labels)
    word = word_for_missing(labels)
    return [word if label is None else label for label in labels]
