"""Made data match the reference stream; fetched data are downloaded once, wholly or not at all."""

import threading
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_array_max_ulp

from sklearn_calib import datasets
from sklearn_calib.datasets import fetch_compas, make_calibration_data
from tests._reference import parametrize_cases

# Columns as in the published file, two of which occur twice there.
HEADER = (
    "id,name,first,last,compas_screening_date,sex,dob,age,age_cat,race,juv_fel_count,decile_score,"
    "juv_misd_count,juv_other_count,priors_count,days_b_screening_arrest,c_jail_in,c_jail_out,"
    "c_case_number,c_offense_date,c_arrest_date,c_days_from_compas,c_charge_degree,c_charge_desc,"
    "is_recid,r_case_number,r_charge_degree,r_days_from_arrest,r_offense_date,r_charge_desc,"
    "r_jail_in,r_jail_out,violent_recid,is_violent_recid,vr_case_number,vr_charge_degree,"
    "vr_offense_date,vr_charge_desc,type_of_assessment,decile_score,score_text,screening_date,"
    "v_type_of_assessment,v_decile_score,v_score_text,v_screening_date,in_custody,out_custody,"
    "priors_count,start,end,event,two_year_recid"
)
KEPT = {
    "id": "1",
    "days_b_screening_arrest": "-1",
    "is_recid": "0",
    "c_charge_degree": "F",
    "score_text": "Low",
    "decile_score": "3",
    "two_year_recid": "0",
}
ROWS = [
    KEPT,
    {**KEPT, "id": "2", "days_b_screening_arrest": "30", "two_year_recid": "1"},
    {**KEPT, "id": "3", "days_b_screening_arrest": "-30", "c_charge_degree": "M"},
    {**KEPT, "id": "4", "days_b_screening_arrest": "31"},
    {**KEPT, "id": "5", "days_b_screening_arrest": "-31"},
    {**KEPT, "id": "6", "days_b_screening_arrest": ""},
    {**KEPT, "id": "7", "is_recid": "-1"},
    {**KEPT, "id": "8", "c_charge_degree": "O"},
    {**KEPT, "id": "9", "score_text": "N/A"},
]


def _csv(rows=ROWS):
    lines = [",".join(row.get(name, "") for name in HEADER.split(",")) for row in rows]
    return "\n".join([HEADER, *lines, ""]).encode()


@pytest.fixture(autouse=True)
def checksum(monkeypatch):
    """Take the table of these tests for the published file."""
    monkeypatch.setattr(datasets, "_COMPAS_SHA256", sha256(_csv()).hexdigest())


