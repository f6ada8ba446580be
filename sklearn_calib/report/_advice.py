"""What to do next: collect data, recalibrate everywhere or in some places, or leave alone."""

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

from .._data.targets import reduce_target
from .._utils.fitting_context import from_predict_proba
from .._utils.results import cut
from ..inference._statistics.omnibus.findings import recalibrated
from ..inference._statistics.omnibus.outcome import IMPOSSIBLE
from ..inference._statistics.omnibus.subject import ranges, subject_of, worst
from ..inference._statistics.scores.logistic_score import standardise
from ..inference._statistics.scores.score_form import log_odds
from ..metrics import score_decomposition
from ..metrics._metric import METRICS
from ._regions import members

# A shift below this, or below this share of the rarer outcome, would hardly matter.
_MATTERS = 0.05
_SHARE = 0.2
# The same for a mean error beyond what chance explains, and the metrics that measure it.
_SIZES = ("ece", "integrated_calibration_index")
_SMALL = 0.005
_SMALL_SHARE = 0.05
_N_RANGES = 10
# Below so many rows of the rarer outcome a map of few parameters is the safer one.
_FEW_EVENTS = 100
_MOST_NAMED = 3
_LONGEST = 80
_AGAIN = "Then make this report again for rows that the recalibration has not seen."
_HOW = (
    "Fit it on rows that neither the model nor this report has seen, or let CalibratedClassifier "
    "cross-fit it."
)


class ReportFindings(NamedTuple):
    """What the advice rests on.

    Attributes
    ----------
    predictions : Predictions
        All rows.
    tests : dict of str to CalibrationTestResult
        Those of the report.
    metrics : list of MetricRow
        The calibration errors.
    line : CalibrationLineResult
        Slope and intercept.
    regions : list of Region
        What the band flags.
    rows : EncodedRows or None
        All rows with their encoded features.
    groups : GroupCalibration or None
        The table of groups.
    columns : GroupColumns
        What it was made from.
    alpha : float
        Level of the tests.
    """

    predictions: Any
    tests: dict
    metrics: list
    line: Any
    regions: list
    rows: Any
    groups: Any
    columns: Any
    alpha: float

    @property
    def subject(self):
        """The event that the advice looks at."""
        predictions = self.predictions
        target = "binary" if predictions.n_classes == 2 else "confidence"
        (reduction,) = reduce_target(predictions.proba, target)
        return subject_of(predictions, reduction)


def advise(findings):
    """Return in a paragraph what to do next.

    Parameters
    ----------
    findings : ReportFindings
        The findings of the report.
    """
    test, groups = findings.tests["omnibus"], findings.groups
    subject, alpha = findings.subject, findings.alpha
    if np.ptp(subject.happened) == 0.0:
        what = "has" if subject.happened[0] else "lacks"
        return (
            f"Collect more data: every row {what} the event, and only rows of both kinds can show "
            "how the probabilities should be changed."
        )
    wrong_groups = groups is not None and groups.n_significant > 0
    certain = [part for part in test.parts if part.name == IMPOSSIBLE]
    found = _smallest_pvalue(test) <= alpha
    if not found and not wrong_groups:
        return _never_certain(certain[0]) if certain else _nothing_found(findings, subject)
    if findings.predictions.n_classes == 2 and findings.line.slope_interval[1] < 0.0:
        return (
            "Look at pos_label and at the columns of the probabilities first: the predictions are "
            "in the wrong order, so they may be those of the other class. If they are not, the "
            "model ranks the rows worse than chance does, and needs to be repaired itself."
        )
    mapped = _mapped(subject)
    places = _places(findings, mapped)
    on_average = _smallest_pvalue(findings.tests["omnibus, without features"]) <= alpha
    if places or (found and not on_average):
        return _locally(places, on_average)
    if not on_average:
        return _groups_alone(groups)
    why, how = _calibrator(findings, subject)
    size, label = _size(findings)
    if size < min(_SMALL, _SMALL_SHARE * _rarer(subject)) and not certain:
        return (
            f"Leave the probabilities alone unless errors of this size matter: {test.n_samples:,} "
            f"rows show that {why}, but the {label} is only {size:.2g} above that of a calibrated "
            f"model. If it matters, {how}. {_HOW}"
        )
    return f"Recalibrate all probabilities with one map: {why}, so {how}. {_HOW} {_AGAIN}"


