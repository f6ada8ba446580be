"""Turn the `random_state` of scikit-learn users into a NumPy generator."""

from numbers import Integral

import numpy as np


def check_generator(random_state):
    """Return a `numpy.random.Generator`; the global random state is neither read nor changed.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        An int gives the same stream each time. A RandomState or Generator is advanced, so the next
        use of it gives other numbers. None takes fresh entropy from the system.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint64))
    is_int = isinstance(random_state, Integral) and not isinstance(random_state, bool | np.bool_)
    if random_state is None or (is_int and random_state >= 0):
        return np.random.default_rng(random_state)
    raise ValueError(
        "random_state must be None, a non-negative int, a numpy RandomState or a numpy Generator, "
        f"got {random_state!r}."
    )
