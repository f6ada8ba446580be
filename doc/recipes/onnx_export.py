"""Write a fitted calibrator as an ONNX model that maps probabilities to probabilities.

It covers the calibrators whose map is plain: Platt, beta, isotonic and centred isotonic
calibration, temperature, vector, matrix and Dirichlet scaling, and binary maps of one class against
the rest, each fitted to probabilities. The smooth map of the adaptive calibrator of two classes is
tabulated.
"""

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper
from scipy.special import expit, logit


class Graph:
    """A list of ONNX operations in float64."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, value, dtype=np.float64):
        """Add a constant and return its name."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def __call__(self, operation, *inputs, **attributes):
        """Add an operation and return the name of its result; numbers become constants."""
        names = [one if isinstance(one, str) else self.constant(one) for one in inputs]
        name = f"result_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, names, [name], **attributes))
        return name

    def clip(self, value, low, high):
        """Limit values to an interval."""
        return self("Min", self("Max", value, low), high)

    def lift(self, p, floor):
        """Move probabilities near 0 and 1 away from them, as the calibrators do."""
        distance = self("Min", p, self("Sub", 1.0, p))
        lifted = self("Add", self("Mul", self("Mul", distance, distance), 0.25 / floor), floor)
        near = self("Where", self("Less", p, 0.5), lifted, self("Sub", 1.0, lifted))
        return self("Where", self("Less", distance, 2.0 * floor), near, p)

    def log_odds(self, p):
        """Turn probabilities between 0 and 1 into log-odds."""
        return self("Sub", self("Log", p), self("Log", self("Sub", 1.0, p)))

    def interpolate(self, value, x, y):
        """Draw straight lines between points with increasing x, and constants beyond them."""
        width = np.diff(x)
        inside = self.clip(self("Sub", value, x[:-1][np.newaxis]), 0.0, width[np.newaxis])
        rises = self("Mul", inside, (np.diff(y) / width)[np.newaxis])
        total = self("ReduceSum", rises, self.constant([1], np.int64), keepdims=1)
        return self("Add", total, y[0])


def _platt(graph, calibrator, p):
    line = graph("Mul", graph.log_odds(graph.lift(p, calibrator.floor_)), calibrator.slope_)
    return graph("Sigmoid", graph("Add", line, calibrator.intercept_))


def _beta(graph, calibrator, p):
    p = graph.clip(p, calibrator.eps_, 1.0 - calibrator.eps_)
    rising = graph("Mul", graph("Log", p), calibrator.a_)
    falling = graph("Mul", graph("Log", graph("Sub", 1.0, p)), calibrator.b_)
    return graph("Sigmoid", graph("Add", graph("Sub", rising, falling), calibrator.c_))


def _isotonic(graph, calibrator, p):
    return graph.interpolate(p, calibrator.X_thresholds_, calibrator.y_thresholds_)


def _adaptive(graph, calibrator, p):
    """Interpolate between 4001 points of the map of the log-odds."""
    x = np.linspace(-28.0, 28.0, 4001)
    columns = [expit(-x), expit(x)][-calibrator.n_features_in_ :]
    y = logit(calibrator.predict_proba(np.column_stack(columns))[:, 1])
    tiny = expit(-28.0)
    log_odds = graph.log_odds(graph.clip(p, tiny, 1.0 - tiny))
    return graph("Sigmoid", graph.interpolate(log_odds, x, y))


def _temperature(graph, calibrator, logits):
    return graph("Div", logits, calibrator.temperature_)


def _vector(graph, calibrator, logits):
    scaled = graph("Mul", logits, calibrator.coef_[np.newaxis])
    return graph("Add", scaled, calibrator.intercept_[np.newaxis])


def _matrix(graph, calibrator, logits):
    return graph(
        "Add", graph("MatMul", logits, calibrator.coef_.T), calibrator.intercept_[np.newaxis]
    )


BINARY = {
    "PlattCalibrator": _platt,
    "BetaCalibrator": _beta,
    "IsotonicCalibrator": _isotonic,
    "CenteredIsotonicCalibrator": _isotonic,
    "AdaptiveCalibrator": _adaptive,
}
# Platt calibration reads scores, which are not the probabilities of one class against the rest.
OF_PROBABILITIES = set(BINARY) - {"PlattCalibrator"}
MULTICLASS = {
    "TemperatureCalibrator": _temperature,
    "VectorScalingCalibrator": _vector,
    "MatrixScalingCalibrator": _matrix,
    "DirichletCalibrator": _matrix,
}


def _column(graph, k):
    """Return the probability of one class as a column."""
    return graph("Gather", "proba", graph.constant([k], np.int64), axis=1)


def _one_vs_rest(graph, calibrators):
    """Return the probabilities of several binary maps, divided by their sum."""
    columns = [
        BINARY[type(one).__name__](graph, one, _column(graph, k))
        for k, one in enumerate(calibrators)
    ]
    each = graph("Concat", *columns, axis=1)
    total = graph("ReduceSum", each, graph.constant([1], np.int64), keepdims=1)
    divided = graph("Div", each, graph("Max", total, 1e-300))
    return graph("Where", graph("Greater", total, 0.0), divided, 1.0 / len(columns))


def to_onnx(calibrator):
    """Return the ONNX model of a calibrator that was fitted to probabilities.

    Parameters
    ----------
    calibrator : calibrator
        Fitted; for scores and log-probabilities with ``input="probability"``.

    Returns
    -------
    model : onnx.ModelProto
        Its input "proba" has shape (n_samples, n_classes), as has its output "calibrated".
    """
    graph, n_classes = Graph(), len(calibrator.classes_)
    name = type(calibrator).__name__
    parts = getattr(calibrator, "calibrators_", [])
    if len(parts) > 1 and all(type(one).__name__ in OF_PROBABILITIES for one in parts):
        last = _one_vs_rest(graph, parts)
    elif name in BINARY and n_classes == 2:
        positive = BINARY[name](graph, calibrator, _column(graph, 1))
        last = graph("Concat", graph("Sub", 1.0, positive), positive, axis=1)
    elif name in MULTICLASS:
        logits = graph("Log", graph.lift("proba", calibrator.floor_))
        if calibrator.centred:
            mean = graph("ReduceMean", logits, graph.constant([1], np.int64), keepdims=1)
            logits = graph("Sub", logits, mean)
        last = graph("Softmax", MULTICLASS[name](graph, calibrator, logits), axis=1)
    else:
        raise ValueError(f"The map of {calibrator} for {n_classes} classes is not plain.")
    graph.nodes.append(helper.make_node("Identity", [last], ["calibrated"]))
    shape = [None, n_classes]
    made = helper.make_graph(
        graph.nodes,
        name,
        [helper.make_tensor_value_info("proba", TensorProto.DOUBLE, shape)],
        [helper.make_tensor_value_info("calibrated", TensorProto.DOUBLE, shape)],
        graph.constants,
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    checker.check_model(model)
    return model