def _smallest_pvalue(test):
    """Return the p-value of a test but for rows that gave probability zero to what happened."""
    return min(part.adjusted_pvalue for part in test.parts if part.name != IMPOSSIBLE)


def _never_certain(part):
    """Return the advice where nothing is wrong but that what happened had probability zero."""
    return (
        f"Use no probabilities of exactly 0 and 1: {part.finding}, and nothing else is found. "
        "PlattCalibrator, for example, gives probabilities between them. "
        f"{_HOW} {_AGAIN}"
    )


def _rarer(subject):
    """Return the smaller one of the rates of the event and of its opposite."""
    rate = float(np.average(subject.happened, weights=subject.weight))
    return min(rate, 1.0 - rate)


def _nothing_found(findings, subject):
    """Return the advice where no test finds anything."""
    test, n_rows = findings.tests["omnibus"], findings.predictions.n_samples
    size = test.detectable_error
    limit = min(_MATTERS, _SHARE * _rarer(subject))
    if size is None:
        return (
            f"Collect more data: with {n_rows:,} rows the test finds no shift of the probabilities "
            "in most samples, however large, so that it finds nothing says little."
        )
    if size > limit:
        needed = round_up(n_rows * (size / limit) ** 2)
        return (
            f"Collect more data before you rely on this: {n_rows:,} rows show a shift of all "
            f"probabilities by {size:.2g} in 80 % of samples, and smaller ones less often. To find "
            f"one of {limit:.2g} takes about {needed:,} rows. Until then leave the probabilities "
            "as they are, since a map fitted to these rows would follow chance."
        )
    text = (
        "Leave the probabilities as they are: nothing is found, and the test would have shown a "
        f"shift of all of them by {size:.2g} in 80 % of samples."
    )
    if findings.regions:
        return (
            f"{text} Look at {findings.regions[0].where} again with new rows: the band flags it, "
            "and the test does not confirm it."
        )
    if findings.rows is None and findings.groups is None:
        return f"{text} Features or groups would tell whether they are wrong for some of the rows."
    return text


