"""Write the pages that follow from the source: the API page and the list of changes."""

from importlib import import_module
from pathlib import Path

import sklearn_calib

DOC = Path(__file__).parent
# In reading order; a public module that is not listed comes last, under its own name.
TITLES = {
    "calibrators": "Calibrators",
    "metrics": "Metrics",
    "inference": "Tests and local bias",
    "display": "Displays",
    "report": "Report",
    "datasets": "Data",
    "kernels": "Kernels",
    "base": "Base classes",
}
KINDS = {
    "feature": "New features",
    "enhancement": "Improvements",
    "efficiency": "Speed and memory",
    "fix": "Fixes",
    "api": "Changes of the interface",
}


def public_names():
    """Return the module, without the package, of each public name."""
    return {
        name: module
        for module in sklearn_calib._SUBMODULES
        for name in import_module(f"sklearn_calib.{module}").__all__
    }


def write_pages():
    """Write both pages, leaving a file alone that would not change."""
    for path, text in {
        DOC / "api.rst": api_page(),
        DOC / "whats_new" / "_upcoming.rst": changes_page(),
    }.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def api_page():
    """Return the API page: every name in the ``__all__`` of every public module, once."""
    parts = [
        _title("API", over=True),
        "This page lists every public name, by module. The docstrings give shapes, formulas, costs "
        "and references.",
    ]
    modules = [*TITLES, *sorted(set(sklearn_calib._SUBMODULES) - set(TITLES))]
    for module in modules:
        if module not in sklearn_calib._SUBMODULES:
            continue
        names = import_module(f"sklearn_calib.{module}").__all__
        scorers = [name for name in names if "scorer" in name]
        parts.append(f".. py:module:: sklearn_calib.{module}\n   :no-index-entry:")
        parts.append(".. currentmodule:: sklearn_calib")
        parts += _section(TITLES.get(module, module), module, sorted(set(names) - set(scorers)))
        if scorers:
            parts += _section("Scorers", module, sorted(scorers))
    return "\n\n".join(parts) + "\n"


def changes_page():
    """Return the entries of ``whats_new/upcoming``, sorted by kind and issue."""
    parts = []
    for kind, title in KINDS.items():
        files = sorted(
            (DOC / "whats_new" / "upcoming").glob(f"*.{kind}.rst"),
            key=lambda path: int(path.name.split(".")[0]),
        )
        if files:
            parts.append(_title(title, "-"))
            parts += [f".. include:: upcoming/{path.name}" for path in files]
    return "\n\n".join(parts) + "\n"


def _section(title, module, names):
    summary = import_module(f"sklearn_calib.{module}").__doc__.strip().splitlines()[0]
    listed = "\n".join(f"   {module}.{name}" for name in names)
    return [
        _title(title),
        summary,
        f".. autosummary::\n   :toctree: generated/\n\n{listed}",
    ]


def _title(text, line="=", *, over=False):
    rule = line * len(text)
    return f"{rule}\n{text}\n{rule}" if over else f"{text}\n{rule}"
