"""The calibrators of the arena: this package's, scikit-learn's and those of other packages.

A method is a function from the predictions of a classifier to a pair of functions: one fits on the
calibration rows, the other returns probabilities of the test rows.
"""

from functools import partial
from importlib.util import find_spec

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metaestimators import available_if

from sklearn_calib import calibrators

REFERENCE = "isotonic"  # times are multiples of its time
OWN = {
    "adaptive": calibrators.AdaptiveCalibrator(),
    "temperature": calibrators.TemperatureCalibrator(input="probability"),
    "vector": calibrators.VectorScalingCalibrator(),
    "matrix": calibrators.MatrixScalingCalibrator(),
    "Dirichlet": calibrators.DirichletCalibrator(),
    "Platt": calibrators.PlattCalibrator(),
    "beta": calibrators.BetaCalibrator(),
    "isotonic": calibrators.IsotonicCalibrator(),
    "isotonic, pseudo count 1": calibrators.IsotonicCalibrator(pseudo_count=1),
    "centred isotonic": calibrators.CenteredIsotonicCalibrator(),
    "histogram": calibrators.HistogramCalibrator(),
    "Venn-Abers": calibrators.VennAbersCalibrator(),
    "scaling-binning": calibrators.ScalingBinningCalibrator(),
}
ONE_VS_REST = (
    calibrators.PlattCalibrator,
    calibrators.BetaCalibrator,
    calibrators.IsotonicCalibrator,
    calibrators.CenteredIsotonicCalibrator,
    calibrators.HistogramCalibrator,
    calibrators.VennAbersCalibrator,
    calibrators.ScalingBinningCalibrator,
)
LARGEST_NUMBER_OF_CLASSES = {"Dirichlet": 11}  # cross-validated: minutes for a fit of 26 classes


def own(calibrator, run):
    """Fit a calibrator of this package; binary maps against the rest where there are more."""
    if isinstance(calibrator, ONE_VS_REST):
        calibrator = calibrators.OneVsRestCalibrator(calibrator, input="probability")
    cal, test = run.proba_cal, run.proba_test
    if run.n_classes == 2:
        cal, test = cal[:, 1], test[:, 1]
    return partial(calibrator.fit, cal, run.y_cal), lambda: calibrator.predict_proba(test)


class _Recorded(ClassifierMixin, BaseEstimator):
    """A fitted classifier that answers from tables; its only feature is the number of the row."""

    def __init__(self, proba=None, decision=None):
        self.proba = proba
        self.decision = decision

    def __sklearn_is_fitted__(self):
        return True

    @property
    def classes_(self):
        """Codes of the classes."""
        return np.arange(self.proba.shape[1])

    def fit(self, X, y):
        """Do nothing: it is fitted."""
        return self

    def predict(self, X):
        """Look the probabilities up and return the likeliest class."""
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X):
        """Look the probabilities up."""
        return self.proba[X[:, 0]]

    @available_if(lambda self: self.decision is not None)
    def decision_function(self, X):
        """Look the scores up."""
        return self.decision[X[:, 0]]


def scikit_learn(method, run):
    """Fit scikit-learn's calibration of a frozen classifier."""
    decision = None
    if run.decision_cal is not None:
        decision = np.concatenate([run.decision_cal, run.decision_test])
    recorded = _Recorded(np.vstack([run.proba_cal, run.proba_test]), decision)
    model = CalibratedClassifierCV(FrozenEstimator(recorded), method=method)
    rows = np.arange(len(recorded.proba))[:, None]
    cal, test = rows[: len(run.y_cal)], rows[len(run.y_cal) :]
    return partial(model.fit, cal, run.y_cal), lambda: model.predict_proba(test)


def betacal(run):
    """Fit beta calibration by the code of its authors."""
    from betacal import BetaCalibration

    model = BetaCalibration("abm")
    return (
        partial(model.fit, run.proba_cal[:, 1:], run.y_cal),
        lambda: _both(model.predict(run.proba_test[:, 1:])),
    )


