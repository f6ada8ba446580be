"""The tools of a developer are the same on the command line, before a commit and in the checks."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _dev_requirements():
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = metadata["project"]
    return project["dependencies"], project["optional-dependencies"]["dev"]


def _hook_requirements():
    """Return what the hooks install, read without a YAML parser, which is no dependency."""
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    return re.findall(r'"([\w-]+[=>]=[\d.]+)"', text)


@pytest.mark.parametrize("tool", ["ruff", "mypy"])
def test_one_version_of_each_tool(tool):
    """A tool of another version finds other faults, so all places name the same one."""
    versions = [one for one in _dev_requirements()[1] if re.match(rf"{tool}\b", one)]
    assert len(versions) == 1
    assert re.fullmatch(rf"{tool}==[\d.]+", versions[0])
    hooks = [one for one in _hook_requirements() if re.match(rf"{tool}\b", one)]
    assert len(hooks) >= 1
    assert set(hooks) == set(versions)


def test_the_hook_of_mypy_has_the_dependencies():
    """Without the types of a dependency mypy would take everything from it for right."""
    assert set(_dev_requirements()[0]) <= set(_hook_requirements())


def test_the_oldest_versions_that_are_tried_are_those_declared():
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = metadata["optional-dependencies"]
    declared = {}
    for one in [*metadata["dependencies"], *extras["dask"], *extras["test"]]:
        if match := re.match(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)", one):
            declared[match[1]] = match[2]
    text = (ROOT / ".ci" / "oldest.txt").read_text(encoding="utf-8")
    tried = dict(re.findall(r"^([\w-]+)==([\w.]+)", text, flags=re.MULTILINE))
    assert len(declared) > 10
    for name, version in declared.items():
        assert f"{tried[name]}.".startswith(f"{version}."), name
