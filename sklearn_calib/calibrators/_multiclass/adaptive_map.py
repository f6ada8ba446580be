"""The adaptive map: as much correction of probabilities as the data support, and no more.

On the log-odds scale the map is the identity plus groups of coefficients, each shrunk to zero with
a strength that comes from the data (empirical Bayes):

- two classes, `z = log(p / (1 - p))`, `u = z / scale`: `f = z + bias + slope u + spline(u)`;
- more classes, `z_k = log p_k`, `u` the same centred over classes and scaled:
  `f_k = z_k + slope u_k + bias_k + slope_k u_k + sum_{j != k} W_kj u_j + spline(u_k)`,
  the spline being the same for all classes.

Probabilities are the softmax of f (two classes: of (0, f)), moved towards 1 / K by a small amount
that falls with the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .._solvers.evidence import fit_evidence
from .._solvers.monotone import minimise_constrained
from .._solvers.multinomial import MultinomialProblem
from .._solvers.spline import SmoothBasis

GROUPS = ("slope", "bias", "class_slopes", "matrix", "spline")
BINARY_GROUPS = ("bias", "slope", "spline")
DEFAULT_KNOTS = 12
# Probabilities nearer to 0 or 1 than half the spacing of single-precision numbers below one are
# clipped: nobody can verify them, and a few unbounded log-odds would decide the slope.
SMALLEST_FLOOR = 2.0**-25
# Where all probabilities are exactly 0 or 1 nothing tells their precision.
_FLOOR_OF_HARD_LABELS = 0.005
# How far the prediction moves towards 1 / K: this number counts as so many rows beside the sum of
# the weights. A calibrated model pays at most this number over n for it; a row the map thinks
# impossible costs a finite loss.
SMOOTHING = 0.03
# Widest sensible priors (standard deviations): log-odds of a bias, factor of a slope. They matter
# for a handful of rows that the scores separate perfectly, where the likelihood knows no bound.
_WIDEST_BIAS = 2.0
_WIDEST_SLOPE = 1.0
# Precisions to start from, relative to the largest curvature. Two classes: half of each group is in
# use. More classes: nearly all of it, as the matrix would not come back once it were out.
_START_BINARY = 1.0
_START_MULTICLASS = 1e-2
# Shape of the prior on the precisions: two classes, a little more than the data before a group
# enters, which makes calibrated predictions cheaper; the matrix needs all it can get.
_SHAPE_BINARY = 0.01
_SHAPE_MULTICLASS = 0.0
# "auto" leaves the spline of two classes out if the rarer one has fewer rows: a handful of rows
# that a sure model gets wrong can bend it so far that it does more harm than good.
FEWEST_FOR_SPLINE = 20
# "auto" leaves the matrix out beyond this number of classes, whose square is its size.
LARGEST_MATRIX = 128
# Rows are predicted in blocks of about this many doubles per feature.
_PREDICTION_BLOCK = 2**20
# The slope of a monotone map is at least this, so that rounding cannot turn it round.
_SMALLEST_SLOPE = 1e-9


@dataclass(frozen=True)
class AdaptiveMap:
    """A fitted adaptive map.

    Attributes
    ----------
    n_classes : int
        Number of columns.
    structure : tuple of str
        Groups that were allowed.
    dof : dict
        Effective number of parameters of each group in `structure`.
    slope : float
        Factor of the log-odds (or log-probabilities) that all classes share, one being the
        identity; the spline has no part in it.
    temperature : float
        Its inverse.
    bias : float or ndarray of shape (n_classes,)
        Added to the log-odds of the positive class (two classes) or of each class.
    matrix : ndarray of shape (n_classes, n_classes) or None
        Factors of the centred log-probabilities of class j (row) in the predictor of class k
        (column), without the shared slope; None for two classes.
    n_iter : int
        Moves of the mode in the search for the precisions.
    converged : bool
        Whether precisions and coefficients have settled.
    floor : float
        Distance to 0 and 1 at which probabilities are clipped.
    """

    n_classes: int
    structure: tuple
    dof: dict
    slope: float
    temperature: float
    bias: float | np.ndarray
    matrix: np.ndarray | None
    n_iter: int
    converged: bool
    floor: float
    scale: float = field(repr=False)
    smoothing: float = field(repr=False)
    basis: SmoothBasis = field(repr=False)
    coef: np.ndarray = field(repr=False)

    def predict_proba(self, proba):
        """Return calibrated probabilities, (n_samples, n_classes), for probabilities alike."""
        result = np.empty((len(proba), self.n_classes))
        step = max(1, _PREDICTION_BLOCK // self.n_classes)
        for start in range(0, len(proba), step):
            rows = slice(start, start + step)
            result[rows] = self._predict_block(proba[rows])
        return result

    def _predict_block(self, proba):
        score = _scores(proba, self.floor)
        design = _design(score, self.scale, self.basis, self.structure)
        problem = MultinomialProblem(score, score, np.ones(len(score)), **design)
        eta = score + problem.direction(self.coef)
        if self.n_classes == 2:
            eta = np.hstack([np.zeros_like(eta), eta])
        eta = np.exp(eta - eta.max(axis=1, keepdims=True))
        result = eta / eta.sum(axis=1, keepdims=True)
        return (result + self.smoothing / self.n_classes) / (1.0 + self.smoothing)


def fit_adaptive(proba, label, weight, *, say, structure, n_knots, monotone, tol, max_iter):
    """Fit the adaptive map, the same to the last bit for the same data.

    Rows of `proba` sum to one. Weights are positive and count as numbers of rows. `structure` names
    the groups that may be used: "slope", "bias", "class_slopes", "matrix" and "spline". Two classes
    have no "class_slopes" and no "matrix". "auto" is all, without the matrix beyond 128 classes. A
    `monotone` map, for two classes only, does not reverse the order of two probabilities. `tol` is
    the change of the precisions at which to stop, and `max_iter` the largest number of moves of the
    mode.
    """
    total, n_classes = float(weight.sum()), proba.shape[1]
    binary = n_classes == 2
    rarest = float(np.bincount(label, weight, minlength=n_classes).min())
    structure = resolve_structure(structure, n_classes, rarest)
    floor = learn_floor(proba)
    score = _scores(proba, floor)
    scale = _scale(score, weight / total)
    basis = _basis(score, scale, weight / total, n_knots if "spline" in structure else 0)
    target = label[:, np.newaxis] == np.arange(1 if binary else 0, n_classes)
    design = _design(score, scale, basis, structure)
    problem = MultinomialProblem(score, target.astype(float), weight, **design)
    group = _groups(structure, n_classes, basis.size)
    start = _START_BINARY if binary else _START_MULTICLASS
    least = _least_precisions(scale)
    shape = _SHAPE_BINARY if binary else _SHAPE_MULTICLASS
    fit = fit_evidence(
        problem, group, total, least, start=start, say=say, shape=shape, tol=tol, max_iter=max_iter
    )
    if binary and monotone:
        fit = _monotone(problem, fit, group, total, scale, basis)
    return _result(fit, problem, structure, n_classes, floor, scale, total, basis)


def resolve_structure(structure, n_classes, rarest):
    """Return the groups to use, in the order of `GROUPS`.

    `rarest` is the sum of the weights of the rarest class.
    """
    possible = BINARY_GROUPS if n_classes == 2 else GROUPS
    if isinstance(structure, str):
        left_out = {
            "matrix": n_classes > LARGEST_MATRIX,
            "spline": n_classes == 2 and rarest < FEWEST_FOR_SPLINE,
        }
        structure = [name for name in possible if not left_out.get(name)]
    return tuple(name for name in GROUPS if name in structure and name in possible)


def learn_floor(proba):
    """Return half the smallest distance to 0 or 1 that occurs, at least 2 ** -25.

    A forest of 100 trees says 0 where it means less than one in a hundred.
    """
    inside = proba[(proba > 0.0) & (proba < 1.0)]
    if inside.size == 0:
        return _FLOOR_OF_HARD_LABELS
    return float(max(min(inside.min(), (1.0 - inside).min()) / 2.0, SMALLEST_FLOOR))


def _scores(proba, floor):
    """Return clipped log-odds (n_samples, 1) of two classes, log-probabilities of more."""
    if proba.shape[1] > 2:
        return np.log(np.maximum(proba, floor))
    return np.diff(np.log(np.clip(proba, floor, 1.0 - floor)), axis=1)


def _centred(score):
    return score if score.shape[1] == 1 else score - score.mean(axis=1, keepdims=True)


def _scale(score, weight):
    """Return the root mean square of the centred scores, one if they are all zero."""
    scale = float(np.sqrt(weight @ (_centred(score) ** 2).mean(axis=1)))
    return scale if scale > 1e-9 else 1.0


def _basis(score, scale, weight, n_knots):
    u = _centred(score) / scale
    return SmoothBasis(u.ravel(), np.repeat(weight, u.shape[1]) / u.shape[1], n_knots)


def _design(score, scale, basis, structure):
    """Return the features of the predictor, as `MultinomialProblem` takes them."""
    u = _centred(score) / scale
    spline = basis(u.ravel()).reshape(basis.size, *u.shape)
    if u.shape[1] == 1:
        return {
            "shared": np.concatenate([u[np.newaxis], np.ones((1, *u.shape)), spline]),
            "reference": True,
        }
    features = {"shared": np.concatenate([u[np.newaxis], spline])}
    if "matrix" in structure:
        features["cross"] = np.hstack([np.ones((len(u), 1)), u])
    else:
        features["local"] = np.stack([np.ones_like(u), u])
    return features


def _groups(structure, n_classes, n_splines):
    """Return the position in `GROUPS` of each coefficient, -1 where the group is not used."""
    number = {name: GROUPS.index(name) if name in structure else -1 for name in GROUPS}
    splines = [number["spline"]] * n_splines
    if n_classes == 2:
        return np.array([number["slope"], number["bias"], *splines])
    bias = np.full((1, n_classes), number["bias"])
    if "matrix" in structure:
        rest = np.full((n_classes, n_classes), number["matrix"])
        np.fill_diagonal(rest, number["class_slopes"])
    else:
        rest = np.full((1, n_classes), number["class_slopes"])
    return np.concatenate([[number["slope"], *splines], bias.ravel(), rest.ravel()])


def _least_precisions(scale):
    """Return the smallest precision of each group; coefficients of `u` count in slopes."""
    slope = 1.0 / (_WIDEST_SLOPE * scale) ** 2
    least = {"slope": slope, "class_slopes": slope, "matrix": slope, "bias": _WIDEST_BIAS**-2.0}
    return np.array([least.get(name, 0.0) for name in GROUPS])


def _monotone(problem, fit, group, total, scale, basis):
    """Return the mode under the same precisions among the maps that reverse no order.

    A spline whose B-spline coefficients increase is increasing.
    """
    slope = np.zeros((1, problem.n_coef))
    slope[0, 0] = 1.0
    matrix, offset = slope, np.array([scale])
    if basis.size:
        linear = basis.linear_coef()
        shape = np.column_stack([linear, np.zeros_like(linear), basis.spline_coef])
        matrix = np.vstack([slope, np.diff(shape, axis=0)])
        offset = np.concatenate([offset, scale * np.diff(linear)])
    free = np.flatnonzero(group >= 0)
    offset, matrix = offset - _SMALLEST_SLOPE * scale, matrix[:, free]
    if (matrix @ fit.coef[free] + offset >= 0.0).all():
        return fit
    part = MultinomialProblem(
        problem.offset,
        problem.target,
        problem.weight,
        shared=problem.shared[free],
        reference=True,
    )
    ridge = fit.precision[group[free]] / total
    coef = np.zeros(problem.n_coef)
    coef[free] = minimise_constrained(part, ridge, np.zeros(len(free)), matrix, offset)
    return fit._replace(coef=coef)


def _result(fit, problem, structure, n_classes, floor, scale, total, basis):
    """Return the fit in the words of a reader."""
    shared, local, cross = problem.split(fit.coef)
    slope = 1.0 + float(shared[0]) / scale
    if n_classes == 2:
        bias, matrix = float(shared[1]), None
    elif "matrix" in structure:
        bias, matrix = cross[0].copy(), cross[1:] / scale
    else:
        bias, matrix = local[0].copy(), np.diag(local[1] / scale)
    return AdaptiveMap(
        n_classes=n_classes,
        structure=structure,
        dof={name: float(fit.dof[GROUPS.index(name)]) for name in structure},
        slope=slope,
        temperature=1.0 / slope if slope else np.inf,
        bias=bias,
        matrix=matrix,
        n_iter=fit.n_iter,
        converged=fit.converged,
        floor=floor,
        scale=scale,
        smoothing=SMOOTHING / total,
        basis=basis,
        coef=fit.coef,
    )
