"""Slow, obvious calculations in plain loops that the fast code has to agree with."""

import math
from fractions import Fraction

# Reductions: what calibration is measured.


def loop_events(codes, P, target):
    """Return (points, residuals) for each reduction of a target, as lists of tuples of floats."""
    n, n_classes = len(P), len(P[0])
    if target == "canonical":
        residuals = [tuple((codes[i] == k) - P[i][k] for k in range(n_classes)) for i in range(n)]
        return [([tuple(row) for row in P], residuals)]
    if target == "confidence":
        top = [max(range(n_classes), key=lambda k, row=row: (row[k], -k)) for row in P]
        points = [(P[i][top[i]],) for i in range(n)]
        return [(points, [((codes[i] == top[i]) - P[i][top[i]],) for i in range(n)])]
    columns = [1] if n_classes == 2 else range(n_classes)
    return [
        ([(row[k],) for row in P], [((codes[i] == k) - P[i][k],) for i in range(n)])
        for k in columns
    ]


# Binned errors.


def loop_bins(p, n_bins, strategy="uniform", closed="left", weight=None):
    """Return the bin number of each probability."""
    n = len(p)
    weight = [1.0] * n if weight is None else list(weight)
    numbers = []
    for i in range(n):
        if strategy == "quantile":
            below = math.fsum(weight[j] for j in range(n) if p[j] < p[i])
            number = math.floor(n_bins * below / math.fsum(weight))
        else:
            edges = [k / n_bins for k in range(n_bins + 1)]
            if closed == "left":
                number = max(k for k in range(n_bins) if edges[k] <= p[i])
            else:
                number = min(k for k in range(n_bins) if p[i] <= edges[k + 1])
        numbers.append(min(number, n_bins - 1))
    return numbers


def loop_gaps(p, hit, *, n_bins, strategy="uniform", closed="left", weight=None):
    """Return the (share of the weight, gap) of every bin that is not empty."""
    n = len(p)
    weight = [1.0] * n if weight is None else list(weight)
    number = loop_bins(p, n_bins, strategy, closed, weight)
    rows = []
    for b in range(n_bins):
        inside = [i for i in range(n) if number[i] == b]
        if inside:
            total = math.fsum(weight[i] for i in inside)
            rate = math.fsum(weight[i] * hit[i] for i in inside) / total
            mean = math.fsum(weight[i] * p[i] for i in inside) / total
            rows.append((total / math.fsum(weight), abs(rate - mean)))
    return rows


def loop_binned_error(codes, P, *, norm, target, **binning):
    """Return a binned error; `norm` is "l1", "l2", "max" or "mean"."""
    values = []
    for points, residuals in loop_events(codes, P, target):
        p = [point[0] for point in points]
        hit = [round(e[0] + r) for (e, r) in zip(residuals, p, strict=True)]
        rows = loop_gaps(p, hit, **binning)
        if norm == "l1":
            values.append(math.fsum(share * gap for share, gap in rows))
        elif norm == "l2":
            values.append(math.sqrt(math.fsum(share * gap**2 for share, gap in rows)))
        elif norm == "max":
            values.append(max(gap for _, gap in rows))
        else:
            values.append(math.fsum(gap for _, gap in rows) / len(rows))
    return max(values) if norm == "max" else math.fsum(values) / len(values)


# Kernel errors.


def loop_kernel(a, b, kernel, bandwidth):
    """Return the kernel of two points."""
    distance = math.dist(a, b) / bandwidth
    return math.exp(-distance) if kernel == "laplacian" else math.exp(-(distance**2))


def loop_median_distance(points, weight=None):
    """Return the median of the pairwise distances that are not zero, or 1.0.

    A pair counts with the product of its weights, in exact arithmetic.
    """
    n = len(points)
    exact = [Fraction(1)] * n if weight is None else [Fraction(float(w)) for w in weight]
    pairs = sorted(
        (d, exact[i] * exact[j])
        for i in range(n)
        for j in range(i)
        if (d := math.dist(points[i], points[j])) > 0
    )
    if not pairs:
        return 1.0
    half, below = sum(w for _, w in pairs) / 2, Fraction(0)
    lower = None
    for distance, pair_weight in pairs:
        below += pair_weight
        if lower is None and below >= half:
            lower = distance
        if below > half:
            return (lower + distance) / 2


