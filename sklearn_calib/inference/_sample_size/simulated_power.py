"""The rows with which a test finds an error in a given share of samples."""

import numpy as np
from scipy.special import ndtri

from .._detectable_error import critical_values
from .._nulls.simulation import draw_labels
from .._statistics.prepare import prepare_statistic

_FEWEST = 10
# Larger samples are represented by so many rows, or more where events are rare.
_MOST = 100_000
_MOST_EVENTS = 500
# Draws of the null distribution, times the level, and of the alternative.
_FEWEST_BEYOND, _MOST_BEYOND = 10, 50
_FEWEST_DRAWS, _MOST_DRAWS = 100, 1000
_CELLS_OF_DRAWS = 4_000_000
_N_SIZES = 16
# Sizes whose power is averaged, each within this factor of the result.
_N_AVERAGED = 6
_NEAR = 1.3
# With so many times the rows that a test of this error alone would need, a test is blind to it.
_BLIND = 1000
# Normal quantiles of the power that are so far apart differ by more than noise.
_CLEAR = 0.7
# A step from one size to the next is at most this factor.
_LARGEST_STEP = 6.0
_BATCH_CELLS = 12_000_000


def rows_for_power(pilot, truth, *, statistic, statistic_params, power, alpha, rng, say):
    r"""Return the rows with which a test finds an error, and how precise this number is.

    The quantile of the power, plus that of the level, grows like :math:`\sqrt n` near the result.
    Each size that is tried gives the factor, the next size follows from the mean of those close to
    it. The precision is the standard error from the draws, as a share of the number.
    """
    test = _PlannedTest(pilot, truth, statistic, statistic_params, alpha, rng)
    level = -ndtri(alpha)
    goal = level + ndtri(power)
    scale = goal**2 / test.divergence
    wanted = max(float(_FEWEST), scale)
    sizes: list[float] = []
    factors: list[float] = []
    near = np.zeros(0, dtype=bool)
    low, high = 0.0, np.inf
    for _ in range(_N_SIZES):
        if wanted > max(_BLIND * scale, test.most):
            break
        n_samples = max(_FEWEST, round(wanted))
        share, n_draws = test.power(n_samples)
        say(f"power {share:.2f} with {n_samples} rows")
        edge = 0.5 / n_draws
        reached = level + ndtri(np.clip(share, edge, 1.0 - edge))
        if reached < goal - _CLEAR:
            low = max(low, n_samples)
        elif reached > goal + _CLEAR:
            high = min(high, n_samples)
        sizes.append(n_samples)
        factors.append(max(reached, 0.1) / np.sqrt(n_samples))
        step = np.clip((goal / factors[-1]) ** 2 / n_samples, 1 / _LARGEST_STEP, _LARGEST_STEP)
        wanted = _between(low, high, n_samples * step)
        near = _near(sizes, wanted)
        if near.any():
            wanted = _between(low, high, (goal / np.mean(np.array(factors)[near])) ** 2)
            near = _near(sizes, wanted)
        if near.sum() >= _N_AVERAGED:
            break
        if sizes[-2:] == [_FEWEST] * 2:
            return float(_FEWEST), np.nan
    used = np.array(factors)[near]
    if used.size < _N_AVERAGED // 2:
        raise ValueError(
            f"The test {statistic} finds this error in {100 * share:.0f} % of samples of "
            f"{sizes[-1]:,} rows, and more rows do not bring it to {100 * power:g} %. Use another "
            "statistic, such as 'omnibus', or state another error."
        )
    error = 2.0 * used.std(ddof=1) / used.mean() / np.sqrt(used.size)
    return wanted, float(error)


def _between(low, high, wanted):
    """Return a size between one whose power is clearly too low and one where it is too high."""
    if low < wanted < high or not low < high:
        return wanted
    return np.sqrt(max(low, 1.0) * high) if np.isfinite(high) else 2.0 * low


def _near(sizes, wanted):
    """Return which sizes are close to one."""
    ratio = np.array(sizes) / wanted
    return (ratio < _NEAR) & (ratio > 1.0 / _NEAR)


class _PlannedTest:
    """A test of rows like those of a pilot.

    Attributes
    ----------
    divergence : float
        Squared error of the predictions in units of the variance of the labels, per row. Its
        inverse is the scale of the number of rows that any test needs.
    """

    def __init__(self, pilot, truth, statistic, statistic_params, alpha, rng):
        self.pilot, self.truth, self.alpha, self.rng = pilot, truth, alpha, rng
        self.statistic, self.params = statistic, statistic_params
        true = truth(pilot.proba)
        off = (true - pilot.proba) ** 2
        self.divergence = (off / np.maximum(pilot.proba, 1e-6)).sum(axis=1).mean()
        if self.divergence == 0.0:
            raise ValueError(
                "The stated error leaves all predictions in y_proba as they are, so there is "
                "nothing to find. Pass a shift other than 0, a slope other than 1, or a truth "
                "that differs from the predictions."
            )
        variance = (pilot.proba * (1.0 - pilot.proba)).sum(axis=1).mean()
        self.most = int(max(_MOST, _MOST_EVENTS / max(variance, 1e-5)))

    def power(self, n_samples):
        """Return the power with this number of rows, and the number of draws behind it.

        A large sample is represented by fewer rows with an error that is larger by the square
        root, which has the same power in the limit.
        """
        n_rows = min(n_samples, self.most)
        proba = self.pilot.rows(n_rows)
        true = self.truth(proba)
        if n_rows < n_samples:
            true = proba + np.sqrt(n_samples / n_rows) * (true - proba)
            true = np.clip(true, 0.0, 1.0)
            true /= true.sum(axis=1, keepdims=True)
        n_draws = int(np.clip(_CELLS_OF_DRAWS / n_rows, _FEWEST_DRAWS, _MOST_DRAWS))
        beyond = np.clip(n_draws // 20, _FEWEST_BEYOND, _MOST_BEYOND)
        n_null = int(np.ceil(beyond / self.alpha)) - 1
        prepared = prepare_statistic(
            np.arange(n_rows) % self.pilot.n_classes,
            proba,
            None,
            statistic=self.statistic,
            statistic_params=self.params,
            settings={},
            n_draws=n_null,
            algorithm="auto",
            sample_weight=None,
            pos_label=None,
            labels=np.arange(self.pilot.n_classes),
        )
        null = self._values(prepared.error, proba, n_null)
        test = critical_values(prepared.error, null, prepared.alternative, self.alpha)
        return float(test.power(self._values(prepared.error, true, n_draws))), n_draws

    def _values(self, error, proba, n_draws):
        """Return the statistic for labels drawn from probabilities, draws on the last axis."""
        size = max(1, _BATCH_CELLS // (len(proba) * error.n_columns))
        return np.concatenate(
            [
                error(draw_labels(self.rng, proba, min(size, n_draws - start)))
                for start in range(0, n_draws, size)
            ],
            axis=-1,
        )
