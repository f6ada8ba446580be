"""Transform scores that are passed by name, as every other method takes them."""

from __future__ import annotations

from functools import wraps
from typing import Any

from sklearn.base import TransformerMixin


class ScoreTransformerMixin(TransformerMixin):
    """scikit-learn's mixin for transformers, whose `transform` takes its scores as ``S=``.

    What scikit-learn puts around `transform` for `set_output` calls its argument `X`.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "transform" in vars(cls):
            cls.transform = _takes_scores_by_name(vars(cls)["transform"])


def _takes_scores_by_name(transform):
    @wraps(transform)
    def wrapper(self, *args, **kwargs):
        if "S" in kwargs and not args:
            args = (kwargs.pop("S"),)
        if not args and "X" not in kwargs:
            raise TypeError(f"{type(self).__name__}.transform() needs S, the scores.")
        return transform(self, *args, **kwargs)

    return wrapper
