"""Figures are drawn on Agg, never shown, and closed after each test."""

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(autouse=True)
def never_shown(monkeypatch):
    def show(*args, **kwargs):
        raise AssertionError("a display called plt.show")

    monkeypatch.setattr("matplotlib.pyplot.show", show)


@pytest.fixture
def without_drawing(monkeypatch):
    """Put an empty picture into reports: for tests that read texts and numbers of many of them."""
    monkeypatch.setattr("sklearn_calib.report._page.figures._png", lambda display, size: b"")
