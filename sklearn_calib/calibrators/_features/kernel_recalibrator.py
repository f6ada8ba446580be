"""Local recalibration by a small network with a kernel penalty."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..._core import recalibration as core
from ..._data.arrays import check_weights
from ..._data.bandwidths import resolve_prob_bandwidth
from ..._data.hard_predictions import warn_if_hard
from ..._data.predictions import all_columns, check_probabilities
from ..._utils.arguments.constraints import Interval, StrOptions
from ..._utils.docs import fill_doc
from ..._utils.progress import reporter
from ..._utils.stack import warn
from ..._utils.types import Picks, Progress, Seed, Size, Sizes, Width, Widths
from ...base import BaseCalibrator
from .assembly import (
    PARTS,
    NetworkOptions,
    Training,
    correct,
    fit_networks_alone,
    fit_parts,
)
from .inputs import InputMap
from .probability_columns import find_group_features, find_probability_columns
from .reading import encode_features, read_rows, read_training_rows
from .words import describe

_CHUNK = 1 << 14  # rows that are predicted at once


@fill_doc()
class KernelRecalibrator(BaseCalibrator):
    """Make probabilities locally calibrated: right for every kind of row, not just on average.

    A map of the score alone, such as isotonic regression, cannot repair a classifier that is too
    sure of itself in one region of the features and too timid in another. This one reads features
    as well. Its correction of the log-odds is a sum of parts:

    - a map of the score alone, an :class:`~sklearn_calib.calibrators.AdaptiveCalibrator`;
    - a shift and a slope for each category, shrunk by empirical Bayes;
    - a linear map of log-odds and features, and small networks on top of it [1]_, which minimise
      ``alpha * KL(base || new) + beta * KLCE^2(new) + gamma * log loss(new)`` with Adam on
      mini-batches: stay close to the base probabilities, have no local calibration error
      (:func:`~sklearn_calib.metrics.klce`), predict well;
    - boosted trees, for steps and interactions.

    Each part is fitted several times, each time without another part of the rows, and the held-out
    log loss decides how much of it is taken: nothing if there is nothing to correct.

    Take it where features explain errors of the classifier, with a few hundred rows or more; below,
    it demands much stronger evidence. It is no substitute for a classifier that uses features well.

    Parameters
    ----------
    alpha : float, default=0.02
        Weight of the Kullback-Leibler divergence of the new from the base probabilities.
    beta : float, default=1.0
        Weight of the squared local kernel calibration error, the unbiased estimate over the pairs
        of a batch. It can be negative.
    gamma : float, default=0.1
        Weight of the log loss. 0 is the method of the literature [1]_.
    prob_bandwidth : float or "median", default="median"
        Bandwidth of the kernel on probabilities; "median" is the median distance of the base
        probabilities.
    feature_bandwidth : float, array-like of shape (n_features,), "median" or "scaled", \
