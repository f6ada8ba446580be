"""Where in the code of the user a warning belongs."""

import sys
from pathlib import Path

_PACKAGE = str(Path(__file__).parents[1])


def stacklevel_of_user():
    """Return the `stacklevel` with which the caller's warning points outside of the package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
