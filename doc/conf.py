"""Settings of the Sphinx build: ``python -m sphinx -W doc doc/_build/html``."""

import re
import sys
from pathlib import Path

import sklearn_calib

sys.path.insert(0, str(Path(__file__).parent))

from site_pages import write_pages

project = "sklearn_calib"
author = "The sklearn_calib developers"
copyright = f"2026, {author}"
release = version = sklearn_calib.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "_build",
    "examples",
    "whats_new/_upcoming.rst",
    "whats_new/upcoming/*",
    "sg_execution_times.rst",
]
default_role = None
highlight_language = "python"

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = True
numpydoc_class_members_toctree = False
numpydoc_show_inherited_class_members = {"sklearn_calib.base.BaseCalibrator": False}

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("sklearn_calib",),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "image_srcset": ["2x"],
}

html_theme = "pydata_sphinx_theme"
html_title = "sklearn_calib"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {
    "api": [],
    "contributing": [],
    "getting_started": [],
    "glossary": [],
    "references": [],
    "whats_new/index": [],
}
html_theme_options = {
    "header_links_before_dropdown": 5,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}


def _unlink_foreign_references(app, what, name, obj, options, lines):
    """Turn the references in docstrings inherited from scikit-learn into plain text."""
    if not getattr(obj, "__module__", "").startswith("sklearn_calib"):
        lines[:] = [re.sub(r":ref:`([^<`]+?)\s*<[^>]+>`", r"\1", line) for line in lines]


def setup(app):
    """Register what the build needs beyond its settings."""
    write_pages()
    app.connect("autodoc-process-docstring", _unlink_foreign_references)
