"""The columns of the table: what holds for every public callable of rows and predictions."""

import numpy as np
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin

from sklearn_calib.metrics import make_calibration_scorer
from sklearn_calib.metrics._metric import METRICS
from tests.properties._data import DYADIC
from tests.properties._outcomes import Refusal, assert_same
from tests.properties._subjects import fit, scores
from tests.properties._table import Property

PROPERTIES = []


def holds(*names, kinds=None, **rows):
    """Return a decorator that enters a check into the table.

    Parameters
    ----------
    *names : str
        Parameters that a callable must have.
    kinds : tuple of str, default=None
        Kinds of callables; all by default.
    **rows : dict
        Which rows to draw.
    """

    def enter(check):
        def applies(subject):
            return set(names) <= subject.takes and (kinds is None or subject.kind in kinds)

        PROPERTIES.append(Property(check.__name__, check, applies, rows))
        return check

    return enter


# Words that name classes, or show as many digits as tell two numbers apart.
SENTENCES = ("verdict", "advice", "finding")


def _same(subject, first, second, without=()):
    assert_same(first, second, rtol=subject.rtol, atol=subject.atol, without=without)
    return first


def _exactly(first, second, without=()):
    assert_same(first, second, rtol=0, atol=0, without=without)
    return first


WEIGHTED = ("positive", "magnitudes")
OTHERS = {"n_resamples", "n_samples", "n", "count", "support"}


@holds("y_true")
def order_of_rows(subject, options, rows, draw):
    """Rows may come in any order."""
    order = np.array(draw(st.permutations(range(rows.n))))
    first = subject.for_rows(subject.answer(rows, options), order)
    second = subject.answer(rows.take(order), options)
    if subject.kind == "kernel":
        first = {
            name: value[np.ix_(order, order)] if value.shape == (rows.n, rows.n) else value
            for name, value in first.items()
        }
    return _same(subject, first, second, subject.drawn)


@holds("y_true", "sample_weight", weights=("counts",))
def weight_as_copies(subject, options, rows, draw):
    """A weight is as many copies of the row."""
    copies = np.repeat(np.arange(rows.n), rows.weight.astype(int))
    first = subject.for_rows(subject.answer(rows, options), copies)
    second = subject.answer(rows.but(weight=np.ones(rows.n)).take(copies).but(weight=None), options)
    return _same(subject, first, second, {*subject.drawn, *OTHERS})


@holds("sample_weight", weights=WEIGHTED)
def unit_of_weights(subject, options, rows, draw):
    """Weights may be measured in any unit."""
    scales = [1e-12, 2.0**-30, 1e-3, 3.0, 1e6, 1e12]
    if subject.kind != "state":  # whose sums of squares have to be numbers
        scales += [1e-200, 1e160]
    if subject.kind == "metric":
        scales += [1e-250, 1e250]
    scale = draw(st.sampled_from(scales))
    first = subject.answer(rows, options)
    second = subject.answer(rows.but(weight=scale * rows.weight), options)
    # The detectable error is searched for by draws, which jump where a weight is rounded.
    return _same(subject, first, second, {"weight", "count", "detectable_error", *SENTENCES})


@holds("sample_weight", weights=("none",))
def equal_weights(subject, options, rows, draw):
    """Equal weights are no weights."""
    scales = [1.0] if subject.kind in ("calibrator", "model") else [1.0, 0.1, 2.0**40]
    if subject.kind == "metric":
        scales += [1e-250, 1e250]
    weight = np.full(rows.n, draw(st.sampled_from(scales)))
    first = subject.answer(rows, options)
    return _same(
        subject, first, subject.answer(rows.but(weight=weight), options), {"weight", "count"}
    )


@holds("sample_weight", weights=WEIGHTED)
def rows_without_weight(subject, options, rows, draw):
    """Rows of weight zero may as well be left out."""
    n = rows.n
    places = np.sort(np.array(draw(st.lists(st.integers(0, n), min_size=1, max_size=4))))
    kept = np.insert(np.ones(n, bool), places, False)
    taken = np.insert(np.arange(n), places, draw(st.integers(0, n - 1)))
    more = rows.take(taken)
    y = np.where(kept, more.y, draw(st.integers(0, rows.n_classes - 1)))
    more = more.but(weight=np.where(kept, more.weight, 0.0), y=y)
    second = subject.for_rows(subject.answer(more, options), kept)
    return _exactly(subject.answer(rows, options), second)


NAMES = {
    "text": lambda k: np.array(["a", "bb", "c", "d"])[:k],
    "object": lambda k: np.array(["a", "bb", "c", "d"], dtype=object)[:k],
    "whole": lambda k: np.array([-7, 0, 3, 11])[:k],
    "float": lambda k: np.array([-1.0, 2.0, 3.0, 4.0])[:k],
    "bool": lambda k: np.array([False, True]) if k == 2 else np.arange(k),
}


