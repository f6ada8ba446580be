"""Show text that somebody else has written, with nothing in it that is not seen."""

import re

# Control characters, halves of surrogate pairs, which no file can hold, characters that Unicode
# leaves out, and those that turn the direction of the text around them.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def one_line(text):
    r"""Return text in one line; what would not be seen is written as in Python, like ``\x1b``."""
    return seen(" ".join(str(text).split()))


def seen(line):
    """Return a line with its spaces in which everything is seen."""
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], line)
