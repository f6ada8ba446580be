"""Adaptive calibration."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Integral, Real
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..._data.predictions import all_columns, check_probabilities
from ..._utils.arguments.constraints import Interval
from ..._utils.docs import fill_doc
from ..._utils.progress import reporter
from ..._utils.stack import warn
from ..._utils.types import Progress
from ...base import BaseCalibrator
from .adaptive_map import DEFAULT_KNOTS, GROUPS, fit_adaptive

# A group with fewer effective parameters than this is not worth a word.
_NEGLIGIBLE = 0.1


@fill_doc(steps="updates", occurring="every class", scores="Probabilities")
class AdaptiveCalibrator(BaseCalibrator):
    """Calibrate probabilities as far as the data support it, and no further.

    On the scale of log-odds (two classes) or log-probabilities (more), the map is the identity plus
    groups of coefficients: a slope, a bias, a slope for each class, a matrix across classes and a
    smooth spline. Each group is shrunk to zero with a strength that maximises the marginal
    likelihood of the calibration rows (empirical Bayes [1]_). So a model that is right stays as it
    is, a handful of rows gives little more than a temperature, and many rows give as much structure
    as they show.

    This is the recommended calibrator, for any number of classes and of rows. Use another one where
    a map of a given form is wanted.

    Parameters
    ----------
    structure : "auto" or collection of str, default="auto"
        The groups that may be used, out of "slope", "bias", "class_slopes", "matrix" and "spline".
        For two classes, "class_slopes" and "matrix" do not exist and are ignored. "auto" is all of
        them, but without "matrix" beyond 128 classes, and for two classes without "spline" if the
        rarer one has a weight below 20 (rows, if there are no weights).
    n_knots : int, default=12
        Number of knots of the spline, at quantiles of the scores. Fewer than 3 mean no spline.
    monotone : bool, default=False
        Whether the map must not reverse the order of two probabilities. For two classes only.
    tol : float, default=0.001
        Change of the strengths at which to stop, relative to the effective parameters.
    max_iter : int, default=50
        Largest number of times that the strengths are updated.
    <<verbose>>

    Attributes
    ----------
    effective_dof_ : dict of str to float
        Effective number of parameters of each group: 0 where the data speak against it.
    slope_, temperature_ : float
        Factor of the log-odds or log-probabilities that all classes share, and its inverse; 1 is
        the identity.
    bias_ : float or ndarray of shape (n_classes,)
        Added to the log-odds of the positive class, or to the log-probability of each class.
    matrix_ : ndarray of shape (n_classes, n_classes) or None
        Factors of the centred log-probabilities of class j (row) in the new logit of class k
        (column), without the shared slope. None for two classes.
    floor_ : float
        Distance to 0 and 1 at which probabilities are clipped: half the smallest one that occurs in
        the calibration probabilities, exact hits aside, but at least 2**-25.
    <<classes_>>
    n_iter_ : int
        Number of times that the strengths were updated.
    <<n_features_in_>>

    <<warns_not_converged>>

    See Also
    --------
    TemperatureCalibrator : One number.
    CalibratedClassifier : Fits a classifier and a calibrator together without leaking rows.

    Notes
    -----
    Let z be the log-odds and u the same over its root mean square. For two classes the new log-odds
    are ``z + bias + slope * u + spline(u)``. For more, with log-probabilities z_k and u_k centred
    over classes, the new logits are ``z_k + slope * u_k + bias_k + slope_k * u_k +
    sum_j W_kj u_j + spline(u_k)``, with one spline for all classes. Every group has a Gaussian
    prior around zero. Their precisions follow from the fixed point of MacKay [1]_ at the posterior
    mode, which Newton's method finds to a gradient of 1e-11. They have a gamma prior, which adds
    0.02 to the effective number of parameters for two classes. The spline is cubic and constant
    beyond the outer knots, with a penalty on its curvature.

    The probabilities then move towards ``1 / n_classes`` by the share ``0.03 / (n + 0.03)``, for n
    calibration rows, so that none is 0. Weights count as numbers of rows.

    Fitting costs a few hundred passes over the data for two classes, and O(n K^4) operations for
    K classes up to about 30; beyond 1000 coefficients the covariance of different classes is
    neglected. Deterministic.

    References
    ----------
    .. [1] MacKay, D. J. C. (1992). Bayesian interpolation. Neural Computation 4, 415-447.
       https://doi.org/10.1162/neco.1992.4.3.415

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib.calibrators import AdaptiveCalibrator
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=2000)
    >>> y = rng.uniform(size=2000) < p
    >>> overconfident = p**2 / (p**2 + (1 - p) ** 2)
    >>> calibrator = AdaptiveCalibrator().fit(overconfident, y)
    >>> calibrator.summary()
    'slope 0.52, no bias, no curvature: 1.0 effective parameters'
    >>> calibrator.predict_proba([0.1, 0.9]).round(2)
    array([[0.76, 0.24],
           [0.24, 0.76]])
    """

    method_names = ("adaptive",)
    _parameter_constraints: dict = {
        "structure": [str, list, tuple, set, frozenset],
        "n_knots": [Interval(Integral, 0, None, closed="left")],
        "monotone": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "verbose": ["verbose", callable],
    }

    def __init__(
        self,
        structure: str | Collection[str] = "auto",
        *,
        n_knots: int = DEFAULT_KNOTS,
        monotone: bool = False,
        tol: float = 1e-3,
        max_iter: int = 50,
        verbose: Progress = False,
    ) -> None:
        self.structure = structure
        self.n_knots = n_knots
        self.monotone = monotone
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(self, S: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the map and the strength of each of its groups.

        Parameters
        ----------
        S : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_classes)
            Probabilities of rows that the classifier was not fitted on. A vector or one column
            belongs to the positive class ``classes_[1]``; more columns follow the sorted labels.

        <<fit_labels>>

        Raises
        ------
        ValueError
            If the number of classes in `y` does not go with the number of columns of `S`, `S` does
            not hold probabilities, or a parameter is out of range.
        """
        self._validate_params()
        self._check_structure()
        S, codes, weight = self._validate_training_data(S, y, sample_weight)
        if self.monotone and self.classes_.size > 2:
            raise ValueError(
                f"monotone=True is for two classes, but y has {self.classes_.size}. Use "
                "OneVsRestCalibrator(AdaptiveCalibrator(monotone=True)), or monotone=False."
            )
        with reporter("AdaptiveCalibrator", self.verbose) as say:
            fitted = fit_adaptive(
                *_join_equal_rows(all_columns(S), codes, weight),
                say=say,
                structure=self.structure,
                n_knots=self.n_knots,
                monotone=self.monotone,
                tol=self.tol,
                max_iter=self.max_iter,
            )
        self._map = fitted
        self.effective_dof_ = fitted.dof
        self.slope_, self.temperature_ = fitted.slope, fitted.temperature
        self.bias_, self.matrix_ = fitted.bias, fitted.matrix
        self.floor_, self.n_iter_ = fitted.floor, fitted.n_iter
        if not fitted.converged:
            warn(
                f"AdaptiveCalibrator did not converge after max_iter={self.max_iter} updates. "
                "Increase max_iter or tol.",
                ConvergenceWarning,
            )
        return self

    def predict_proba(self, S: ArrayLike) -> np.ndarray:
        """Return the calibrated probabilities.

        <<class_scores_to_proba>>
        """
        check_is_fitted(self)
        return self._map.predict_proba(all_columns(self._validate_scores(S)))

    def summary(self) -> str:
        """Say in words what the calibrator has found.

        Returns
        -------
        text : str
            One sentence, such as "slope 0.71, bias 0.10, no curvature: 2.1 effective parameters".
        """
        check_is_fitted(self)
        words = {
            "slope": (f"slope {self.slope_:.2f}", "slope 1"),
            "bias": (self._bias_in_words(), "no bias"),
            "class_slopes": ("slopes that differ by class", "one slope for all classes"),
            "matrix": ("a matrix across classes", "no matrix across classes"),
            "spline": ("curvature", "no curvature"),
        }
        parts = [
            words[name][0 if dof > _NEGLIGIBLE else 1] for name, dof in self.effective_dof_.items()
        ]
        total = sum(self.effective_dof_.values())
        return f"{', '.join(parts) or 'the identity'}: {total:.1f} effective parameters"

    def _bias_in_words(self):
        if np.ndim(self.bias_) == 0:
            return f"bias {self.bias_:.2f}"
        return f"biases from {np.min(self.bias_):.2f} to {np.max(self.bias_):.2f}"

    def _check_structure(self):
        if isinstance(self.structure, str):
            known = self.structure == "auto"
        else:
            known = set(self.structure) <= set(GROUPS)
        if not known:
            raise ValueError(
                f"structure must be 'auto' or a list of names out of {list(GROUPS)}, got "
                f"{self.structure!r}."
            )

    def _check_scores(self, S):
        return check_probabilities(S, "S")


def _join_equal_rows(proba, codes, weight):
    """Return different rows in sorted order with their total weights.

    So neither the order of rows nor copies of rows change a bit of the result.
    """
    order = np.lexsort((weight, codes, *proba.T[::-1]))
    proba, codes, weight = proba[order], codes[order], weight[order]
    differs = (proba[1:] != proba[:-1]).any(axis=1) | (codes[1:] != codes[:-1])
    start = np.flatnonzero(np.r_[True, differs])
    return proba[start], codes[start], np.add.reduceat(weight, start)
