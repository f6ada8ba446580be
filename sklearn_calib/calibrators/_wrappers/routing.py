"""Hand weights and other metadata to the parts of a meta-estimator that fits and splits."""

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import has_fit_parameter

from ..._utils.compat import routing_enabled
from ..._utils.stack import warn
from .folds import HOW_TO_PASS_GROUPS


def fitting_router(owner, *callers):
    """Return the router of a meta-estimator that fits and splits in the given methods."""
    to_fit, to_split = MethodMapping(), MethodMapping()
    for caller in callers:
        to_fit.add(caller=caller, callee="fit")
        to_split.add(caller=caller, callee="split")
    return (
        MetadataRouter(owner=owner)
        .add(estimator=owner.estimator, transformer=owner.passthrough, method_mapping=to_fit)
        .add(splitter=owner.cv, method_mapping=to_split)
    )


def find_weights(sample_weight, params):
    """Return the weights of the rows: `sample_weight`, or else those given to steps by name.

    Without metadata routing, ``logisticregression__sample_weight=w`` reaches a step of the
    classifier and nothing else, although the probabilities are to hold for the weighted rows.
    """
    if sample_weight is not None or routing_enabled():
        return sample_weight
    found = _weights_of_steps(params)
    if not found:
        return None
    (first, weight), *others = found.items()
    different = [name for name, other in others if not np.array_equal(weight, other)]
    if different:
        raise ValueError(
            f"{first}= and {different[0]}= are different weights, so it is not clear which ones "
            "the calibrator is to be fitted with. Pass sample_weight= as well, which then goes to "
            "the calibrator, or enable metadata routing with "
            "sklearn.set_config(enable_metadata_routing=True)."
        )
    return weight


def _weights_of_steps(params):
    return {
        name: value
        for name, value in params.items()
        if name.endswith("__sample_weight") and value is not None
    }


def route_metadata(owner, method, sample_weight, params, weighted):
    """Return ``routed[child][method]``, the metadata for every child of a meta-estimator.

    Without metadata routing, `params` go to the estimator, and `sample_weight`, as `find_weights`
    returns it, to every child whose `fit` takes it. A child in `weighted` that does not is named in
    a warning, unless `params` have weights for its steps. The `method` that was called is "fit" or
    "fit_transform".
    """
    if routing_enabled():
        if sample_weight is not None:
            params = {**params, "sample_weight": sample_weight}
        return process_routing(owner, method, **params)
    if "groups" in params:
        raise ValueError(f"groups= cannot reach cv= as it is. {HOW_TO_PASS_GROUPS}")
    routed: dict[str, dict[str, dict]] = {name: {"fit": {}} for name in (*weighted, "transformer")}
    routed["splitter"] = {"split": {}}
    routed["estimator"]["fit"].update(params)
    if sample_weight is None:
        return routed
    for name, child in {**weighted, "transformer": owner.passthrough}.items():
        if name == "estimator" and _weights_of_steps(params):
            continue
        if hasattr(child, "fit") and has_fit_parameter(child, "sample_weight"):
            routed[name]["fit"]["sample_weight"] = sample_weight
        elif name in weighted and not isinstance(child, FrozenEstimator):
            warn(
                f"{type(child).__name__}.fit does not take sample_weight, so this {name} is fitted "
                "without weights and the probabilities are likely to be off. Enable metadata "
                "routing with sklearn.set_config(enable_metadata_routing=True) and request the "
                "weights where they are meant to go with set_fit_request(sample_weight=True).",
            )
    return routed
