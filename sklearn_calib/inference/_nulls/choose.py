"""The table of nulls, and which of them applies to a statistic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .given_draws import GivenDraws
from .residuals import CentredResamples, PermutedResiduals, WildResiduals
from .simulation import SimulatedLabels


class NullKind(NamedTuple):
    """The description of a way to draw a null distribution.

    Attributes
    ----------
    make : callable
        ``make(errors, predictions)`` -> object with ``evaluate`` and, unless draws are always
        given, ``draw``.
    changes_residuals : bool
        Whether it needs the residual form of one error.
    """

    make: Callable[..., Any]
    changes_residuals: bool


NULLS = {
    "simulation": NullKind(SimulatedLabels, False),
    "permutation": NullKind(PermutedResiduals, True),
    "wild": NullKind(WildResiduals, True),
}
_GIVEN = {**NULLS, "centred": NullKind(CentredResamples, True)}


def choose_null(null, statistic, n_resamples, rng):
    """Return the name of the null, its object, the number of draws, and how to draw.

    "asymptotic" is not one of the nulls. There are `n_resamples` draws unless they are given.
    """
    predictions, form = statistic.predictions, statistic.error.residual_form
    draws, name = None, null
    if isinstance(null, GivenDraws):
        draws, name = null.resolve(predictions.n_samples), null.kind
    kind = _GIVEN[name]
    if kind.changes_residuals and form is None:
        raise ValueError(
            f"null={name!r} changes residuals, which the statistic {statistic.name} does not have; "
            "it exists for skce, kce, klce. Use null='simulation'."
        )
    if name == "centred" and (form.estimator != "uq" or predictions.weight is not None):
        raise ValueError(
            "GivenDraws('centred') is defined for the unbiased skce (estimator='uq'), kce "
            "(squared=True) and klce without sample_weight."
        )
    sampler = kind.make([statistic.error], predictions)
    if draws is None:
        return name, sampler, n_resamples, lambda start, stop: sampler.draw(rng, stop - start)
    return name, sampler, draws.shape[1], lambda start, stop: draws[:, start:stop]
