"""Say which argument an error of other software is about.

NumPy, scikit-learn and the classifiers of users do not know what a function of this package calls
its arguments. Their errors are kept word for word behind the name.
"""

import re
from contextlib import contextmanager

from sklearn.exceptions import NotFittedError


@contextmanager
def naming(name, *others):
    """Put the name of an argument in front of errors that do not have it.

    Parameters
    ----------
    name : str
        What the argument is called.
    *others : str
        Names of other arguments. An error that has one of all these as a word passes unchanged.
    """
    try:
        yield
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        named = any(_word(one).search(str(error)) for one in (name, *others))
        if named or isinstance(error, NotFittedError):
            raise
        kind = ValueError if isinstance(error, ValueError | OverflowError) else TypeError
        raise kind(f"{name} cannot be used. {error}") from error


@contextmanager
def calling(estimator, call):
    """Say which call of an estimator of the user has raised, with its arguments.

    Only errors of the types `TypeError` and `ValueError` themselves are put in words. Others, such
    as that of an estimator that is not fitted, mean something to those who catch them.

    Parameters
    ----------
    estimator : object
        What is called.
    call : str
        Method and arguments, such as "fit(X, y)".
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        told = f"{type(estimator).__name__}.{call}"
        if type(error) not in (TypeError, ValueError) or told in str(error):
            raise
        raise type(error)(f"{told} raised {type(error).__name__}: {error}") from error


@contextmanager
def renaming(**names):
    """Call arguments in errors what the caller of a function calls them.

    Parameters
    ----------
    **names : str
        The names that errors have, each with the one that it gets.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        text = str(error)
        for old, new in names.items():
            text = _word(old).sub(new, text)
        if type(error) not in (TypeError, ValueError) or text == str(error):
            raise
        raise type(error)(text) from error


def _word(name):
    """Return a pattern that finds a name, but not as a part of another one."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
