"""The mergeable summary of calibration rows from which calibrators are fitted."""

from __future__ import annotations

from collections.abc import Mapping, Set, Sized

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._data.arrays import check_numeric
from .._data.bins import uniform_edges
from .._utils.arguments.named_errors import naming
from .._utils.dask_collections import is_partitioned
from .._utils.docs import fill_doc
from .._utils.fitting_context import from_predict_proba
from .._utils.options import check_integer
from ..base import BaseCalibrator
from ..calibrators import OneVsRestCalibrator
from ._summaries.bounds import LossBound, bound_loss, expected_loss
from ._summaries.choose_rows import find_calibrator, rows_for
from ._summaries.event_summary import EventSummary, no_rows, summarise_event
from ._summaries.grid_cells import Grid
from ._summaries.plain import plain_event, plain_sample, read_event, read_sample
from ._summaries.row_sample import RowSample, no_sample, sample_rows
from ._sums.classes import Classes
from ._sums.merging import Adding

# Edges of the usual numbers of bins, and where calibrators clip.
_USUAL = np.concatenate([uniform_edges(100), uniform_edges(15), uniform_edges(8)])
_CLIPS = np.array([1e-15, 2.0**-25])


@fill_doc()
class CalibrationSummary(Adding):
    """What calibrators need to know of calibration rows, from any number of batches and machines.

    Probabilities are counted in fixed cells of their log-odds. The summary is updated batch by
    batch and merged with the summaries of other parts of the data; its size depends on the spread
    of the probabilities and not on the number of rows. A calibrator is fitted to weighted rows that
    stand for the cells, by its own `fit`. What that costs in log loss has a bound.

    Parameters
    ----------
    resolution : int, default=128
        Cells per unit of log-odds. Bounds of the loss fall with its square.
    edges : array-like of shape (n_edges,), default=()
        Probabilities at which a cell begins as well, so that histograms with these edges are exact.
        Those of 8, 10, 15, 20, 25, 50 and 100 equal bins are there without asking.
    sample_size : int, default=50000
        For three classes or more, the number of different rows that are kept for calibrators that
        read all columns at once.
    random_state : int, default=0
        Seed of that sample, not negative; the same on all machines.
    <<labels_of_batches>>

    See Also
    --------
    CalibrationState : Metrics of rows in batches.
    sklearn_calib.calibrators.CalibratedClassifier : Fits a calibrator in memory.

    Notes
    -----
    **Two classes.** A cell holds, for non-events and events, the weight and the first two moments
    of the log-odds. Exact 0 and 1, and the smallest and the largest of the other probabilities,
    from which calibrators learn where to clip, are kept apart. Histograms whose edges are edges of
    cells are exact. Other step functions lose what moving rows within a cell can cost. Smooth maps
    lose a second-order term: for a line on log-odds with slope a, at most ``a**2 / 8`` times the
    mean variance of the log-odds within a cell, which is less than ``1 / (4 * resolution**2)``.
    :meth:`loss_bound` gives the number.

    **Three classes or more.** One-vs-rest calibrators are fitted class by class in the same way.
    Rows of several columns do not fit into cells; other calibrators are fitted to a sample of the
    different rows, the same number from each class, with the total weights of all their copies,
    scaled to the total weight of the class. It holds the rows of smallest priority, a hash of
    their numbers, so that it does not depend on order or split. It is exact if it holds all
    different rows. Otherwise the log loss is expected to grow by about ``d / (2 * n)`` for d
    parameters and n effective rows of the sample.

    **Weights** count as numbers of rows, as in the calibrators. Sums are kept in twice the
    precision of float64. An update takes O(n K) time for n rows and K classes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib.streaming import CalibrationSummary
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=10_000)
    >>> y = (rng.uniform(size=10_000) < p**2).astype(int)
    >>> first = CalibrationSummary().update(y[:4000], p[:4000])
    >>> second = CalibrationSummary().update(y[4000:], p[4000:])
    >>> summary = first.merge(second)
    >>> calibrator = summary.fit("beta")
    >>> calibrator.predict_proba([0.3, 0.9]).round(2)
    array([[0.91, 0.09],
           [0.22, 0.78]])
    >>> summary.loss_bound(calibrator).bound < 1e-5
    True
    """

    def __init__(
        self,
        *,
        resolution: int = 128,
        edges: ArrayLike = (),
        sample_size: int = 50_000,
        random_state: int = 0,
        labels: ArrayLike | None = None,
    ) -> None:
        check_integer(resolution, "resolution", 1)
        self._resolution = resolution
        self._edges = _check_edges(edges)
        self._sample_size = check_integer(sample_size, "sample_size", 1)
        self._random_state = check_integer(random_state, "random_state", 0)
        self._classes = Classes.of_options(labels, None)
        every = np.concatenate([_USUAL, _CLIPS, 1.0 - _CLIPS, self._edges])
        every = np.unique(every[(every > 0.0) & (every < 1.0)])
        self._grid = Grid(resolution, tuple(every.tolist()))
        self._width: int | None = None
        self._columns: tuple[EventSummary, ...] = ()
        self._samples: tuple[RowSample, ...] = ()

    @property
    def n_samples(self) -> int:
        """Number of rows of positive weight."""
        return int(self._columns[0].cells.totals.values[0].sum()) if self._columns else 0

    @property
    def classes(self) -> np.ndarray | None:
        """The class of each column; None if not known yet."""
        return self._classes.found

    def update(
        self,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> CalibrationSummary:
        """Add a batch of rows.

        Parameters
        ----------
        <<y_true_or_dask>>
        <<y_proba>>
        <<sample_weight>>

        <<returns_updated>>
        """
        if is_partitioned(y_true, y_proba, sample_weight):
            rows = {"y_true": y_true, "y_proba": y_proba, "sample_weight": sample_weight}
            return self._add_partitions(**rows)
        predictions, classes = self._classes.read(y_true, y_proba, sample_weight)
        if predictions is None:
            return self
        width = 1 if np.ndim(y_proba) < 2 else int(np.shape(y_proba)[1])
        _check_same_width(self._width, width)
        n, n_classes = predictions.n_samples, predictions.n_classes
        proba, codes = predictions.proba, predictions.codes
        weight = np.ones(n) if predictions.weight is None else predictions.weight
        columns = [
            summarise_event(self._grid, proba[:, k], codes == k, weight)
            for k in ([1] if n_classes == 2 else range(n_classes))
        ]
        size = self._size_of_class(n_classes)
        samples = [
            sample_rows(proba[codes == k], weight[codes == k], size, self._random_state)
            for k in (range(n_classes) if n_classes > 2 else ())
        ]
        self._width, self._classes = width, classes
        self._add(columns, samples)
        return self

    def _merged(self, other):
        if self._width is not None and other._width is not None:
            _check_same_width(self._width, other._width)
        merged = self._without_rows(self._classes.merge(other._classes))
        for one in (self, other):
            if one._width is not None:
                merged._width = one._width
                merged._add(one._columns, one._samples)
        return merged

    def fit(self, calibrator: BaseCalibrator | str = "adaptive") -> BaseCalibrator:
        """Fit a calibrator to the rows of the summary.

        Parameters
        ----------
        calibrator : calibrator or str, default="adaptive"
            A calibrator of probabilities, which is cloned, or its name. For three classes or more,
            the name of a calibrator for two stands for one map a class.

        Returns
        -------
        calibrator : calibrator
            Fitted. It takes probabilities in as many columns as `update` did.

        Raises
        ------
        ValueError
            If there are no rows, a class is missing, or the calibrator reads something else than
            probabilities.
        """
        classes = self._known_classes()
        fitted = find_calibrator(calibrator, classes.size)
        with from_predict_proba():
            if classes.size == 2:
                p, event, weight = rows_for(fitted, self._columns[0].points())
                S = p if self._width == 1 else np.column_stack([1.0 - p, p])
                return fitted.fit(S, classes[event], sample_weight=weight)
            if isinstance(fitted, OneVsRestCalibrator):
                rows = [rows_for(fitted, column.points()) for column in self._columns]
                return fitted._fit_apart(classes, rows)
            proba, codes, weight = self._sampled_rows()
            return fitted.fit(proba, classes[codes], sample_weight=weight)

    def loss_bound(self, calibrator: BaseCalibrator) -> LossBound:
        """Bound what fitting from the summary, and not in memory, costs in loss.

        Parameters
        ----------
        calibrator : calibrator
            What :meth:`fit` returned.

        Returns
        -------
        bound : LossBound
            `loss`, the name of the loss that the calibrator minimises, "log_loss" or
            "brier_score"; `bound`, how much its mean over all rows can exceed that of the
            calibrator fitted in memory; and `proved`, which is False where it is not certain but
            the size to be expected: for the adaptive map, and for several classes where the
            calibrator was fitted to a sample. For one-vs-rest maps the loss is the sum over the
            classes.

        Raises
        ------
        ValueError
            If no bound is known: for `VennAbersCalibrator`, `CenteredIsotonicCalibrator`,
            `ScalingBinningCalibrator` and calibrators of other packages.

        Notes
        -----
        For `BetaCalibrator` the other map is one with a difference of a and b of at most 1 or twice
        the one found. For `AdaptiveCalibrator` the bound is proved for the same strengths and
        knots; for changes of them half the effective parameters over the number of rows is added.
        """
        self._known_classes()
        with naming("calibrator"):
            check_is_fitted(calibrator)
        if isinstance(calibrator, OneVsRestCalibrator):
            points = [column.points() for column in self._columns]
            if len(points) < len(calibrator.calibrators_):  # two columns, of which one is kept
                points = [points[0].mirrored(), points[0]]
            parts = list(map(bound_loss, points, calibrator.calibrators_))
            return parts[0]._replace(bound=sum(one.bound for one in parts))
        if len(self._columns) == 1:
            return bound_loss(self._columns[0].points(), calibrator)
        return expected_loss(self._samples, self._class_weights(), calibrator)

    def _content(self):
        options = {name: value for name, value in self._settings().items() if name != "labels"}
        return {
            "options": options,
            "classes": self._classes.to_plain(),
            "width": self._width,
            "columns": [plain_event(column) for column in self._columns],
            "samples": [plain_sample(sample) for sample in self._samples],
        }

    @classmethod
    def _of_content(cls, content):
        summary = cls(**content["options"])
        summary._classes = Classes.of_plain(content["classes"])
        summary._width = content["width"]
        summary._columns = tuple(map(read_event, content["columns"]))
        summary._samples = tuple(
            read_sample(sample, content["width"]) for sample in content["samples"]
        )
        return summary

    def __repr__(self) -> str:
        """Return the number of rows and the number of cells."""
        n_cells = sum(np.unique(column.cells.key // 2).size for column in self._columns)
        return f"CalibrationSummary(n_samples={self.n_samples}, n_cells={n_cells})"

    def _without_rows(self, classes):
        empty = CalibrationSummary(**self._settings())
        empty._classes = classes
        return empty

    def _settings(self):
        return {
            "resolution": self._resolution,
            "edges": list(self._edges),
            "sample_size": self._sample_size,
            "random_state": self._random_state,
            "labels": self._classes.settings["labels"],
        }

    def _size_of_class(self, n_classes):
        return -(-self._sample_size // n_classes)

    def _add(self, columns, samples):
        """Add the columns and samples of other rows."""
        mine = self._columns or [no_rows()] * len(columns)
        self._columns = tuple(one.merge(other) for one, other in zip(mine, columns, strict=True))
        size, empty = self._size_of_class(len(columns)), [no_sample(len(columns))] * len(samples)
        pairs = zip(self._samples or empty, samples, strict=True)
        self._samples = tuple(one.merge(other, size) for one, other in pairs)

    def _class_weights(self):
        """Return the total weight of each class, of several."""
        cells = [column.cells for column in self._columns]
        return np.array([one.totals.values[1, one.key % 2 == 1].sum() for one in cells])

    def _sampled_rows(self):
        """Return probabilities, codes and weights of the sample, with the weights of all rows."""
        parts = [sample.totals.values for sample in self._samples]
        factors = self._class_weights() / [max(part.sum(), 1e-300) for part in parts]
        weight = np.concatenate([part * factor for part, factor in zip(parts, factors)])
        codes = np.repeat(np.arange(len(parts)), [part.size for part in parts])
        return np.concatenate([sample.proba for sample in self._samples]), codes, weight

    def _known_classes(self):
        """Return the classes, or raise if there are no rows."""
        if self._classes.found is None or not self._columns:
            raise ValueError("The summary holds no rows yet. Call update with at least one row.")
        return self._classes.found


def _check_edges(edges):
    """Return extra edges as a tuple of floats in increasing order."""
    named = isinstance(edges, str | bytes | Set | Mapping)
    if isinstance(edges, Sized) and not named and len(edges) == 0:
        return ()
    array = check_numeric(edges, "edges")
    if array.ndim != 1 or array.min() < 0.0 or array.max() > 1.0:
        raise ValueError(
            f"edges must be probabilities from 0 to 1, got {array.tolist()}. Pass those of the "
            "bins, such as numpy.arange(13) / 12."
        )
    return tuple(np.unique(array).tolist())


def _check_same_width(before, width):
    """Raise if probabilities come in one column here and in two there."""
    if before is not None and before != width:
        raise ValueError(
            f"y_proba has {width} column{'s' if width > 1 else ''}, and the rows before have "
            f"{before}. Pass the same columns in every batch, as a fitted calibrator asks for them."
        )
