"""The grouped statistics with given edges."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2

from sklearn_calib import check_calibration


def _statistic(y, p, name, **options):
    params = {"bins": [0, 0.25, 0.6, 1], **options}
    return check_calibration(y, p, statistic=name, statistic_params=params, n_resamples=9).statistic


def test_by_hand():
    """Groups {0.1, 0.2}, {0.4}, {0.8, 0.9} with 1, 0 and 1 events."""
    y, p = [1, 0, 0, 1, 0], [0.1, 0.2, 0.4, 0.8, 0.9]
    hosmer = 0.7**2 / (2 * 0.15 * 0.85) + 0.4**2 / 0.24 + 0.7**2 / (2 * 0.85 * 0.15)
    assert_allclose(_statistic(y, p, "hosmer_lemeshow"), hosmer, rtol=1e-12)
    pigeon = 0.7**2 / (0.09 + 0.16) + 0.4**2 / 0.24 + 0.7**2 / (0.16 + 0.09)
    assert_allclose(_statistic(y, p, "pigeon_heyse"), pigeon, rtol=1e-12)


def test_edges_are_closed_on_the_left():
    y, p = [1, 0, 0, 1], [0.25, 0.2, 0.6, 0.8]
    expected = 0.2**2 / 0.16 + 0.75**2 / 0.1875 + 0.4**2 / 0.4
    assert_allclose(_statistic(y, p, "pigeon_heyse"), expected, rtol=1e-12)


def test_degrees_of_freedom_are_those_of_the_groups_that_occur():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.0, 0.5, 300)
    y = (rng.random(300) < p).astype(int)
    result = check_calibration(
        y,
        p,
        statistic="hosmer_lemeshow",
        statistic_params={"bins": [0, 0.25, 0.6, 1]},
        null="asymptotic",
    )
    assert_allclose(result.pvalue, chi2(2).sf(result.statistic), rtol=1e-12)


@pytest.mark.parametrize("name", ["hosmer_lemeshow", "pigeon_heyse"])
def test_edges_are_checked(name):
    with pytest.raises(ValueError, match="bins must increase from 0 to 1"):
        _statistic([0, 1], [0.2, 0.7], name, bins=[0, 0.5])