def loop_pair_mean(h, weight, rows):
    """Return the weighted mean of ``h(i, j)`` over the pairs i != j of some rows."""
    pairs = [(i, j) for i in rows for j in rows if i != j]
    top = math.fsum(weight[i] * weight[j] * h(i, j) for i, j in pairs)
    return top / math.fsum(weight[i] * weight[j] for i, j in pairs)


def loop_kernel_error(
    codes, P, *, target, estimator, kernel, bandwidth, weight=None, block_size=None, factor=None
):
    """Return a kernel error; `factor(i, j)` is a further kernel between rows, for features."""
    n = len(P)
    weight = [1.0] * n if weight is None else [float(w) for w in weight]
    values = []
    for points, residuals in loop_events(codes, P, target):
        h_p = loop_median_distance(points, weight) if bandwidth == "median" else bandwidth

        def h(i, j, points=points, residuals=residuals, h_p=h_p):
            product = math.fsum(a * b for a, b in zip(residuals[i], residuals[j], strict=True))
            extra = 1.0 if factor is None else factor(i, j)
            return loop_kernel(points[i], points[j], kernel, h_p) * extra * product

        if estimator == "uq":
            values.append(loop_pair_mean(h, weight, range(n)))
        elif estimator == "biased":
            top = math.fsum(weight[i] * weight[j] * h(i, j) for i in range(n) for j in range(n))
            values.append(top / math.fsum(weight) ** 2)
        elif estimator == "ul":
            pairs = [(i, i + 1) for i in range(0, n - 1, 2)]
            top = math.fsum(weight[i] * weight[j] * h(i, j) for i, j in pairs)
            values.append(top / math.fsum(weight[i] * weight[j] for i, j in pairs))
        else:
            blocks = [
                range(start, start + block_size)
                for start in range(0, n - block_size + 1, block_size)
            ]
            means = [loop_pair_mean(h, weight, rows) for rows in blocks]
            values.append(math.fsum(means) / len(means))
    return math.fsum(values) / len(values)


# Kernel core: sums of columns, positions in any number of coordinates.


def loop_scaled_distance(a, b, bandwidth):
    """Return the Euclidean distance of two points, each coordinate over its bandwidth."""
    return math.sqrt(math.fsum(((x - y) / h) ** 2 for x, y, h in zip(a, b, bandwidth)))


def loop_pair_form(points, columns, kernel, bandwidth):
    """Return ``sum_{i != j} k(r_i, r_j) v_ic v_jc`` for every column, as a list."""
    n, power = len(points), {"laplacian": 1, "rbf": 2}[kernel]
    terms = [[] for _ in columns[0]]
    for i in range(n):
        for j in range(i):
            k = math.exp(-(loop_scaled_distance(points[i], points[j], bandwidth) ** power))
            for c, (v, w) in enumerate(zip(columns[i], columns[j])):
                terms[c].append(2.0 * k * v * w)
    return [math.fsum(column) for column in terms]


def loop_local_means(points, query, columns, variances, weights, bandwidth, left_out=None):
    """Return mean, variance, effective size and largest log weight at one query point."""
    rows = [i for i in range(len(points)) if i != left_out]
    logs = [
        math.log(weights[i]) - loop_scaled_distance(points[i], query, bandwidth) ** 2 for i in rows
    ]
    largest = max(logs)
    w = [math.exp(log - largest) for log in logs]
    total = math.fsum(w)
    means = [
        math.fsum(wi * columns[i][c] for wi, i in zip(w, rows)) / total
        for c in range(len(columns[0]))
    ]
    spread = [
        math.fsum(wi**2 * variances[i][c] for wi, i in zip(w, rows)) / total**2
        for c in range(len(variances[0]))
    ]
    return means, spread, total**2 / math.fsum(wi**2 for wi in w), largest
