"""Faults that change no number, no text and no refusal, each with the reason.

The key is the module, the line without its indentation, and the change, which is None where the
reason holds for every change of a number or an operator in this line.
"""

EXPLAINED = {
    ("_data/bins.py", "new[:1] = True", "1 -> 2"): "The next line writes over the second entry.",
    (
        "calibrators/_solvers/temperature.py",
        "scaled = margin / max(np.abs(margin).max(), 1.0)",
        "1.0 -> 2.0",
    ): "A positive factor of a derivative, which does not move its zero.",
    (
        "inference/_comparison/redraws.py",
        "with ThreadPoolExecutor(min(len(draws), os.cpu_count() or 1)) as pool:",
        None,
    ): "The number of threads.",
    (
        "metrics/_kernel/ucme.py",
        "step = max(1, _CELLS // locations.size)",
        None,
    ): "The number of rows of a block; the blocks are added up.",
}


def explanation(mutant, line):
    """Return the reason why nobody can notice a fault, or None.

    Parameters
    ----------
    mutant : Mutant
    line : str
        The line of the module that it changes.
    """
    path = mutant.path.removeprefix("sklearn_calib/")
    for change in (f"{mutant.old} -> {mutant.new}", None):
        reason = EXPLAINED.get((path, line.strip(), change))
        if reason:
            return reason
    return None
