"""What looks like a mistake and is accepted, or is told without the name, each with the reason."""

from fnmatch import fnmatch

# Patterns of functions, of arguments, of what is wrong, and the reason.
EXCEPTIONS = [
    (
        "*.score",
        "y",
        "more classes",
        "Rows of a class that the classifier does not know are rows that it gets wrong.",
    ),
    (
        "calibrators.PriorShiftCalibrator",
        "prevalence",
        "a list that sums to two",
        "It is divided by its sum.",
    ),
    (
        "display.CalibrationComparisonDisplay.from_predictions",
        "y_probas",
        "one model",
        "The diagram of one model is one of several models all the same.",
    ),
    (
        "display.LocalBiasDisplay.from_band",
        "classes",
        "*class*",
        "They name the columns of the band, whatever its rows were.",
    ),
    (
        "display.*.plot",
        "*_kwargs",
        "an unknown option",
        "A style of what is not drawn, such as the band of a display without one, is not used.",
    ),
    (
        "display.ReliabilityDisplay",
        "ece",
        "*",
        "It is only shown; there may be one number a curve.",
    ),
    (
        "display.ReliabilityDisplay",
        "isotonic",
        "one *",
        "The corners of the line may be any number.",
    ),
    (
        "display.ReliabilityDisplay",
        "[st]*t*",
        "nothing",
        "None is a display whose kind of bins or target is not told.",
    ),
    (
        "display.*",
        "interval",
        "nothing",
        "None draws no intervals.",
    ),
    (
        "display.*.from_cv_results",
        "*",
        "one row more",
        "A splitter need not test all rows, so that there may be more than the folds name.",
    ),
    (
        "display.*",
        "event",
        "*",
        "It is only shown, as its text.",
    ),
    (
        "display.ReliabilityDisplay",
        "pos_label",
        "*",
        "It is only shown, as its text.",
    ),
    (
        "display.*",
        "name",
        "*",
        "It is only shown, as its text; models may be called by numbers.",
    ),
]


def reason_to_accept(subject, argument, what):
    """Return why a value is no mistake for an argument of a function, or None."""
    for subjects, arguments, kinds, reason in EXCEPTIONS:
        if fnmatch(subject, subjects) and fnmatch(argument, arguments) and fnmatch(what, kinds):
            return reason
    return None
