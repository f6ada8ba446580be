"""A file of predictions as it lies on the disk: its format, its cells and its lines."""

import bz2
import csv
import gzip
import io
import lzma
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path
from typing import Any

_MISSING = ("", "nan", "NaN", "NAN")
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
# Separators that are found in files called .csv or .tsv as well.
_OTHER_SEPARATORS = (";", "\t", "|", ",")
_PARQUET = (".parquet", ".pq")
# Cells of text may be longer than the limit of the module csv, which is 131,072 characters.
_LONGEST_CELL = 2**31 - 1
# Rows whose decimals are counted at a time.
_ROWS_OF_TEXT = 100_000
# Floating point does not tell all whole numbers apart from here on.
_ROUNDED = 2.0**53
_WHOLE = r"\s*[+-]?\d+\s*"
# Digits behind a leading zero are a code, such as that of a place, and no number.
_CODE = r"\s*0\d+\s*"
_SEPARATOR_LINE = re.compile(r"\"?sep=.?\"?", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
# What makes older versions of pandas read the nearest double, as newer ones and Python do.
_NEAREST_DOUBLES = {"2": {"float_precision": "round_trip"}}
_THOUSANDS = re.compile(r"\s*[+-]?\d{1,3}(,\d{3})+(\.\d*)?\s*|\s*[+-]?\d{1,3}(\.\d{3})+(,\d*)?\s*")


@contextmanager
def _open_zip(path, mode, **options):
    """Open the only file of a zip archive."""
    with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0], mode="r") as file:
        yield io.TextIOWrapper(file, **options) if mode == "rt" else file


_OPENERS: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zip": _open_zip,
}


class TableError(ValueError):
    """A fault of the file that its owner can correct, described in one line."""


def has_decimal_comma(value):
    """Return whether a cell is a number written with a decimal comma."""
    return isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value) is not None


def has_thousands_separator(value):
    """Return whether a cell is a number whose thousands are separated by commas or points."""
    return isinstance(value, str) and _THOUSANDS.fullmatch(value) is not None


