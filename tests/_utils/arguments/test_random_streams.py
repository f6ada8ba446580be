"""Seeds become generators that share no numbers with those of the data."""

import numpy as np
import pytest

from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.inference import check_calibration


@pytest.mark.parametrize("seed", [0, 7, np.int64(7), 2**70])
def test_an_int_gives_the_same_stream_each_time(seed):
    assert check_generator(seed).random() == check_generator(seed).random()
    assert check_generator(np.int64(7)).random() == check_generator(7).random()


def test_the_stream_of_a_seed_is_not_the_one_the_data_may_come_from():
    for seed in range(3):
        ours = check_generator(seed).random(1000)
        for theirs in (np.random.default_rng(seed), np.random.default_rng([seed])):
            assert not np.isin(ours, theirs.random(1000)).any()
        assert check_generator(seed).random() != check_generator(seed + 1).random()


def test_a_generator_is_taken_as_it_is_and_a_random_state_is_advanced():
    rng = np.random.default_rng(0)
    assert check_generator(rng) is rng
    state = np.random.RandomState(0)
    first, second = check_generator(state).random(), check_generator(state).random()
    assert first != second
    assert check_generator(np.random.RandomState(0)).random() == first


def test_a_random_state_seeds_with_its_next_four_words():
    """These are the first outputs of the 32-bit Mersenne Twister after seed 0."""
    words = [2357136044, 2546248239, 3071714933, 3626093760]
    expected = np.random.default_rng(words).random(5)
    state = np.random.RandomState(0)
    np.testing.assert_array_equal(check_generator(state).random(5), expected)


def test_none_gives_fresh_numbers_and_leaves_the_global_state_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert check_generator(None).random() != check_generator(None).random()
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize("bad", [-1, 1.5, "0", True])
def test_anything_else_is_refused(bad):
    with pytest.raises(ValueError, match="random_state must be None, a non-negative int"):
        check_generator(bad)


def test_data_and_draws_of_the_same_seed_are_independent():
    """Labels drawn from the very numbers that made the data would reproduce them."""
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.5  # the first numbers of the stream, compared with p, as a draw does
    result = check_calibration(
        y, np.full(400, 0.5), statistic="ece", n_resamples=99, random_state=0
    )
    assert np.abs(result.null_distribution - result.statistic).min() < 0.02
    assert np.unique(result.null_distribution).size > 10
    assert result.pvalue > 0.01
