"""The guide to the pictures stands in the page, and links to the documentation if it can."""

import pytest

from sklearn_calib.report._page import reading


def declare(monkeypatch, *addresses):
    """Let the metadata of the package declare these addresses."""

    class Metadata:
        def get_all(self, name, default):
            assert name == "Project-URL"
            return list(addresses) or default

    monkeypatch.setattr(reading, "metadata", lambda name: Metadata())


def test_without_an_address_the_page_is_named(report, monkeypatch):
    declare(monkeypatch)
    guide = reading.reading_guide(report)
    assert "“Reading the pictures” of the user guide" in guide
    assert "href" not in guide


@pytest.mark.parametrize("end", ["", "/"])
def test_the_declared_address_is_linked(report, monkeypatch, end):
    declare(monkeypatch, "Source, https://a.example", f"Documentation, https://docs.example/x{end}")
    guide = reading.reading_guide(report)
    address = "https://docs.example/x/user_guide/reading_pictures.html"
    assert f'<a href="{address}">“Reading the pictures”</a>' in guide


def test_it_explains_the_pictures_that_are_there(report):
    guide = reading.reading_guide(report)
    for kind in ("Reliability diagram.", "Local bias.", "Tests."):
        assert kind in guide
    assert "Groups." not in guide
    assert "<summary>Reading the pictures</summary>" in report.to_html()
