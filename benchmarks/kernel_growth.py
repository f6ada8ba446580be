"""Time of one kernel sum against the number of rows, for each way of the kernel core."""

import numpy as np

from sklearn_calib._core import pair_form

from ._record import best_time

# Way: kernel, coordinates, bandwidth, smallest and largest n. The windows are asked where Fourier
# has stopped to pay and each point still has many neighbours.
WAYS = {
    "line": ("laplacian", 1, 0.2, 1e4, 3e6),
    "fourier": ("rbf", 1, 0.1, 1e4, 1e6),
    "windows": ("rbf", 1, 1e-3, 1e5, 1e6),
    "tiles": ("laplacian", 10, 0.2, 4e3, 4e4),
    "low_rank": ("rbf", 3, 0.5, 1e4, 1e5),
}


def run(quick=False):
    rows = []
    for way, (kernel, dimension, bandwidth, low, high) in WAYS.items():
        for n in np.geomspace(low, high, 5).round().astype(int)[: 2 if quick else None]:
            rng = np.random.default_rng(0)
            points, columns = rng.uniform(size=(n, dimension)), rng.normal(size=n)

            def evaluate(points=points, columns=columns, way=way, kernel=kernel, h=bandwidth):
                form = pair_form(points, kernel=kernel, bandwidth=h, algorithm=way, max_rank=100)
                return form(columns)

            rows.append({"way": way, "n": int(n), "seconds": best_time(evaluate, n_repeats=3)})
    for row in rows:
        row["slope"] = slope(rows, row["way"])
    return rows


def slope(rows, way):
    """Return the slope of log time against log n, by least squares."""
    n, seconds = np.array([[r["n"], r["seconds"]] for r in rows if r["way"] == way]).T
    return round(float(np.polyfit(np.log(n), np.log(seconds), 1)[0]), 2)


def plot(rows, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    ax = figure.subplots()
    for way in WAYS:
        points = [(row["n"], row["seconds"]) for row in rows if row["way"] == way]
        ax.loglog(*zip(*points), marker="o", label=f"{way}, slope {slope(rows, way):.2f}")
    ax.set(xlabel="rows", ylabel="seconds")
    ax.grid(alpha=0.3)
    ax.legend()
    figure.savefig(path, dpi=120)
