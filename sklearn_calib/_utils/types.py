"""Type hints that several public signatures share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

Label = int | float | bool | str | np.generic
Bins = int | Literal["auto"]
Edges = Sequence[float] | np.ndarray
Bandwidth = float | str
Categories = str | ArrayLike
FeatureBandwidth = float | str | ArrayLike
Names = Sequence[str] | np.ndarray
MetricLike = str | Callable[..., float]
Options = Mapping[str, Any]
Progress = int | Callable[[str], object]
Seed = int | np.random.RandomState | None
RandomState = int | np.random.RandomState | np.random.Generator | None
Columns = Sequence[int] | Sequence[str] | int | str
# Short names, for functions and constructors of many parameters.
Width = Bandwidth
Widths = FeatureBandwidth
Size = int | str
Sizes = ArrayLike
Picks = ArrayLike | None
Pick = Label | None
Rows = ArrayLike | None
Words = Names | None


class Distribution(Protocol):
    """A frozen distribution of `scipy.stats`."""

    def ppf(self, q: Any) -> Any:
        """Return quantiles."""
