"""Refusals and ways of the metrics that few data meet."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._data.arrays import scale_of
from sklearn_calib._data.partitions import classes_of_blocks
from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.metrics import get_scorer
from sklearn_calib.metrics._binned.ece_sweep import BlockSums
from sklearn_calib.metrics._kernel.fourier_sums import merge_pairs
from sklearn_calib.metrics._kernel.line_sums import LineSums


@pytest.mark.parametrize(
    ("weight", "scale"),
    [([4.0, 1e9, 0.1], 2.0**29), ([4.0], 4.0), ([5.0, 7.9], 4.0), ([0.3], 0.25)],
)
def test_weights_are_divided_by_a_power_of_two(weight, scale):
    assert scale_of(np.array(weight)) == scale
    assert 1.0 <= max(weight) / scale < 2.0


def test_no_scorer_is_no_name():
    with pytest.raises(ValueError, match="scoring must be a name or a scorer, got None"):
        get_scorer(None)


def test_partitions_have_equally_many_columns():
    y = [np.array([0, 1, 2]), np.array([0, 1, 0])]
    blocks = {"y_true": y, "y_proba": [np.full((3, 3), 1 / 3), np.full((3, 2), 0.5)]}
    with pytest.raises(ValueError, match=r"The partitions of y_proba have \[2, 3\] columns"):
        classes_of_blocks(blocks, pos_label=None, labels=None)


def test_bins_beside_a_huge_one_are_summed_up_apart():
    """The difference of cumulated sums has lost what comes after 1e17."""
    blocks = np.array([1e17, 1.0, 2.0, 4.0, 8.0])
    ends = np.array([0, 1, 3, 5])
    sums = BlockSums(blocks)
    assert sums.of_bins(ends)[1] != 3.0
    assert sums.of_bins(ends, apart=(1, 2)).tolist() == [1e17, 3.0, 12.0]
    assert sums.of_bins(np.arange(6)).tolist() == blocks.tolist()
    several = BlockSums(np.column_stack([blocks, 10.0 * blocks, -blocks]))
    found = several.of_bins(ends, apart=(1, 2), draws=np.array([2, 1]))
    assert found.tolist() == [[-1e17, 1e18], [-3.0, 30.0], [-12.0, 120.0]]


def _rows(seed=0, n=60):
    rng = np.random.default_rng(seed)
    p = rng.beta(1.2, 2.0, size=n)
    return (rng.random(n) < p**1.5).astype(int), p, rng.uniform(0.5, 2.0, size=n)


@pytest.mark.parametrize(
    ("estimator", "root"), [("uq", False), ("biased", False), ("biased", True)]
)
def test_sums_over_rows_give_the_error_of_pairs(estimator, root):
    """By the definition: residuals times kernel values, over all pairs or those of two rows."""
    y, p, weight = _rows()
    made = merge_pairs(
        2, estimator=estimator, kernel="rbf", bandwidth=0.2, target="auto", root=root
    )
    totals = made.sums.of_batch(check_predictions(y, p, sample_weight=weight))
    kernel = np.exp(-(((p[:, np.newaxis] - p) / 0.2) ** 2))
    counted = np.outer(weight, weight)
    if estimator == "uq":
        np.fill_diagonal(counted, 0.0)
    expected = np.sum(counted * kernel * np.outer(y - p, y - p)) / counted.sum()
    assert_allclose(made.value(totals), np.sqrt(expected) if root else expected, rtol=1e-9)


def test_a_negative_sum_over_all_pairs_is_rounding():
    made = merge_pairs(2, estimator="biased", kernel="rbf", bandwidth=0.2, target="auto", root=True)
    totals = made.sums.of_batch(check_predictions([0, 1], [0.0, 1.0]))
    assert made.value(totals) == 0.0


def test_sums_that_do_not_tell_the_pairs_are_refused():
    y, p, weight = _rows()
    weight = np.where(np.arange(60) == 7, 1e9, weight)
    options = {"kernel": "rbf", "bandwidth": 0.2, "target": "auto"}
    made = merge_pairs(2, estimator="uq", **options)
    totals = made.sums.of_batch(check_predictions(y, p, sample_weight=weight))
    with pytest.raises(ValueError, match="One row has nearly all the weight"):
        made.value(totals)
    assert merge_pairs(2, estimator="biased", **options).value(totals) > 0.0


def test_every_class_with_the_laplacian_kernel_needs_sorted_rows():
    options = {"estimator": "uq", "kernel": "laplacian", "bandwidth": 0.2, "target": "classwise"}
    with pytest.raises(ValueError, match="needs the rows sorted by each class"):
        merge_pairs(3, **options)
    assert isinstance(merge_pairs(2, **options).sums, LineSums)
