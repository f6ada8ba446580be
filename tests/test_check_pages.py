"""The check of the site in a browser sees what is wrong with a page, and nothing else."""

import runpy
import shutil
from pathlib import Path

import pytest

CHECK = runpy.run_path(str(Path(__file__).parents[1] / "doc" / "check_pages.py"))
BROWSER = next(filter(None, map(shutil.which, CHECK["BROWSERS"])), None)
PICTURE = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>"
    "<rect width='9' height='9'/></svg>"
)
GOOD = f"""<h1>A page</h1><p style="color: #767676">grey</p><img src="{PICTURE}" alt="">
<div style="overflow-x: auto"><pre style="width: 900px">wide</pre></div>
<p style="display: none; color: white">hidden</p><code>calibration_<wbr>of_<wbr>names</code>
<p style="color: #949494; font-size: 24px">large letters</p>"""
BAD = {
    "console: oh": "<script>console.error('oh')</script>",
    "console: ReferenceError: nothing is not defined": "<script>nothing()</script>",
    "scrolls sideways: 900 px wide": '<div style="width: 900px; margin: 0">wide</div>',
    "picture not loaded: data:image/png": '<img src="data:image/png;base64,AAAA" alt="broken">',
    'contrast 4.23: p "pale"': '<p style="color: #7b7b7b">pale</p>',
    'contrast 4.48: em.soft "half"': '<p><em class="soft" style="color: #0008">half</em></p>',
    'contrast 4.48: p "faint"': '<div style="opacity: 0.5333"><p>faint</p></div>',
    'contrast 1.00: p "same" (phone, dark; desktop, dark)': (
        "<style>@media (prefers-color-scheme: dark) { p { color: white } }</style><p>same</p>"
    ),
    "word broken: calibrator": (
        '<code style="display: block; width: 50px; overflow-wrap: anywhere">calibrator</code>'
    ),
}


def write(folder, name, body):
    """Write a page whose icon is given, so that the browser does not ask for one."""
    head = '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
    style = "<style>body { margin: 0; background: white; color: black }</style>"
    head = f"<!DOCTYPE html><html><head>{head}{style}<title>t</title></head>"
    (folder / name).write_text(f"{head}<body>{body}</body></html>", encoding="utf-8")


@pytest.mark.browser
@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine")
def test_each_fault_is_found_and_no_other(tmp_path):
    write(tmp_path, "good.html", GOOD)
    for number, body in enumerate(BAD.values()):
        write(tmp_path, f"bad{number}.html", body)
    found = CHECK["faults_of_pages"](tmp_path, BROWSER)
    assert list(found) == [f"bad{number}.html" for number in range(len(BAD))]
    for (fault,), expected in zip(found.values(), BAD):
        assert fault.startswith(expected)


def test_a_machine_without_a_browser_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert CHECK["main"](tmp_path) == 0
    assert "No Chromium is installed" in capsys.readouterr().out
