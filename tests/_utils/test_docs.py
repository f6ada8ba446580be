"""Shared texts of docstrings reach every docstring that asks for them."""

import inspect
import re
import sys
from importlib import import_module

import pytest

import sklearn_calib
from sklearn_calib._utils import docs
from sklearn_calib._utils.doc_sections import SECTIONS
from sklearn_calib._utils.docs import PARAMETERS, fill_doc

# Placeholders such as {steps}; the allowed values of an option, {"a", "b"}, hold quotes.
FIELD = re.compile(r"\{\w+\}")


@pytest.fixture
def texts(monkeypatch):
    shared = {
        "word": "\n        word : str\n            A {kind} word.\n    ",
        "pair": "\n        <<word>>\n\n        other : str\n    ",
    }
    monkeypatch.setattr(docs, "_TEXTS", shared)


@pytest.mark.usefixtures("texts")
def test_a_text_takes_the_indentation_of_the_line_that_asks_for_it():
    @fill_doc(kind="long")
    def function():
        """Say it.

        <<word>>
        """

    # Python 3.13 takes the indentation off when it compiles.
    indent = " " * (0 if sys.version_info >= (3, 13) else 8)
    assert f"\n{indent}word : str\n{indent}    A long word.\n" in function.__doc__
    assert inspect.getdoc(function) == "Say it.\n\nword : str\n    A long word."


@pytest.mark.usefixtures("texts")
def test_a_text_may_ask_for_another_one():
    @fill_doc(kind="short")
    def function():
        """<<name>> within a line stays.

        <<pair>>
        """

    assert inspect.getdoc(function) == (
        "<<name>> within a line stays.\n\nword : str\n    A short word.\n\nother : str"
    )


@pytest.mark.usefixtures("texts")
def test_a_class_fills_its_methods():
    @fill_doc(kind="new")
    class Filled:
        """Know a word.

        <<word>>
        """

        def method(self):
            """Say it.

            <<word>>
            """

        @classmethod
        def make(cls):
            """Make it.

            <<word>>
            """

        @staticmethod
        def find():
            """Find it.

            <<word>>
            """

    entry = "word : str\n    A new word."
    for one in (Filled, Filled.method, Filled.make, Filled.find):
        assert inspect.getdoc(one).endswith(f".\n\n{entry}")


@pytest.mark.usefixtures("texts")
def test_an_unknown_name_is_an_error():
    with pytest.raises(KeyError, match="nothing"):

        @fill_doc()
        def function():
            """Say it.

            <<nothing>>
            """


def test_no_name_stands_for_two_texts():
    assert not set(PARAMETERS) & set(SECTIONS)


@pytest.mark.parametrize("module", sklearn_calib._SUBMODULES)
def test_nothing_is_left_to_fill_in_a_public_docstring(module):
    """Methods included, also those that a class inherits."""
    loaded = import_module(f"sklearn_calib.{module}")
    for name in loaded.__all__:
        obj = getattr(loaded, name)
        members = inspect.getmembers(obj) if inspect.isclass(obj) else []
        public = [one for key, one in members if not key.startswith("_")]
        for one in (obj, *public):
            doc = inspect.getdoc(one) or ""
            if "sklearn_calib" in str(getattr(one, "__module__", "")):
                assert "<<" not in doc, (name, one)
                assert not FIELD.search(_outside_math(doc)), (name, one)


def _outside_math(doc):
    """Return a docstring without code and formulas, which have braces of their own."""
    doc = re.sub(r"`[^`]*`", "", doc)
    doc = re.sub(r"^\.\. math::.*?(?=^\S|\Z)", "", doc, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"^ *(>>>|\.\.\.).*$", "", doc, flags=re.MULTILINE)
