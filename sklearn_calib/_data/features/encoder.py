"""Encode features: numbers, which have distances, and categories, which match or do not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from ..._core import weighted_median
from ..arrays import is_number
from ..named_columns import values_by_column
from .missing import MISSING, PRESENT, Presence, word_for_missing
from .table import FeatureTable, read_features, show_values

# Whole numbers with at most so many distinct values are categories ...
_MOST_VALUES = 10
# ... if there are so many rows for each of more than two of them.
_ROWS_PER_VALUE = 20
# Indicators of one column of categories in a linear model.
_MOST_INDICATORS = 20
_RULES = ("auto", "from_dtype")


@dataclass(frozen=True, eq=False)
class Features:
    """Encoded features of some rows.

    The kernel between two rows is an RBF kernel on `numbers`, times 1 for each column of `codes`
    in which the rows agree and `category_similarity` for each in which they differ.

    Attributes
    ----------
    numbers : ndarray of shape (n_samples, n_numbers)
        float64 without NaN: a missing number is the median of the others.
    codes : ndarray of shape (n_samples, n_codes)
        Categories as whole numbers from 0 on; -1 is a category that was not seen in `fit`.
    unseen : ndarray of bool of shape (n_samples, n_features)
        Where the value of a feature is a category that was not seen in `fit`, or missing in a
        column of numbers that had no missing values in `fit`.
    encoder : FeatureEncoder
        What the columns stand for.
    """

    numbers: np.ndarray
    codes: np.ndarray
    unseen: np.ndarray
    encoder: FeatureEncoder

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.numbers)

    def __getitem__(self, rows: Any) -> Features:
        """Return some rows, chosen by a slice, a mask or positions."""
        return replace(
            self, numbers=self.numbers[rows], codes=self.codes[rows], unseen=self.unseen[rows]
        )

    def with_codes(self, columns: list[int]) -> Features:
        """Return the features with some of the columns of codes, for a kernel that reads these."""
        return replace(self, codes=self.codes[:, columns])

    @property
    def varied(self) -> list[int]:
        """The columns of codes in which not all rows of `fit` agree."""
        return [k for k, levels in enumerate(self.encoder.levels) if len(levels) > 1]

    @property
    def similarity(self) -> np.ndarray:
        """Kernel between different categories, one number per column of `codes`."""
        return np.full(self.codes.shape[1], self.encoder.category_similarity)

    @property
    def complete(self) -> Any:
        """Whether no number of a row is missing, shape (n_samples,)."""
        encoder = self.encoder
        flags = [j for j, k in enumerate(encoder.code_features) if k in encoder.number_features]
        return (self.codes[:, flags] == 0).all(axis=1)

    def column(self, feature: int) -> np.ndarray:
        """Return one feature as numbers (NaN where missing) or as codes of its categories."""
        encoder = self.encoder
        if feature in encoder.number_features:
            values = self.numbers[:, encoder.number_features.index(feature)].copy()
            if feature in encoder.code_features:  # where numbers are missing
                values[self.codes[:, encoder.code_features.index(feature)] != 0] = np.nan
            return values
        return self.codes[:, encoder.code_features.index(feature)]

    def design(self) -> tuple[np.ndarray, list[tuple[int, str | None]]]:
        """Return the features as columns of a linear model, and what each column means.

        The numbers come first, and then indicators of categories: of each column of codes those of
        the most frequent categories but one, at most 20. The meaning is the feature, and the
        category of an indicator.
        """
        encoder = self.encoder
        columns = [*self.numbers.T]
        meaning: list[tuple[int, str | None]] = [(k, None) for k in encoder.number_features]
        for j, feature in enumerate(encoder.code_features):
            count = np.bincount(self.codes[:, j], minlength=len(encoder.levels[j]))
            ranked = np.argsort(-count, kind="stable")
            chosen = ranked[1:] if len(ranked) <= _MOST_INDICATORS else ranked[:_MOST_INDICATORS]
            for code in sorted(chosen.tolist()):
                columns.append((self.codes[:, j] == code).astype(np.float64))
                meaning.append((feature, encoder.levels[j][code]))
        return np.column_stack([np.empty((len(self), 0)), *columns]), meaning

    def one_hot(self) -> np.ndarray:
        """Return indicators of all categories of all columns of `codes`, side by side.

        Rows with a category that was not seen have no indicator of that column.
        """
        blocks = [
            self.codes[:, [k]] == np.arange(len(levels))
            for k, levels in enumerate(self.encoder.levels)
        ]
        return np.hstack([np.zeros((len(self), 0)), *blocks]).astype(np.float64)


class FeatureEncoder:
    """Turn features into numbers and categories.

    The rule of ``categorical_features="auto"``: text, booleans and columns of a categorical type
    are categories. A column of whole numbers is one as well if it has at most two distinct values,
    or at most ten with at least 20 rows for each of them on average, unless floating point may have
    rounded them (from 2**53 on). A missing value is a category
    of its own; in a column of numbers it is replaced by the median of the others, and a further
    column of codes says where (0 present, 1 missing).

    Parameters
    ----------
    categorical_features : {"auto", "from_dtype"} or array-like, default="auto"
        Which features are categories. "auto" is the rule above, "from_dtype" is the rule without
        the whole numbers. A list holds the positions or names of the columns of numbers that are
        categories, or one boolean per feature; text, booleans and columns of a categorical type
        are categories in any case.
    category_similarity : float, default=0.0
        Kernel between two different categories, at least 0 and below 1; 0 is an exact match.
    count_values : bool, default=True
        Whether "auto" looks for few-valued whole numbers in an array of numbers as well, and not
        only in tables and in arrays that hold text.

    Attributes
    ----------
    names : list of str
        Name of each feature.
    named : bool
        Whether the names came with the data.
    n_features : int
        Number of features that were passed.
    number_features : list of int
        The feature that each column of `Features.numbers` stands for.
    code_features : list of int
        The feature that each column of `Features.codes` stands for. A feature of numbers with
        missing values is in both lists.
    levels : list of tuple
        The categories of each column of `Features.codes`, as text; the code is the position. The
        one of missing values is "missing", or "missing value" if another one has that name.

    Examples
    --------
    >>> from sklearn_calib._data.features import FeatureEncoder
    >>> X = [["a", 1.5], ["b", None], ["a", 2.5]]
    >>> encoder = FeatureEncoder().fit(X)
    >>> features = encoder.transform(X)
    >>> features.numbers.ravel().tolist(), features.codes.tolist()
    ([1.5, 2.0, 2.5], [[0, 0], [1, 1], [0, 0]])
    >>> encoder.levels
    [('a', 'b'), ('present', 'missing')]
    >>> encoder.transform([["z", 1.0]], unseen="code").codes.tolist()
    [[-1, 0]]
    """

    def __init__(self, categorical_features="auto", *, category_similarity=0.0, count_values=True):
        self.categorical_features = categorical_features
        self.category_similarity = check_similarity(category_similarity)
        self.count_values = count_values

    def fit(self, X: Any, weight: np.ndarray | None = None) -> FeatureEncoder:
        """Decide what each feature is, and learn its categories.

        Rows may have positive weights; medians then are those of so many copies of the rows. The
        rule "auto" counts rows, so that it does not depend on the unit of the weights. It raises
        if `categorical_features` is not understood, or a feature cannot be read.
        """
        table = read_features(X)
        self.names, self.n_features, self.named = table.names, len(table.names), table.named
        chosen = self.chosen(table)
        self.number_features: list[int] = []
        self.code_features: list[int] = []
        self.levels: list[tuple[str, ...]] = []
        self._values: list[tuple] = []  # the categories as they are, for `transform`
        self._fill: list[float] = []
        self._of_numbers = {k for k, one in enumerate(table.columns) if one.numbers is not None}
        for k, column in enumerate(table.columns):
            if column.numbers is None:
                missing = column.codes < 0
                occur = np.unique(column.codes[~missing])
                self._add_categories(k, [column.levels[j] for j in occur], missing.any())
                continue
            missing = np.isnan(column.numbers)
            seen = column.numbers[~missing]
            if chosen[k] or not seen.size:
                column.refuse_rounded(f"Feature {table.names[k]!r} of {table.argument}")
                self._add_categories(k, np.unique(column.exact[~missing]).tolist(), missing.any())
                continue
            self.number_features.append(k)
            middle = np.median(seen) if weight is None else weighted_median(seen, weight[~missing])
            self._fill.append(float(middle))
            if missing.any():
                self.code_features.append(k)
                self.levels.append((PRESENT, MISSING))
                self._values.append(())
        return self

    def _add_categories(self, feature, values, has_missing):
        """Make a feature a column of codes."""
        self.code_features.append(feature)
        self._values.append(tuple(values))
        labels = [show_category(value) for value in values]
        if has_missing:
            labels.append(Presence(word_for_missing(labels)))
        self.levels.append(tuple(labels))

    def transform(self, X: Any, *, unseen: str = "error") -> Features:
        """Encode features, as many as in `fit`, with the same names and kinds.

        A category that was not seen in `fit`, or a missing number in a column that had none,
        raises, or with "code" gets the code -1 and a mark in `Features.unseen`; the number is then
        the median.
        """
        table = read_features(X)
        self._check_columns(table)
        n = len(table)
        numbers = np.empty((n, len(self.number_features)))
        codes = np.zeros((n, len(self.code_features)), dtype=np.intp)
        unknown = np.zeros((n, self.n_features), dtype=bool)
        for j, k in enumerate(self.number_features):
            values = self._numbers(table, k)
            missing = np.isnan(values)
            numbers[:, j] = np.where(missing, self._fill[j], values)
            if k in self.code_features:
                codes[:, self.code_features.index(k)] = missing
            else:
                unknown[:, k] = missing
        for j, k in enumerate(self.code_features):
            if k not in self.number_features:
                self._refuse_numbers(table, k)
                codes[:, j] = self._codes(table.columns[k], j)
                unknown[:, k] = codes[:, j] < 0
        if unseen == "error" and unknown.any():
            self._refuse_unseen(table, unknown)
        return Features(numbers, codes, unknown, self)

    def _check_columns(self, table):
        if len(table.names) != self.n_features:
            raise ValueError(
                f"{table.argument} must have the {self.n_features} features of X, got "
                f"{len(table.names)}."
            )
        if self.named and table.named and table.names != self.names:
            raise ValueError(
                f"{table.argument} must have the columns of X, {show_values(self.names)}, in the "
                f"same order, got {show_values(table.names)}."
            )

    def _numbers(self, table, feature):
        column = table.columns[feature]
        if column.numbers is not None:
            return column.numbers
        if not column.levels:
            return np.full(len(table), np.nan)
        raise ValueError(
            f"Feature {self.names[feature]!r} is a number in X, and {table.argument} holds "
            f"{show_values(column.levels)}. Pass numbers, or make it a category in X."
        )

    def _refuse_numbers(self, table, feature):
        """Raise if a feature of categories that are text holds numbers."""
        numbers = table.columns[feature].numbers
        known = self._values[self.code_features.index(feature)]
        if numbers is None or not known or is_number(known[0]) or np.isnan(numbers).all():
            return
        found = np.unique(numbers[~np.isnan(numbers)]).tolist()
        raise ValueError(
            f"Feature {self.names[feature]!r} is a category in X, one of {show_values(known)}, and "
            f"{table.argument} holds the numbers {show_values(found)}. Pass categories as in X."
        )

    def _codes(self, column, j):
        """Return the codes of a column of categories, -1 for those that were not seen."""
        values, labels = self._values[j], self.levels[j]
        missing_code = len(values) if len(labels) > len(values) else -1
        if column.numbers is None:
            place = {value: code for code, value in enumerate(values)}
            lookup = [place.get(level, -1) for level in column.levels]
            return np.array([*lookup, missing_code], dtype=np.intp)[column.codes]
        place = {value: code for code, value in enumerate(values) if is_number(value)}
        distinct, inverse = np.unique(column.exact, return_inverse=True)
        codes = np.array([place.get(one, -1) for one in distinct.tolist()], dtype=np.intp)[inverse]
        codes[np.isnan(column.numbers)] = missing_code
        return codes

    def _refuse_unseen(self, table, unknown):
        row, feature = (int(one) for one in np.argwhere(unknown)[0])
        column = table.columns[feature]
        if column.numbers is None:
            value = MISSING if column.codes[row] < 0 else repr(column.levels[column.codes[row]])
        else:
            number = column.numbers[row]
            shown = f"{number:g}" if column.whole is None else column.whole[row]
            value = MISSING if np.isnan(number) else shown
        known = "no missing values"
        if feature in self.code_features:
            known = f"the categories {show_values(self.levels[self.code_features.index(feature)])}"
        raise ValueError(
            f"Feature {self.names[feature]!r} is {value} in row {row} of {table.argument}, but X "
            f"has {known} there, so no row can be compared with it. Leave such rows out."
        )

    def chosen(self, table: FeatureTable) -> list[bool]:
        """Return for each feature whether it is a category if it holds numbers."""
        rule, n_features = self.categorical_features, len(table.names)
        if not isinstance(rule, str):
            return _listed(rule, table)
        if rule not in _RULES:
            raise ValueError(
                f"categorical_features must be one of {_RULES}, or a list of names or positions, "
                f"got {rule!r}."
            )
        if rule == "auto" and (table.typed or self.count_values):
            return [_has_few_values(column) for column in table.columns]
        return [False] * n_features

    def number_categories(self) -> list[bool]:
        """Return for each feature whether it is a category of numbers, as an option."""
        numbers = [
            k not in self.number_features and k in self._of_numbers for k in range(self.n_features)
        ]
        return numbers

    def of(self, positions: list[int]) -> FeatureEncoder:
        """Return an encoder that was fitted to some of the features only."""
        chosen = FeatureEncoder(category_similarity=self.category_similarity)
        chosen.names, chosen.n_features = [self.names[k] for k in positions], len(positions)
        chosen.named = self.named
        chosen._of_numbers = {j for j, k in enumerate(positions) if k in self._of_numbers}
        chosen.number_features, chosen._fill = [], []
        chosen.code_features, chosen.levels, chosen._values = [], [], []
        for j, k in enumerate(positions):
            if k in self.number_features:
                chosen.number_features.append(j)
                chosen._fill.append(self._fill[self.number_features.index(k)])
            if k in self.code_features:
                column = self.code_features.index(k)
                chosen.code_features.append(j)
                chosen.levels.append(self.levels[column])
                chosen._values.append(self._values[column])
        return chosen

    def is_category(self, feature: int) -> bool:
        """Return whether a feature is a category, and not a number."""
        return feature not in self.number_features

    def categories(self, feature: int) -> tuple[str, ...] | None:
        """Return the categories of a feature as text; None if it is a number."""
        if not self.is_category(feature):
            return None
        return self.levels[self.code_features.index(feature)]


def _has_few_values(column):
    """Return whether numbers are whole and so few different ones that they are categories."""
    if column.numbers is None:
        return False
    present = ~np.isnan(column.numbers)
    seen = column.numbers[present]
    if (seen != np.floor(seen)).any() or column.rounded.any():
        return False
    n_values = np.unique(column.exact[present]).size
    return n_values <= 2 or n_values <= min(_MOST_VALUES, seen.size // _ROWS_PER_VALUE)


def _listed(features, table):
    """Return for each feature whether it is in a list of positions, names or booleans."""
    names = table.names
    if table.named and str(getattr(features, "dtype", "")) in ("bool", "boolean"):
        features = values_by_column(features, "categorical_features", names)
    wanted = np.asarray(features).tolist()
    wanted = wanted if isinstance(wanted, list) else [wanted]
    if wanted and all(isinstance(one, bool) for one in wanted):
        if len(wanted) != len(names):
            raise ValueError(
                f"categorical_features must have one boolean for each of the {len(names)} "
                f"features, got {len(wanted)}."
            )
        return wanted
    chosen = [False] * len(names)
    for one in wanted:
        if isinstance(one, int) and 0 <= one < len(names):
            position = one
        elif isinstance(one, str) and one in names:
            position = names.index(one)
        elif not names:
            raise ValueError(
                f"categorical_features holds {one!r}, but there are no features. Leave it out."
            )
        else:
            raise ValueError(
                f"categorical_features holds {one!r}, which is neither a position from 0 and below "
                f"{len(names)} nor one of the names {show_values(names)}."
            )
        if chosen[position]:
            raise ValueError(
                f"categorical_features holds feature {names[position]!r} more than once; the last "
                f"time as {one!r}. Name each feature once."
            )
        chosen[position] = True
    return chosen


def show_category(value: Any) -> str:
    """Return a category as text; whole numbers have no decimals."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def check_similarity(value: float) -> float:
    """Return the kernel between different categories, at least 0 and below 1."""
    real = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not real or not 0 <= value < 1:
        raise ValueError(
            "category_similarity must be a number of at least 0 (different categories are never "
            f"compared) and below 1, got {value!r}."
        )
    return float(value)
