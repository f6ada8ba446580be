"""Shared parameter texts, written once and filled into the docstrings that ask for them."""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from typing import TypeVar

from .doc_sections import SECTIONS

PARAMETERS = {
    "y_true": """
        y_true : array-like of shape (n_samples,)
            Labels of any scikit-learn type: numbers, strings or booleans.
    """,
    "y_true_or_dask": """
        <<y_true>>
            The columns of rows (`y_true`, `y_proba`, `sample_weight` and `groups`) may also be
            Dask arrays, Series or DataFrames with the same partitions, of which only sums are
            brought together (:ref:`dask`).
    """,
    "y_proba": """
        y_proba : array-like of shape (n_samples,), (n_samples, 1), (n_samples, 2) or \
(n_samples, n_classes)
            Predicted probabilities in [0, 1]. A 1-D array or a single column holds the
            probability of the positive class. With more columns, each row sums to one within 1e-6,
            or within what half (0.02) or single precision (3.5e-4) or the rounding to three or more
            decimals allows, and is then divided by its sum. Columns follow the sorted labels, or
            their names if they are a table whose column names are exactly the labels. If all values
            are exactly 0 or 1, as from `predict`, a warning says so.
    """,
    "sample_weight": """
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative importance weights. Rows of weight zero are left out.
    """,
    "pos_label": """
        pos_label : int, float, bool or str, default=None
            The positive class of binary data. By default 1 or True for labels in {0, 1}, {-1, 1}
            or {False, True}, and otherwise the last of `labels`, or the last of two sorted labels
            if `y_proba` has two columns. In all other cases you must pass it.
    """,
    "labels": """
        labels : array-like of shape (n_classes,), default=None
            The classes that the columns stand for, in sorted order. Needed if `y_true` lacks a
            class (for binary data only if the labels do not identify the positive class).
    """,
    "verbose": """
        verbose : bool or callable, default=False
            Whether to show progress on standard error: one line that is rewritten, with a bar, in
            terminals and notebooks, and a line per step elsewhere. A callable is called with each
            line instead. It is also said if a kernel takes more than 3 s to compile, which it does
            once. Worker processes show nothing, and results do not depend on it.
    """,
    "draws_random_state": """
        random_state : int, RandomState, Generator or None, default=None
            Makes the draws. The global random state is neither read nor changed.
    """,
    "numbered_random_state": """
        random_state : int, RandomState, Generator or None, default=None
            Draw b depends on this and on b only. The global random state is neither read nor
            changed.
    """,
    "input": """
        input : {"native", "probability"}, default="native"
            What `S` holds. "native": {native}. "probability": probabilities in [0, 1], which are
            turned into {target} first, with exact 0 and 1 moved to the distance `floor_`.
    """,
    "input_probability": """
        input : {"probability", "native"}, default="probability"
            What `S` holds. "probability": probabilities in [0, 1] whose rows sum to one; exact 0
            and 1 are moved to the distance `floor_`. "native": log-probabilities or the logits of
            a softmax.
    """,
    "floor_": """
        floor_ : float
            Half the smallest distance to 0 or 1 that occurs in the calibration probabilities,
            exact hits aside, or machine epsilon if that is more. Only with
            ``input="probability"``.
    """,
    "pseudo_count": """
        pseudo_count : float or "auto", default="auto"
            Number of rows at the overall rate that are added to every {part}, so that none is
            exactly 0 or 1. 0 is the method of the literature. "auto" is 0, and 0.5 if the
            calibrator is fitted by `CalibratedClassifier`, where it lowers log loss and Brier
            score.
    """,
    "malformed": """
        ValueError
            If an argument is malformed or the labels do not tell which class a column stands for.
    """,
    "ax": """
        ax : Axes, default=None
            Where to draw; a new figure by default.
    """,
    "plot_options": """
        **plot_options : dict
            Options of :meth:`plot`.
    """,
    "estimator_and_rows": """
        estimator : estimator
            A fitted classifier with `predict_proba`.
        X : array-like of shape (n_samples, n_features)
            Its input{numeric}.
        y : array-like of shape (n_samples,)
            Labels.
    """,
    "features_and_queries": """
        <<features>>
        X_query : array-like of shape (n_queries, n_features) or (n_queries,), default=None
            Features of the query points; by default those of the data. Must be passed together
            with `proba_query`.
        proba_query : array-like of shape (n_queries,), (n_queries, 1), (n_queries, 2) or \
(n_queries, n_classes), default=None
            Predicted probabilities of the query points.
    """,
    "features": """
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Features: numbers, text, booleans and missing values, in an array, a list or a table of
            pandas or polars. One dimension is one feature. Numbers are not standardised: use
            "scaled", or one bandwidth per feature, when their units differ.
    """,
    "categorical_features": """
        categorical_features : {"auto", "from_dtype"} or array-like, default="auto"
            Which features are categories, which agree or do not, and not numbers, which have
            distances. "auto": text, booleans, columns of a categorical type, and whole numbers with
            at most two distinct values, or with at most ten and 20 rows or more, whatever their
            weights, for each of them on average. "from_dtype": the same without the whole numbers.
            A list holds the positions or names of the columns of numbers that are categories, or
            one boolean per feature. A missing value is a category of its own; a missing number is
            also replaced by the median of the others.
    """,
    "categorical_features_of_tables": """
        categorical_features : {"auto", "from_dtype"} or array-like, default="auto"
            Which features are categories, which agree or do not, and not numbers, which have
            distances. "auto": text, booleans and columns of a categorical type; and, except in an
            array that holds nothing but numbers, whole numbers with at most two distinct values, or
            with at most ten and 20 rows or more, whatever their weights, for each of them on
            average. "from_dtype": the same without the whole numbers. A list holds the positions or
            names of the columns of numbers that are categories, or one boolean per feature. A
            missing value is a category of its own; a missing number is also replaced by the median
            of the others.
    """,
    "category_similarity": """
        category_similarity : float, default=0.0
            Kernel between two rows for each category in which they differ, at least 0 and below 1.
            0 is an exact match: rows are compared with rows of the same categories only. A larger
            number lets rows of other categories count a little, which helps where there are many
            categories with few rows each.
    """,
    "target_kernel": """
        target : {"auto", "binary", "confidence", "classwise", "canonical"}, default="auto"
            Which calibration is measured: of the positive class ("binary"), of the largest
            probability ("confidence"; ties take the first column), of every class on its own,
            averaged ("classwise"; of two classes, the positive one), or of the whole probability
            vector ("canonical"). "auto" is "binary" for two classes and "canonical" for more.
    """,
    "target_binned": """
        target : {"auto", "binary", "confidence", "classwise"}, default="auto"
            Which calibration is measured: of the positive class ("binary"), of the largest
            probability ("confidence"; ties take the first column), or of every class on its own
            ("classwise"; of two classes, the positive one). "auto" is "binary" for two classes and
            "confidence" for more.
    """,
    "target_event": """
        target : {"auto", "binary", "confidence"}, default="auto"
            Which event is looked at: the positive class ("binary"), or that the class of the
            largest probability occurs ("confidence"; ties take the first column). "auto" is
            "binary" for two classes and "confidence" for more.
    """,
    "target_score": """
        score : {"brier", "log_loss"}, default="brier"
            The mean of ``(y - p) ** 2``, or of minus the logarithm of the probability of what
            happened, for each event.
        target : {"auto", "binary", "confidence", "classwise"}, default="auto"
            Which events are scored: the positive class ("binary"), that the class of the largest
            probability occurs ("confidence"; ties take the first column), or every class, with the
            mean over the classes ("classwise"; of two classes, the positive one). "auto" is
            "binary" for two classes and "classwise" for more.
    """,
    "certain_probabilities": """
        Probabilities of exactly 0 and 1 have infinite log-odds. They count as half the smallest
        distance to 0 or 1 that occurs among the others, and at least machine epsilon. Others nearer
        to 0 or 1 than twice machine epsilon count as about that far away as well.
    """,
    "target_top_label": """
        target : {"auto", "binary", "confidence", "classwise", "top_label"}, default="auto"
            Which calibration is measured: of the positive class ("binary"), of the largest
            probability ("confidence"; ties take the first column), of every class on its own
            ("classwise"; of two classes, the positive one), or of the largest probability given the
            class that has it ("top_label": the rows of each such class have bins of their own,
            which all count together). "auto" is "binary" for two classes and "confidence" for more.
    """,
    "n_bins": """
        n_bins : int or "auto", default=15
            Number of bins, from 1 to a million. "auto" is the cube root of the number of rows,
            rounded up (10 for 1000 rows); weighted rows count as ``(sum w)^2 / sum w^2`` rows.
    """,
    "bins": """
        bins : array-like of shape (n_edges,), default=None
            Increasing edges from 0 to 1, such as [0, 0.05, 0.2, 1], that take the place of
            `n_bins`. They leave `strategy` nothing to choose.
    """,
    "strategy": """
        strategy : {"uniform", "quantile"}, default="uniform"
            "uniform": bins of equal width with the edges ``k / n_bins``. "quantile": row i falls in
            bin ``floor(n_bins * (weight strictly below p_i) / (total weight))``, so that bins hold
            about equal weight, equal probabilities share a bin and the order of rows is irrelevant.
    """,
    "closed": """
        closed : {"left", "right"}, default="left"
            The side on which uniform bins are closed; the bin at the other end of [0, 1] is
            closed on both sides, and so for given edges. "right" is the rule of
            :func:`sklearn.calibration.calibration_curve`. This option has no effect on quantile
            bins.
    """,
    "not_proper": """
        The error is neither a proper score nor a mean of terms of single rows: a constant
        prediction at the base rate is calibrated. Select models by a proper score such as the log
        loss, and look at this value beside it.
    """,
    "cumulative_bias": """
        It is biased upwards. For a calibrated model and many rows, the sums move like Brownian
        motion, and the error is about a constant times :math:`(\\sum_i w_i^2 p_i (1 - p_i))^{1/2}`,
        which shrinks with the square root of the number of rows (:ref:`perfect_models`);
        :func:`~sklearn_calib.check_calibration` tells whether a value is larger than that.
    """,
    "statistic": """
        statistic : {"auto", {statistics}} or callable, default="auto"
            What is compared with its null distribution. "auto" is "klce" with `X` and "skce"
            without. "omnibus" puts several statistics together, with `X` or without, finds most
            kinds of errors and says which (:ref:`omnibus`); its statistic is minus the logarithm
            (base 10) of their smallest p-value, in which ties are broken by a fraction of a draw. A
            callable is called as
            ``statistic(y_true, y_proba, **statistic_params)``, or
            ``statistic(y_true, y_proba, X, **statistic_params)`` if `X` is given, with `y_proba`
            and `X` as they were passed, once per draw; larger is worse. It also gets `labels`
            (sorted), `pos_label` and `sample_weight` as far as its signature names them.
    """,
    "metric": """
        metric : {"auto", {metrics}} or callable, default="auto"
            "auto" is "klce" with `X` and "skce" without. A callable is called as
            ``metric(y_true, y_proba, **metric_params)``, or with `X` as third argument if it is
            given; it also gets `labels`, `pos_label` and `sample_weight` as far as its signature
            names them.
    """,
    "metric_of_plan": """
        metric : {{metrics}}, default=None
            The metric whose interval should have the width. `shift`, `slope` and `truth` then say
            what is true; by default the predictions are.
    """,
    "statistic_of_plan": """
        statistic : {{statistics}}, default="omnibus"
            The statistic of the test.
    """,
    "bandwidth": """
        bandwidth : float or "median", default={default}
            The number h that divides the distance, in units of probability. "median" takes the
            median of the pairwise distances that are not zero, in which a weight counts as that
            many copies of the row (of 2000 rows drawn with a fixed seed if there are more, in
            proportion to the weights); it depends on the predictions, so values of different
            models are then not comparable.
    """,
}