def round_up(number):
    """Return a number of rows with two digits."""
    digit = 10 ** max(int(np.log10(number)) - 1, 0)
    return int(-(-number // digit) * digit)


def _size(findings):
    """Return by how much the mean error exceeds that of a calibrated model, and its label.

    Of bins and a smooth curve the one counts that sees more: few bins hide a wrong slope.
    """
    beyond = [
        (max(row.value - row.expected, 0.0), METRICS[row.name].label)
        for row in findings.metrics
        if row.name in _SIZES
    ]
    return max(beyond)


def _mapped(subject):
    """Return the event with the best non-decreasing map of its probabilities."""
    with from_predict_proba():  # looked at before
        parts = score_decomposition(
            subject.happened.astype(int), subject.p, sample_weight=subject.weight
        )
    return subject._replace(p=np.clip(parts.recalibrated[:, 0], 0.0, 1.0))


def _places(findings, mapped):
    """Return what the best map of all probabilities leaves wrong, and which columns tell.

    These are groups whose gap is out of its interval, regions of the band whose rows deviate, and
    features along which the residuals have a trend, each after the map.
    """
    places = []
    if findings.groups is not None and findings.groups.n_significant:
        wrong = findings.columns.again(findings.groups, mapped)
        places += [(f"for {label}", columns) for label, columns in wrong]
    if findings.rows is None:
        return places
    features, classes = findings.rows.features, findings.predictions.classes.tolist()
    for region in findings.regions:
        inside = members(region, findings.rows, classes.index(region.event))
        if inside is None or not region.features:
            continue
        if abs(mapped.at(inside).deviation()) > _limit(len(findings.regions)):
            names = [features.encoder.names[k] for k in region.features]
            places.append((f"where {region.where}", names))
    told = {name for _, columns in places for name in columns}
    left = _trends_left(features, mapped, findings.subject)
    trends = [name for name in left if name not in told]
    return places + [(f"along {name}", [name]) for name in trends]


def _limit(number):
    """Return the largest of so many standardised sums that chance explains."""
    return norm.isf(0.025 / number)


def _trends_left(features, mapped, subject):
    """Return the features along which the residuals have a trend after the map as well.

    Within its steps the map leaves residuals that fall with the probabilities, so only what a
    feature tells beyond the probabilities counts.
    """
    columns, meaning = features.design()
    if not columns.size:
        return []
    columns = standardise(columns, mapped.weight)
    before = log_odds(subject.p)
    known = [np.ones_like(before), log_odds(mapped.p), before, before**2, before**3]
    sizes = np.array([abs(mapped.standardised(column, *known)) for column in columns.T])
    found = np.flatnonzero(sizes > _limit(sizes.size))
    order = found[np.argsort(-sizes[found], kind="stable")]
    return list(dict.fromkeys(features.encoder.names[meaning[k][0]] for k in order))


def _locally(places, on_average):
    """Return the advice where one map of all probabilities is not enough."""
    where = listed([place for place, _ in places])
    columns = listed(list(dict.fromkeys(name for _, names in places for name in names)))
    where = where or "for some combinations of features and prediction"
    state = (
        f"the predictions are wrong {where} in another way than elsewhere"
        if on_average
        else f"the predictions are right on average, but wrong {where}"
    )
    return (
        f"Recalibrate locally: {state}, which no single map of the probabilities repairs. Use "
        "KernelRecalibrator, which corrects probabilities with the help of features, and give it "
        f"{columns or 'the features'}. {_HOW} {_AGAIN}"
    )


def _groups_alone(groups):
    """Return the advice where only groups are wrong, and the best map of all leaves none so."""
    labels = listed([str(groups.label[k]) for k in groups.worst])
    return (
        f"Look at {labels} again with new rows, and leave the probabilities as they are until "
        "then: no error is found in all rows together, and after the best map of all "
        "probabilities chance explains what is left there."
    )


def listed(names):
    """Return the first names of a list as text, and how many more there are."""
    shown, more = [cut(name, _LONGEST) for name in names[:_MOST_NAMED]], len(names) - _MOST_NAMED
    if more > 0:
        shown.append(f"{more} more")
    return " and ".join([", ".join(shown[:-1]), *shown[-1:]] if len(shown) > 1 else shown)


def _calibrator(findings, subject):
    """Return what is wrong with all probabilities, and which calibrator repairs it."""
    if findings.predictions.n_classes > 2:
        return _of_classes(findings)
    line = findings.line
    beyond = recalibrated(subject)
    groups = ranges(beyond.p, beyond.weight, _N_RANGES)
    shape = abs(beyond.at(worst(beyond, groups).rows).deviation()) > _limit(len(groups))
    slope = line.slope_pvalue <= findings.alpha
    shift = line.intercept_pvalue <= findings.alpha
    events = subject.happened.sum()
    if shape and min(events, subject.happened.size - events) >= _FEW_EVENTS:
        return (
            "a slope and a shift do not repair their shape",
            "use AdaptiveCalibrator, or IsotonicCalibrator with many thousand rows",
        )
    if slope:
        kind = "extreme" if line.slope < 1.0 else "timid"
        also = " and " + _average(line) if shift else ""
        return (
            f"they are too {kind}{also}",
            "use PlattCalibrator, which changes slope and shift, or AdaptiveCalibrator",
        )
    if shift:
        no_slope = "" if np.isnan(line.slope) else " and their slope shows no error"
        return (
            f"they are {_average(line)}{no_slope}",
            "use PlattCalibrator, or PriorShiftCalibrator if only the base rate differs from that "
            "of the training data",
        )
    return "they are wrong in some range only", "use AdaptiveCalibrator"


def _average(line):
    return f"too {'high' if line.intercept < 0.0 else 'low'} on average"


def _of_classes(findings):
    """Return the same for more than two classes."""
    found = [
        part.name for part in findings.tests["omnibus, without features"].parts
        if part.adjusted_pvalue <= findings.alpha
    ]  # fmt: skip
    if "temperature_score" in found and "classwise_score" not in found:
        return (
            "one temperature for all classes explains what is found",
            "use TemperatureCalibrator, or AdaptiveCalibrator",
        )
    if "classwise_score" in found:
        return (
            "some classes are wrong in another way than others",
            "use VectorScalingCalibrator, or AdaptiveCalibrator",
        )
    return "the vectors of probabilities are wrong", "use AdaptiveCalibrator or DirichletCalibrator"
