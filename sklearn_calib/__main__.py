"""Command line: ``python -m sklearn_calib demo`` and ``python -m sklearn_calib report FILE``."""

import sys

from ._cli.parser import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
