"""The solver of logistic likelihoods stops at the optimum or says that it did not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from sklearn_calib.calibrators import BetaCalibrator, PlattCalibrator
from tests.calibrators._samples import sample


@pytest.mark.filterwarnings("ignore:All values of S lie in")
@pytest.mark.parametrize("calibrator", [PlattCalibrator(), BetaCalibrator()], ids=repr)
def test_convergence(calibrator):
    p, y, _ = sample(0)
    calibrator.set_params(max_iter=1)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 .* Increase max_iter"):
        calibrator.fit(p, y)
    assert calibrator.n_iter_ == 1
    calibrator.set_params(max_iter=100).fit(p, y)
    assert 1 < calibrator.n_iter_ < 20


@pytest.mark.parametrize("spread", ["normal", "cauchy"])
def test_beta_and_platt_converge_on_separable_data(spread):
    rng = np.random.default_rng(0)
    z = rng.normal(size=1000) if spread == "normal" else rng.standard_cauchy(size=1000)
    y = z > 0.1
    platt = PlattCalibrator().fit(z, y)
    beta = BetaCalibrator().fit(expit(z), y)
    assert np.isfinite([platt.slope_, platt.intercept_, beta.a_, beta.b_, beta.c_]).all()
    assert_array_equal(beta.predict(expit(z)), y)
    assert_allclose(beta.predict_proba(expit(z))[:, 1], y, rtol=0, atol=1e-6)
