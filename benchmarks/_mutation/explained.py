"""Faults that change no number, no text and no refusal, each with the reason.

The key is the module, the line without its indentation, and the change, which is None where the
reason holds for every change of a number or an operator in this line.
"""

import re

# Which of several ways to compute the same number is taken.
WAYS = (
    "FEW_NEIGHBOURS = 64",
    "fourier = n * (55 + 3.5 * n_columns) + n_frequencies(span) * (700 + 500 * n_columns)",
    "neighbours = n * (REACH / span if span > 2 * REACH else 0.5)",
    "if neighbours <= FEW_NEIGHBOURS:",
    "return fourier < n * (130 + 0.35 * neighbours * n_columns)",
    "return fourier < n * (130 + 43 * n_columns) + 6000 * span * n_columns",
)
# Names of numbers, a line at the top of the module each, by why no change of them can be seen.
NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    # Sums are the same for every size, up to rounding, and draws come from one stream whatever the
    # size of their batches.
    "How much is done at once; the result is the same.": {
        "_core/blocks.py": ("_CHUNK",),
        "_core/forms.py": ("_PORTION",),
        "_core/poisson_binomial.py": ("_LEAF",),
        "_core/queries/low_rank_means.py": ("_PART",),
        "_core/queries/query_means.py": ("_PORTION",),
        "_core/residual_blocks.py": ("_NUMBERS", "ONE_THREAD"),
        "_core/ways/line.py": ("_COLUMNS", "_N_STEPS", "size_bucket"),
        "_core/ways/segments.py": ("_ROWS",),
        "_core/ways/tiles.py": ("TILE", "size_bucket"),
        "_core/ways/waves.py": ("_PORTION",),
        "_core/ways/windows.py": ("_CHUNK",),
        "_data/partitions.py": ("_FAN_IN",),
        "calibrators/_features/kernel_recalibrator.py": ("_CHUNK",),
        "calibrators/_multiclass/adaptive_map.py": ("_PREDICTION_BLOCK",),
        "calibrators/_solvers/multinomial.py": ("_BLOCK_SIZE",),
        "inference/_comparison/differences.py": ("_CELLS",),
        "inference/_detectable_error.py": ("_BATCH_CELLS",),
        "inference/_groups/deviations.py": ("_BATCH_CELLS",),
        "inference/_nulls/batches.py": ("_BATCH_CELLS",),
        "inference/_nulls/simulation.py": ("_CHUNK",),
        "inference/_partitioned/drawing.py": ("_CELLS",),
        "inference/_partitioned/group_cells.py": ("_CELLS",),
        "inference/_sample_size/simulated_power.py": ("_BATCH_CELLS",),
        "metrics/_cumulative/cumulative_error.py": ("_STRETCH",),
        "metrics/_kernel/fourier_sums.py": ("_ROWS",),
        "metrics/_kernel/ucme.py": ("_CELLS",),
        "metrics/_line/line_model.py": ("_CELLS",),
        "metrics/_line/log_odds_sums.py": ("_FIRST_ROWS",),
        "metrics/_smooth/kde_ece.py": ("_CELLS",),
        "metrics/_smooth/local_quadratic.py": ("_CELLS_AT_ONCE",),
        "metrics/_smooth/smooth_ece.py": ("_DRAWS",),
    },
    "From where on another way to the same number is taken.": {
        "_core/blocks.py": ("_LONG_BLOCK",),
        "_core/distances.py": ("_SMALLEST",),
        "_data/bins.py": ("_MOST_COMPARED",),
        "_data/labels.py": ("_MOST_CODES",),
        "_data/precision.py": ("_FIRST_ROWS",),
        "calibrators/_solvers/multinomial.py": ("EXACT_LIMIT", "_PRECONDITIONER_SIZE"),
        "inference/_comparison/redraws.py": ("_MANY_ROWS",),
        "inference/_nulls/simulation.py": ("_MANY_LABELS",),
        "metrics/_line/logistic_line.py": ("_FEW_ROWS", "_MOST_POINTS"),
    },
    "A limit of steps that an iteration which converges does not reach.": {
        "calibrators/_features/category_effects.py": ("_MAX_SWEEPS",),
        "calibrators/_solvers/monotone.py": ("_MAX_HALVINGS", "_MAX_STEPS"),
        "calibrators/_solvers/multinomial.py": ("_MAX_CG_ITERATIONS", "_MAX_HALVINGS"),
        "inference/_intervals/construction.py": ("_N_STEPS",),
        "inference/_intervals/gaps.py": ("_N_STEPS",),
        "inference/_intervals/inversion.py": ("_N_DOUBLINGS",),
        "metrics/_line/line_model.py": ("_MAX_ITER",),
        "metrics/_line/logistic_line.py": ("_MOST_POLISHES",),
        "metrics/_smooth/smooth_ece.py": ("_N_STEPS",),
    },
}
_WAY = "Which way is taken to the same number."
_LEAST_EXPONENT = 9
_TINY = "Twice a number within rounding, which keeps others from zero or equal ones together."
_SHOWN = "Whether an internal object shows a field."

