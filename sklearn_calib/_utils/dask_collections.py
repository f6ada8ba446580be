"""Dask: tell its collections apart, refuse them where rows must be in memory, import its parts."""

import sys
from typing import Any


def is_partitioned(*values: Any) -> bool:
    """Return whether any value is a Dask collection; Dask is not imported to find out."""
    dask = sys.modules.get("dask")
    is_collection = getattr(dask, "is_dask_collection", None)  # there are other modules "dask"
    return is_collection is not None and any(map(is_collection, values))


def refuse_partitioned(**values: Any) -> None:
    """Raise for Dask collections, which would otherwise be collected without a word."""
    for name, value in values.items():
        if is_partitioned(value):
            raise TypeError(
                f"{name} must be in memory here, got a Dask {type(value).__name__}. Pass a sample "
                f"of the rows with {name}.compute(), or use a function that adds up partitions, "
                "such as ece, kce, skce, check_calibration or calibration_by_group."
            )


def import_dask_array() -> Any:
    """Return the module ``dask.array``, or say which extra of this package installs it."""
    try:
        import dask.array
    except ImportError as error:
        raise ImportError(
            f"Results of Dask collections need dask.array, which cannot be imported: {error}. "
            'Install it with pip install "sklearn-calib[dask]".'
        ) from error
    return dask.array
