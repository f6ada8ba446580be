"""Settings of the Sphinx build: ``python -m sphinx -W doc doc/_build/html``."""

import re
import sys
from pathlib import Path

import sklearn_calib

sys.path.insert(0, str(Path(__file__).parent))

from site_pages import public_names, write_pages

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
    "matplotlib.sphinxext.plot_directive",
]
exclude_patterns = [
    "_build",
    "examples",
    "whats_new/_upcoming.rst",
    "whats_new/upcoming/*",
]
default_role = None
highlight_language = "python"

autosummary_generate = True
autodoc_typehints = "none"
templates_path = ["_templates"]
numpydoc_show_class_members = False

plot_formats = [("png", 150)]
plot_html_show_formats = plot_html_show_source_link = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "image_srcset": ["2x"],
    "thumbnail_size": (640, 448),
}

html_theme = "pydata_sphinx_theme"
html_title = "sklearn_calib"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("names.js", {"defer": "defer"})]
html_favicon = "_static/favicon.svg"
html_context = {"default_mode": "auto"}
html_domain_indices = False
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


def _resolve_public_name(app, env, node, contnode):
    """Find a public name that is written as it is imported from the package, or alone."""
    package, _, name = node.get("reftarget", "").rpartition(".")
    if node.get("refdomain") != "py" or package not in ("", "sklearn_calib"):
        return None
    if name not in (home := public_names()):
        return None
    target = f"sklearn_calib.{home[name]}.{name}"
    domain, document = env.get_domain("py"), node["refdoc"]
    return domain.resolve_xref(env, document, app.builder, "obj", target, node, contnode)


def setup(app):
    """Register what the build needs beyond its settings."""
    write_pages()
    app.connect("autodoc-process-docstring", _unlink_foreign_references)
    app.connect("missing-reference", _resolve_public_name)
