"""Make the report of each model, and compare them."""

from dataclasses import replace

from ..._utils.fitting_context import from_predict_proba
from ..._utils.progress import reporter
from ...inference import GroupCalibration, compare_calibration
from ...inference._comparison.models import check_models
from .._errors import prepare_curves
from .result import ModelsReport

_SHARED = ("sample_weight", "pos_label", "labels", "random_state")


def report_models(report_one, y_true, y_probas, X, options):
    """Return the report of several models.

    ``report_one(y_true, y_proba, X, **options)`` gives that of one model, and `options` are all of
    `calibration_report`.
    """
    if len(y_probas) < 2:
        raise ValueError(
            "y_proba as a dict must hold the probabilities of at least two models by name, got "
            f"{len(y_probas)}. Pass the probabilities themselves for a report of one model."
        )
    names = [" ".join(str(name).split()) for name in y_probas]
    for name in names:
        if not name or names.count(name) > 1:
            raise ValueError(
                "The names of the models in y_proba must be different texts that are not empty, "
                f"got {names}."
            )
    models = dict(zip(names, y_probas.values()))
    if isinstance(options["groups"], GroupCalibration):
        raise ValueError(
            "groups is the table of one model, and y_proba holds several. Pass the columns."
        )
    strategy = _strategy(y_true, models, options)
    reports = {}
    with reporter("calibration_report", options["verbose"]) as say:
        say("comparing models")
        comparison = compare_calibration(
            y_true,
            models,
            metric_params={"ece": {"n_bins": options["n_bins"], "strategy": strategy}},
            statistic=None,
            confidence_level=1.0 - options["alpha"],
            n_resamples=options["n_resamples"],
            verbose=say,
            **{name: options[name] for name in _SHARED},
        )
        for name, y_proba in models.items():
            own = {**options, "strategy": strategy, "title": name}
            if say:
                own["verbose"] = lambda text, name=name: say(f"{name}: {text}")
            with from_predict_proba():  # looked at before
                reports[name] = report_one(y_true, y_proba, X, **own)
    pvalues = {name: one.tests["omnibus"].pvalue for name, one in reports.items()}
    return ModelsReport(
        title=" ".join(str(options["title"]).split()),
        reports=reports,
        comparison=replace(comparison, calibration_pvalues=pvalues),
    )


def _strategy(y_true, models, options):
    """Return one kind of bins for all models, so that their errors can be compared.

    Bins of equal weight are for data in which one bin of equal width holds nearly all rows; they
    are chosen if this is so for every model.
    """
    strategy = options["strategy"]
    if strategy != "auto":
        return strategy
    data = {name: options[name] for name in _SHARED if name != "random_state"}
    used = {
        prepare_curves(one, options["n_bins"], strategy, options["alpha"]).bins["strategy"]
        for one in check_models(y_true, models, None, **data).values()
    }
    return "quantile" if used == {"quantile"} else "uniform"
