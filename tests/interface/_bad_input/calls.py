"""Call public functions with wrong arguments, and say what is not as it should be."""

import re
import warnings
from zlib import crc32

from .arguments import describe_argument
from .callables import is_calibrator
from .exceptions import reason_to_accept
from .values import wrong_values

_ROWS = {"y", "y_true", "y_proba", "S", "X", "K", "residuals", "X_query", "proba_query"}
# What Python, NumPy and pandas say of a mistake inside a function, and not of an argument.
_INTERNAL = (
    "object has no attribute",
    "object is not callable",
    "object is not subscriptable",
    "unsupported operand",
    "truth value of",
    "could not be broadcast",
    "sklearn_calib._",
    "sklearn_calib/",
)


def problems_of(subject, *, most=None):
    """Return a sentence for each wrong argument that is not refused by its name.

    Parameters
    ----------
    subject : Subject
        What is called.
    most : int, default=None
        How many wrong values of each argument are tried. They differ between functions, so that
        each kind of mistake is tried somewhere. None tries all.
    """
    found = []
    for argument, default in subject.parameters.items():
        kind, make = describe_argument(subject.name, argument)
        alone = not _ROWS & (subject.parameters.keys() - {argument})
        wrong = list(wrong_values(kind, make(), alone=alone).items())
        if most is not None and wrong:
            start = crc32(f"{subject.name}.{argument}".encode()) % len(wrong)
            wrong = (wrong[start:] + wrong[:start])[:most]
        for what, value in wrong:
            accepted = value is None and default is None
            if not accepted and not reason_to_accept(subject.name, argument, what):
                problem = _call(subject, argument, value)
                if problem:
                    found.append(f"{subject.name}({argument}: {what}) {problem}")
    return found


def _call(subject, argument, value):
    """Return what is wrong with the answer to a wrong argument, or None."""
    arguments = {**subject.good(for_parameter=argument), argument: value}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            subject.call(**arguments)
    except (TypeError, ValueError) as error:
        return _judge(str(error), subject, argument)
    except Exception as error:
        return f"raised {type(error).__name__}: {str(error)[:200]}"
    return "was accepted"


def _judge(message, subject, argument):
    names = {argument}
    if argument == "X" and is_calibrator(subject):
        names.add("S")  # scikit-learn defines the method, and calls scores X
    if not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message) for name in names):
        return f"has no name: {message[:200]}"
    own = message.partition(" raised ")[0].partition(" cannot be used. ")[0]
    internal = [words for words in _INTERNAL if words in own]
    return f"shows the inside: {message[:200]}" if internal else None
