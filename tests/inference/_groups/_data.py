"""Simulated predictions that are wrong for one group."""

import numpy as np


def one_wrong_group(seed, n=3600, wrong_by=0.08):
    """Return labels, probabilities, and the columns "sex" and "race".

    The predictions are too high for women, a fifth of the rows. Race says nothing.
    """
    rng = np.random.default_rng([seed, 15])
    sex = np.where(rng.random(n) < 0.2, "Female", "Male")
    race = rng.choice(["A", "B", "C", "D", "E"], n)
    p = np.clip(rng.beta(3.0, 3.5, n), 0.1, 0.9)
    y = (rng.random(n) < p - wrong_by * (sex == "Female")).astype(int)
    return y, p, {"sex": sex, "race": race}
