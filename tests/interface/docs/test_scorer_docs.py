"""Each scorer says what it is: the API page shows the first lines side by side."""

import pytest

import sklearn_calib.metrics
from sklearn_calib.metrics import get_scorer, get_scorer_names


def _first_line(name):
    return getattr(sklearn_calib.metrics, f"{name}_scorer").__doc__.splitlines()[0]


@pytest.mark.parametrize("name", get_scorer_names())
def test_first_line_names_the_metric(name):
    assert f"metrics.{name.removeprefix('neg_')}`" in _first_line(name)


def test_first_lines_differ():
    lines = {_first_line(name) for name in get_scorer_names()}
    assert len(lines) == len(get_scorer_names())


def test_options_that_are_not_the_defaults_are_stated():
    doc = sklearn_calib.metrics.neg_kce_scorer.__doc__
    assert "except ``squared=False``, ``bandwidth=0.2``." in doc


def test_a_distance_is_called_a_distance():
    assert "minus the distance" in _first_line("neg_calibration_slope")
    assert "from 1." in _first_line("neg_calibration_slope")


def test_copies_keep_the_text():
    assert get_scorer("neg_ece").__doc__ == sklearn_calib.metrics.neg_ece_scorer.__doc__
