"""The table of properties: one row for each public callable, one column for each property."""

import fnmatch
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.properties._data import rows
from tests.properties._outcomes import Refusal, outcome

# What the answers call the numbers that depend on draws of labels or rows.
DRAWN = (
    *("pvalue", "pvalue_marginal", "pvalues", "adjusted_pvalue", "calibration_pvalues"),
    *("null_distribution", "expected", "detectable_error", "replicates", "corrected"),
    *("low", "high", "lower", "upper", "gap_low", "gap_high", "smallest_delta", "limit"),
    *("critical_value", "group_critical_value", "significant", "explained_by", "differences"),
)


@dataclass(frozen=True)
class Subject:
    """A public callable as properties see it.

    Attributes
    ----------
    name : str
        Module and name.
    evaluate : callable
        ``evaluate(rows, options)`` -> what it answers for `Rows`.
    forms : tuple of dict
        The options to try; the first are the defaults.
    takes : frozenset of str
        The names of its parameters.
    kind : str
        Which test runs it.
    classes : tuple of int
        The numbers of classes that it can have.
    every_class : bool
        Whether it needs rows of each class.
    drawn : tuple of str
        Fields of the answer that depend on random draws, which go with the number of the row.
    columns : tuple of str
        Fields with a column for each class.
    by_row : tuple of str
        Fields with an entry for each row.
    cost : int
        By how much its number of examples is divided.
    rtol, atol : float
        How close to each other two ways to the same number have to be.
    """

    name: str
    evaluate: Callable
    forms: tuple
    takes: frozenset
    kind: str
    classes: tuple = (2, 3, 4)
    every_class: bool = False
    drawn: tuple = ()
    columns: tuple = ()
    by_row: tuple = ()
    cost: int = 1
    rtol: float = 1e-9
    atol: float = 1e-12

    def answer(self, data, options):
        """Return the plain answer for rows."""
        return outcome(self.evaluate, data, options)

    def for_rows(self, answer, rows):
        """Return an answer as it is for some of the rows, or for these rows in another order."""
        if isinstance(answer, Refusal):
            return answer
        return {
            name: value[rows] if name in self.by_row else value for name, value in answer.items()
        }

    def for_classes(self, answer, order):
        """Return an answer as it is for another order of the classes."""
        if isinstance(answer, Refusal):
            return answer
        return {
            name: value[..., order] if name in self.columns else value
            for name, value in answer.items()
        }

    def forms_for(self, n_classes):
        """Return the options that go with a number of classes."""
        return [one for one in self.forms if n_classes == 2 or one.get("target") != "binary"]


@dataclass(frozen=True)
class Property:
    """Something that holds for every callable.

    Attributes
    ----------
    name : str
    check : callable
        ``check(subject, options, rows, draw)`` -> the answers that it has compared.
    applies : callable
        ``applies(subject)`` -> whether the property makes sense.
    rows : dict
        Which rows to draw, as in `rows`.
    words : str
        The property in one sentence.
    """

    name: str
    check: Callable
    applies: Callable
    rows: dict = field(default_factory=dict)

    @property
    def words(self):
        """The property in one sentence."""
        return self.check.__doc__.splitlines()[0]

    def rows_for(self, subject):
        """Return the strategy of rows for a callable, or None if there are none."""
        classes = tuple(set(subject.classes) & set(self.rows.get("classes", subject.classes)))
        if not classes or not self.applies(subject):
            return None
        asked = {**self.rows, "classes": sorted(classes), "every_class": subject.every_class}
        if "sample_weight" not in subject.takes:
            asked["weights"] = ("none",)
        return rows(**asked)


@dataclass(frozen=True)
class Exempt:
    """Where a property does not hold, and why.

    Attributes
    ----------
    subjects : str
        Names of callables, with wildcards.
    properties : str
        Names of properties, with wildcards.
    reason : str
        Why it does not hold.
    when : callable
        ``when(options, rows)`` -> whether this is such a case; always by default.
    """

    subjects: str
    properties: str
    reason: str
    when: Callable | None = None

    def covers(self, subject, prop):
        """Return whether it speaks of this cell of the table."""
        return any(
            fnmatch.fnmatchcase(subject.name, pattern) for pattern in self.subjects.split()
        ) and any(fnmatch.fnmatchcase(prop.name, pattern) for pattern in self.properties.split())
