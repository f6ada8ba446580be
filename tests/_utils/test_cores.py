"""The same for several things on all cores."""

from contextvars import ContextVar

import pytest

from sklearn_calib._utils.cores import map_on_cores

SETTING = ContextVar("setting", default="none")


@pytest.mark.parametrize("n_cores", [1, 3])
def test_results_come_in_order_and_see_the_settings_of_the_caller(monkeypatch, n_cores):
    monkeypatch.setattr("sklearn_calib._utils.cores.cpu_count", lambda: n_cores)
    token = SETTING.set("of the caller")
    found = map_on_cores(lambda item: (item, SETTING.get()), range(20))
    SETTING.reset(token)
    assert found == [(item, "of the caller") for item in range(20)]
    assert map_on_cores(str, []) == []


def test_the_first_error_is_raised(monkeypatch):
    monkeypatch.setattr("sklearn_calib._utils.cores.cpu_count", lambda: 2)

    def refuse(item):
        raise ValueError(f"item {item}")

    with pytest.raises(ValueError, match="item 0"):
        map_on_cores(refuse, range(5))
