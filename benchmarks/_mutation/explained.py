"""Faults that no test can notice, each with the reason.

The key is the module, the line without its indentation, and the change. The change may be
left out, as None, where the reason holds for every change of the line.
"""

EXPLAINED = {}


def explanation(mutant, line):
    """Return the reason why nobody can notice a fault, or None.

    Parameters
    ----------
    mutant : Mutant
    line : str
        The line of the module that it changes.
    """
    path = mutant.path.removeprefix("sklearn_calib/")
    for change in (f"{mutant.old} -> {mutant.new}", None):
        reason = EXPLAINED.get((path, line.strip(), change))
        if reason:
            return reason
    return None
