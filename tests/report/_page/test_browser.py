"""The report in a real browser: no error, every picture shown, no sideways scrolling on a phone."""

import html
import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from sklearn_calib import calibration_report
from sklearn_calib.datasets import make_calibration_data

BROWSER = next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None
)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine"),
]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
]
# The page in a frame of the given width, and what a script sees of it once it has loaded.
FRAME = """<!DOCTYPE html><html><head><title>frame</title></head><body>
<iframe id="page" width="{width}" height="900" srcdoc="{page}"></iframe>
<pre id="seen"></pre>
<script>
document.getElementById("page").onload = (event) => {{
  const page = event.target.contentDocument;
  const images = [...page.images];
  document.getElementById("seen").textContent = JSON.stringify({{
    width: page.documentElement.clientWidth,
    scroll: page.documentElement.scrollWidth,
    images: images.map((image) => image.complete ? image.naturalWidth : 0),
    wide: images.map((image) => image.getBoundingClientRect().width),
    scripts: page.scripts.length,
    title: page.title,
    font: parseFloat(page.defaultView.getComputedStyle(page.querySelector("td")).fontSize),
  }});
}};
</script></body></html>
"""


def look(page, width, folder):
    """Return what the script saw, and what the browser logged."""
    path = folder / "frame.html"
    path.write_text(FRAME.format(width=width, page=html.escape(page)), encoding="utf-8")
    profile = folder / f"profile{width}"
    run = subprocess.run(
        [BROWSER, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", path.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    seen = re.search(r'<pre id="seen">(.*?)</pre>', run.stdout, flags=re.DOTALL)[1]
    return json.loads(html.unescape(seen)), run.stderr


@pytest.fixture(scope="module")
def report():
    X, y, p = make_calibration_data(n=400, seed=1)
    X = np.column_stack([X, np.random.default_rng(0).normal(size=400)])
    names = ["<script>console.error('x')</script>", "a_long_name_without_a_break_" * 5]
    text = np.where(y == 1, '"yes" & <b>more</b>', "no")
    return calibration_report(
        text,
        p,
        X,
        feature_names=names,
        pos_label='"yes" & <b>more</b>',
        title="<i>T</i>itle\n\u65e5\u672c",
        n_resamples=99,
    )


@pytest.mark.parametrize("width", [400, 1000])
def test_the_page_fits_and_shows_its_pictures(report, width, tmp_path):
    seen, log = look(report.to_html(), width, tmp_path)
    assert "CONSOLE" not in log
    assert seen["scripts"] == 0
    assert seen["title"] == "<i>T</i>itle \u65e5\u672c"
    assert seen["scroll"] <= seen["width"] <= width
    assert len(seen["images"]) == len(report.displays) == 6
    assert min(seen["images"]) > 500
    assert max(seen["wide"]) <= width
    assert min(seen["wide"]) > 0.8 * min(width, 600)
    assert seen["font"] >= 12


def test_the_page_of_several_models_fits_a_phone(tmp_path):
    """Long names widen the table of the models, which scrolls by itself and not with the page."""
    _, y, p = make_calibration_data(n=200, seed=1)
    names = ["a" * 60, *(f"model with a long name {k}" for k in range(4))]
    report = calibration_report(y, dict.fromkeys(names, p), n_resamples=19)
    seen, log = look(report.to_html(), 400, tmp_path)
    assert "CONSOLE" not in log
    assert seen["scroll"] <= seen["width"] <= 400
    assert min(seen["images"]) > 500


def test_the_check_sees_a_page_that_does_not_fit(tmp_path):
    page = (
        "<!DOCTYPE html><html><head><title>t</title></head><body><table><tr><td>x</td></tr></table>"
        '<div style="width: 900px">wide</div><img src="data:image/png;base64,AAAA" alt="broken">'
        "<script>console.error('oh')</script></body></html>"
    )
    seen, log = look(page, 400, tmp_path)
    assert seen["scroll"] > seen["width"]
    assert seen["images"] == [0]
    assert seen["scripts"] == 1
    assert "CONSOLE" in log