@contextmanager
def _server(content, *, status=200, announced=None, with_length=True):
    """Serve `content` on localhost and count the requests."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            self.send_response(status)
            if with_length:
                self.send_header("Content-Length", str(announced or len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/compas-scores-two-years.csv", requests
        finally:
            server.shutdown()
            thread.join()


@parametrize_cases("data")
def test_make_calibration_data(case):
    params = {k: v for k, v in case["params"].items() if k != "function"}
    X, y, f = make_calibration_data(**params)
    expected = case["expected"]
    head = len(expected["y"])
    assert X.shape == (params["n"], 1)
    assert y.shape == f.shape == (params["n"],)
    assert_array_equal(X[:head], expected["X"])
    assert_array_equal(y[:head], expected["y"])
    assert_array_max_ulp(f[:head], np.array(expected["f"]), maxulp=2)
    assert X.sum() == pytest.approx(expected["X_sum"], rel=1e-13)
    assert y.sum() == expected["y_sum"]


def test_make_calibration_data_defaults_and_errors():
    for values, explicit in zip(make_calibration_data(), make_calibration_data(1000, 0.25, 0, 1.5)):
        assert_array_equal(values, explicit)
    with pytest.raises(ValueError, match="n must be a whole number of at least 1, got 0"):
        make_calibration_data(n=0)


def test_fetch_compas_downloads_once_and_filters(tmp_path, monkeypatch):
    home = tmp_path / "new" / "folder"
    with _server(_csv()) as (url, requests):
        monkeypatch.setattr(datasets, "_COMPAS_URL", url)
        compas = fetch_compas(home)
        again = fetch_compas(home, filter_propublica=False)
    assert len(requests) == 1
    assert compas.frame["id"].tolist() == [1, 2, 3]
    assert compas.frame.index.tolist() == [0, 1, 2]
    assert compas.target.tolist() == [0, 1, 0]
    assert "two_year_recid" not in compas.data.columns
    assert compas.feature_names == list(compas.data.columns)
    assert again.frame["id"].tolist() == list(range(1, 10))
    assert [p.name for p in home.iterdir()] == ["compas-scores-two-years.csv"]
    assert compas.filename == str(home / "compas-scores-two-years.csv")


def test_fetch_compas_reads_the_environment_variable(tmp_path, monkeypatch):
    (tmp_path / "compas-scores-two-years.csv").write_bytes(_csv())
    monkeypatch.setattr(datasets, "_COMPAS_URL", "http://127.0.0.1:1/compas-scores-two-years.csv")
    monkeypatch.setenv("SKLEARN_CALIB_DATA", str(tmp_path))
    assert fetch_compas().target.tolist() == [0, 1, 0]


def test_default_folder_is_in_the_home_directory(tmp_path, monkeypatch):
    monkeypatch.delenv("SKLEARN_CALIB_DATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with _server(_csv()) as (url, _):
        monkeypatch.setattr(datasets, "_COMPAS_URL", url)
        compas = fetch_compas()
    assert compas.filename == str(tmp_path / "sklearn_calib_data" / "compas-scores-two-years.csv")


def test_a_file_in_place_of_the_folder_is_named(tmp_path, monkeypatch):
    """It was taken for a fault of the network."""
    file = tmp_path / "some_file"
    file.write_text("x")
    with pytest.raises(ValueError, match=r"data_home must be a folder, got .*some_file', which is"):
        fetch_compas(file)
    monkeypatch.setenv("SKLEARN_CALIB_DATA", str(file))
    with pytest.raises(ValueError, match=r"which is a file.*SKLEARN_CALIB_DATA"):
        fetch_compas()


def test_offline_names_the_address_and_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "_COMPAS_URL", "http://127.0.0.1:1/compas-scores-two-years.csv")
    with pytest.raises(OSError, match=r"Could not download http://127.*SKLEARN_CALIB_DATA"):
        fetch_compas(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [({"status": 404}, "HTTP status 404"), ({"announced": 10**6}, "IncompleteRead")],
)
def test_failed_download_leaves_no_file(tmp_path, monkeypatch, options, message):
    with _server(_csv(), **options) as (url, _):
        monkeypatch.setattr(datasets, "_COMPAS_URL", url)
        with pytest.raises(OSError, match=message):
            fetch_compas(tmp_path)
    assert list(tmp_path.iterdir()) == []


BAD = {
    "cut off within a line": _csv()[:-40],
    "cut off at the end of a line": _csv(ROWS[:4]),
    "one digit is another": _csv().replace(b"30,,,", b"31,,,", 1),
    "longer": _csv() + b"\n",
    "empty": b"",
    "another table": b"a,b\n1,2\n",
    "no text": b"\xff\xfe\x00",
    "a page": b"<html>\n",
}


def test_the_bad_files_are_bad():
    assert all(content != _csv() for content in BAD.values())


@pytest.mark.parametrize("fault", BAD)
def test_a_download_that_is_not_the_published_file_leaves_no_file(fault, tmp_path, monkeypatch):
    with _server(BAD[fault], with_length=False) as (url, _):
        monkeypatch.setattr(datasets, "_COMPAS_URL", url)
        with pytest.raises(OSError, match=r"broke off, or is another file.*SHA-256.*Try again"):
            fetch_compas(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with _server(_csv(), with_length=False) as (url, _):
        monkeypatch.setattr(datasets, "_COMPAS_URL", url)
        assert fetch_compas(tmp_path).frame["id"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_cached_file_is_downloaded_again(fault, tmp_path, monkeypatch):
    path = tmp_path / "compas-scores-two-years.csv"
    path.write_bytes(BAD[fault])
    monkeypatch.setattr(datasets, "_COMPAS_URL", "http://127.0.0.1:1/compas-scores-two-years.csv")
    with pytest.raises(ValueError, match=r"is damaged, or not the file of.*SHA-256.*Delete it"):
        fetch_compas(tmp_path)
    assert path.read_bytes() == BAD[fault]
    with _server(_csv()) as (url, requests):
        monkeypatch.setattr(datasets, "_COMPAS_URL", url)
        assert fetch_compas(tmp_path).frame["id"].tolist() == [1, 2, 3]
        fetch_compas(tmp_path)
    assert len(requests) == 1
    assert path.read_bytes() == _csv()


def test_a_threshold_may_be_infinite():
    _, _, truth = make_calibration_data(n=9, miscalibration=0.0)
    assert_array_equal(make_calibration_data(n=9, region_threshold=np.inf)[2], truth)
    for value in (np.nan, "1", None):
        with pytest.raises(ValueError, match=f"region_threshold must be a number, got {value!r}"):
            make_calibration_data(region_threshold=value)


@pytest.mark.parametrize("name", ["miscalibration", "slope"])
def test_numbers_that_are_not_finite_are_refused(name):
    for value in (np.nan, np.inf, "1", None):
        with pytest.raises(ValueError, match=f"{name} must be a finite number, got {value!r}"):
            make_calibration_data(**{name: value})
    assert np.isfinite(make_calibration_data(n=9, **{name: -0.5})[2]).all()
