"""Turn the `random_state` of scikit-learn users into a NumPy generator."""

from numbers import Integral

import numpy as np

_OWN_STREAM = 0x63616C6962


def check_generator(random_state):
    """Return a `numpy.random.Generator`; the global random state is neither read nor changed.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        An int gives the same stream each time; it is not that of ``default_rng(int)``, since data
        simulated with the same seed must not come from the numbers that simulate their null. A
        RandomState or Generator is advanced, so the next use of it gives other numbers. None takes
        fresh entropy from the system.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint64))
    is_int = isinstance(random_state, Integral) and not isinstance(random_state, bool | np.bool_)
    if random_state is None:
        return np.random.default_rng()
    if is_int and random_state >= 0:
        sequence = np.random.SeedSequence(int(random_state), spawn_key=(_OWN_STREAM,))
        return np.random.default_rng(sequence)
    raise ValueError(
        "random_state must be None, a non-negative int, a numpy RandomState or a numpy Generator, "
        f"got {random_state!r}."
    )
