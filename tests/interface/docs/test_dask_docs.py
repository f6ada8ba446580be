"""The docstrings say where Dask collections go, and only there."""

import pytest

from sklearn_calib.metrics._metric import METRICS


@pytest.mark.parametrize("name", sorted(METRICS))
def test_a_metric_says_whether_it_takes_dask_collections(name):
    metric = METRICS[name]
    assert ("Dask arrays" in metric.function.__doc__) == (metric.mergeable is not None)
