"""Data for trying out calibration: simulated with a known local error, or from a public audit."""

from __future__ import annotations

import os
from http.client import HTTPException
from os import PathLike
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen
from uuid import uuid4

import numpy as np
from scipy.special import expit
from sklearn.utils import Bunch

from ._utils.docs import fill_doc
from ._utils.options import check_flag, check_integer, check_number, check_seed

__all__ = ["fetch_compas", "make_calibration_data"]

_COMPAS_URL = (
    "https://raw.githubusercontent.com/propublica/compas-analysis/master/"
    "compas-scores-two-years.csv"
)
_COMPAS_TARGET = "two_year_recid"
_COMPAS_ROWS = 7214
_COMPAS_FILTERED = ("days_b_screening_arrest", "is_recid", "c_charge_degree", "score_text")
_TIMEOUT = 60.0


@fill_doc()
def make_calibration_data(
    n: int = 1000,
    miscalibration: float = 0.25,
    region_threshold: float = 0.0,
    slope: float = 1.5,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""Make binary data with predictions that are wrong on one side of a threshold.

    The only feature x is uniform on (-2, 2), and the label is 1 with probability
    :math:`s = 1 / (1 + e^{-\text{slope} \cdot x})`. The prediction is s where x lies below
    `region_threshold`, and s + `miscalibration`, clipped to [0.001, 0.999], elsewhere.

    Parameters
    ----------
    n : int, default=1000
        Number of rows.
    miscalibration : float, default=0.25
        The amount that is added to the probability in the wrong region; 0 gives calibrated
        predictions.
    region_threshold : float, default=0.0
        The value of x at which the wrong region starts. With infinity no prediction is wrong,
        with minus infinity every prediction is.
    slope : float, default=1.5
        Steepness of the true probability.
    seed : int, default=0
        Seed of ``numpy.random.default_rng``.

    Returns
    -------
    X : ndarray of shape (n, 1)
        The feature.
    y : ndarray of shape (n,)
        Labels, 0.0 or 1.0.
    f : ndarray of shape (n,)
        Predicted probability of label 1.

    Raises
    ------
    ValueError
        If `n` is not a positive whole number, or another number is not finite.

    <<references_local>>

    Examples
    --------
    >>> from sklearn_calib.datasets import make_calibration_data
    >>> X, y, f = make_calibration_data(n=4)
    >>> X.round(2).ravel(), y, f.round(2)
    (array([ 0.55, -0.92, -1.84, -1.93]), array([0., 0., 0., 0.]), array([0.94, 0.2 , 0.06, 0.05]))
    """
    n = check_integer(n, "n", 1)
    miscalibration = check_number(miscalibration, "miscalibration")
    slope = check_number(slope, "slope")
    region_threshold = check_number(region_threshold, "region_threshold", allow_infinity=True)
    rng = np.random.default_rng(check_seed(seed))
    x = rng.uniform(-2.0, 2.0, size=n)
    truth = expit(slope * x)
    y = (rng.uniform(size=n) < truth).astype(np.float64)
    shifted = np.clip(truth + miscalibration, 0.001, 0.999)
    return x[:, np.newaxis], y, np.where(x >= region_threshold, shifted, truth)


def fetch_compas(
    data_home: str | PathLike[str] | None = None, *, filter_propublica: bool = True
) -> Bunch:
    """Load the COMPAS recidivism data of ProPublica, and download them on the first call.

    Each row is a defendant of Broward County, Florida. It holds the decile score of the COMPAS
    tool, and whether a new offence was recorded within two years.

    Parameters
    ----------
    data_home : str or path-like, default=None
        The folder that keeps the file. By default the environment variable
        ``SKLEARN_CALIB_DATA``, or ``~/sklearn_calib_data`` if it is not set.
    filter_propublica : bool, default=True
        Whether to keep only the rows of ProPublica's analysis (6172 of 7214): screened within 30
        days of the arrest, a known recidivism flag (``is_recid != -1``), no ordinary traffic
        offence (``c_charge_degree != "O"``), and a score (``score_text != "N/A"``).

    Returns
    -------
    compas : :class:`~sklearn.utils.Bunch`
        data : DataFrame
            All columns except the target, as in the file.
        target : Series
            ``two_year_recid``, 1 if a new offence was recorded within two years and 0 otherwise.
        frame : DataFrame
            Data and target together.
        feature_names : list of str
            The columns of `data`.
        target_name : str
            The column of `target`.
        filename : str
            The cached file.

    Raises
    ------
    OSError
        If the file is not cached and cannot be downloaded, or the download breaks off.
    ValueError
        If the cached file is cut off or another one, and cannot be downloaded again.

    Notes
    -----
    The file appears in the cache only when it is complete, so interrupted downloads and
    simultaneous processes do no harm; a cached file that is cut off is downloaded again. Records of
    arrests are not records of crime; read the reference before drawing conclusions about people.

    References
    ----------
    .. [1] J. Larson, S. Mattu, L. Kirchner, J. Angwin, "How We Analyzed the COMPAS Recidivism
       Algorithm", ProPublica 2016, https://github.com/propublica/compas-analysis.

    Examples
    --------
    >>> from sklearn_calib.datasets import fetch_compas
    >>> compas = fetch_compas()  # doctest: +SKIP
    >>> compas.data.shape[0]  # doctest: +SKIP
    6172
    """
    filter_propublica = check_flag(filter_propublica, "filter_propublica")
    path = _data_folder(data_home) / Path(_COMPAS_URL).name
    frame = _cached_or_downloaded(path)
    if filter_propublica:
        keep = (
            frame["days_b_screening_arrest"].between(-30, 30)
            & (frame["is_recid"] != -1)
            & (frame["c_charge_degree"] != "O")
            & (frame["score_text"] != "N/A")
        )
        frame = frame[keep].reset_index(drop=True)
    data = frame.drop(columns=_COMPAS_TARGET)
    return Bunch(
        data=data,
        target=frame[_COMPAS_TARGET],
        frame=frame,
        feature_names=list(data.columns),
        target_name=_COMPAS_TARGET,
        filename=str(path),
    )


def _data_folder(data_home):
    """Return the folder of cached files, which may not exist yet."""
    if data_home is None:
        data_home = os.environ.get("SKLEARN_CALIB_DATA") or Path("~", "sklearn_calib_data")
    return Path(data_home).expanduser()


def _cached_or_downloaded(path):
    """Return the table of a whole cached file, or else of the download that replaces it."""
    if not path.is_file():
        return _download(_COMPAS_URL, path)
    try:
        return _read_compas(path)
    except ValueError as broken:
        try:
            return _download(_COMPAS_URL, path)
        except OSError as error:
            raise ValueError(
                f"{broken} Another one could not be fetched: {error} Delete it, or replace it."
            ) from error


def _read_compas(path):
    """Return the table in a file, or raise ``ValueError`` if it is another one or cut off."""
    import pandas as pd

    try:
        # "N/A" is a value of score_text; only empty cells are missing.
        frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
    except ValueError as error:  # parser and decoding errors are ValueErrors
        raise ValueError(f"{path} is not the table of {_COMPAS_URL}: {error}.") from error
    missing = [name for name in (*_COMPAS_FILTERED, _COMPAS_TARGET) if name not in frame.columns]
    if missing:
        raise ValueError(f"{path} has no column {missing}, so it is not the file of {_COMPAS_URL}.")
    # The last column: a line that is cut off lacks it.
    if frame.empty or frame[_COMPAS_TARGET].isna().any():
        raise ValueError(f"{path} has no row, or one without {_COMPAS_TARGET}: it is cut off.")
    return frame


def _download(url, path):
    """Return the table at `url`, and write it to `path`, wholly or not at all."""
    try:
        with urlopen(url, timeout=_TIMEOUT) as response:
            content = response.read()
            announced = "Content-Length" in response.headers or getattr(response, "chunked", False)
    except (OSError, HTTPException) as error:
        reason = f"HTTP status {error.code}" if isinstance(error, HTTPError) else error
        raise OSError(
            f"Could not download {url} ({reason}). Check the network, or put the file at {path}; "
            "the folder is data_home, or the environment variable SKLEARN_CALIB_DATA."
        ) from error
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        partial.write_bytes(content)
        table = _read_compas(partial)
        # Without a length, a download that breaks off looks like one that ends.
        if not announced and len(table) != _COMPAS_ROWS:
            raise ValueError(f"{partial} has {len(table)} rows instead of {_COMPAS_ROWS}.")
        partial.replace(path)
    except ValueError as error:
        raise OSError(
            f"The download of {url} broke off, or is another file: "
            f"{str(error).replace(partial.name, path.name)} Try again, or put the file at {path}."
        ) from error
    finally:
        partial.unlink(missing_ok=True)
    return table


def __dir__():
    return sorted(__all__)