EXPLAINED = {
    (
        "inference/_groups/by_group.py",
        "observed = np.clip(hits[:, :, 0] / measure.total[:, np.newaxis], 0.0, 1.0)",
        "np.clip(hits[:, :, 0] / measure.total[:, np.newaxis], 0.0, 1.0) -> "
        "(hits[:, :, 0] / measure.total[:, np.newaxis])",
    ): "A share of the weight leaves 0 to 1 by its last digit alone, and limits cut it themselves.",
    (
        "metrics/_metric.py",
        "rank: int = 100",
        "100 -> 101",
    ): "All metrics that say where they stand in lists have smaller numbers.",
    ("_core/forms.py", "n_columns=1,", "1 -> 2"): _WAY,
    (
        "_data/sums.py",
        "big = np.ldexp(0.75, int(np.frexp(largest)[1]) + int(values.size).bit_length() + 1)",
        "1 -> 2",
    ): "With a unit twice as large the sums are exact as well, and the rest stays far below the "
    "rounding of float64.",
    (
        "calibrators/_solvers/multinomial.py",
        "find_step = _exact_step if free.sum() <= EXACT_LIMIT else _truncated_step",
        "<= -> <",
    ): _WAY,
    (
        "inference/_statistics/cumulative/brownian.py",
        "values = [self._tail(float(one)) if one > _SMALLEST else 1.0 for one in x.ravel()]",
        "1.0 -> 2.0",
    ): "What is above one is cut off in the next line.",
    (
        "metrics/_line/line_model.py",
        "newton = alpha - excess / hessian[0]",
        "- -> +",
    ): "A step in the wrong direction leaves the bracket, which is halved instead until it is as "
    "narrow as rounding allows.",
    (
        "inference/_intervals/filled_bins.py",
        "for j in np.flatnonzero((self.count * variance < _NORMAL) & (variance > 0.0)):",
        "> -> >=",
    ): "Where all or no rows have the event, binomial draws equal the rate as well.",
    (
        "inference/_intervals/binomial.py",
        "inside = np.clip(hits, 1e-9, n)",
        "np.clip(hits, 1e-9, n) -> (hits)",
    ): "Outside of this range the result is zero or one, whatever the formula gives.",
    (
        "inference/_local/search.py",
        "significant = exceeds & (choose(ratios_before) > 1.0 + ROUNDING) & "
        "(bias * choose(before) > 0)",
        "> -> >=",
    ): "A bias of zero exceeds no limit, and a ratio is one plus the rounding by accident alone.",
    ("metrics/_line/line_model.py", "_FLAT = 1e-6", None): "Where Newton's method begins; the "
    "minimum is the same.",
    (
        "inference/_local/search.py",
        "if not best.ratio >= max(1.0 + ROUNDING, ratios.max(initial=0.0)):",
        "0.0 -> 1.0",
    ): "The largest of the two is more than one in any case.",
    (
        "inference/_intervals/gaps.py",
        "low, high = high, 2.0 * high",
        None,
    ): "Where a bisection begins; it ends at the same place.",
    (
        "_data/features/table.py",
        "_refuse_times(where, [one for one in values if isinstance(one, kind)][:1])",
        "1 -> 2",
    ): "The first value is shown, however many there are.",
    (
        "_data/sums.py",
        "return Totals.of(coarse.sum(keepdims=True), (values - coarse).sum(keepdims=True))",
        "True -> False",
    ): "Beside an array of one number, a number becomes one as well.",
    (
        "_data/bandwidths.py",
        "resolve_feature_bandwidth(np.zeros((1, 1)), bandwidth "
        "if np.ndim(bandwidth) == 0 else 1.0)",
        "1.0 -> 2.0",
    ): "Only refusals count where no feature is a number.",
    (
        "calibrators/_features/inputs.py",
        "resolve_feature_bandwidth(network[:, :1], option)",
        "1 -> 2",
    ): "Only refusals count where no feature is a number.",
    (
        "inference/_detectable_error.py",
        "return a + (b - a) * float(np.clip(at_a / (at_a - at_b), 0.1, 0.9))",
        "np.clip(at_a / (at_a - at_b), 0.1, 0.9) -> (at_a / (at_a - at_b))",
    ): "Where a search for a zero looks next; it ends at the same place.",
    (
        "inference/_local/search.py",
        "critical_value * std if std > 0 else 0.0,",
        "> -> >=",
    ): "Zero in either case: no group is found where the critical value is infinite.",
    (
        "metrics/_groups/group_error.py",
        "first = np.flatnonzero(np.diff(group, prepend=-1))",
        "-1 -> 1",
    ): "The first group is number 0, which differs from both.",
    (
        "calibrators/_solvers/multinomial.py",
        "if blind or new_loss <= loss - _SUFFICIENT_DECREASE * size * decrease:",
        "<= -> <",
    ): "Where both sides are equal, the step is too small to be told from none.",
    (
        "metrics/_line/logistic_line.py",
        "tie = np.full(y.shape[1], -1)",
        "1 -> 2",
    ): "Any number below zero stands for no tie.",
    (
        "metrics/_line/logistic_line.py",
        "slope, tie = np.full(n_draws, np.nan), np.full(n_draws, -1)",
        "1 -> 2",
    ): "Any number below zero stands for no tie.",
    (
        "_data/groups.py",
        "number = np.full(len(members), -1)",
        "1 -> 2",
    ): "Any number below zero stands for no group.",
    (
        "inference/_intervals/binomial.py",
        "highest = np.where(misses > 0, betaincinv(hits + 1.0, np.maximum(misses, 1e-9), "
        "1 - alpha), 1.0)",
        "> -> >=",
    ): "Without misses the formula gives one as well.",
    (
        "inference/_intervals/binomial.py",
        "lowest = np.where(hits > 0, betaincinv(np.maximum(hits, 1e-9), misses + 1.0, alpha), 0.0)",
        "> -> >=",
    ): "Without hits the formula gives zero as well, up to the smallest number.",
    (
        "inference/_intervals/choose.py",
        'if method == "auto" and (kind in constructions or (kind is None and metric is not None)):',
        "is -> is not",
    ): "Metrics without an interval have been refused before.",
    (
        "metrics/_smooth/smooth_ece.py",
        "width = np.clip((low * at_high - high * at_low) / (at_high - at_low), low, high)",
        "np.clip((low * at_high - high * at_low) / (at_high - at_low), low, high) -> "
        "((low * at_high - high * at_low) / (at_high - at_low))",
    ): "The zero of a line through two points of different sign lies between them.",
    (
        "calibrators/_features/inputs.py",
        "resolve_feature_bandwidth(np.empty((1, 0)), option)",
        "1 -> 2",
    ): "Only the number of columns counts.",
    (
        "calibrators/_features/inputs.py",
        "everything = resolve_feature_bandwidth(np.zeros((1, encoder.n_features)), option)",
        "1 -> 2",
    ): "Only the number of columns counts.",
    (
        "_data/bandwidths.py",
        "resolve_feature_bandwidth(np.zeros((1, 1)), bandwidth "
        "if np.ndim(bandwidth) == 0 else 1.0)",
        "zeros -> ones",
    ): "Only refusals count where no feature is a number.",
    (
        "calibrators/_features/boosted_trees.py",
        "return rows if rows.size <= _MAX_ROWS else "
        "np.sort(rng.choice(rows, _MAX_ROWS, replace=False))",
        "<= -> <",
    ): "As many rows as are allowed are all of them, drawn or not.",
    (
        "_core/distances.py",
        "close = largest / bandwidth <= _FARTHEST",
        "<= -> <",
    ): "From where on positions are moved, which changes no kernel value.",
    ("_data/bins.py", "new[:1] = True", "1 -> 2"): "The next line writes over the second entry.",
    (
        "calibrators/_solvers/temperature.py",
        "scaled = margin / max(np.abs(margin).max(), 1.0)",
        "1.0 -> 2.0",
    ): "A positive factor of a derivative, which does not move its zero.",
}