default="median"
        Bandwidth of the kernel on features, in the units that the networks see: standard
        deviations if `standardize`. "scaled" has one median per feature.
    hidden_layer_sizes : array-like of int, default=(64, 64)
        Widths of the hidden layers. None at all gives a linear correction.
    learning_rate : float, default=0.003
        Step size of Adam.
    max_iter : int, default=2000
        Largest number of optimiser steps of a stage.
    batch_size : int or "auto", default="auto"
        Rows a step. "auto" is 128; a size of at least the number of training rows uses all of
        them in every step, which costs the square of their number.
    link : {"logit", "identity"}, default="logit"
        What the correction is added to: the log-odds (log-probabilities before normalisation, for
        more than two classes), or the probabilities themselves, clipped, as in the literature.
    standardize : bool, default=True
        Linear map and networks read standard scores of log-odds and numbers, and normal scores
        of the ranks of a column with heavy tails. False leaves columns as they are.
    early_stopping : bool, default=True
        Hold out rows to end training and to choose how much of each part is taken. False trains
        the networks alone, on all rows, for `max_iter` steps, as in the literature.
    validation_fraction : float, default=0.2
        Share of the rows that each network holds out.
    n_iter_no_change : int, default=200
        Training ends after this number of steps without a better held-out log loss.
    tol : float, default=1e-4
        By how much a held-out log loss must be better to count.
    n_networks : int, default=5
        How often each part is fitted; the corrections are averaged. With the default
        `validation_fraction`, every row is held out exactly once.
    proba_columns : array-like of int or str, default=None
        Positions, or names in a data frame, of the probability columns, in the order of the sorted
        classes. For two classes, a single one is that of the positive class, ``classes_[1]``. By
        default the first columns, as many as classes. The other columns are features.
    categorical_features : "auto", "from_dtype" or array-like, default="auto"
        Which features are categories. By default text, booleans, columns of a categorical type,
        and whole numbers of at most two different values, or of at most ten with 20 rows each;
        "from_dtype" leaves the whole numbers out. A list has positions among the features, names,
        or one boolean per feature. A missing value is a category of its own.
    groups : array-like of int or str, default=None
        Columns of `S`, by position or name, whose groups must come out right on average: a last
        shift and slope for each group, shrunk by empirical Bayes. Numbers are cut into fifths.
    random_state : int, RandomState instance or None, default=None
        Draws initial weights, batches and held-out rows. Pass an int for the same result in every
        call.
    <<verbose>>

    Attributes
    ----------
    components_ : dict of str to float
        The factor of each part: "score", "categories", "linear", "networks", "trees" and "groups"
        as far as they were fitted. 0 means that it is not used. See `summary`.
    component_sizes_ : dict of str to float
        Root mean square of what each part adds to the log-odds of held-out rows.
    held_out_log_loss_ : ndarray of shape (2,)
        Held-out log loss without and with the correction, the last shift by group aside. NaN
        without early stopping.
    coefs_ : list of ndarray of shape (n_networks, fan_in, fan_out)
        Weights of each layer. The shrinkage factor is included in the last layer.
    intercepts_ : list of ndarray of shape (n_networks, fan_out)
        Biases of each layer, likewise.
    skip_coef_ : ndarray of shape (n_networks, n_inputs, n_outputs)
        The linear correction, shrunk; its first row is the intercept. It is added to the output of
        the networks. All zero without early stopping.
    shrinkage_ : float
        Factor of what the networks add; 0 means nothing, 1 that they are taken as trained.
    loss_curve_ : ndarray of shape (`n_iter_`,)
        Loss of the batch before each step, the mean over the networks.
    validation_scores_ : ndarray of shape (n_checks,)
        Minus the mean log loss on the held-out rows, before training and then every 20 steps.
        Empty without early stopping.
    n_iter_ : int
        Optimiser steps of the networks (the linear stage before has its own).
    best_iter_ : int
        The step whose parameters were kept.
    prob_bandwidth_ : float
        Bandwidth of the kernel on probabilities.
    feature_bandwidth_ : ndarray of shape (n_features,)
        Bandwidth of each feature; 0 for categories, which are compared by an exact match.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    <<n_features_in_>>
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns of `S`, if it is a data frame.

    Warns
    -----
    ConvergenceWarning
        If the held-out log loss still gets better at step `max_iter`.

    See Also
    --------
    CalibratedClassifier : Hands out-of-fold probabilities and features to this calibrator.
    CrossFitTransformer : The same in a pipeline, with ``passthrough=True``.
    OneVsRestCalibrator : Calibrates with the score alone.

    Notes
    -----
    A network reads ``[1, p, X]``: one column of probabilities for two classes, K for more; with
    ``link="logit"`` their log-odds (log-probabilities); and an indicator of each of the 30 most
    frequent categories of a feature. It ends in one output for two classes and K for more, and for
    more than two classes KLCE uses the whole vector of residuals. With ``link="identity"`` there
    are no parts but the linear map and the networks.

    The map of the score and the linear map compete for the errors that both can repair; the other
    parts correct what is left. The factors of the parts minimise the log loss over the held-out
    rows (each up to 1.5) plus a price, an extension of the positive-part rule of the nonnegative
    garrote [2]_: the correction must gain more than ``1 + (400 / n)^2 / 2`` of log-likelihood, or
    it is left out. Calibrated probabilities are left alone in most cases. If all factors are zero,
    probabilities stay as they are, kept 1e-6 away from 0 and 1. Trees are Newton steps of
    :class:`~sklearn.ensemble.HistGradientBoostingRegressor`, of 4 or 12 leaves.

    A category that `fit` has not seen has no shift and slope by category or by group. The linear
    map, networks and trees, which need some category, give such a row the mean of what they give
    with each of the categories that `fit` has seen, weighted by how often each occurs there, that
    is, by its share of the sample weights. The mean is exact for any number of categories, at the
    cost of at most 61 predictions, since these parts do not tell apart a feature's categories
    beyond the 60 most frequent ones. If several features of a row have unseen categories, it is the
    mean over all combinations, with the products of the shares. If these are more than 256, it is
    over some of them, chosen such that each category of each feature still has its share.

    A step of the networks costs O(n_networks * batch_size^2), independent of the number of rows n;
    trees cost O(n_networks * min(n, 200,000)) each; memory is linear in n. The first fit of a shape
    compiles the training loop, some seconds; fits of similar size, with whatever numbers, use it
    again. Networks are trained in single precision, and predict in double precision with NumPy
    alone. Sample weights multiply the terms of the rows (of pairs, products), rows are drawn
    evenly, so that weights are not the same as repetition.

    References
    ----------
    .. [1] Vashistha, R. and Farahi, A. (2025). I-trustworthy models: a framework for
       trustworthiness evaluation of probabilistic classifiers. AISTATS 2025.
       https://arxiv.org/abs/2501.15617

    .. [2] Breiman, L. (1995). Better subset regression using the nonnegative garrote.
       Technometrics 37, 373-384. https://doi.org/10.1080/00401706.1995.10484371

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib.calibrators import KernelRecalibrator
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2))
    >>> truth = 1 / (1 + np.exp(-X[:, 0]))
    >>> y = rng.uniform(size=600) < truth
    >>> p = np.where(X[:, 1] > 0, truth, 0.5)  # ignores the first feature where the second is < 0
    >>> S = np.column_stack([1 - p, p, X])
    >>> new = KernelRecalibrator(random_state=0).fit(S, y).predict_proba(S)[:, 1]
    >>> [round(float(np.abs(q - truth).mean()), 2) for q in (p, new)]
    [0.09, 0.02]
    """

    takes_features = True
    _allowed = PARTS

    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="left")],
        "prob_bandwidth": [StrOptions({"median"}), Interval(Real, 0, None, closed="neither")],
        "feature_bandwidth": [
            StrOptions({"median", "scaled"}),
            Interval(Real, 0, None, closed="neither"),
            "array-like",
        ],
        "hidden_layer_sizes": ["array-like"],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [StrOptions({"auto"}), Interval(Integral, 2, None, closed="left")],
        "link": [StrOptions({"logit", "identity"})],
        "standardize": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_networks": [Interval(Integral, 1, None, closed="left")],
        "proba_columns": ["array-like", None],
        "categorical_features": ["array-like", str],
        "groups": ["array-like", str, Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose", callable],
    }

    def __init__(
        self,
        *,
        alpha: float = 0.02,
        beta: float = 1.0,
        gamma: float = 0.1,
        prob_bandwidth: Width = "median",
        feature_bandwidth: Widths = "median",
        hidden_layer_sizes: Sizes = (64, 64),
        learning_rate: float = 0.003,
        max_iter: int = 2000,
        batch_size: Size = "auto",
        link: str = "logit",
        standardize: bool = True,
        early_stopping: bool = True,
        validation_fraction: float = 0.2,
        n_iter_no_change: int = 200,
        tol: float = 1e-4,
        n_networks: int = 5,
        proba_columns: Picks = None,
        categorical_features: Picks = "auto",
        groups: Picks = None,
        random_state: Seed = None,
        verbose: Progress = False,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.prob_bandwidth = prob_bandwidth
        self.feature_bandwidth = feature_bandwidth
        self.hidden_layer_sizes = hidden_layer_sizes
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.link = link
        self.standardize = standardize
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.n_networks = n_networks
        self.proba_columns = proba_columns
        self.categorical_features = categorical_features
        self.groups = groups
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, S: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the correction.

        Parameters
        ----------
        S : {array-like, data frame} of shape (n_samples, n_columns)
            Probability columns and features, ``[P | X]`` unless `proba_columns` says otherwise, of
            rows that the classifier was not fitted on. Rows of P sum to one. For two classes, a
            matrix of one column (or a vector) is the probability of the positive class. Features
            are numbers, text, booleans or categories, and may be missing.

        y : array-like of shape (n_samples,)
            Labels; every class must occur.

        sample_weight : array-like of shape (n_samples,), default=None
            Importance weights; rows of weight zero are left out.

        <<returns_calibrator>>

        Raises
        ------
        ValueError
            If `y` holds one class, the probability columns do not fit its classes, do not sum to
            one or leave [0, 1], or a parameter is out of range.
        """
        self._validate_params()
        hidden = self._check_hidden_layer_sizes()
        table, codes, weight = self._read_training_data(S, y, sample_weight)
        names = getattr(self, "feature_names_in_", None)
        self._columns = find_probability_columns(
            self.proba_columns, table.shape[1], names, self.classes_
        )
        base, features = self._split(table)
        warn_if_hard(
            base if self._columns.size > 1 else base[:, 1:], "the probability columns of S"
        )
        groups = find_group_features(self.groups, self._columns, table.shape[1], names)
        self._encoder, features = encode_features(self.categorical_features, features)
        self._input_map = InputMap(self.link, self.standardize, groups)
        self._input_map.fit(base, features, weight)
        inputs = self._input_map.transform(base, features)
        events = base[:, 1:] if self.classes_.size == 2 else base
        self.prob_bandwidth_ = resolve_prob_bandwidth(events, self.prob_bandwidth, weight=weight)
        self.feature_bandwidth_, widths = self._input_map.bandwidths(
            inputs.network, features, self.feature_bandwidth, weight
        )
        rng = self._generator()
        with reporter("KernelRecalibrator", self.verbose) as say:
            options = self._network_options(hidden, widths, say)
            if self.early_stopping:
                held_out = core.held_out_rows(codes, self.n_networks, self.validation_fraction, rng)
                training = Training(inputs, codes, weight, held_out)
                names = self._allowed if self.link == "logit" else ("linear", "networks")
                fitted = fit_parts(training, names, self._input_map, options, rng)
            else:
                held_out = np.empty((self.n_networks, 0), dtype=np.int64)
                training = Training(inputs, codes, weight, held_out)
                fitted = fit_networks_alone(training, options, rng)
        self._parts = {name: part for name, part in fitted.parts.items() if part.factor}
        self.components_ = {name: part.factor for name, part in fitted.parts.items()}
        self.component_sizes_ = fitted.sizes
        self.held_out_log_loss_ = np.array(fitted.losses)
        self._store_networks(fitted.parts, inputs)
        return self

    def _read_training_data(self, S, y, sample_weight):
        """Return a table, label codes and weights without the rows of weight zero."""
        table, y = read_training_rows(self, S, y)
        weight = check_weights(sample_weight, y.shape[0])
        weight = np.ones(y.shape[0]) if weight is None else weight
        counts = weight > 0
        self.classes_, codes = np.unique(y[counts], return_inverse=True)
        if self.classes_.size < 2:
            raise ValueError(
                f"y holds one class, {self.classes_.tolist()}, but KernelRecalibrator needs rows "
                "of at least two classes (rows of weight zero do not count). Calibrate on more "
                "rows."
            )
        return table[counts], codes, weight[counts]

    def _network_options(self, hidden, widths, say):
        """Return what training networks needs besides data; `widths` are of the kernel."""
        others = {
            "batch_size": 128 if self.batch_size == "auto" else self.batch_size,
            "prob_bandwidth": self.prob_bandwidth_,
            "feature_bandwidth": widths,
            "dtype": np.float32 if self.standardize else np.float64,
            "say": say,
        }
        for name in ("alpha", "beta", "gamma", "max_iter", "n_iter_no_change", "tol"):
            others[name] = getattr(self, name)
        return NetworkOptions(hidden, self.n_networks, self.learning_rate, self.link, others)

    def _store_networks(self, parts, inputs):
        """Show what the networks and the linear part have learnt as attributes."""
        n_inputs, n_outputs = inputs.network.shape[1], inputs.logits.shape[1]
        self.skip_coef_ = np.zeros((self.n_networks, n_inputs, n_outputs))
        if "linear" in parts:
            linear = parts["linear"]
            self.skip_coef_ += linear.factor * linear.coefs[0]
            self.skip_coef_[:, 0] += linear.factor * linear.intercepts[0]
        networks = parts.get("networks")
        if networks is None:
            self.n_iter_, self.best_iter_, self.shrinkage_ = 0, 0, 0.0
            self.loss_curve_, self.validation_scores_ = np.empty(0), np.empty(0)
            self.coefs_, self.intercepts_ = [], []
            return
        trained = networks.trained
        if self.early_stopping and not trained.stopped:
            warn(
                f"The held-out log loss still got better within the last {self.n_iter_no_change} "
                f"of max_iter={self.max_iter} steps. Raise max_iter or learning_rate.",
                ConvergenceWarning,
            )
        self.n_iter_ = trained.n_iter
        self.best_iter_ = trained.best_iter
        self.loss_curve_ = trained.loss_curve
        self.validation_scores_ = trained.validation_scores
        self.shrinkage_ = networks.factor
        self.coefs_ = [*networks.coefs[:-1], networks.coefs[-1] * networks.factor]
        self.intercepts_ = [*networks.intercepts[:-1], networks.intercepts[-1] * networks.factor]

    def predict_proba(self, S: ArrayLike) -> np.ndarray:
        """Return the corrected probabilities.

        Parameters
        ----------
        S : {array-like, data frame} of shape (n_samples, n_columns)
            Probability columns and features, in the form that was passed to `fit`.

        <<returns_proba>>
        """
        check_is_fitted(self)
        table = read_rows(self, S)
        proba = np.empty((len(table), self.classes_.size))
        for start in range(0, len(table), _CHUNK):
            rows = slice(start, start + _CHUNK)
            base, features = self._split(table[rows])
            if features is not None and self._encoder is not None:
                features = self._encoder.transform(features, unseen="code")
            output = correct(self._parts, self._input_map, base, features)
            proba[rows] = np.exp(core.log_probabilities(base, output, self.link))
        return proba / proba.sum(axis=1, keepdims=True)

    def summary(self) -> str:
        """Say in words which parts the correction has, and how large they are.

        Returns
        -------
        text : str
            One sentence, such as "score map (0.41), trees (0.12); not used: linear map, networks.
            Held-out log loss 0.512 instead of 0.540." Numbers in brackets are the root mean square
            of what the part adds to the log-odds.
        """
        check_is_fitted(self)
        return describe(self.component_sizes_, self.held_out_log_loss_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = False  # features may be negative
        tags.input_tags.allow_nan = True  # features may be missing
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _check_hidden_layer_sizes(self):
        sizes = np.asarray(self.hidden_layer_sizes)
        if sizes.ndim != 1 or (sizes.size and (sizes.dtype.kind not in "iu" or sizes.min() < 1)):
            raise ValueError(
                "hidden_layer_sizes must be a sequence of whole numbers of at least 1, got "
                f"{self.hidden_layer_sizes!r}. Pass (64, 64), or () for a linear correction."
            )
        return sizes.tolist()

    def _split(self, table):
        """Return the base probabilities of all classes and the features, None without any."""
        columns = self._columns.tolist()
        given = [column.numbers for column in table.select(columns).columns]
        try:
            if any(numbers is None for numbers in given):
                raise ValueError("The probability columns of S must hold numbers, got text.")
            base = check_probabilities(np.column_stack(given), "The probability columns of S")
        except ValueError as error:
            raise ValueError(
                f"{error} They are the columns {columns}; proba_columns chooses others."
            ) from None
        others = [k for k in range(table.shape[1]) if k not in columns]
        return all_columns(base), table.select(others) if others else None

    def _generator(self):
        """Turn `random_state` into a generator without touching NumPy's global state."""
        if self.random_state is None:
            return np.random.default_rng()
        random_state = check_random_state(self.random_state)
        return np.random.default_rng(random_state.randint(np.iinfo(np.int32).max))
