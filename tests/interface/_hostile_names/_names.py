"""Names that try to become something else in a page or in a picture."""

NAMES = [
    "<script>alert(1)</script>",
    "</th><td onclick=x>",
    "' onerror='x' \" id=\"y",
    "javascript:alert(1)",
    "<!-- &lt; &#60; ]]>",
    "{title} {0} %s %(a)s",
    "$\\frac{$",
    "$x_1^2$ and $",
    "\\$5 or \\\\$",
    "_under_ ^ % # ~ \\",
    "two\nlines\r\nand\ttabs",
    "\x1b[31m\x07\x7f\x9b",
    "\u202egnp.exe\u2066\u200f",
    "\u2028\ufffe",
    "w" * 3000,
]
UNSEEN = "\x00\x07\x1b\x7f\x9b\u202e\u2066\u200f\ud800\ufffe"
# What no file name and no column of a table can hold.
HALF = "\x00\ud800 half"


def all_in_one(number):
    """Return a name that holds all the others; every number has its own."""
    return f"{number} {' '.join(NAMES)}"
