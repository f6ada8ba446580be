import pandas as pd
import pytest

from sklearn_calib.datasets import make_calibration_data


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Return a table of predictions, and work in a folder that holds it."""
    monkeypatch.chdir(tmp_path)
    X, y, p = make_calibration_data(n=200, seed=1)
    frame = pd.DataFrame({"outcome": y.astype(int), "p": p, "age": X[:, 0], "w": 1.0})
    frame.to_csv("t.csv", index=False)
    return frame
