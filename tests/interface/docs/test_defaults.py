"""The documented default of each parameter of a public callable is the one it has."""

import ast
import importlib
import inspect
import re

import numpy as np
import pytest

from tests.interface.test_signatures import CALLABLES

_SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w[\w*, ]*?) : (.*)$", re.MULTILINE)


def _documented(value):
    """Return the type and the default of each documented parameter as text."""
    section = _SECTION.search(inspect.getdoc(value) or "")
    entries = _ENTRY.findall(section[1]) if section else []
    return {name: text for names, text in entries for name in names.split(", ")}


def _defaults(value):
    parameters = inspect.signature(value).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not one.empty}


WITH_DEFAULTS = [
    name for name, value in CALLABLES.items() if _documented(value) and _defaults(value)
]


@pytest.mark.parametrize("name", WITH_DEFAULTS)
def test_the_documented_defaults_are_those_of_the_signature(name):
    """A reader relies on the text, and a number that is changed in one place is a mistake."""
    documented = _documented(CALLABLES[name])
    stated = {
        key: ast.literal_eval(text.split("default=")[1].rstrip("."))
        for key, text in documented.items()
        if "default=" in text
    }
    defaults = _defaults(CALLABLES[name])
    assert stated == {key: defaults[key] for key in documented if key in defaults}


def test_the_defaults_are_found():
    documented = _documented(CALLABLES["inference.local_bias_band"])
    assert documented["n_resamples"] == "int, default=999"
    assert len(WITH_DEFAULTS) > 100


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("display.LocalBiasDisplay.from_predictions", "inference.local_bias_band"),
        ("display.GroupCalibrationDisplay.from_predictions", "inference.calibration_by_group"),
        (
            "display.ReliabilityDisplay.from_cv_results",
            "display.ReliabilityDisplay.from_predictions",
        ),
        (
            "display.CalibrationComparisonDisplay.from_predictions",
            "display.ReliabilityDisplay.from_predictions",
        ),
    ],
)
def test_options_that_are_handed_on_have_the_default_of_where_they_go(name, same):
    defaults, documented = _defaults(CALLABLES[name]), _documented(CALLABLES[name])
    expected = _defaults(CALLABLES[same])
    handed_on = {key: defaults[key] for key in defaults if key not in documented}
    handed_on = {key: value for key, value in handed_on.items() if key in expected}
    assert len(handed_on) > 4
    assert handed_on == {key: expected[key] for key in handed_on}


_WORDS = {2: "two", 3: "three", 5: "five", 6: "six", 10: "ten"}
# What docstrings say about the numbers at the top of their modules.
STATED = [
    ("_core.distances", lambda m: f"wide gaps between neighbours are {m._WIDEST:g}:"),
    ("_core.poisson_binomial", lambda m: f"at most the mass ``exp(-{m._TAIL:g})``"),
    ("_core.recalibration", lambda m: f"at least one and at most {m._MAX_HELD_OUT:,}."),
    ("_core.ways.low_rank", lambda m: f"estimated from {m._N_PAIRS:,} random pairs of points"),
    ("_data.features.dominance", lambda m: f"carries over {100 * m._DOMINANT:g} % of the squared"),
    (
        "_data.features.encoder",
        lambda m: f"at most {_WORDS[m._MOST_VALUES]} with at least {m._ROWS_PER_VALUE} rows for",
    ),
    ("_data.features.encoder", lambda m: f"categories but one, at most {m._MOST_INDICATORS}."),
    ("_data.hard_predictions", lambda m: f"at least {m.FEWEST_ROWS} rows, every value"),
    ("_data.precision", lambda m: f"That is {m.ROW_SUM_TOLERANCE:g}".replace("e-06", "e-6")),
    ("_data.precision", lambda m: f"(`came_as`), at most {m._MOST_BY_ROUNDING:g}, or half"),
    ("_data.precision", lambda m: f"for each column, at most {m._MOST_BY_DECIMALS:g}."),
    ("_data.precision", lambda m: f"or None beyond {_WORDS[m._MOST_DECIMALS]}."),
    ("_data.precision", lambda m: f"Fewer than {_WORDS[m._FEWEST_DECIMALS]} are never found"),
    ("_data.predictions", lambda m: f"more than {m._EXACT:g}".replace("e-08", "e-8")),
    ("calibrators._features.blending", lambda m: f"support, each in [0, {m.MAX_FACTOR:g}]."),
    ("calibrators._features.blending", lambda m: f"``(price + ({m._FEW_ROWS:g} / n)^2) / n``"),
    ("calibrators._features.category_effects", lambda m: f"Of more than {m._MAX_ROWS:,} rows as"),
    ("calibrators._features.normal_scores", lambda m: f"more than {m._HEAVY:g} times as large"),
    (
        "calibrators._features.normal_scores",
        lambda m: "the same {:g} % and {:g} % quantiles".format(*(100 * one for one in m._SHARES)),
    ),
    ("calibrators._features.normal_scores", lambda m: f"summarised by {m._MAX_KNOTS:,} of its"),
    (
        "calibrators._multiclass.adaptive_map",
        lambda m: f"at least 2 ** {np.log2(m.SMALLEST_FLOOR):g}.",
    ),
    ("calibrators._multiclass.adaptive_map", lambda m: f"the matrix beyond {m.LARGEST_MATRIX} "),
    (
        "calibrators._multiclass.dirichlet",
        lambda m: "the one of {:g}, {:g}, {:g}, {:g} and {:g} with".format(*m._CANDIDATES),
    ),
    ("calibrators._multiclass.dirichlet", lambda m: f"None means at most {m._N_FOLDS} folds"),
    ("calibrators._solvers.temperature", lambda m: f"in [{m._SMALLEST:g}, {m._LARGEST:g}] with"),
    ("inference._cross_validated", lambda m: f"into {_WORDS[m._N_FORWARD + 1]}"),
    (
        "inference._detectable_error",
        lambda m: f"finds in {100 * m.POWER:g} % of samples at level {100 * m.LEVEL:g} %.",
    ),
    (
        "inference._local.band",
        lambda m: (
            f"exceeds {m._EXACT_WORK:g}".replace("e+", "e") + " (some 14,000 rows) and a rank"
            f" of {m._RANKS[0]} saves at least half of it in {m._FACTOR_BYTES / 1e9:g} GB"
        ),
    ),
    ("inference._local.band", lambda m: f"by one of rank up to {m._RANKS[1]} where"),
    ("inference._sample_size.simulated_width", lambda m: f"for sizes of up to {m._MOST:,} rows"),
    ("inference._statistics.omnibus.min_p", lambda m: rf"\frac{{t}}{{{m._REACH:g} + t}}"),
    ("inference._statistics.omnibus.outcome", lambda m: f"and at most {_WORDS[m._MOST]} parts"),
    (
        "metrics._smooth.kde_ece",
        lambda m: (
            f"the one of {m._CANDIDATES.size} numbers from {m._CANDIDATES[0]:.5f} to "
            f"{m._CANDIDATES[-1]:g} under which"
        ),
    ),
    ("metrics._smooth.kde_ece", lambda m: f"(of {m._N_LIKELIHOOD} rows drawn with a fixed seed"),
]