class SourceFile:
    """A CSV or Parquet file.

    Parameters
    ----------
    path : str
        A ``.csv`` or ``.tsv`` (also compressed) or ``.parquet`` file.

    Attributes
    ----------
    separator : str or None
        What stands between the columns; None for Parquet.
    compression : str or None
        Last part of the name of a compressed text file.
    decimal : {".", ","}
        The decimal point of a text file.
    """

    def __init__(self, path):
        file = Path(path)
        if not file.is_file():
            raise TableError(f"{path}: {'is a folder' if file.is_dir() else 'no such file'}")
        self.path = path
        self.separator, self.compression = _format(path)
        self.decimal = "."
        self._decimals: dict[tuple[str, ...], int] = {}
        self._complete: set[tuple[str, ...]] = set()

    def read(self, wanted, numeric, codes=()):
        """Return a data frame of the wanted columns.

        `numeric` are those that hold numbers, and `codes` those that may hold codes of digits,
        which stay text if any begins with a zero.
        """
        with self._faults_in_words():
            if self.separator is None:
                return _with_index(self._read_parquet(wanted))[wanted]
            header = self._find_separator(wanted)
            frame = self._read_text()
            self._check_columns(frame.columns, header, wanted)
            # Where a comma separates columns it may also separate thousands.
            if self.separator != "," and any(
                frame[name].map(has_decimal_comma).any() for name in numeric
            ):
                self.decimal = ","
                frame = self._read_text()
            self._refuse_short_rows(frame, header, wanted)
            return self._with_codes(frame[wanted], codes)

    def parts(self, wanted, size, text=()):
        """Yield the wanted columns in parts of at most `size` rows, with the number of the first.

        Columns in `text` are read as text, whatever they hold. Others get the types of the part.
        """
        start = 0
        with self._faults_in_words():
            for frame in self._parts(wanted, size, text):
                yield start, frame[wanted]
                start += len(frame)

    def _parts(self, wanted, size, text):
        if self.separator is None:
            from pyarrow import Table, parquet

            with parquet.ParquetFile(self.path) as file:
                self._check_parquet(file.schema_arrow, wanted)
                for batch in file.iter_batches(batch_size=size, columns=wanted):
                    yield _with_index(Table.from_batches([batch]).to_pandas())
            return
        header = self._find_separator(wanted)
        with self._read_text(chunksize=size, dtype=dict.fromkeys(text, str)) as reader:
            while True:
                with _long_rows_are_errors():
                    frame = next(reader, None)
                if frame is None:
                    return
                self._check_columns(frame.columns, header, wanted)
                self._refuse_short_rows(frame, header, wanted)
                yield frame

    @contextmanager
    def _faults_in_words(self):
        """Turn the exceptions of readers into a `TableError`."""
        import pandas as pd

        try:
            yield
        except TableError:
            raise
        except ImportError as error:
            raise TableError(
                f"{self.path}: reading Parquet needs the package pyarrow (python -m pip install "
                "pyarrow), or save the table as CSV"
            ) from error
        except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
            raise TableError(
                f"{self.path}: the compressed file is cut off or damaged ({error}); copy or "
                "download it again"
            ) from error
        except OSError as error:
            raise TableError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            raise TableError(
                f"{self._undecodable()} is not UTF-8 text; save the file as UTF-8"
            ) from error
        except (ValueError, pd.errors.ParserWarning) as error:
            # Parser errors and empty files are ValueErrors.
            text = " ".join(str(error).split())
            hint = (
                " (numbers with decimal commas need another separator of the columns, such as ';')"
                if self.separator == "," and self._has_split_numbers()
                else ""
            )
            raise TableError(f"{self.path}: not a readable table: {text}{hint}") from error

    def place(self, row):
        """Return the file and the line of a row, which count from 1 and 0; or the row alone."""
        if self.separator is None:
            return f"{self.path}: row {row + 1}"
        with self._cells() as reader:
            # Blank lines are no rows.
            filled = (cells for cells in reader if len(cells) > 1 or "".join(cells).strip())
            next(islice(filled, row + 1, None))
            return f"{self.path}: line {reader.line_num}"

    def decimals(self, columns):
        """Return the largest number of decimals in some columns of a text file; None for Parquet.

        Zeros at the end of a number are often left out, so the longest number counts.
        """
        if self.separator is None:
            return None
        if tuple(columns) in self._decimals:
            return self._decimals[tuple(columns)]
        most = 0
        with self._read_text(usecols=list(columns), dtype=str, chunksize=_ROWS_OF_TEXT) as parts:
            for part in parts:
                cells = dict.fromkeys(part.to_numpy().ravel().tolist())
                most = max(most, *map(self._decimals_of, cells))
        self._decimals[tuple(columns)] = most
        return most

    def _decimals_of(self, cell):
        try:
            exponent = Decimal(str(cell).replace(self.decimal, ".")).as_tuple().exponent
        except InvalidOperation:
            return 0
        return max(0, -exponent) if isinstance(exponent, int) else 0

    def _find_separator(self, wanted):
        """Settle on the separator with which the header holds the wanted columns; return it."""
        headers = {}
        for separator in dict.fromkeys((self.separator, *_OTHER_SEPARATORS)):
            headers[separator] = (
                self._read_text(sep=separator, header=None, nrows=1, dtype=str, na_values=None)
                .iloc[0]
                .tolist()
            )
            if set(wanted) <= set(headers[separator]):
                break
        else:
            self._refuse_separator_line()
            separator = max(headers, key=lambda key: len(headers[key]))
        self.separator = separator
        return headers[separator]

    def _refuse_separator_line(self):
        """Raise if the first line is no header and only tells Excel the separator."""
        with self._open("rt", encoding="utf-8-sig") as file:
            line = file.readline().strip()
        if _SEPARATOR_LINE.fullmatch(line):
            raise TableError(
                f"{self.path}: line 1 is {line!r}, which only Excel understands; delete this line, "
                "so that the header is the first one"
            )

    def _read_parquet(self, wanted):
        import pandas as pd
        from pyarrow import parquet

        self._check_parquet(parquet.read_schema(self.path), wanted)
        return pd.read_parquet(self.path, columns=wanted)

    def _read_text(self, **options):
        import pandas as pd

        with _long_rows_are_errors():
            return pd.read_csv(
                self.path,
                **{
                    "sep": self.separator,
                    "decimal": self.decimal,
                    "index_col": False,
                    "keep_default_na": False,
                    "na_values": _MISSING,
                    "low_memory": False,
                    **_NEAREST_DOUBLES.get(pd.__version__.partition(".")[0], {}),
                    **options,
                },
            )

    def _with_codes(self, frame, codes):
        """Return the columns, of which some are text again if they hold codes.

        Whole numbers beyond 2**53 that came in floating point because of empty cells are read anew.
        """
        whole = [
            name
            for name in dict.fromkeys(codes)
            if frame[name].dtype.kind in "iuf" and (frame[name].dropna() % 1 == 0).all()
        ]
        if not whole:
            return frame
        import pandas as pd

        text = self._read_text(usecols=whole, dtype=str)
        exact = {}
        for name in whole:
            if text[name].str.fullmatch(_CODE).any():
                exact[name] = text[name]
            elif _may_be_rounded(frame[name]) and text[name].dropna().str.fullmatch(_WHOLE).all():
                cells = [int(cell) if isinstance(cell, str) else None for cell in text[name]]
                exact[name] = pd.Series(cells, frame.index, dtype=object)
        return frame.assign(**exact)

    def _refuse_short_rows(self, frame, header, wanted):
        """Raise if a row ends before a wanted column, or the file ends within a row.

        Only rows that lack the last cell can be such rows, so that most files are read once, and
        others twice, in however many parts they come.
        """
        if tuple(wanted) in self._complete or not frame.iloc[:, -1].isna().any():
            return
        named = max(k for k, name in enumerate(header, start=1) if isinstance(name, str) and name)
        needed = max(header.index(name) for name in wanted) + 1
        with self._cells() as reader:
            cells, line = header, 1
            for following in reader:
                if len(cells) < needed:
                    break
                if len(following) > 1 or "".join(following).strip():
                    cells, line = following, reader.line_num
        if len(cells) < max(needed, named):
            raise TableError(
                f"{self.path}: line {line} has {len(cells)} cells, but the header has {named}; the "
                "row is damaged, or the file is cut off"
            )
        self._complete.add(tuple(wanted))

    def _has_split_numbers(self):
        """Return whether rows have more cells than the header and look like split decimals."""
        with self._cells() as reader:
            rows = [cells for cells in islice(reader, 100) if cells]
        return len(rows) > 1 and all(
            len(cells) > len(rows[0]) and sum(cell.strip().isdigit() for cell in cells) > 1
            for cells in rows[1:]
        )

    def _undecodable(self):
        """Return the file and the first line that is not UTF-8."""
        with self._open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError:
                    return f"{self.path}: line {number}"
        return self.path

    @contextmanager
    def _cells(self):
        """Yield a reader of the rows, whose cells may have any length."""
        limit = csv.field_size_limit(_LONGEST_CELL)
        try:
            with self._open("rt", encoding="utf-8-sig", newline="") as file:
                yield csv.reader(file, delimiter=self.separator)
        finally:
            csv.field_size_limit(limit)

    def _open(self, mode, **options):
        return _OPENERS.get(self.compression, open)(self.path, mode, **options)

    def _check_parquet(self, schema, wanted):
        names = [name for name in schema.names if not name.startswith("__index_level_")]
        self._check_columns(names, names, wanted)

    def _check_columns(self, columns, header, wanted):
        """Raise unless each wanted column is there, and once in the header."""
        missing = [name for name in wanted if name not in columns]
        if missing:
            found = [str(name) for name in columns]
            listed = ", ".join(map(repr, found[:20])) + (", ..." if len(found) > 20 else "")
            raise TableError(f"{self.path}: no column {missing[0]!r}; the columns are {listed}")
        for name in wanted:
            if header.count(name) > 1:
                raise TableError(
                    f"{self.path}: {header.count(name)} columns are called {name!r}; rename all "
                    "but one"
                )


def _may_be_rounded(column):
    """Return whether whole numbers of a column may have lost digits in floating point."""
    return column.dtype.kind == "f" and (column.abs() >= _ROUNDED).any()


def _with_index(frame):
    """Return a table whose named index, which a file may hold as columns, is columns."""
    names = [name for name in frame.index.names if name is not None]
    return frame.reset_index(names) if names else frame


@contextmanager
def _long_rows_are_errors():
    """Raise where pandas only warns: rows that are longer than the header lose cells.

    All columns are read, since a choice of columns is not checked for such rows at all.
    """
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        yield


def _format(path):
    """Return the separator of the columns, None for Parquet, and the compression or None."""
    kind, last = ["", "", *map(str.lower, Path(path).suffixes)][-2:]
    if last in _PARQUET:
        return None, None
    if last in _SEPARATORS:
        return _SEPARATORS[last], None
    if kind in _SEPARATORS and last in _OPENERS:
        return _SEPARATORS[kind], last
    raise TableError(
        f"{path}: unknown file type {last!r}; known are {', '.join(_SEPARATORS)} (also with "
        f"{', '.join(_OPENERS)} behind it), {', '.join(_PARQUET)}"
    )