_TEXTS = {**PARAMETERS, **SECTIONS}
_Documented = TypeVar("_Documented")


def fill_doc(**values: str) -> Callable[[_Documented], _Documented]:
    """Return a decorator that fills ``<<name>>`` lines of a docstring with the text of that name.

    On a class it also fills the docstrings of the methods that the class defines. A text may ask
    for other texts, and `values` are those of its ``{field}`` placeholders. Lines that end in a
    backslash are joined with the next one, in raw docstrings as well.
    """

    def decorate(obj: _Documented) -> _Documented:
        members = vars(obj).values() if isinstance(obj, type) else ()
        methods = [getattr(member, "__func__", member) for member in members]
        for one in (obj, *filter(inspect.isfunction, methods)):
            if one.__doc__:
                one.__doc__ = _fill(one.__doc__.replace("\\\n", ""), values)
        return obj

    return decorate


def list_names(names: Iterable[str]) -> str:
    """Return names as the list of allowed values in a docstring."""
    return ", ".join(f'"{name}"' for name in names)


def _fill(text, values):
    return re.sub(
        r"^( *)<<(\w+)>>$",
        lambda match: textwrap.indent(_render(match[2], values), match[1]),
        text,
        flags=re.MULTILINE,
    )


def _render(name, values):
    text = textwrap.dedent(_TEXTS[name]).strip()
    for field, value in values.items():
        text = text.replace("{" + field + "}", value)
    return _fill(text, values)
