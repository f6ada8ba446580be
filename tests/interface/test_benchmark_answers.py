"""The list of benchmarks answers each of its questions with a recorded figure."""

import re
import runpy
from pathlib import Path

DOC = Path(__file__).parents[2] / "doc"


def test_each_page_of_benchmarks_has_its_figure():
    table = runpy.run_path(str(DOC / "site_pages.py"))["answers"]()
    pages = {path.stem for path in (DOC / "benchmarks").glob("*.rst")} - {"index"}
    assert {name.removeprefix(":doc:`").rstrip("`") for name in table["page"]} <= pages
    for text in table["in short"]:
        assert re.search(r"\d", text)
        assert "nan" not in text