def venn_abers(run):
    """Fit the package venn-abers, which does its work while it predicts."""
    from venn_abers import VennAbers

    model = VennAbers()
    return (
        lambda: model.fit(run.proba_cal, run.y_cal),
        lambda: model.predict_proba(run.proba_test)[0],
    )


def netcal(module, name, run):
    """Fit a method of netcal with its defaults."""
    from importlib import import_module

    model = getattr(import_module(f"netcal.{module}"), name)()
    cal, test = run.proba_cal, run.proba_test
    if run.n_classes == 2:
        cal, test = cal[:, 1], test[:, 1]

    def predict():
        proba = model.transform(test)
        return _both(proba) if run.n_classes == 2 else proba

    return partial(model.fit, cal, run.y_cal), predict


def probmetrics(run):
    """Fit structured matrix scaling by the code of its authors."""
    from probmetrics.calibrators import get_calibrator

    model = get_calibrator("sms")
    return (
        partial(model.fit, run.proba_cal, run.y_cal),
        lambda: model.predict_proba(run.proba_test),
    )


def _both(positive):
    positive = np.clip(np.asarray(positive, float).ravel(), 0.0, 1.0)
    return np.column_stack([1.0 - positive, positive])


# name: (module it needs, fit and predict, only for two classes)
PEERS = {
    "scikit-learn: sigmoid": ("sklearn", partial(scikit_learn, "sigmoid"), False),
    "scikit-learn: isotonic": ("sklearn", partial(scikit_learn, "isotonic"), False),
    "scikit-learn: temperature": ("sklearn", partial(scikit_learn, "temperature"), False),
    "betacal": ("betacal", betacal, True),
    "venn-abers": ("venn_abers", venn_abers, True),
    "netcal: BBQ": ("netcal", partial(netcal, "binning", "BBQ"), True),
    "netcal: ENIR": ("netcal", partial(netcal, "binning", "ENIR"), True),
    "netcal: histogram": ("netcal", partial(netcal, "binning", "HistogramBinning"), True),
    "probmetrics: SMS": ("probmetrics", probmetrics, False),
}


def installed():
    """Return the methods of other packages that are installed here."""
    return {name: peer for name, peer in PEERS.items() if find_spec(peer[0]) is not None}


def methods(n_classes):
    """Return the functions that fit each method for this number of classes."""
    chosen = {
        name: partial(own, calibrator)
        for name, calibrator in OWN.items()
        if n_classes <= LARGEST_NUMBER_OF_CLASSES.get(name, n_classes)
    }
    chosen |= {
        name: fit for name, (_, fit, binary) in installed().items() if n_classes == 2 or not binary
    }
    return chosen


BINARY_GROUPS = ("slope", "bias", "spline")
ALL_GROUPS = ("slope", "bias", "class_slopes", "matrix", "spline")


def variants(n_classes):
    """Return adaptive calibrators with one setting changed at a time, and the default."""
    groups = BINARY_GROUPS if n_classes == 2 else ALL_GROUPS
    chosen = {"default": {}}
    for group in groups:
        rest = [other for other in groups if other != group]
        chosen[f"structure without {group}"] = {"structure": rest}
    chosen["structure: slope only"] = {"structure": ["slope"]}
    if n_classes > 2:  # for two classes the same as without the spline
        chosen["structure: slope and bias"] = {"structure": ["slope", "bias"]}
    if n_classes == 2:
        every = {"structure": ["slope", "bias", "spline"]}
        chosen["spline for any number of rows"] = every
    chosen |= {f"n_knots={n}": {"n_knots": n} for n in (6, 9, 18, 24)}
    if n_classes == 2:
        chosen["monotone=True"] = {"monotone": True}
    chosen |= {f"tol={tol}": {"tol": tol} for tol in (0.1, 0.01, 0.0001)}
    chosen |= {f"max_iter={n}": {"max_iter": n} for n in (5, 10, 200)}
    return {
        name: partial(own, calibrators.AdaptiveCalibrator(**options))
        for name, options in chosen.items()
    }
