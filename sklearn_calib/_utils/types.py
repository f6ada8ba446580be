"""Type hints that several public signatures share."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

Label = int | float | bool | str | np.generic
Bandwidth = float | str
FeatureBandwidth = float | str | ArrayLike
RandomState = int | np.random.RandomState | np.random.Generator | None
Columns = Sequence[int] | Sequence[str] | int | str
