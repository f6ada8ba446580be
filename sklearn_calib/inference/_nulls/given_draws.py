"""Draws of a null distribution that come from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._data.arrays import check_numeric
from ..._utils.docs import fill_doc
from ..._utils.options import check_integer, check_option


@dataclass(frozen=True)
@fill_doc()
class GivenDraws:
    """Draws of a null distribution that come from elsewhere, one row per draw.

    Pass it as ``null=`` to :func:`check_calibration` to repeat a test of other software, whose
    random numbers cannot be made again, or to enumerate all draws.

    Parameters
    ----------
    kind : {"permutation", "wild", "centred"}
        What the rows are:

        - "permutation": row numbers, each once; residual i becomes residual ``draws[b, i]`` (the
          test of the KLCE literature [1]_).
        - "wild": signs 1 and -1, which multiply the residuals.
        - "centred": row numbers drawn with replacement; the pair terms are centred, as in the
          bootstrap of Widmann et al. [2]_. For the unbiased `skce`, `kce` and `klce` without
          weights.
    draws : array-like of shape (n_draws, n_samples)
        The draws, one column per row of positive weight. Row numbers count these rows from zero:
        rows of weight zero are left out first.

    <<references_local_and_global>>

    Examples
    --------
    >>> from sklearn_calib.inference import GivenDraws, check_calibration
    >>> y_true, y_proba, X = [1, 0, 1], [0.2, 0.2, 0.7], [[0], [0], [1]]
    >>> null = GivenDraws("permutation", [[1, 0, 2], [2, 1, 0], [0, 2, 1]])
    >>> check_calibration(y_true, y_proba, X, null=null).pvalue
    1.0
    """

    kind: str
    draws: object

    def resolve(self, n_samples: int) -> np.ndarray:
        """Return validated draws as columns, shape (n_samples, n_draws)."""
        check_integer(n_samples, "n_samples", 1)
        check_option(self.kind, "kind", ("permutation", "wild", "centred"))
        rows = check_numeric(self.draws, "draws")
        if rows.ndim != 2 or rows.shape[1] != n_samples:
            raise ValueError(
                f"draws must have one column per row of positive weight, shape (n_draws, "
                f"{n_samples}), got {rows.shape}."
            )
        if self.kind == "wild":
            allowed, valid = "signs 1 and -1", np.abs(rows) == 1
        else:
            allowed = f"row numbers from 0 to {n_samples - 1}"
            valid = (rows == np.floor(rows)) & (rows >= 0) & (rows < n_samples)
        if not valid.all():
            raise ValueError(f"draws must hold {allowed}, got {rows[~valid][0]:.10g}.")
        if self.kind == "permutation" and (np.sort(rows, axis=1) != np.arange(n_samples)).any():
            raise ValueError("draws must hold each row number once per row for a permutation.")
        return rows.T if self.kind == "wild" else rows.T.astype(np.intp)