def _docstrings(module):
    """Return all docstrings of a module as one line."""
    with_docs = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = ast.walk(ast.parse(inspect.getsource(module)))
    texts = [ast.get_docstring(one) or "" for one in nodes if isinstance(one, with_docs)]
    return " ".join(" ".join(texts).split())


# What docstrings say about numbers of other modules: where the number is, and where the docstring.
STATED_ELSEWHERE = [
    (
        *("_core.correction", "calibrators._features.kernel_recalibrator"),
        lambda m: f"kept {m.SMALLEST:g} away from 0 and 1".replace("e-06", "e-6"),
    ),
    (
        *("_core.queries.low_rank_means", "inference._local.band"),
        lambda m: f"holds at {100 - 100 * m._MISSED:g} of 100 of the query points",
    ),
    (
        *("_data.features.table", "_data.features.encoder"),
        lambda m: f"may have rounded them (from 2**{np.log2(m._ROUNDED_FROM):g} on)",
    ),
    (
        *("_data.group_columns", "inference._groups.by_group"),
        lambda m: f"at most {_WORDS[m.FEW_VALUES]} distinct values are categories",
    ),
    (
        *("calibrators._features.boosted_trees", "calibrators._features.kernel_recalibrator"),
        lambda m: f"O(n_networks * min(n, {m._MAX_ROWS:,}))",
    ),
    (
        *("calibrators._features.boosted_trees", "calibrators._features.kernel_recalibrator"),
        lambda m: "of {} or {} leaves".format(*m._SIZES),
    ),
    (
        *("calibrators._solvers.multinomial", "calibrators._multiclass.adaptive"),
        lambda m: f"beyond {m.EXACT_LIMIT} coefficients",
    ),
    (
        *("inference._groups.evidence", "inference._groups.result"),
        lambda m: f"in {_WORDS[m.N_BINS]} bins of equal width",
    ),
    (
        *("inference._sample_size.simulated_power", "inference._sample_size.required"),
        lambda m: f"more rows is represented by {m._MOST:,} with an error",
    ),
    (
        *("inference._sample_size.simulated_power", "inference._sample_size.required"),
        lambda m: f"sizes, {m._FEWEST_DRAWS} times or more for each",
    ),
    (
        *("inference._sample_size.simulated_power", "inference._sample_size.required"),
        lambda m: f"since {m._FEWEST_BEYOND} draws or more must lie beyond the level",
    ),
    (
        *("metrics._kernel.pair_error", "inference._check_calibration"),
        lambda m: f"exceeds {m.EXACT_WORK:g} and".replace("e+", "e"),
    ),
    (
        *("metrics._smooth.local_quadratic", "metrics._smooth.integrated_calibration_index"),
        lambda m: f"With more than {m._EXACT} distinct probabilities",
    ),
]


@pytest.mark.parametrize(
    ("name", "where", "sentence"),
    [*((name, name, sentence) for name, sentence in STATED), *STATED_ELSEWHERE],
)
def test_numbers_in_docstrings_are_those_of_the_modules(name, where, sentence):
    module, documented = (importlib.import_module(f"sklearn_calib.{one}") for one in (name, where))
    assert sentence(module) in _docstrings(documented)
