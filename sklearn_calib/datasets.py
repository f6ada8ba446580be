"""Data for trying out calibration: simulated with a known local error, or from a public audit."""

from __future__ import annotations

import os
from hashlib import sha256
from http.client import HTTPException
from io import BytesIO
from os import PathLike
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import numpy as np
from scipy.special import expit
from sklearn.utils import Bunch

from ._utils.docs import fill_doc
from ._utils.files import write_file
from ._utils.options import check_flag, check_integer, check_number, check_path, check_seed

__all__ = ["fetch_compas", "make_calibration_data"]

_COMPAS_URL = (
    "https://raw.githubusercontent.com/propublica/compas-analysis/"
    "bafff5da3f2e45eca6c2d5055faad269defd135a/compas-scores-two-years.csv"
)
_COMPAS_SHA256 = "c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d"
_COMPAS_TARGET = "two_year_recid"
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
        If `data_home` is a file, or the cached file is damaged or another one and cannot be
        downloaded again.

    Notes
    -----
    The SHA-256 checksum of the file is known, and compared at every call. The file appears in the
    cache only when it is complete, so interrupted downloads and simultaneous processes do no harm;
    a cached file that is damaged is downloaded again. Records of arrests are not records of crime;
    read the reference before drawing conclusions about people.

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
    folder = Path(check_path(data_home, "data_home")).expanduser()
    if folder.is_file():
        raise ValueError(
            f"data_home must be a folder, got {str(folder)!r}, which is a file. Name another "
            "folder, in data_home or the environment variable SKLEARN_CALIB_DATA."
        )
    return folder


def _cached_or_downloaded(path):
    """Return the table of a whole cached file, or else of the download that replaces it."""
    if not path.is_file():
        return _read_compas(_download(_COMPAS_URL, path))
    content = path.read_bytes()
    if not _is_compas(content):
        try:
            content = _download(_COMPAS_URL, path)
        except OSError as error:
            raise ValueError(
                f"{path} is damaged, or not the file of {_COMPAS_URL}: its SHA-256 checksum is "
                f"another one. It could not be fetched anew: {error} Delete it, or replace it."
            ) from error
    return _read_compas(content)


def _is_compas(content):
    """Return whether this is the published file, to the last bit."""
    return sha256(content).hexdigest() == _COMPAS_SHA256


def _read_compas(content):
    """Return the table in a file."""
    import pandas as pd

    # "N/A" is a value of score_text; only empty cells are missing.
    return pd.read_csv(BytesIO(content), keep_default_na=False, na_values=[""])


def _download(url, path):
    """Return what is at `url`, and write it to `path`, wholly or not at all."""
    try:
        with urlopen(url, timeout=_TIMEOUT) as response:
            content = response.read()
    except (OSError, HTTPException) as error:
        reason = f"HTTP status {error.code}" if isinstance(error, HTTPError) else error
        raise OSError(
            f"Could not download {url} ({reason}). Check the network, or put the file at {path}; "
            "the folder is data_home, or the environment variable SKLEARN_CALIB_DATA."
        ) from error
    if not _is_compas(content):
        raise OSError(
            f"The download of {url} broke off, or is another file: its {len(content)} bytes have "
            f"another SHA-256 checksum. Try again, or put the file at {path}."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, content)
    return content


def __dir__():
    return sorted(__all__)