# Several changes of a line, by the reason.
LINES: dict[str, dict[tuple[str, str], tuple[str, ...]]] = {
    "How quickly a bracket closes, or what stops it beside its limit of steps; it closes around "
    "the same number.": {
        (
            "metrics/_smooth/smooth_ece.py",
            "at_high = np.where(above & (side > 0.0), 0.5 * at_high, at_high)",
        ): (
            "& -> |",
            "> -> >=",
            "0.0 -> 1.0",
            "0.5 -> 1.0",
            "* -> /",
            "0.5 * at_high, at_high -> at_high, 0.5 * at_high",
        ),
        (
            "metrics/_smooth/smooth_ece.py",
            "at_low = np.where(~above & (side < 0.0), 0.5 * at_low, at_low)",
        ): (
            "~above -> above",
            "& -> |",
            "< -> <=",
            "0.0 -> 1.0",
            "0.5 -> 1.0",
            "0.5 * at_low, at_low -> at_low, 0.5 * at_low",
        ),
        ("metrics/_smooth/smooth_ece.py", "side = np.where(above, 1.0, -1.0)"): (
            "1.0, -1.0 -> -1.0, 1.0",
            "1.0 -> 2.0",
            "-1.0 -> 1.0",
        ),
        ("metrics/_smooth/smooth_ece.py", "found = np.abs(value) <= 1e-15 + 1e-13 * width"): (
            "<= -> <",
            "+ -> -",
        ),
        (
            "metrics/_smooth/smooth_ece.py",
            "if np.all(found | (at_smallest <= smallest) | (high - low <= 1e-13 * high)):",
        ): ("| -> &", "<= -> <", "- -> +"),
    },
    "A wider bracket, which closes around the same number.": {
        (
            "inference/_sample_size/closed_forms.py",
            "far = 1.0 + np.abs(x).max() + abs(np.log(rate) - np.log1p(-rate))",
        ): ("1.0 -> 2.0", "- -> +"),
    },
    "Two computed numbers are equal by accident alone, and either way is right then.": {
        (
            "calibrators/_solvers/multinomial.py",
            "blind = size * decrease <= _LOSS_ROUNDING * max(1.0, abs(loss))",
        ): ("<= -> <",),
        ("calibrators/_solvers/monotone.py", "if new_loss <= loss - 1e-4 * size * decrease:"): (
            "<= -> <",
        ),
        ("inference/_statistics/omnibus/findings.py", "if abs(step) < 1e-8:"): ("< -> <=",),
        (
            "inference/_partitioned/check.py",
            "rows = np.flatnonzero(rng.random(predictions.n_samples) < share)",
        ): ("< -> <=",),
        ("inference/_local/search.py", "if min(ratios) > 1.0 + ROUNDING:"): ("> -> >=",),
        (
            "inference/_local/search.py",
            "return _over(sizes, critical_value).max() > 1.0 + ROUNDING",
        ): ("> -> >=",),
        (
            "inference/_local/search.py",
            "if _over(others, critical_value).max() <= 1.0 + ROUNDING:",
        ): ("<= -> <",),
        (
            "inference/_local/search.py",
            "exceeds = _over(standardized(bias, groups.null_std), critical_value) > 1.0 + ROUNDING",
        ): ("> -> >=",),
        ("inference/_local/search.py", "exceeds = choose(ratios) > 1.0 + ROUNDING"): ("> -> >=",),
        (
            "inference/_local/search.py",
            "return _ratio_beside(setting, residuals, everything, parts, critical_value) "
            "<= 1.0 + ROUNDING",
        ): ("<= -> <",),
        (
            "inference/_intervals/inversion.py",
            "while abs(outside - inside) > _PRECISION * max(1.0, abs(outside)):",
        ): ("> -> >=",),
        ("inference/_statistics/omnibus/findings.py", "if not 1e-3 < b < 1e3:"): ("< -> <=",),
    },
    "How much a step must lower a convex loss to be taken; its minimum is the same.": {
        ("calibrators/_solvers/monotone.py", "if new_loss <= loss - 1e-4 * size * decrease:"): (
            "- -> +",
            "1e-4 -> 0.0002",
        ),
    },
    "Terms so far in the tail are zero in float64.": {
        (
            "inference/_statistics/cumulative/brownian.py",
            "odd = np.arange(1.0, 40.0 / x + 3.0, 2.0)",
        ): ("40.0 -> 80.0", "3.0 -> 6.0"),
        (
            "inference/_statistics/cumulative/brownian.py",
            "number = np.arange(1.0, 40.0 / x + 2.0)",
        ): ("40.0 -> 80.0", "2.0 -> 4.0"),
    },
    "Without a finite value all distances are infinite, from whatever number.": {
        (
            "inference/_statistics/omnibus/min_p.py",
            "middle = np.median(finite) if finite.size else 0.0",
        ): ("0.0 -> 1.0",),
        (
            "inference/_statistics/omnibus/min_p.py",
            "spread = np.median(np.abs(finite - middle)) if finite.size else 0.0",
        ): ("0.0 -> 1.0",),
        (
            "inference/_statistics/omnibus/min_p.py",
            "spread = finite.std() if finite.size else 0.0",
        ): ("0.0 -> 1.0",),
    },
    "The unit in which a line is fitted; the line is the same.": {
        (
            "metrics/_line/log_odds_sums.py",
            "spread = np.sqrt(max(float(shares @ (nodes - self.center) ** 2), 0.0))",
        ): ("- -> +",),
        (
            "metrics/_line/log_odds_sums.py",
            "self.spread = float(spread) if spread > 0.0 else 1.0",
        ): ("1.0 -> 2.0",),
    },
    "Coefficients that are not free, whose entries are zero before and after.": {
        ("calibrators/_solvers/multinomial.py", "block[~block_free] = 0.0"): ("0.0 -> 1.0",),
        ("calibrators/_solvers/multinomial.py", "block[:, ~block_free] = 0.0"): ("0.0 -> 1.0",),
        (
            "calibrators/_solvers/multinomial.py",
            "block[index, index] += np.where(block_free, block_ridge + tiny, 1.0)",
        ): ("1.0 -> 2.0",),
    },
    "An infinite slope has a sign, and a slope of one is no finding.": {
        (
            "inference/_calibration_line.py",
            'side, size = ("above", "infinite") if self.slope > 0 else ("below", "minus infinity")',
        ): ("> -> >=", "0 -> 1"),
        (
            "inference/_calibration_line.py",
            'kind = "too extreme" if self.slope < 1.0 else "not extreme enough"',
        ): ("< -> <=",),
    },
    "What rows of padding hold, which have no weight.": {
        (
            "_core/recalibration.py",
            "np.pad(base, ((0, padding), (0, 0)), constant_values=1.0 / n_classes).astype(dtype),",
        ): ("1.0 -> 2.0", "/ -> *"),
    },
    "Labels that other ones replace, and names of classes: sums need their numbers alone.": {
        (
            "inference/_partitioned/event_scores.py",
            "events = Predictions(codes[:, 0].astype(int), proba, np.array([0, 1]), rows.weight)",
        ): ("0 -> 1", "1 -> 2"),
        (
            "inference/_partitioned/group_cells.py",
            "one = Predictions(happened[rows, k].astype(np.int64), proba, np.array([0, 1]), own)",
        ): ("0 -> 1", "1 -> 2"),
    },
    "It refuses a metric without sums before it looks at the number of classes.": {
        ("metrics/_partitioned.py", "merge_description(description, 2, options)"): ("2 -> 3",),
        ("inference/_partitioned/check.py", "merge_description(description, 2, options)"): (
            "2 -> 3",
        ),
    },
    "Fewer than three knots make no spline.": {
        (
            "calibrators/_multiclass/adaptive_map.py",
            'basis = _basis(score, scale, weight / total, n_knots if "spline" in structure else 0)',
        ): ("0 -> 1",),
    },
    "Squared residuals are zero only where their sum is zero, for which the line before has "
    "returned.": {
        (
            "inference/_intervals/lines.py",
            "return difference / np.sqrt(variance) if variance > 0.0 else np.inf",
        ): ("> -> >=",),
    },
}
EXPLAINED |= {
    (*place, change): reason
    for reason, places in LINES.items()
    for place, changes in places.items()
    for change in changes
}
# NumPy takes any number below zero for the length that follows from the others.
_NO_ENTRIES = re.compile(r"\bnp\.(zeros|ones)\(\(\w[\w.()]*, 0\)")
_REST = "Any number below zero stands for the length that is left."


