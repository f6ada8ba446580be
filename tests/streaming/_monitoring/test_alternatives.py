"""Likelihood ratios of alternatives have the mean one under calibration and the right values."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.special import expit, log_expit, logit

from sklearn_calib.streaming._monitoring.alternatives import ALTERNATIVES, WEIGHTS, log_ratios

P = np.array([1e-300, 1e-12, 0.001, 0.03, 0.5, 0.731, 0.99, 1.0 - 1e-12])


def test_weights_are_positive_and_sum_to_one():
    assert len(ALTERNATIVES) == len(set(ALTERNATIVES)) == WEIGHTS.size
    assert WEIGHTS.min() > 0.0
    assert_allclose(WEIGHTS.sum(), 1.0, rtol=1e-15)


def test_both_signs_of_each_alternative_weigh_the_same():
    """Otherwise the monitor would find one direction more easily than the other."""
    weight = dict(zip(ALTERNATIVES, WEIGHTS))
    for one, share in weight.items():
        if one.slope == 0.0:
            assert_allclose(weight[one._replace(shift=-one.shift)], share, rtol=1e-12)
    slopes = [(np.log1p(one.slope), w) for one, w in weight.items() if one.slope]
    assert_allclose(sum(w * np.sign(size) for size, w in slopes), 0.0, atol=1e-15)
    assert_allclose(sum(w * size for size, w in slopes), 0.0, atol=1e-14)


def test_the_mean_of_each_ratio_is_one_if_the_prediction_is_right():
    odds = logit(P)
    yes, no = (np.exp(log_ratios(odds, np.full(P.size, one))) for one in (True, False))
    assert_allclose(P * yes + expit(-odds) * no, 1.0, rtol=1e-11)


def test_ratios_are_those_of_the_moved_probability():
    odds = logit(P)
    for happened, sign in ((True, 1.0), (False, -1.0)):
        found = log_ratios(odds, np.full(P.size, happened))
        for row, one in zip(found, ALTERNATIVES):
            part = {"whole": odds, "upper": odds.clip(0.0), "lower": odds.clip(None, 0.0)}
            moved = odds + one.shift + one.slope * part[one.part]
            expected = log_expit(sign * moved) - log_expit(sign * odds)
            assert_allclose(row, expected, rtol=1e-12, atol=1e-15 * np.abs(odds).max())


def test_a_ratio_by_hand():
    """A slope of 0.8 or so about zero takes 0.8 to about 0.75."""
    one = next(
        k
        for k, one in enumerate(ALTERNATIVES)
        if one.part == "whole" and one.shift == 0.0 and abs(one.slope + 0.18) < 0.01
    )
    moved = 4.0 ** np.exp(-0.2) / (1.0 + 4.0 ** np.exp(-0.2))
    found = log_ratios(np.log([4.0]), np.array([True]))[one, 0]
    assert_allclose(found, np.log(moved / 0.8), rtol=1e-12)
