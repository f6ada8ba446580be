"""The public names are those of the API page, and each can be imported."""

import inspect
import re
import runpy
from importlib import import_module
from pathlib import Path

import pytest

import sklearn_calib

SITE_PAGES = runpy.run_path(str(Path(__file__).parents[2] / "doc" / "site_pages.py"))


def _documented():
    return re.findall(r"^   ([a-z_]+\.\w+)$", SITE_PAGES["api_page"](), flags=re.MULTILINE)


def test_every_public_name_is_on_the_api_page_once():
    documented = _documented()
    public = [
        f"{module}.{name}"
        for module in sklearn_calib._SUBMODULES
        for name in import_module(f"sklearn_calib.{module}").__all__
    ]
    assert sorted(documented) == sorted(public)


def test_every_change_is_in_the_changelog_once():
    upcoming = Path(__file__).parents[2] / "doc" / "whats_new" / "upcoming"
    listed = re.findall(r"upcoming/(\S+)$", SITE_PAGES["changes_page"](), flags=re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in upcoming.iterdir())


@pytest.mark.parametrize("name", sklearn_calib.__all__)
def test_top_level_names_resolve(name):
    value = getattr(sklearn_calib, name)
    assert value.__name__ in (name, f"sklearn_calib.{name}")


def test_top_level_estimators_are_all_of_them():
    estimators = set(import_module("sklearn_calib.calibrators").__all__)
    assert estimators <= set(sklearn_calib.__all__)


@pytest.mark.parametrize("module", ["metrics", "inference"])
def test_top_level_functions_are_all_of_them(module):
    """The scorers and the classes of results stay in their packages."""
    module = import_module(f"sklearn_calib.{module}")
    functions = {name for name in module.__all__ if inspect.isfunction(getattr(module, name))}
    assert functions <= set(sklearn_calib.__all__)


@pytest.mark.parametrize("module", ["", *(f".{name}" for name in sklearn_calib._SUBMODULES)])
def test_dir_lists_public_names_only(module):
    module = import_module(f"sklearn_calib{module}")
    listed = {name for name in dir(module) if not name.startswith("__")}
    assert listed == set(module.__all__) - {"__version__"}


def test_unknown_name():
    with pytest.raises(AttributeError, match="module 'sklearn_calib' has no attribute 'nothing'"):
        sklearn_calib.nothing  # noqa: B018


@pytest.mark.parametrize("module", sklearn_calib._SUBMODULES)
def test_public_docstrings_follow_numpydoc(module):
    """Every public function and class has the sections that its kind needs."""
    module = import_module(f"sklearn_calib.{module}")
    for name in module.__all__:
        obj = getattr(module, name)
        if not callable(obj) or name.startswith(("Base", "neg_")):
            continue
        doc = obj.__doc__
        assert "<<" not in doc, name
        assert "Examples\n" in doc, name
        assert ">>> " in doc, name
        if not isinstance(obj, type):
            assert "Returns\n" in doc, name


@pytest.mark.parametrize("module", sklearn_calib._SUBMODULES)
def test_public_signatures_are_typed(module):
    """mypy checks what is annotated, so everything public is."""
    module = import_module(f"sklearn_calib.{module}")
    for name in module.__all__:
        obj = getattr(module, name)
        if inspect.isfunction(obj):
            functions = {name: obj}
        elif inspect.isclass(obj):
            functions = {
                key: getattr(value, "__func__", value)
                for key, value in vars(obj).items()
                if inspect.isfunction(value) or isinstance(value, classmethod)
                if key == "__init__" or not key.startswith("_")
            }
        else:
            continue
        for key, function in functions.items():
            signature = inspect.signature(function)
            assert signature.return_annotation is not signature.empty, (name, key)
            for parameter in signature.parameters.values():
                if parameter.name not in ("self", "cls"):
                    assert parameter.annotation is not parameter.empty, (name, key, parameter.name)
