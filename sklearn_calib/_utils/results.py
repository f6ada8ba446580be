"""What the results of public functions share: repr, dict, table and HTML."""

import html
import math
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

_WIDTH = 88
_MOST_SHOWN = 5
# Control characters, halves of surrogate pairs, which no file can hold, characters that Unicode
# leaves out, and those that end a line or turn the direction of the text around them.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


class Result:
    """Base of the dataclasses that public functions return.

    A subclass lists once, in `_summary`, which of its fields and properties are short enough to
    be shown. Names whose value is None are left out of text and HTML. Numbers whose names are in
    another field, as `_names` says, are shown with these.
    """

    _summary: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[Mapping[str, str]] = {"feature_bandwidth": "feature_names"}

    def __repr__(self) -> str:
        """Show the summary, as many names on a line as fit."""
        lines: list[str] = []
        for name, value in self._shown():
            item = f"{name}={self._text_of(name, value)},"
            if lines and len(lines[-1]) + 1 + len(item) <= _WIDTH:
                lines[-1] += f" {item}"
            else:
                lines.append(f"    {item}")
        return "\n".join([f"{type(self).__name__}(", *map(seen, lines), ")"])

    def _repr_html_(self) -> str:
        """Show the summary as a table with one row per name."""
        rows = [
            f'<tr><th scope="row">{html.escape(name)}</th><td>{_escape(text)}</td></tr>'
            for name, value in self._shown()
            for text in [value if isinstance(value, str) else self._text_of(name, value)]
        ]
        caption = f"<caption>{html.escape(type(self).__name__)}</caption>"
        return "\n".join(["<table>", caption, "<tbody>", *rows, "</tbody>", "</table>"])

    def _shown(self):
        values = [(name, getattr(self, name)) for name in self._summary]
        return [(name, value) for name, value in values if value is not None]

    def _text_of(self, name, value):
        names = getattr(self, self._names.get(name, ""), None)
        return _text(value) if names is None else _show_named_numbers(names, value)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values that ``json.dumps`` accepts.

        Returns
        -------
        content : dict
            The attributes by name. Arrays and tuples are lists, results inside the result are
            dicts. JSON has no number for NaN and infinity: NaN is None, and infinity is the text
            "inf" or "-inf", which ``float`` reads.
        """
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        names += [name for name in self._summary if name not in names]
        return {name: to_plain(getattr(self, name)) for name in names}

    def to_frame(self) -> "pd.DataFrame":
        """Return the summary as a table, to be put below that of other results.

        Returns
        -------
        frame : DataFrame of shape (1, n_columns)
            One column per name. Bandwidths that differ between features or classes are one list.
        """
        import pandas as pd

        return pd.DataFrame([self._row()])

    def _row(self):
        """Return the summary as one row of a table."""
        return {name: _cell(getattr(self, name)) for name in self._summary}


def cut(text, longest):
    """Return text of at most so many characters; an ellipsis takes the place of the rest."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def one_line(text):
    r"""Return text in one line; what would not be seen is written as in Python, like ``\x1b``."""
    return seen(" ".join(str(text).split()))


def seen(line):
    """Return a line with its spaces in which everything is seen."""
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], line)


def join_lines(lines):
    """Return lines as text that ends with a line break, with everything in a line seen."""
    return "".join(f"{seen(line)}\n" for line in lines)


def _escape(text):
    return html.escape(one_line(text))


def to_plain(value):
    """Return a value as None, bool, int, float, str, list or dict; see `Result.to_dict`."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        if np.isnan(value):
            return None
        return value if np.isfinite(value) else str(value)
    if isinstance(value, str):
        return str(value)  # and not of a derived class
    if value is None or isinstance(value, bool | int):
        return value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(key): to_plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [to_plain(one) for one in value]
    return str(value)


def show_numbers(values):
    """Return a number, or a list that is cut after five numbers or names, as text."""
    values = np.asarray(values)
    if values.ndim == 0:
        return f"{values:.4g}"
    numeric = values.dtype.kind in "biuf"
    first = values[:_MOST_SHOWN]
    shown = ", ".join(f"{one:.4g}" if numeric else str(one) for one in first)
    more = f", ... ({values.size} values)" if values.size > _MOST_SHOWN else ""
    return f"[{shown}{more}]"


def _show_named_numbers(names, values):
    """Return numbers with their names, cut after five, as text."""
    shown = [f"{name!r}: {value:.4g}" for name, value in zip(names, values)][:_MOST_SHOWN]
    if len(values) > _MOST_SHOWN:
        shown.append(f"... ({len(values)} values)")
    return f"{{{', '.join(shown)}}}"


def decimals_of(*values):
    """Return how many decimals, at least three, show two digits of the largest of some numbers."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return min(max(1 - math.floor(math.log10(largest)), 3), 11) if largest else 3


def tell_apart(*values):
    """Return numbers as text with the fewest decimals that tell them apart.

    There are at least three decimals, and at least two digits of the largest number.
    """
    for decimals in range(decimals_of(*values), 12):
        texts = [f"{value:z.{decimals}f}" for value in values]
        distinct = len(set(texts)) == len(set(values))
        if distinct and all(float(text) != 0.0 or not value for text, value in zip(texts, values)):
            return texts
    return [f"{value:.6g}" for value in values]


def _text(value):
    """Return a value of the summary as short text."""
    if hasattr(value, "_asdict"):
        each = ", ".join(f"{name}={_text(one)}" for name, one in value._asdict().items())
        return f"{type(value).__name__}({each})"
    if isinstance(value, float | np.floating | np.ndarray | tuple):
        return show_numbers(value)
    return repr(value)


def _cell(value):
    """Return a value of the summary as one cell of a table."""
    if hasattr(value, "_asdict"):
        return to_plain(value)
    return list(value) if isinstance(value, np.ndarray | tuple) else value
