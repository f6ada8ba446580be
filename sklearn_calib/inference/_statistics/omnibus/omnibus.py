"""The omnibus statistic: the smallest p-value of several statistics on one set of draws."""

import numpy as np

from ...._data.partitions import EventRows
from ...._data.targets import ONE_EVENT
from ...._utils.options import check_option
from ....metrics._metric import Conclusion, Prepared
from ..statistic import statistic
from .min_p import SmallestPvalueTest, smallest_pvalues
from .outcome import OmnibusPart, impossible_events
from .parts import NAME, check_parts, default_parts, prepare_parts


class Omnibus(Prepared):
    """Several statistics, prepared for the same data.

    It gives one row of values per part for columns of label codes; `conclude` puts the rows of the
    data and of the draws together.
    """

    def __init__(self, parts, target, n_impossible):
        self.parts = parts
        self.target = target
        self.n_impossible = n_impossible
        self.n_columns = max(part.error.n_columns for part in parts)
        self.part_names = tuple(part.name for part in parts)
        self.alternatives = [part.alternative for part in parts]
        self.importance = [part.importance for part in parts]

    def __call__(self, codes):
        return np.stack([part.error(codes) for part in self.parts])

    def details(self):
        """Return the bandwidths and the way of the widest local part."""
        local = [part.error.details() for part in self.parts if part.local]
        used = [details for details in local if details.get("feature_bandwidth") is not None]
        if not used:
            return {}
        return used[-1]

    def make_test(self, values, level):
        """Return the test of the smallest p-value with these null draws."""
        return SmallestPvalueTest(values, level, self.alternatives, self.importance)

    def conclude(self, observed, values):
        """Return the smallest p-values as the statistic, and what the parts say."""
        outcome = smallest_pvalues(observed, values, self.alternatives, self.importance)
        numbers = zip(self.parts, observed, outcome.pvalues, outcome.adjusted)
        certain = impossible_events(self.n_impossible, values.shape[1])
        parts = [
            OmnibusPart(
                part.name,
                part.label,
                part.aspect,
                part.local,
                float(value),
                float(pvalue),
                float(adjusted),
                part.tell(),
            )
            for part, value, pvalue, adjusted in numbers
        ]
        statistic = np.inf if certain else outcome.statistic
        return Conclusion(statistic, outcome.values, (*certain, *parts))


@statistic(
    NAME,
    label="omnibus",
    meaning="smallest p-value of several statistics, with what each of them finds",
    takes_features=True,
    sums_pairs=True,
)
def prepare_omnibus(
    predictions,
    *,
    parts=None,
    target="auto",
    prob_bandwidth="median",
    feature_bandwidth="scaled",
    categorical_features="auto",
    category_similarity=0.0,
    algorithm="auto",
    n_draws=1,
):
    r"""Prepare the omnibus statistic.

    Each part is a statistic. All are evaluated on the same draws, and the smallest of their
    p-values is compared with the smallest p-values of the draws [1]_, so the test is exact
    whatever the parts are. They are chosen for power:

    - one event: "slope_score", "cox_score" and "rank_skce" (of which the second takes a slightly
      smaller part of the level);
    - one event with features: "slope_score", "logistic_score", "rank_skce", "feature_rank_skce" and
      "normalized_klce";
    - more classes: "temperature_score", "classwise_score", "skce" of the largest probability and
      "kce" of the whole vector;
    - more classes with features: "temperature_score", "classwise_score", for the largest
      probability "skce", "logistic_score", "feature_rank_skce" and "normalized_klce", and "klce" of
      the whole vector.

    A row that gives probability zero to what happens cannot come from calibrated predictions. If
    there is one, the statistic is infinite, the p-value the smallest possible one, and the first
    part says so.

    Parameters
    ----------
    predictions : Predictions
        Validated data, with or without features.
    parts : list of str or of (str, dict), or dict, default=None
        Other statistics by name, each maybe with a dict of its options. A dict has the names as
        keys and the options as values.
    target : {"auto", "binary", "confidence"}, default="auto"
        "confidence" tests whether the largest probability is right, and nothing else.
    prob_bandwidth, feature_bandwidth : object
        Bandwidths of "klce" and "normalized_klce", as documented there. "scaled", the default,
        does not depend on the units of the features.
    categorical_features, category_similarity : object
        Which features are categories, and the kernel between two of them, as in `klce`.
    algorithm : {"auto", "exact", "low_rank"}, default="auto"
        How "kce", "klce" and "normalized_klce" are evaluated.
    n_draws : int, default=1
        How many sets of labels will be evaluated.

    References
    ----------
    .. [1] P. H. Westfall, S. S. Young, "Resampling-Based Multiple Testing", Wiley 1993.
    """
    settings = {
        "prob_bandwidth": prob_bandwidth,
        "feature_bandwidth": feature_bandwidth,
        "categorical_features": categorical_features,
        "category_similarity": category_similarity,
    }
    work = {"algorithm": algorithm, "n_draws": n_draws}
    return make_omnibus(predictions, parts, target, settings, **work)


def make_omnibus(predictions, parts=None, target="auto", settings=None, *, subset=None, **work):
    """Return the `Omnibus` of these parts, which `prepare_omnibus` documents.

    `settings` are options for the statistics that have them. Sums over pairs in more than one
    dimension use the rows of `subset`, all by default. `work` are `algorithm` and `n_draws`.
    """
    check_option(target, "target", ONE_EVENT)
    importance: dict[str, float] = {}
    if parts is None:
        one_event = predictions.n_classes == 2 or target == "confidence"
        pairs, importance = default_parts(predictions, one_event)
    else:
        pairs = check_parts(parts)
    settings = {**(settings or {}), "target": None if target == "auto" else target}
    prepared = prepare_parts(
        predictions, pairs, importance, settings=settings, subset=subset, **work
    )
    if target == "auto":
        target = "binary" if predictions.n_classes == 2 else "canonical"
    return Omnibus(prepared, target, _count_impossible(predictions, target))


def _count_impossible(predictions, target):
    """Return in how many rows what happened had probability zero; as an event, if it is one."""
    if target == "canonical":
        return predictions.n_impossible
    return EventRows.of(predictions, target).n_impossible
