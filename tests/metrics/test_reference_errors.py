"""Unusual input is refused or accepted as in the reference, under our label rules."""

import numpy as np
import pytest

from sklearn_calib import metrics
from tests._reference import parametrize_cases

OPTIONS = {"bins": "n_bins", "bandwidth": "bandwidth"}
# The codes 1..K of the reference name columns. Where the column of a label follows from the codes
# alone there, `labels` says it here. Codes of two columns that both occur need no help.
LABELS = {
    "codes_last_class_absent": None,
    "codes_middle_class_absent": [1, 2, 3],
    "codes_zero_based": [1, 2, 3],
}
MESSAGES = {
    "p_above_one": r"y_proba must hold probabilities in \[0, 1\]",
    "p_negative": r"y_proba must hold probabilities in \[0, 1\]",
    "length_mismatch": "same number of rows",
    "binary_labels_1_2": r"y_true holds \[1, 2\]",
    "binary_labels_text": r"y_true holds \['a', 'b'\]",
    "empty": "is empty",
    "bins_zero": "n_bins must be a whole number of at least 1",
    "bins_fraction": "n_bins must be a whole number of at least 1",
    "bandwidth_zero": "bandwidth must be a positive number",
    "bandwidth_negative": "bandwidth must be a positive number",
    "matrix_row_sum_off_2e-6": "sum to one within 1e-06",
    "codes_last_class_absent": "2 distinct labels .* 3 columns.*labels=",
    "codes_zero_based": r"y_true contains \[0\]",
}


def _is_of_a_metric(case):
    return case["expected"]["function"] in ("ece", "mce", "mmce")


@parametrize_cases("errors", keep=_is_of_a_metric)
def test_outcome(case):
    function = getattr(metrics, case["expected"]["function"])
    options = {OPTIONS[name]: value for name, value in case["params"].items()}
    options["labels"] = LABELS.get(case["name"])
    data = case["inputs"]["y"], case["inputs"]["p"]
    if case["name"] == "matrix_one_column":
        assert function(*data, **options) == 0.0  # here a binary vector, and a right one
    elif case["expected"]["outcome"] == "accepted":
        assert np.isfinite(function(*data, **options))
    else:
        with pytest.raises(ValueError, match=MESSAGES[case["name"]]):
            function(*data, **options)


def test_an_absent_last_class_is_accepted_once_labels_name_it():
    P = [[0.5, 0.3, 0.2], [0.2, 0.5, 0.3]]
    assert metrics.ece([1, 2], P, labels=[1, 2, 3]) == pytest.approx(0.5)
