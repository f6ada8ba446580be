"""States as JSON documents: versioned, with a checksum, exact to the last bit, without pickle."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Self

import numpy as np

from ..._data.sums import Sums, Totals

_PACKAGE = "sklearn_calib"


class Document(ABC):
    """What can be written as a JSON document and read again.

    Derived classes say what they hold (`_content`) and make themselves of it (`_of_content`).
    """

    # Version of the form of the document, raised whenever older readers would misread it.
    _VERSION = 1

    def to_json(self) -> str:
        """Return the state as a JSON document.

        Returns
        -------
        text : str
            Versioned and with a checksum; :meth:`from_json` reads exactly the same numbers.
        """
        return write_document(type(self).__name__, self._VERSION, self._content())

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a state.

        Parameters
        ----------
        text : str or bytes
            What :meth:`to_json` returned.

        Returns
        -------
        state : object
            The same state.

        Raises
        ------
        ValueError
            If the text is no such document, was written by a newer release, or was changed.
        """
        return cls._of_content(read_document(text, cls.__name__, cls._VERSION))

    @abstractmethod
    def _content(self) -> dict[str, Any]:
        """Return everything as plain Python values without NaN and infinity."""

    @classmethod
    @abstractmethod
    def _of_content(cls, content: dict[str, Any]) -> Self:
        """Return the state that the values of `_content` stand for."""


def write_document(kind: str, version: int, content: Any) -> str:
    """Return a document that holds what `kind` names, in a form with a version.

    The content is plain Python values without NaN and infinity. Floats are written with as many
    digits as it takes to read the same number again.
    """
    head = {"format": f"{_PACKAGE}.{kind}", "version": version}
    checksum = _checksum(head, content)
    return json.dumps({**head, "checksum": checksum, "content": content}, allow_nan=False)


def read_document(text: str | bytes, kind: str, version: int) -> Any:
    """Return the content of a document, or raise if it is another one, a newer one or damaged.

    `kind` is what it should hold, and `version` the newest version of its form that can be read.
    """
    if not isinstance(text, str | bytes | bytearray):
        raise TypeError(
            f"text must be str or bytes, got {type(text).__name__}. Pass what to_json() returned."
        )
    try:
        document = json.loads(text, parse_float=_read_float, parse_constant=_read_float)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"The text is no JSON document ({error}), or it was cut off. Pass what to_json() "
            "returned, all of it."
        ) from None
    found = document.get("format") if isinstance(document, dict) else None
    if found != f"{_PACKAGE}.{kind}":
        raise ValueError(
            f"The document in text holds {'no state' if found is None else found!r}, not "
            f"'{_PACKAGE}.{kind}'. Pass what to_json() of a {kind} returned."
        )
    if type(document.get("version")) is not int or not 1 <= document["version"] <= version:
        raise ValueError(
            f"The document has version {document.get('version')!r}, and this release reads "
            f"versions up to {version}. Read it with the release of {_PACKAGE} that wrote it, or a "
            "newer one."
        )
    head = {name: document[name] for name in ("format", "version")}
    if "content" not in document or document.get("checksum") != _checksum(
        head, document["content"]
    ):
        raise ValueError(
            "The checksum does not fit the content: the document was changed or damaged after "
            "to_json(). Write it again from the state."
        )
    return document["content"]


def _read_float(text):
    """Return a number; NaN and infinity are none in JSON, and neither are numbers beyond floats."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:30]} is no finite number")
    return number


def _checksum(head, content):
    """Return the checksum of a document."""
    plain = json.dumps([head, content], sort_keys=True, separators=(",", ":"), allow_nan=False)
    return sha256(plain.encode()).hexdigest()


def plain_totals(totals: Totals) -> dict[str, list]:
    """Return totals as plain values; infinity is text."""
    return {
        "high": totals.high.tolist(),
        "low": totals.low.tolist(),
        "least": [one if np.isfinite(one) else str(one) for one in totals.least.tolist()],
    }


def read_totals(content: dict[str, Sequence]) -> Totals:
    """Return the totals of `plain_totals`."""
    return Totals(
        *(np.array([float(one) for one in content[name]]) for name in ("high", "low", "least"))
    )


def read_sums(sums: Sequence[Sums], parts: Sequence[dict[str, Sequence]]) -> dict[Sums, Totals]:
    """Return the totals of several sums, or raise if they are not those of this release."""
    table = dict(zip(sums, map(read_totals, parts)))
    fits = len(parts) == len(sums) and all(
        totals.high.shape == totals.low.shape == (one.size,) and totals.least.size == one.n_least
        for one, totals in table.items()
    )
    if not fits:
        raise ValueError(
            "The document holds other sums than this release keeps for the same metrics. Read it "
            f"with the release of {_PACKAGE} that wrote it."
        )
    return table


def plain_array(array: np.ndarray | None) -> dict[str, Any] | None:
    """Return an array of labels as plain values."""
    return None if array is None else {"kind": array.dtype.kind, "values": array.tolist()}


def read_array(content: dict[str, Any] | None) -> np.ndarray | None:
    """Return the array of `plain_array`."""
    if content is None:
        return None
    return np.array(content["values"], dtype=object if content["kind"] == "O" else None)