@holds("y_true")
def names_of_classes(subject, options, rows, draw):
    """Classes may be called anything."""
    names = NAMES[draw(st.sampled_from(sorted(NAMES)))](rows.n_classes)
    first = subject.answer(rows, options)
    without = {"event", "label", "labels", "classes", "pos_label", *SENTENCES}
    return _exactly(first, subject.answer(rows.but(names=names), options), without)


@holds("y_true", classes=(3, 4), tied=False)
def numbers_of_classes(subject, options, rows, draw):
    """Classes may come in any order."""
    order = np.array(draw(st.permutations(range(rows.n_classes))))
    proba, query = rows.proba[:, order], rows.query[:, order]
    other = rows.but(y=np.argsort(order)[rows.y], proba=proba, query=query)
    first = subject.for_classes(subject.answer(rows, options), order)
    # The bandwidth has an element for each class.
    without = {*subject.drawn, *SENTENCES, "prob_bandwidth"}
    return _same(subject, first, subject.answer(other, options), without)


@holds("y_true", classes=(2,), exact=True, tied=False)
def other_class(subject, options, rows, draw):
    """Either of two classes may be the positive one."""
    other = rows.but(y=1 - rows.y, proba=1 - rows.proba, query=1 - rows.query)
    first = subject.for_classes(subject.answer(rows, options), slice(None, None, -1))
    return _same(subject, first, subject.answer(other, options), subject.drawn)


@holds("y_true", classes=(2,))
def two_columns(subject, options, rows, draw):
    """One column and two columns say the same as a vector."""
    first = subject.answer(rows, options)
    for forms in (
        lambda p: p[:, np.newaxis],
        lambda p: np.column_stack([1 - p, p]),
        lambda p: np.asfortranarray(np.column_stack([1 - p, p])),
    ):
        other = rows.but(proba=forms(rows.proba), query=forms(rows.query))
        _same(subject, first, subject.answer(other, options))
    return first


@holds(classes=(2,))
def single_precision(subject, options, rows, draw):
    """Predictions in single precision are these numbers."""
    single = rows.but(proba=rows.proba.astype("f4"), query=rows.query.astype("f4"))
    double = single.but(proba=single.proba.astype("f8"), query=single.query.astype("f8"))
    first = subject.answer(double, options)
    return _same(subject, first, subject.answer(single, options))


@holds(classes=(2, 3, 4), exact=True)
def rows_in_single_precision(subject, options, rows, draw):
    """Rows of numbers that are exact in single precision are these numbers."""
    single = rows.but(proba=rows.proba.astype("f4"), query=rows.query.astype("f4"))
    first = subject.answer(rows, options)
    return _same(subject, first, subject.answer(single, options))


@holds("verbose")
def progress(subject, options, rows, draw):
    """What is said on the way does not change the answer."""
    first = subject.answer(rows, options)
    return _exactly(first, subject.answer(rows, {**options, "verbose": lambda *_: None}))


@holds("n_jobs")
def jobs(subject, options, rows, draw):
    """The number of workers does not change the answer."""
    import joblib

    first = subject.answer(rows, options)
    with joblib.parallel_backend("threading"):
        return _exactly(first, subject.answer(rows, {**options, "n_jobs": 2}))


@holds("algorithm")
def algorithm(subject, options, rows, draw):
    """For few rows the exact way is taken."""
    options = {key: value for key, value in options.items() if key != "algorithm"}
    first = subject.answer(rows, options)
    return _exactly(first, subject.answer(rows, {**options, "algorithm": "exact"}))


@holds()
def again(subject, options, rows, draw):
    """The same question has the same answer, whatever the global random state."""
    state = np.random.get_state()  # noqa: NPY002
    first = subject.answer(rows, options)
    after = np.random.get_state()  # noqa: NPY002
    np.testing.assert_array_equal(state[1], after[1])
    np.random.seed(draw(st.integers(0, 9)))  # noqa: NPY002
    second = subject.answer(rows, options)
    np.random.set_state(state)  # noqa: NPY002
    return _exactly(first, second)


def _pairs(answer):
    """Yield the lower and the upper limits of intervals."""
    for name, low in answer.items():
        if name.split(".")[-1].endswith("low"):
            yield low, answer[name.removesuffix("low") + "high"]
        if name.endswith("_interval.0"):
            yield low, answer[name[:-1] + "1"]


@holds(kinds=("metric", "statistic", "function", "display", "report"))
def range_of_numbers(subject, options, rows, draw):
    """P-values lie in (0, 1], intervals have a lower and an upper end, errors are not negative."""
    answer = subject.answer(rows, options)
    if isinstance(answer, Refusal):
        return answer
    for name, value in answer.items():
        if value.dtype.kind not in "fc":
            continue
        last = name.split(".")[-1]
        if "pvalue" in last or "pvalues" in name:
            value = value[~np.isnan(value)]
            # Limiting distributions have p-values below the smallest number, which are zero.
            limit = options.get("null") == "asymptotic" or "line" in subject.name
            assert ((value >= 0) if limit else (value > 0)).all(), (name, value)
            assert (value <= 1).all(), (name, value)
    for low, high in _pairs(answer):
        known = ~(np.isnan(low) | np.isnan(high))
        assert (low[known] <= high[known]).all(), answer
    if subject.kind == "metric":
        assert list(answer) == [""]
        error = METRICS[subject.name.split(".")[-1]]
        value = answer[""]
        assert not np.isnan(value) or error.alternative == "two-sided"
        if error.alternative == "greater" and error.effect_of({**error.options, **options}):
            most = 2.0 if rows.n_classes > 2 or options.get("target") == "canonical" else 1.0
            assert -most - 1e-12 <= value <= most + 1e-12
    return answer


