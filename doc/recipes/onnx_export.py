"""Write a fitted calibrator as an ONNX model that maps probabilities to probabilities.

It covers the calibrators whose map is plain: Platt, beta, isotonic, temperature, vector and matrix
scaling, each fitted to probabilities.
"""

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper


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


def _platt(graph, calibrator, p):
    p = graph.lift(p, calibrator.floor_)
    log_odds = graph("Sub", graph("Log", p), graph("Log", graph("Sub", 1.0, p)))
    return graph(
        "Sigmoid", graph("Add", graph("Mul", log_odds, calibrator.slope_), calibrator.intercept_)
    )


def _beta(graph, calibrator, p):
    p = graph.clip(p, calibrator.eps_, 1.0 - calibrator.eps_)
    rising = graph("Mul", graph("Log", p), calibrator.a_)
    falling = graph("Mul", graph("Log", graph("Sub", 1.0, p)), calibrator.b_)
    return graph("Sigmoid", graph("Add", graph("Sub", rising, falling), calibrator.c_))


def _isotonic(graph, calibrator, p):
    x, y = calibrator.X_thresholds_, calibrator.y_thresholds_
    width = np.diff(x)
    inside = graph.clip(graph("Sub", p, x[:-1][np.newaxis]), 0.0, width[np.newaxis])
    rises = graph("Mul", inside, (np.diff(y) / width)[np.newaxis])
    total = graph("ReduceSum", rises, graph.constant([1], np.int64), keepdims=1)
    return graph("Add", total, y[0])


def _temperature(graph, calibrator, logits):
    return graph("Div", logits, calibrator.temperature_)


def _vector(graph, calibrator, logits):
    scaled = graph("Mul", logits, calibrator.coef_[np.newaxis])
    return graph("Add", scaled, calibrator.intercept_[np.newaxis])


def _matrix(graph, calibrator, logits):
    return graph(
        "Add", graph("MatMul", logits, calibrator.coef_.T), calibrator.intercept_[np.newaxis]
    )


BINARY = {"PlattCalibrator": _platt, "BetaCalibrator": _beta, "IsotonicCalibrator": _isotonic}
MULTICLASS = {
    "TemperatureCalibrator": _temperature,
    "VectorScalingCalibrator": _vector,
    "MatrixScalingCalibrator": _matrix,
}


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
    if name in BINARY:
        second = graph("Gather", "proba", graph.constant([1], np.int64), axis=1)
        positive = BINARY[name](graph, calibrator, second)
        last = graph("Concat", graph("Sub", 1.0, positive), positive, axis=1)
    else:
        logits = graph("Log", graph.lift("proba", calibrator.floor_))
        if calibrator.centred:
            mean = graph("ReduceMean", logits, graph.constant([1], np.int64), keepdims=1)
            logits = graph("Sub", logits, mean)
        last = graph("Softmax", MULTICLASS[name](graph, calibrator, logits), axis=1)
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