def explanation(mutant, line):
    """Return the reason why nobody can notice a fault, or None.

    Parameters
    ----------
    mutant : Mutant
    line : str
        The line of the module that it changes.
    """
    path = mutant.path.removeprefix("sklearn_calib/")
    if path == "_core/planner.py" and line.strip() in WAYS:
        return _WAY
    tiny = re.fullmatch(r"\d(?:\.\d+)?e-(\d+)", mutant.old)
    if mutant.kind == "constant" and tiny and int(tiny[1]) >= _LEAST_EXPONENT:
        return _TINY
    if line.strip().endswith("= field(repr=False)"):
        return _SHOWN
    counts = re.findall(r"(?<![\w.])(-?)1(?![\w.])", line)
    if "reshape(" in line and counts == ["-"] and (mutant.old, mutant.new) == ("1", "2"):
        return _REST
    if mutant.kind == "function" and _NO_ENTRIES.search(line) and line.count(mutant.old) == 1:
        return "An array of no columns, which has no entries."
    for reason, by_path in NAMES.items():
        for name in by_path.get(path, ()):
            use = rf"^{name}\b.* = |max\(1, {name} // |\bsize_bucket\(.*smallest="
            if re.search(use, line.strip()):
                return reason
    for change in (f"{mutant.old} -> {mutant.new}", None):
        reason = EXPLAINED.get((path, line.strip(), change))
        if reason:
            return reason
    return None
