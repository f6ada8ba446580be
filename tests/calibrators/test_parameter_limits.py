"""The limits of each numeric parameter, by what the parameter means."""

import inspect

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from sklearn_calib import calibrators
from sklearn_calib._utils.compat import Interval

FROM_ONE = ([1, 2**40], [0, -1, 1.5])
FROM_ZERO = ([0.0, 0, 5e-324, 1e300], [-5e-324, np.inf, np.nan])
ABOVE_ZERO = ([5e-324, 1, 1e300], [0.0, -1.0, np.inf, np.nan])
# Accepted and refused values by the name of the parameter.
LIMITS = {
    **dict.fromkeys(("max_iter", "n_bins", "n_iter_no_change", "n_networks"), FROM_ONE),
    "n_jobs": ([None, -(2**40), -1, 1, 2**40], [0, 1.5]),
    "batch_size": ([2, 2**40], [1, 0, 2.5]),  # one row has no pair
    "n_knots": ([0, 1, 100], [-1, 0.5]),
    **dict.fromkeys(("pseudo_count", "tolerance", "ridge", "reg_lambda", "reg_mu"), FROM_ZERO),
    **dict.fromkeys(("alpha", "beta", "gamma", "tol"), FROM_ZERO),
    **dict.fromkeys(("prob_bandwidth", "feature_bandwidth", "learning_rate"), ABOVE_ZERO),
    "eps": ([5e-324, np.nextafter(0.5, 0.0)], [0.0, 0.5, -0.1, np.nan]),
    "validation_fraction": ([5e-324, np.nextafter(1.0, 0.0)], [0.0, 1.0, 1, np.nan]),
    "AdaptiveCalibrator.tol": ABOVE_ZERO,
}
CASES = [
    (cls, name)
    for cls in (getattr(calibrators, name) for name in calibrators.__all__)
    if inspect.isclass(cls)
    for name, allowed in getattr(cls, "_parameter_constraints", {}).items()
    if isinstance(allowed, list) and any(isinstance(one, Interval) for one in allowed)
]


@pytest.mark.parametrize(("cls", "name"), CASES, ids=lambda one: getattr(one, "__name__", one))
def test_the_limits_of_a_parameter(cls, name):
    estimator = inspect.signature(cls).parameters.get("estimator")
    given = {"estimator": GaussianNB()} if estimator else {}
    accepted, refused = LIMITS.get(f"{cls.__name__}.{name}") or LIMITS[name]
    for value in accepted:
        cls(**given, **{name: value})._validate_params()
    for value in refused:
        with pytest.raises(ValueError, match=name):
            cls(**given, **{name: value})._validate_params()


def test_the_limits_are_found():
    assert len(CASES) >= 35
