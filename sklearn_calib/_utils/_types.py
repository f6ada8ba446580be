"""Type hints that several public signatures share."""

import numpy as np

Label = int | float | bool | str | np.generic
