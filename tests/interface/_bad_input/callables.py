"""Find everything public that takes arguments, and say how it is called rightly."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, is_dataclass
from importlib import import_module

from sklearn.base import BaseEstimator

import sklearn_calib
from sklearn_calib.base import BaseBinaryCalibrator, BaseCalibrator, BaseMulticlassCalibrator
from sklearn_calib.inference import GivenDraws

from .arguments import good_value
from .further import EXTRA
from .instances import INSTANCES

# These are to be derived from, and have no parameters.
_ABSTRACT = (BaseCalibrator, BaseBinaryCalibrator, BaseMulticlassCalibrator)
# What scikit-learn defines for all estimators and does not look at rows.
_OF_SKLEARN = {"get_params", "set_params", "set_output", "get_metadata_routing"}
_OF_DICT_OR_TUPLE = {"count", "index"}


@dataclass(frozen=True)
class Subject:
    """A public function, method or constructor.

    Attributes
    ----------
    name : str
        Its module, class and name.
    call : callable
        Calls it with keyword arguments.
    parameters : dict of str to object
        The parameters that are looked at and their defaults, ``inspect.Parameter.empty`` if there
        is none.
    """

    name: str
    call: Callable = field(repr=False)
    parameters: dict = field(repr=False)

    def good(self, *, for_parameter=None):
        """Return arguments with which the call works.

        Parameters
        ----------
        for_parameter : str, default=None
            The parameter that is looked at; others are passed that it needs.
        """
        needed = [k for k, default in self.parameters.items() if default is inspect.Parameter.empty]
        arguments = {k: good_value(self.name, k) for k in needed}
        if self.name.endswith(".fit_transform"):
            arguments["y"] = good_value(self.name, "y")
        for pattern in (self.name, f"{self.name}.{for_parameter}", f"*.{for_parameter}"):
            for key, make in EXTRA.get(pattern, {}).items():
                arguments[key] = make()
        return arguments


def find_subjects():
    """Return all subjects, by name."""
    found = {}
    for module in sklearn_calib._SUBMODULES:
        loaded = import_module(f"sklearn_calib.{module}")
        for name in loaded.__all__:
            thing, full = getattr(loaded, name), f"{module}.{name}"
            if inspect.isclass(thing):
                if thing not in _ABSTRACT:
                    found |= _of_class(full, thing)
            elif callable(thing):
                found[full] = Subject(full, thing, _parameters(thing))
    return found


def _of_class(full, cls):
    """Return the constructor and the methods of a class as subjects."""
    found = {}
    if issubclass(cls, BaseEstimator):
        found[full] = Subject(full, _fitting(full, cls), _parameters(cls))
    elif cls is GivenDraws or not (is_dataclass(cls) or issubclass(cls, tuple)):
        # Records that functions of the package return are not made by users.
        found[full] = Subject(full, _drawing(cls), _parameters(cls))
    for key, method in inspect.getmembers(cls, callable):
        if key.startswith("_") or key in _OF_SKLEARN | _OF_DICT_OR_TUPLE:
            continue
        if key.startswith("set_") and key.endswith("_request"):
            continue
        parameters = _parameters(method)
        bound = inspect.ismethod(method) or isinstance(
            inspect.getattr_static(cls, key), staticmethod
        )
        if not bound:
            parameters.pop("self", None)
        if parameters:
            name = f"{full}.{key}"
            call = method if bound else _method(full, cls, key)
            found[name] = Subject(name, call, parameters)
    return found


def _parameters(thing):
    """Return the parameters and defaults, without collections of further ones."""
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return {
        name: one.default
        for name, one in inspect.signature(thing).parameters.items()
        if one.kind not in kinds
    }


def _fitting(full, cls):
    """Return a function that constructs and fits: parameters are looked at in `fit`."""

    def call(**parameters):
        rows = {k: good_value(f"{full}.fit", k) for k in _parameters(cls.fit) if k in "XSy"}
        rows |= {k: parameters.pop(k) for k in rows.keys() & parameters.keys()}
        made = cls(**parameters)
        return made.fit(**rows) if hasattr(made, "predict") else made.fit_transform(**rows)

    return call


def _drawing(cls):
    """Return a function that constructs and draws, as far as there is something to draw."""

    def call(**parameters):
        made = cls(**parameters)
        if hasattr(made, "plot"):
            curves = "count" in parameters and "gap" in parameters
            made.plot(**({"kind": "curves"} if curves else {}))
        if isinstance(made, GivenDraws):
            made.resolve(3)
        return made

    return call


def _method(full, cls, key):
    def call(**arguments):
        make = INSTANCES.get(f"{full}.{key}", INSTANCES.get(full))
        if make:
            made = make()
        elif issubclass(cls, BaseEstimator):
            made = _estimator(full, cls, fitted=key not in ("fit", "fit_transform"))
        else:
            parameters = Subject(full, cls, _parameters(cls)).good()
            made = cls(**parameters)
        if key == "transform":  # scikit-learn wraps it, and calls its argument X
            return made.transform(*arguments.values())
        return getattr(made, key)(**arguments)

    return call


def _estimator(full, cls, *, fitted):
    subject = Subject(full, cls, _parameters(cls))
    made = cls(**subject.good())
    if not fitted:
        return made
    rows = {k: good_value(f"{full}.fit", k) for k in _parameters(cls.fit) if k in "XSy"}
    return made.fit(**rows)


def is_calibrator(subject):
    """Return whether a subject belongs to a calibrator, whose rows are called S."""
    parts = subject.name.split(".")
    cls = getattr(import_module(f"sklearn_calib.{parts[0]}"), parts[1], None)
    return inspect.isclass(cls) and issubclass(cls, BaseCalibrator)
