"""Say which parts a correction has."""

_NAMES = {
    "score": "score map",
    "categories": "shifts by category",
    "linear": "linear map",
    "networks": "networks",
    "trees": "trees",
    "groups": "shifts by group",
}
_NEGLIGIBLE = 0.001  # of log-odds


def describe(sizes, losses):
    """Return a sentence or two on parts and held-out log losses.

    `sizes` are root mean squares of what each part adds to the log-odds, and `losses` those without
    and with the correction; NaN if no rows were held out.
    """
    used = [f"{_NAMES[k]} ({size:.2f})" for k, size in sizes.items() if size > _NEGLIGIBLE]
    unused = [_NAMES[k] for k, size in sizes.items() if size <= _NEGLIGIBLE]
    text = ", ".join(used) or "no correction"
    if unused:
        text += f"; not used: {', '.join(unused)}"
    if losses[0] == losses[0]:
        text += f". Held-out log loss {losses[1]:.3f} instead of {losses[0]:.3f}"
    return f"{text[0].upper()}{text[1:]}."
