"""What scikit-learn puts around `transform` for `set_output` does not know that scores are `S`."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_calib.base import BaseBinaryCalibrator
from sklearn_calib.calibrators import PlattCalibrator, VennAbersCalibrator

BINARY = np.linspace(-2.0, 2.0, 30)
LABELS = np.arange(30) % 2


class Halved(BaseBinaryCalibrator):
    """A calibrator of a user, whose `transform` is a method of its own."""

    native_scale = "score"

    def _fit_map(self, score, target, weight):
        pass

    def _map(self, score):
        return 1.0 / (1.0 + np.exp(-0.5 * score))

    def transform(self, S):
        return self.predict_proba(S) + 0.0


@pytest.mark.parametrize("calibrator", [PlattCalibrator(), Halved()], ids=repr)
def test_scores_may_have_the_name_of_this_package_or_of_scikit_learn(calibrator):
    fitted = calibrator.fit(BINARY, LABELS).set_output(transform="pandas")
    expected = fitted.predict_proba(BINARY)
    for table in (fitted.transform(BINARY), fitted.transform(S=BINARY), fitted.transform(X=BINARY)):
        assert table.columns[1].endswith("_1")
        assert_array_equal(table.to_numpy(), expected)


def test_scores_that_are_missing_are_named():
    fitted = VennAbersCalibrator().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    with pytest.raises(TypeError, match=r"VennAbersCalibrator.transform\(\) needs S, the scores"):
        fitted.transform()
    with pytest.raises(TypeError, match="multiple values"):
        fitted.transform([0.5], S=[0.5])
