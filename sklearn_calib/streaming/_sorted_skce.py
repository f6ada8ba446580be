"""The kernel error with a Laplacian kernel from ranges of sorted probabilities."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import ArrayLike

from .._core import Segments
from .._data.sums import NotMergeableError
from .._data.targets import ONE_EVENT, reduce_target, resolve_target
from .._utils.docs import fill_doc
from .._utils.options import check_bandwidth, check_option, shorten
from .._utils.types import Label
from ..metrics._kernel.line_sums import LineTotals
from ._sums.classes import Classes
from ._sums.merging import Merging


@fill_doc()
class SortedSkceState(Merging):
    r"""The kernel calibration error with a Laplacian kernel, from ranges of the probabilities.

    A state summarises all rows whose probability lies in a range. The states of neighbouring
    ranges are merged, in any order of neighbours, and the result is exactly :func:`skce
    <sklearn_calib.metrics.skce>` of all rows. So data that are partitioned by the probability, or
    a sorted file that is read in chunks, need one pass after the sort.

    For a range of sorted probabilities :math:`r_i` with weighted residuals :math:`v_i` the state
    holds

    .. math:: \sum_i e^{-(r_i - r_\min) / h} v_i, \qquad \sum_i e^{-(r_\max - r_i) / h} v_i, \qquad
              \sum_{i < j} e^{-|r_i - r_j| / h} v_i v_j,

    its two ends, and sums of weights and squares.

    Use :meth:`from_range` to make a state.

    Parameters
    ----------
    bandwidth : float, default=0.2
        Bandwidth h of the kernel.
    target : {"auto", "binary", "confidence"}, default="auto"
        The event whose probability is the score: the positive class ("binary"), or that the class
        of the largest probability occurs ("confidence"). "auto" is "binary", and is refused for
        more than two classes, for which `skce` measures the whole vector.
    pos_label : int, float, bool or str, default=None
        The positive class of binary data, as in the metrics.
    labels : array-like of shape (n_classes,), default=None
        The classes that the columns stand for, as in :class:`CalibrationState`.

    See Also
    --------
    CalibrationState : Other metrics, from rows in any order.
    sklearn_calib.metrics.skce : The same of one array.

    Notes
    -----
    Equal probabilities may lie on both sides of a border. Results from different ranges agree to
    about 1e-13 of the mean square of the residuals over the number of rows. Time is O(n log n) for
    a range of n rows, and the size of a state does not depend on it.

    Examples
    --------
    >>> from sklearn_calib.streaming import SortedSkceState
    >>> low = SortedSkceState.from_range([0, 0, 1], [0.1, 0.2, 0.4])
    >>> high = SortedSkceState.from_range([1, 0, 1], [0.4, 0.7, 0.9])
    >>> round(low.merge(high).skce(), 6)
    0.004528
    >>> from sklearn_calib.metrics import skce
    >>> round(skce([0, 0, 1, 1, 0, 1], [0.1, 0.2, 0.4, 0.4, 0.7, 0.9]), 6)
    0.004528
    """

    def __init__(
        self,
        *,
        bandwidth: float = 0.2,
        target: str = "auto",
        pos_label: Label | None = None,
        labels: ArrayLike | None = None,
    ) -> None:
        width = check_bandwidth(bandwidth)
        if isinstance(width, str):
            raise NotMergeableError(
                "bandwidth='median' depends on all rows. Pass a number, such as 0.2."
            )
        self.bandwidth = width
        self.target = check_option(target, "target", ONE_EVENT)
        self._classes = Classes.of_options(labels, pos_label)
        self._totals: LineTotals | None = None

    @classmethod
    @fill_doc()
    def from_range(
        cls,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        bandwidth: float = 0.2,
        target: str = "auto",
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        labels: ArrayLike | None = None,
    ) -> SortedSkceState:
        """Return the state of the rows of one range of probabilities.

        Parameters
        ----------
        <<y_true>>
        <<y_proba>>
        bandwidth : float, default=0.2
            Bandwidth of the kernel.
        target : {"auto", "binary", "confidence"}, default="auto"
            The event whose probability is the score.
        <<sample_weight>>
        <<pos_label>>
        <<labels>>

        Returns
        -------
        state : SortedSkceState
            The order of the rows within the range does not matter.

        Raises
        ------
        <<malformed>>
        """
        state = cls(bandwidth=bandwidth, target=target, pos_label=pos_label, labels=labels)
        predictions, state._classes = state._classes.read(y_true, y_proba, sample_weight)
        if predictions is None:
            return state
        resolved = resolve_target(
            target, predictions.n_classes, multiclass="canonical", allowed=ONE_EVENT
        )
        if resolved == "canonical":
            raise NotMergeableError(
                f"target='auto' is the whole vector of {predictions.n_classes} probabilities, "
                "which has no order. Use target='confidence', or one class at a time with its "
                "column and pos_label."
            )
        (reduction,) = reduce_target(predictions.proba, resolved)
        r = reduction.proba[:, 0]
        order = np.argsort(r, kind="stable")
        w = np.ones(r.size) if predictions.weight is None else predictions.weight
        v = w * reduction.residuals(predictions.codes)[:, 0, 0]
        state._totals = LineTotals.of_rows(
            r[order], v[order, np.newaxis], w[order], state.bandwidth
        )
        return state

    @property
    def n_samples(self) -> int:
        """Number of rows of positive weight."""
        return 0 if self._totals is None else self._totals.n_samples

    @property
    def range(self) -> tuple[float, float] | None:
        """Smallest and largest probability; None without rows."""
        if self._totals is None:
            return None
        segment = self._totals.segment
        return float(segment.start[0]), float(segment.end[0])

    def merge(self, other: SortedSkceState) -> SortedSkceState:
        """Return the state of the rows of two neighbouring ranges.

        Parameters
        ----------
        other : SortedSkceState
            The state of a range below or above this one, with the same settings.

        Returns
        -------
        state : SortedSkceState
            A new state.

        Raises
        ------
        ValueError
            If settings or classes differ, or the ranges overlap in more than one value. Ranges
            between the two must be merged before, since nothing fits between them afterwards.
        """
        return super().merge(other)

    def _merged(self, other):
        merged = object.__new__(SortedSkceState)
        merged.bandwidth, merged.target = self.bandwidth, self.target
        merged._classes = self._classes.merge(other._classes)
        first, second = self._in_order(other)
        held = [one._totals for one in (first, second) if one._totals is not None]
        merged._totals = reduce(add, held) if held else None
        return merged

    @classmethod
    def merge_all(cls, states: Iterable[SortedSkceState]) -> SortedSkceState:
        """Return the state of the rows of several ranges, which come in any order.

        Parameters
        ----------
        states : iterable of SortedSkceState
            At least one, with the same settings and with ranges that do not overlap.

        Returns
        -------
        state : SortedSkceState

        Raises
        ------
        ValueError
            If there is no state, settings or classes differ, or ranges overlap.
        """
        given = list(states) if np.iterable(states) else [states]
        others = [one for one in given if not isinstance(one, SortedSkceState)]
        if others or not np.iterable(states):
            raise TypeError(
                f"states must be a list of SortedSkceState, got {shorten((others or given)[0])} "
                "among them."
            )
        ordered = sorted(given, key=lambda state: state.range or (-1.0, -1.0))
        if not ordered:
            raise ValueError("states is empty; at least one state is needed.")
        return reduce(cls.merge, ordered)

    def _in_order(self, other):
        """Return two states in the order of their ranges."""
        mine, theirs = self.range, other.range
        if mine is None or theirs is None or mine[1] <= theirs[0]:
            return self, other
        if theirs[1] <= mine[0]:
            return other, self
        raise ValueError(
            f"The ranges overlap: {list(mine)} and {list(theirs)}. Partition the rows by the "
            "probability so that ranges have at most their ends in common, and merge neighbours."
        )

    def skce(self, estimator: str = "uq") -> float:
        """Return the squared kernel calibration error of all rows.

        Parameters
        ----------
        estimator : {"uq", "biased"}, default="uq"
            The unbiased estimate or the biased one, as in :func:`~sklearn_calib.metrics.skce`.
            :func:`~sklearn_calib.metrics.kce` with ``kernel="laplacian"`` is the unbiased one, too.

        Returns
        -------
        value : float

        Raises
        ------
        ValueError
            If there are too few rows.
        """
        check_option(estimator, "estimator", ("uq", "biased"))
        least = 2 if estimator == "uq" else 1
        if self._totals is None or self.n_samples < least:
            raise ValueError(
                f"n too small: the estimate {estimator!r} needs at least {least} rows of positive "
                f"weight, got {self.n_samples}."
            )
        totals = self._totals
        return float((totals.unbiased() if estimator == "uq" else totals.biased())[0])

    def mmce(self) -> float:
        """Return the root of the biased error, which is :func:`~sklearn_calib.metrics.mmce`.

        Returns
        -------
        value : float
        """
        return float(np.sqrt(self.skce("biased")))

    def result(self) -> dict[str, float]:
        """Return both errors.

        Returns
        -------
        values : dict of str to float
            "skce", the unbiased estimate, and "mmce".
        """
        return {"skce": self.skce(), "mmce": self.mmce()}

    def _settings(self):
        return {"bandwidth": self.bandwidth, "target": self.target, **self._classes.settings}

    def _content(self):
        totals = self._totals
        return {
            "bandwidth": self.bandwidth,
            "target": self.target,
            "classes": self._classes.to_plain(),
            "totals": None
            if totals is None
            else {
                "n_samples": totals.n_samples,
                "weight": totals.weight,
                "pairs": totals.pairs,
                "diagonal": totals.diagonal.tolist(),
                "segment": {name: part.tolist() for name, part in totals.segment._asdict().items()},
            },
        }

    @classmethod
    def _of_content(cls, content):
        state = cls(bandwidth=content["bandwidth"], target=content["target"])
        state._classes = Classes.of_plain(content["classes"])
        totals = content["totals"]
        if totals is not None:
            segment = Segments(**{name: np.array(part) for name, part in totals["segment"].items()})
            rest = {name: totals[name] for name in ("n_samples", "weight", "pairs")}
            state._totals = LineTotals(
                segment, state.bandwidth, diagonal=np.array(totals["diagonal"]), **rest
            )
        return state

    def __repr__(self) -> str:
        """Return the number of rows and the range."""
        return f"SortedSkceState(n_samples={self.n_samples}, range={self.range})"
