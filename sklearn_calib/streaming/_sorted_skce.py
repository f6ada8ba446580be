"""The kernel error with a Laplacian kernel from ranges of sorted probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import Segments, compose, line_segment
from .._data.sums import NotMergeableError
from .._data.targets import reduce_target, resolve_target
from .._utils.docs import fill_doc
from .._utils.options import check_bandwidth, check_option
from .._utils.types import Label
from ._sums.classes import Classes, refuse_differences
from ._sums.documents import read_document, write_document

_KIND, _VERSION = "SortedSkceState", 1
_TARGETS = ("auto", "binary", "confidence")
_COUNTS = ("n_samples", "weight", "pairs", "diagonal")


@fill_doc()
class SortedSkceState:
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
    Equal probabilities may lie on both sides of a border. Sums of states are not rounded
    differently enough to matter: results from different ranges agree to about 1e-13 of the mean
    square of the residuals over n.

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
        self.target = check_option(target, "target", _TARGETS)
        self._classes = Classes.of_options(labels, pos_label)
        self._segment: Segments | None = None
        self._counts = np.zeros(len(_COUNTS))

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
            target, predictions.n_classes, multiclass="canonical", allowed=_TARGETS
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
        state._segment = line_segment(r[order], v[order, np.newaxis], state.bandwidth)
        # With an infinite bandwidth the pairs of rows are those of their weights.
        pairs = line_segment(r[order], w[order, np.newaxis], np.inf).inner[0, 0]
        state._counts = np.array([r.size, w.sum(), pairs, v @ v])
        return state

    @property
    def n_samples(self) -> int:
        """Number of rows of positive weight."""
        return int(self._counts[0])

    @property
    def range(self) -> tuple[float, float] | None:
        """Smallest and largest probability; None without rows."""
        if self._segment is None:
            return None
        return float(self._segment.start[0]), float(self._segment.end[0])

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
        if not isinstance(other, SortedSkceState):
            raise TypeError(f"other must be a SortedSkceState, got {type(other).__name__}.")
        refuse_differences(self._settings(), other._settings())
        merged = object.__new__(SortedSkceState)
        merged.bandwidth, merged.target = self.bandwidth, self.target
        merged._classes = self._classes.merge(other._classes)
        first, second = self._in_order(other)
        merged._counts = first._counts + second._counts
        merged._counts[2] += first._counts[1] * second._counts[1]
        if first._segment is None or second._segment is None:
            merged._segment = second._segment if first._segment is None else first._segment
        else:
            merged._segment = compose(first._segment, second._segment, self.bandwidth)
        return merged

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
        if self._segment is None or self.n_samples < least:
            raise ValueError(
                f"n too small: the estimate {estimator!r} needs at least {least} rows of positive "
                f"weight, got {self.n_samples}."
            )
        inner = float(self._segment.inner[0, 0])
        _, weight, pairs, diagonal = self._counts.tolist()
        if estimator == "uq":
            return inner / pairs
        return max((2.0 * inner + diagonal) / weight**2, 0.0)

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

    def _settings(self) -> dict[str, Any]:
        return {"bandwidth": self.bandwidth, "target": self.target, **self._classes.settings}

    def to_json(self) -> str:
        """Return the state as a JSON document.

        Returns
        -------
        text : str
            Versioned and with a checksum; :meth:`from_json` reads exactly the same numbers.
        """
        segment = self._segment
        content = {
            "bandwidth": self.bandwidth,
            "target": self.target,
            "classes": self._classes.to_plain(),
            "counts": dict(zip(_COUNTS, self._counts.tolist())),
            "segment": None if segment is None else [part.ravel().tolist()[0] for part in segment],
        }
        return write_document(_KIND, _VERSION, content)

    @classmethod
    def from_json(cls, text: str | bytes) -> SortedSkceState:
        """Read a state.

        Parameters
        ----------
        text : str or bytes
            What :meth:`to_json` returned.

        Returns
        -------
        state : SortedSkceState

        Raises
        ------
        ValueError
            If the text is no such document, was written by a newer release, or was changed.
        """
        content = read_document(text, _KIND, _VERSION)
        state = cls(bandwidth=content["bandwidth"], target=content["target"])
        state._classes = Classes.of_plain(content["classes"])
        state._counts = np.array([content["counts"][name] for name in _COUNTS])
        if content["segment"] is not None:
            start, end, *sums = (np.array([one]) for one in content["segment"])
            state._segment = Segments(start, end, *(one[:, np.newaxis] for one in sums))
        return state

    def __repr__(self) -> str:
        """Return the number of rows and the range."""
        return f"SortedSkceState(n_samples={self.n_samples}, range={self.range})"