class Given(ClassifierMixin, BaseEstimator):
    """A classifier that knows its predictions."""

    def __init__(self, rows):
        self.rows = rows
        self.classes_ = rows.names

    def fit(self, X, y):
        """Do nothing."""

    def predict_proba(self, X):
        """Return the predictions."""
        p = self.rows.proba
        return np.column_stack([1 - p, p]) if p.ndim == 1 else p


@holds("y_true", kinds=("metric",))
def scorer(subject, options, rows, draw):
    """The scorer of a metric gives minus its distance from the ideal."""
    name = subject.name.split(".")[-1]
    first = subject.answer(rows, options)
    score = make_calibration_scorer(METRICS[name].function, **options)

    def asked():
        return score(Given(rows), rows.X, rows.labels, sample_weight=rows.weight)

    if isinstance(first, Refusal):
        return first
    expected = {"": -METRICS[name].badness(first[""])}
    return _same(subject, {"": np.asarray(expected[""])}, {"": np.asarray(asked())})


@holds("n_resamples", kinds=("statistic",))
def fewer_draws(subject, options, rows, draw):
    """Fewer draws are the first ones of more, however they are put into batches."""
    more = subject.answer(rows, {**options, "n_resamples": 31})
    if isinstance(more, Refusal) or "null_distribution" not in more:
        return more
    draws = more["null_distribution"]
    if draws.shape != (31,):
        return more
    fewer = subject.answer(rows, {**options, "n_resamples": 7})
    values = {"draws": fewer["null_distribution"], "statistic": fewer["statistic"]}
    return _same(subject, {"draws": draws[:7], "statistic": more["statistic"]}, values)


@holds("y_true", kinds=("calibrator", "model"))
def rows_sum_to_one(subject, options, rows, draw):
    """Probabilities lie between 0 and 1, and each row sums to one."""
    answer = subject.answer(rows, options)
    proba = answer["proba"]
    assert proba.shape == (len(rows.query), rows.n_classes)
    assert (proba >= 0.0).all()
    assert (proba <= 1.0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    return answer


@holds("y_true", kinds=("calibrator", "model"))
def one_row_at_a_time(subject, options, rows, draw):
    """The size of a batch does not change its probabilities, nor does its order."""
    answer = subject.answer(rows, options)
    order = np.array(draw(st.permutations(range(len(rows.query)))))
    part = rows.but(query=rows.query[order[:3]], query_features=rows.query_features[order[:3]])
    few = subject.answer(part, options)
    np.testing.assert_allclose(few["proba"], answer["proba"][order[:3]], rtol=0, atol=1e-15)
    return answer


def monotone(calibrator):
    """Return whether a binary calibrator promises a map that does not fall."""
    kind = type(calibrator).__name__
    if kind == "BetaCalibrator" or kind == "AdaptiveCalibrator":
        return calibrator.monotone
    return kind in (
        "IsotonicCalibrator",
        "CenteredIsotonicCalibrator",
        "VennAbersCalibrator",
        "TemperatureCalibrator",
    )


@holds("y_true", kinds=("calibrator",), classes=(2,))
def monotone_map(subject, options, rows, draw):
    """A map that is monotone by its definition keeps the order of the scores."""
    calibrator = options["calibrator"]
    forms = [one["calibrator"] for one in subject.forms if monotone(one["calibrator"])]
    if not forms:
        assert not monotone(calibrator)
        return {}
    calibrator = draw(st.sampled_from(forms))
    near = np.r_[5e-324, 1e-300, 1e-17, 1e-9, 1 / 3, 1 - 1e-9, 1 - 2.0**-53]
    query = np.sort(np.r_[DYADIC, near])
    X = np.zeros((query.size, 2))
    proba = fit(rows, {"calibrator": calibrator}).predict_proba(scores(calibrator, query, X))
    assert (np.diff(proba[:, 1]) >= -1e-15).all(), calibrator
    return {}


@holds("y_true", kinds=("state",))
def parts_of_a_whole(subject, options, rows, draw):
    """Parts may be summed anywhere, merged in any order, written down and read again."""
    first = subject.answer(rows, options)
    borders = draw(st.lists(st.integers(0, rows.n), max_size=4).map(sorted))
    order = draw(st.permutations(range(len(borders) + 1)))
    second = subject.answer(rows, {**options, "borders": tuple(borders), "order": order})
    return _same(subject, first, second)
