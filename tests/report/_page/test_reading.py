"""The guide to the pictures stands in the page."""

from sklearn_calib.report._page.reading import reading_guide


def test_it_explains_the_pictures_that_are_there(report):
    guide = reading_guide(report)
    for kind in ("Reliability diagram.", "Local bias.", "Tests."):
        assert kind in guide
    assert "Groups." not in guide
    assert "“Reading the pictures” of the user guide" in guide
    assert guide in report.to_html()
