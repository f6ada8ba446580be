"""What can be wrong with an argument, by the kind of thing that it is."""

from . import options, rows

# Kinds whose function has another name than the kind itself.
_FUNCTIONS = {
    "limit": options.count,
    "index": options.count,
    "count or auto": options.count,
    "style": options.mapping,
    "statistic": options.choice,
    "name of a model": options.choice,
    "unfitted classifier": options.classifier,
    "classifiers": rows.models_of_estimators,
    "searches": rows.models_of_estimators,
    "results by name": options.result,
    "displays": options.result,
    "frame": options.result,
    "table of bins": options.result,
    "flag or callable": options.flag,
    "table to draw": options.flag,
    "columns or choice": options.columns,
    "function of rows": options.metric_function,
    "rows of a classifier": rows.rows,
    "kernel matrix": rows.numbers,
    "groups in one column": rows.groups,
    "groups of a batch": rows.groups,
    **dict.fromkeys(
        (
            "passthrough",
            "periods",
            "periods of a picture",
            "names of columns",
            "panels",
            "since",
            "categories",
            "shown",
        ),
        options.default,
    ),
}
_OF_LENGTH = {"one row less", "one row more"}


def wrong_values(kind, good, *, alone=False):
    """Return {what is wrong: a value}, made afresh.

    `alone` says that no other argument has rows, so that any number of them will do.
    """
    return {
        k: v for k, v in sorted(find_kind(kind)(good).items()) if not (alone and k in _OF_LENGTH)
    }


def find_kind(kind):
    """Return the function that knows what can be wrong with a kind of argument."""
    name = kind.replace(" ", "_").lower()
    return _FUNCTIONS.get(kind) or getattr(options, name, None) or getattr(rows, name)
