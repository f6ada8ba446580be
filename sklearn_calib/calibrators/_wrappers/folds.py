"""The folds of cross-fitting: which rows train, which are scored."""

import numpy as np
from sklearn.utils.metadata_routing import get_routing_for_object

from ..._utils.arguments.splits import is_ready_made, make_splits, refuse_shared_rows
from ..._utils.stack import warn

HOW_TO_PASS_GROUPS = (
    "Enable metadata routing with sklearn.set_config(enable_metadata_routing=True) and pass "
    "groups= to fit. Where fit gets exactly these rows, and not those of an outer fold, the splits "
    "themselves will do: cv=list(splitter.split(X, y, groups))."
)


def split_rows(cv, X, y, classes, routed, *, pooled):
    """Return the checked (training, test) row numbers of every fold.

    `routed` are the metadata for every child. If the test parts are `pooled`, they must be a
    partition of the rows; otherwise each is used on its own, and must hold every class. Rows that
    have weight zero where a child is fitted do not make a class present.
    """
    metadata = routed["splitter"]["split"]
    training, test_part = (_counts(routed, child, y) for child in ("estimator", "calibrator"))
    if hasattr(cv, "split"):
        needs_groups = get_routing_for_object(cv).consumes("split", ["groups"])
        if needs_groups and "groups" not in metadata:
            raise ValueError(f"cv={cv} needs groups. {HOW_TO_PASS_GROUPS}")
    splits = make_splits(cv, X, y, **metadata)
    refuse_shared_rows(splits)
    if not pooled and is_ready_made(cv):
        _warn_of_unused_rows(splits, y.size)
    for number, (train, test) in enumerate(splits, start=1):
        fold = f"Fold {number} of {len(splits)} of cv"
        _check_classes(fold, "training", classes, y[train], training[train], "")
        if not pooled:
            pooling = ", or ensemble=False, which pools them"
            _check_classes(fold, "test", classes, y[test], test_part[test], pooling)
    counts = np.bincount(np.concatenate([test for _, test in splits]), minlength=y.size)
    if pooled and (counts != 1).any():
        row = int((counts != 1).argmax())
        raise ValueError(
            "The test folds of cv must form a partition, with each row in exactly one of them, but "
            f"row {row} is in {counts[row]}. Use a splitter such as StratifiedKFold. Repeated, "
            "overlapping or partial splits work with CalibratedClassifier(..., ensemble=True)."
        )
    return splits


def _warn_of_unused_rows(splits, n_rows):
    """Warn if splits made beforehand pass over rows: they may have been made for other rows."""
    used = np.concatenate([part for fold in splits for part in fold])
    unused = np.setdiff1d(np.arange(n_rows), used)
    if unused.size:
        warn(
            f"The splits in cv= name {n_rows - unused.size} of the {n_rows} rows; row {unused[0]} "
            "is one that they pass over. If they were made for the whole data and this is a fit "
            "inside a cross-validation or a search, they mean other rows here. Then give cv= a "
            "splitter, and groups= with metadata routing: "
            "sklearn.set_config(enable_metadata_routing=True).",
        )


def show_labels(labels):
    """Return labels as text."""
    return ", ".join(map(repr, labels.tolist()))


def _counts(routed, child, y):
    """Return which rows count where a child is fitted."""
    weight = routed.get(child, {}).get("fit", {}).get("sample_weight")
    return np.ones(y.size, dtype=bool) if weight is None else np.asarray(weight) > 0.0


def _check_classes(fold, part, classes, y, counts, alternative):
    missing = np.setdiff1d(classes, y[counts])
    if missing.size:
        positive = "" if counts.all() else " of positive weight"
        raise ValueError(
            f"{fold} has no row{positive} of class {show_labels(missing)} among its "
            f"{y.size} {part} rows. Use a stratified cv= such as StratifiedKFold, with no more "
            f"folds than the rarest class has rows{alternative}."
        )
