"""The Python files of this folder are the site's settings and its gallery, not doctests."""

collect_ignore_glob = ["*.py"]
