"""Hosmer-Lemeshow and Pigeon-Heyse: a published example, certain groups, degrees of freedom."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression

from sklearn_calib import check_calibration
from tests.inference import _formulas
from tests.inference._data import binary_data, multiclass_data

BOTH = pytest.mark.parametrize("name", ["hosmer_lemeshow", "pigeon_heyse"])


def run(name, y, p, *, target="auto", null="asymptotic", sample_weight=None, **params):
    return check_calibration(
        y,
        p,
        statistic=name,
        statistic_params=params,
        null=null,
        target=target,
        sample_weight=sample_weight,
        n_resamples=99,
        random_state=0,
        labels=[0, 1] if np.ndim(p) == 1 else None,
    )


def test_caffeine():
    """The example of the article on the test in the English Wikipedia, as of 2024.

    Volunteers take 0, 50, ..., 500 mg of caffeine, 30 each, and this many have an A grade. The
    article has 17.46 for a logistic regression on the dose, with 9 degrees of freedom p = 0.042.
    """
    hits = [10, 13, 17, 15, 10, 5, 4, 3, 3, 1, 0]
    dose = np.repeat(np.arange(0, 501, 50), 30)[:, np.newaxis]
    y = np.concatenate([np.arange(30) < k for k in hits]).astype(int)
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(dose / 500, y)
    p = model.predict_proba(dose / 500)[:, 1]
    result = run("hosmer_lemeshow", y, p, n_groups=11, in_sample=True)
    assert_allclose(result.statistic, 17.46, atol=0.01)
    assert_allclose(result.pvalue, 0.042, atol=5e-4)
    assert_allclose(result.pvalue, chi2(9).sf(result.statistic), rtol=1e-12)
    # Each group has one probability, so there is nothing to correct.
    corrected = run("pigeon_heyse", y, p, n_groups=11, in_sample=True)
    assert_allclose(corrected.statistic, result.statistic, rtol=1e-10)
    assert_allclose(corrected.pvalue, chi2(10).sf(result.statistic), rtol=1e-9)


@BOTH
def test_new_data_have_as_many_degrees_of_freedom_as_groups(name):
    y, p, _ = binary_data(100)
    for n_groups in (1, 4, 10):
        result = run(name, y, p, n_groups=n_groups)
        expected = getattr(_formulas, name)(y, p, n_groups)
        assert_allclose(result.statistic, expected, rtol=1e-10)
        assert_allclose(result.pvalue, chi2(n_groups).sf(expected), rtol=1e-9)


@BOTH
def test_equal_predictions_share_a_group(name):
    y, p = np.array([0, 1, 1, 0, 1, 1]), np.array([0.2, 0.2, 0.2, 0.2, 0.7, 0.7])
    value = (2 - 0.8) ** 2 / 0.64 + (2 - 1.4) ** 2 / 0.42
    result = run(name, y, p, n_groups=6)
    assert_allclose(result.statistic, value, rtol=1e-12)
    assert_allclose(result.pvalue, chi2(2).sf(value), rtol=1e-12)


@BOTH
def test_groups_without_any_expected_event(name):
    """A certain group counts nothing if it is right, and decides alone if it is wrong."""
    p = np.array([0.0, 0.0, 0.5, 0.5])
    result = run(name, [0, 0, 1, 1], p, n_groups=2)
    assert_allclose(result.statistic, 2.0, rtol=1e-12)
    assert_allclose(result.pvalue, chi2(1).sf(2.0), rtol=1e-12)
    wrong = run(name, [0, 1, 1, 1], p, n_groups=2)
    assert (wrong.statistic, wrong.pvalue) == (np.inf, 0.0)
    certain = run(name, [0, 0, 1, 1], np.array([0.0, 0.0, 1.0, 1.0]))
    assert (certain.statistic, certain.pvalue) == (0.0, 1.0)


def test_a_group_of_both_certainties_is_certain():
    """One group of p = 0 and p = 1 has a mean of one half, but nothing in it can happen."""
    p = np.array([0.0, 1.0])
    assert run("hosmer_lemeshow", [0, 1], p, n_groups=1).statistic == 0.0
    assert run("hosmer_lemeshow", [1, 1], p, n_groups=1).statistic == np.inf


@BOTH
def test_weights_by_hand(name):
    y, p, w = np.array([0, 1, 1]), np.array([0.3, 0.3, 0.6]), np.array([1.0, 2.0, 4.0])
    value = (-0.3 + 2 * 0.7) ** 2 / (5 * 0.21) + (4 * 0.4) ** 2 / (16 * 0.24)
    result = run(name, y, p, sample_weight=w)
    assert_allclose(result.statistic, value, rtol=1e-12)
    assert_allclose(run(name, y, p, sample_weight=w * 1e200).statistic, value, rtol=1e-12)


def test_the_correction_makes_the_statistic_larger():
    """Within a group, probabilities that differ have less variance than their mean."""
    y, p, _ = binary_data(100)
    pooled, corrected = (
        run(name, y, p, n_groups=3).statistic for name in ("hosmer_lemeshow", "pigeon_heyse")
    )
    assert corrected > pooled


@BOTH
def test_the_top_label_of_several_classes(name):
    y, proba, _ = multiclass_data(80)
    result = run(name, y, proba, target="confidence", n_groups=5)
    assert_allclose(result.statistic, getattr(_formulas, name)(y, proba, 5), rtol=1e-10)
    with pytest.raises(ValueError, match="target must be one of 'auto', 'binary', 'confidence'"):
        run(name, y, proba, target="canonical")


@BOTH
def test_rows_of_the_fit_have_no_simulated_null(name):
    y, p, _ = binary_data()
    with pytest.raises(ValueError, match="in_sample=True corrects the degrees of freedom of null="):
        run(name, y, p, null="simulation", in_sample=True)
    with pytest.raises(ValueError, match="in_sample must be True or False"):
        run(name, y, p, in_sample=1)


def test_too_few_groups_for_the_fit():
    with pytest.raises(ValueError, match=r"takes 2 of the degrees of freedom.*only 2 groups"):
        run("hosmer_lemeshow", [0, 1, 1], np.array([0.2, 0.7, 0.7]), in_sample=True)
    with pytest.raises(ValueError, match="n_groups must be a whole number of at least 1"):
        run("hosmer_lemeshow", [0, 1], np.array([0.2, 0.7]), n_groups=0)
