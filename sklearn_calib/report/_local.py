"""The local parts of a report: the band, the regions it finds, and their pictures."""

from typing import NamedTuple

import numpy as np

from .._utils.fitting_context import from_predict_proba
from .._utils.options import changed_options, shorten
from .._utils.stack import warnings_taken_by
from ..display import LocalBiasDisplay
from ..inference import LocalBiasBand, local_bias_band
from ._regions import EncodedRows, find_regions

_MAX_POINTS = 2000


class LocalPart(NamedTuple):
    """Where the predictions are wrong.

    Attributes
    ----------
    band : LocalBiasBand
        The local bias at `points`.
    points : ndarray of shape (n_points, n_features)
        The features of some rows; a category is its number among the sorted categories.
    rows : EncodedRows
        All rows.
    regions : list of Region
        Where the band is significant.
    displays : dict of str to LocalBiasDisplay
        Pictures of it.
    notes : list of str
        What one should know to read it.
    """

    band: LocalBiasBand
    points: np.ndarray
    rows: EncodedRows
    regions: list
    displays: dict
    notes: list


def refuse_local_options(function, **options):
    """Raise for options of `calibration_report` about the features, which are not given.

    `function` is `calibration_report`, which has the defaults.
    """
    for name in changed_options(function, options):
        raise ValueError(
            f"{name} is about the features, but X is not given. Pass X, or leave {name} out, got "
            f"{shorten(options[name])}."
        )


def look_locally(predictions, sample, encoder, rng, *, alpha, **options):
    """Evaluate the band at rows of a sample and describe what it finds.

    The encoder is fitted to the features of all rows, and the generator draws the rows at which the
    band is evaluated. Options are those of `local_bias_band`.
    """
    rows = np.arange(sample.n_samples)
    if rows.size > _MAX_POINTS:
        rows = np.sort(rng.choice(rows.size, size=_MAX_POINTS, replace=False))
    points, proba, classes = sample.features[rows], sample.proba[rows], sample.classes
    encoded = encoder.transform(points)
    columns = 1 if sample.n_classes == 2 else slice(None)
    notes: list[str] = []
    with from_predict_proba(), warnings_taken_by(notes.append):
        band = local_bias_band(
            sample.codes,
            sample.proba[:, columns],
            sample.features,
            X_query=points,
            proba_query=proba[:, columns],
            sample_weight=sample.weight,
            labels=np.arange(sample.n_classes),
            alpha=alpha,
            **options,
        )
    looked_at = EncodedRows(
        encoded, proba, sample.codes[rows], None if sample.weight is None else sample.weight[rows]
    )
    everything = EncodedRows(
        encoder.transform(predictions.features),
        predictions.proba,
        predictions.codes,
        predictions.weight,
    )
    regions = find_regions(band, looked_at, everything, classes)
    notes.append(
        f"The band was evaluated at {rows.size:,} rows. For a calibrated model any point is called "
        f"wrong with probability at most {100 * alpha:g} %; next to a wrong region the control is "
        "approximate."
    )
    names = encoder.names
    columns = [encoded.column(k) for k in range(len(names))]
    pictures = _pictures(band, encoded, points, classes, regions)
    points = np.column_stack(columns).astype(np.float64)
    return LocalPart(band, points, everything, regions, pictures, notes)


def _pictures(band, encoded, points, classes, regions):
    """Return pictures of the bias: against the features of the regions, or the first ones."""
    names = encoded.encoder.names
    used = [k for region in regions for k in region.features]
    shown = sorted(set(used), key=lambda k: (-used.count(k), k))
    shown = (shown + [k for k in range(len(names)) if k not in shown])[:2]
    event = regions[0].event if regions else _largest_bias(band, classes)
    features = {f"local bias, {names[k]}": [k] for k in shown}
    if len(shown) == 2:
        features["local bias, map"] = shown
    return {
        title: LocalBiasDisplay._from_band(
            band, encoded.encoder.of(columns).transform(points.select(columns)), classes, event
        )
        for title, columns in features.items()
    }


def _largest_bias(band, classes):
    """Return the class with the largest local bias."""
    if band.bias.ndim == 1:
        return classes[1].item()
    return classes[int(np.abs(band.bias).max(axis=0).argmax())].item()
