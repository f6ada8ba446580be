"""How many rows a test of calibration or an interval needs."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._data.targets import reduce_target
from ..._utils.arguments.random_streams import check_generator
from ..._utils.docs import fill_doc, list_names
from ..._utils.options import check_option, check_real
from ..._utils.progress import reporter
from ..._utils.types import Distribution, Options, Progress, RandomState
from ...metrics._metric import ranked_metrics
from .._row_scores import SCORES
from .._statistics.statistic import find_statistic, statistic_names
from .closed_forms import CLOSED_FORMS
from .pilot import Pilot, Truth
from .result import RequiredSampleSize
from .simulated_power import rows_for_power
from .simulated_width import rows_for_simulated_width

_MOST = 10**15


def _needs_features(name):
    return name not in SCORES and find_statistic(name).needs_features


_METRICS = [one.name for one in ranked_metrics() if one.interval and not one.needs_features]
_METRICS += list(SCORES)
_UNBOUNDED = (*CLOSED_FORMS, "log_loss")
_STATISTICS = [name for name in statistic_names() if not _needs_features(name)]


@fill_doc(metrics=list_names(_METRICS), statistics=list_names(_STATISTICS))
def required_sample_size(
    y_proba: ArrayLike | Distribution,
    *,
    shift: float | None = None,
    slope: float | None = None,
    truth: Callable[[np.ndarray], ArrayLike] | None = None,
    metric: str | None = None,
    width: float | None = None,
    metric_params: Options | None = None,
    confidence_level: float = 0.95,
    statistic: str = "omnibus",
    statistic_params: Options | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    random_state: RandomState = None,
    verbose: Progress = False,
) -> RequiredSampleSize:
    r"""Find how many rows a study of calibration needs.

    There are two kinds of goals. With `shift`, `slope` or `truth` alone: the rows with which
    :func:`check_calibration` finds an error of this size in 80 % of samples. With `metric` and
    `width`: the rows with which the interval of a metric, as of :func:`calibration_ci`, is this
    wide on average.

    Parameters
    ----------
    y_proba : array-like of shape (n_pilot,), (n_pilot, 1), (n_pilot, 2) or (n_pilot, n_classes), \
