"""Calibrators that are asked for by name."""

from ..base import BaseCalibrator


def calibrators_by_name():
    """Return the calibrators that can be asked for by name: those whose class lists names.

    A name belongs to the class that lists it and is not inherited.
    """
    found, classes = {}, [BaseCalibrator]
    while classes:
        kind = classes.pop(0)
        found.update(dict.fromkeys(vars(kind).get("method_names", ()), kind))
        classes.extend(kind.__subclasses__())
    return found
