"""What every calibration error gives for predictions that are exactly right.

The probabilities of the event are uniform on [0, 1], and the labels are drawn from them; features,
for the metrics that read them, are two normal variables that say nothing more.
"""

import numpy as np

from sklearn_calib.metrics._metric import ranked_metrics

SIZES = (100, 1000)
# Options to try beside the defaults.
FORMS = {
    "ece": [
        {"n_bins": "auto"},
        {"strategy": "quantile"},
        {"norm": "l2"},
        {"debiased": True},
        {"debiased": True, "squared": True},
    ],
    "mce": [{"strategy": "quantile"}],
    "integrated_calibration_index": [{"summary": one} for one in ("median", "q90", "max")],
    "kde_ece": [{"bandwidth": 0.01}],
    "miscalibration": [{"score": "log_loss"}],
    "multicalibration_error": [{"scale": "absolute"}],
    "skce": [{"estimator": "biased"}],
    "kce": [{"squared": False}],
}


def values_if_right(metric, options, n, n_repeats):
    """Return the values of a metric for data sets that depend on their number and n alone."""
    values = []
    for repeat in range(n_repeats):
        rng = np.random.default_rng([repeat, n])
        p = rng.random(n)
        y = (rng.random(n) < p).astype(int)
        features = (rng.normal(size=(n, 2)),) if metric.needs_features else ()
        values.append(metric.function(y, p, *features, **options))
    return np.array(values)


def run(quick=False):
    n_repeats = 10 if quick else 200
    rows = []
    for metric in ranked_metrics():
        for options in ({}, *FORMS.get(metric.name, ())):
            text = ", ".join(f"{name}={value!r}" for name, value in options.items())
            row = {"metric": f"{metric.name}({text})" if text else metric.name}
            row["ideal"] = metric.ideal
            for n in SIZES:
                values = values_if_right(metric, options, n, n_repeats)
                low, high = np.quantile(values, [0.05, 0.95])
                row[f"mean, n = {n}"] = float(values.mean())
                row[f"90 % of models, n = {n}"] = f"{low:.2g} to {high:.2g}"
            print(row, flush=True)
            rows.append(row)
    return rows