or distribution
        Predictions like those that the rows will have: of a pilot study, or of the model on other
        rows. Their number does not matter, only how they are distributed. Or a frozen distribution
        of :mod:`scipy.stats` on [0, 1], for the probability of the positive class; ``beta(2, 8)``
        has the mean 2 / (2 + 8).
    shift : float, default=None
        The true probability of the positive class is the prediction plus this number, within
        [0, 1]. For more than two classes, that of the class of the largest probability, so that
        -0.05 stands for a model that is too confident by 5 percentage points.
    slope : float, default=None
        The true log-odds are the predicted ones times this number: below 1 the predictions are too
        extreme. For more than two classes, the true probabilities are proportional to the
        predicted ones to this power.
    truth : callable, default=None
        Any other error: a function that is given predictions, of shape (n_samples,) for two
        classes and (n_samples, n_classes) for more, and returns the true probabilities, in the same
        shape.
    <<metric_of_plan>>
    width : float, default=None
        Upper minus lower end of the interval; needed with `metric`.
    metric_params : dict, default=None
        Options of the metric.
    confidence_level : float, default=0.95
        Nominal coverage of the interval.
    <<statistic_of_plan>>
    statistic_params : dict, default=None
        Its options.
    power : float, default=0.8
        Share of samples in which the test finds the error, above `alpha` and below 1.
    alpha : float, default=0.05
        Level of the test.
    random_state : int, RandomState, Generator or None, default=None
        Makes the draws of a simulation. The global random state is neither read nor changed.
    <<verbose>>

    Returns
    -------
    result : RequiredSampleSize
        ``result.n_samples`` is the number of rows; ``result.verdict`` says it in words.

    Raises
    ------
    ValueError
        If an argument is malformed, no goal is set or two are, an option of the other goal is set,
        the error is zero, there is no valid interval of the metric, or no number of rows is enough.
    TypeError
        If `y_proba` is a distribution without its parameters.

    See Also
    --------
    check_calibration : Its `detectable_error` is the shift that the rows at hand would have shown.
    calibration_ci : The intervals.
    calibration_line : Slope, intercept and observed over expected events.

    Notes
    -----
    **Formulas.** For the three measures of the clinical literature the rows follow from the
    variance that :func:`calibration_ci` uses, with means over the predictions p and the true
    probabilities q in place of those over rows. Slope and intercept belong to the logistic line
    that is closest to q: the best of all lines for the slope, and for the intercept the best of
    slope one, even if `slope` says that this line is wrong. With its probabilities f, the predicted
    log-odds x, :math:`v = f (1 - f)` and :math:`u = x - E[v x] / E[v]` for the slope, :math:`u = 1`
    for the intercept,

    .. math:: n = \frac{1}{s^2 H} \max\left(1, \frac{M}{H}\right), \qquad H = E[v u^2], \qquad
              M = E[(q (1 - q) + (q - f)^2) u^2],

    where :math:`s = w / (2 z)` is the standard error that gives the width w. If the line is true,
    M = H and these are the published numbers [1]_ [2]_; if it is not, M / H is the part by which
    the robust variance is larger. For the ratio, n is the number of rows at which the two ends r of

    .. math:: n (E[q] - r E[p])^2 = z^2 \max(E[r p (1 - r p)], E[q (1 - q) + (q - r p)^2])

    are w apart, within :math:`0 \le r \le 1 / E[p]`. The published number,
    :math:`(1 - \pi) / (\pi s^2)` with the rate :math:`\pi` and :math:`s = \mathrm{arsinh}(w / 2) /
    z`, belongs to another interval: it counts the spread of the predictions as noise, so it is too
    large for :func:`calibration_ci` where they are spread (1.8 times for beta(0.5, 0.5)), and
    a little too small for a wide interval where they are equal.

    How close the mean width of simulated intervals comes to w is on the page of benchmarks: within
    5 % for the intercept, and within 2 % from 200 rows on for the ratio. For the slope it is larger
    than w, since the interval has the larger of two estimated variances: by up to 3 % with 1000
    rows or more, up to 10 % from 300 rows on, and more below. Numbers below 100 are a first guess.

    **Simulation.** For other metrics, the mean width of 8 intervals, each with 199 resamples, is
    simulated for a few sizes of up to 20,000 rows, beyond which it follows the line through them in
    logarithms. This takes the time of about 30 intervals: a few seconds for "ece", minutes
    for "smooth_ece". For a test, labels are drawn from the predictions and from the truth for
    about ten sizes, 100 times or more for each. This takes a few seconds for 10,000 rows and half a
    minute for 100,000; a sample of more rows is represented by 100,000 with an error that is
    larger by the square root of the quotient, and the time is inversely proportional to `alpha`,
    since 10 draws or more must lie beyond the level. `relative_error` says how precise the result
    is.
    The power of a test of few rows whose predictions are equal goes up and down with every row. The
    result is the number around which it is as stated on average; a single size can be below it.

    An error that only some of the rows have is found among these rows, so a group with a tenth of
    the rows needs ten times as many rows in all. Rows must be independent.

    References
    ----------
    .. [1] R. D. Riley et al., "Minimum sample size for external validation of a clinical prediction
       model with a binary outcome", Statistics in Medicine 40 (2021), doi:10.1002/sim.9025.
    .. [2] R. D. Riley et al., "Minimum sample size calculations for external validation of a
       clinical prediction model with a time-to-event outcome", Statistics in Medicine 41 (2022),
       doi:10.1002/sim.9275.

    Examples
    --------
    >>> from scipy.stats import beta
    >>> from sklearn_calib.inference import required_sample_size
    >>> predictions = beta(2, 8)  # one event in five rows
    >>> required_sample_size(predictions, metric="calibration_slope", width=0.4).n_samples
    1289
    >>> result = required_sample_size(predictions, shift=0.05, random_state=0)
    >>> 400 < result.n_samples < 800
    True
    """
    pilot, wrong = Pilot(y_proba), _check_truth(shift, slope, truth)
    true = wrong(pilot.proba)
    target = "binary" if pilot.n_classes == 2 else "confidence"
    (events,) = reduce_target(pilot.proba, target)
    binary = target == "binary"
    event_true = true[:, 1] if binary else np.take_along_axis(true, events.event, axis=1)
    p, q = events.proba.ravel(), event_true.ravel()
    rng = check_generator(random_state)
    facts: dict[str, Any]
    of_test = {
        "statistic": statistic != "omnibus",
        "statistic_params": statistic_params is not None,
        "power": power != 0.8,
        "alpha": alpha != 0.05,
    }
    of_interval = {
        "metric_params": metric_params is not None,
        "confidence_level": confidence_level != 0.95,
    }
    if metric is None and width is None:
        if wrong.kind is None:
            raise ValueError(
                "Say what the rows are for: pass shift, slope or truth, an error that a test "
                "should find, or metric and width, for an interval."
            )
        _refuse_unused(of_interval, "an interval", "Pass metric and width as well")
        check_option(statistic, "statistic", _STATISTICS)
        alpha = check_real(alpha, "alpha", below=1.0)
        power = check_real(power, "power", below=1.0)
        if power <= alpha:
            raise ValueError(f"power must be above alpha, which is {alpha:g}, got {power!r}.")
        with reporter("required_sample_size", verbose) as say:
            n, relative_error = rows_for_power(
                pilot,
                wrong,
                statistic=statistic,
                statistic_params=statistic_params,
                power=power,
                alpha=alpha,
                rng=rng,
                say=say,
            )
        facts = {"goal": "power", "name": statistic, "power": power, "alpha": alpha}
        facts |= {"method": "simulation", "found": wrong.in_words()}
    else:
        if metric is None or width is None:
            raise ValueError(
                f"metric and width belong together, got metric={metric!r} and width={width!r}. For "
                "a test that finds an error pass neither."
            )
        _refuse_unused(of_test, "a test", "Leave out metric and width")
        check_option(metric, "metric", _METRICS)
        width = check_real(width, "width")
        if metric not in _UNBOUNDED and width >= 1.0:
            raise ValueError(
                f"width must be below 1 for metric={metric!r}, which is on the scale of "
                f"probabilities, got {width:g}."
            )
        confidence_level = check_real(confidence_level, "confidence_level", below=1.0)
        facts = {"goal": "width", "name": metric, "width": width}
        facts |= {"confidence_level": confidence_level}
        if metric in CLOSED_FORMS and not metric_params:
            n, relative_error = CLOSED_FORMS[metric](p, q, width, confidence_level), 0.0
            facts["method"] = "formula"
        else:
            options = {"metric": metric, "metric_params": metric_params}
            options["confidence_level"] = confidence_level
            with reporter("required_sample_size", verbose) as say:
                n = rows_for_simulated_width(pilot, wrong, width, rng, say, **options)
            relative_error = np.nan
            facts["method"] = "simulation"
    if not n <= _MOST:
        raise ValueError(
            "No number of rows is enough: the rows have no event, or the error or width is too "
            "small. Check y_proba, and state a larger error or width."
        )
    n_samples = max(2, int(np.ceil(n)))
    return RequiredSampleSize(
        n_samples=n_samples,
        n_events=float(n_samples * q.mean()),
        error=float(np.abs(q - p).mean()),
        relative_error=relative_error,
        **facts,
    )


def _refuse_unused(options, goal, advice):
    """Raise an error if an option of the other goal is set."""
    given = [name for name, is_set in options.items() if is_set]
    if given:
        raise ValueError(
            f"The call sets {given}, which only {goal} has. {advice}, or leave "
            f"{'these' if len(given) > 1 else 'this'} out."
        )


def _check_truth(shift, slope, truth):
    """Return the `Truth` of checked arguments."""
    real = isinstance(shift, Real) and not isinstance(shift, bool | np.bool_)
    if shift is not None and not (real and -1.0 < shift < 1.0):
        raise ValueError(f"shift must be a number between -1 and 1, got {shift!r}.")
    slope = None if slope is None else check_real(slope, "slope")
    return Truth(shift, slope, truth)
