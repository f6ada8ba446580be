"""Options that are words, whole numbers or bandwidths."""

import numpy as np
import pytest

from sklearn_calib._utils.options import check_bandwidth, check_integer, check_option


def test_options():
    assert check_option("a", "option", ("a", "b")) == "a"
    for value in ("c", None, 1, ["a"], np.array(["a", "b"])):
        with pytest.raises(ValueError, match="option must be one of 'a', 'b', got"):
            check_option(value, "option", ("a", "b"))


def test_whole_numbers():
    for value in (2, np.int8(2), np.uint64(2)):
        assert type(check_integer(value, "n", 1)) is int
    for value in (0, -1, 2.0, "2", None, True, np.True_, np.nan, [2]):
        with pytest.raises(ValueError, match="n must be a whole number of at least 1, got"):
            check_integer(value, "n", 1)


def test_bandwidths():
    assert check_bandwidth("median") == "median"
    for value in (1, 0.5, np.float32(0.5), np.int64(3), 1e-300, 1e300):
        assert type(check_bandwidth(value)) is float
    for value in (0, -1.0, np.nan, np.inf, "scott", None, True, [0.2], np.array(0.2)):
        with pytest.raises(ValueError, match='width must be a positive number or "median", got'):
            check_bandwidth(value, "width")
    with pytest.raises(ValueError, match=r"It must be at least 2.23e-308"):
        check_bandwidth(1e-310)
