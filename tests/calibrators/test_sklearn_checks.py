"""scikit-learn's own checks: through the adapter, and directly."""

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_calib.base import BaseBinaryCalibrator
from tests._adapter import CalibratorAdapter
from tests.calibrators._registry import DETERMINISTIC_CALIBRATORS, FEATURE_CALIBRATORS

# One of each class and scale of input stands for its variants. What has hidden layers is compiled
# twice for each new shape: once without them, once with them.
LINEAR = [clone(one).set_params(hidden_layer_sizes=()) for one in FEATURE_CALIBRATORS]
FIRST = {(type(one), one.input_scale): one for one in reversed(DETERMINISTIC_CALIBRATORS)}
VARIANTS = [one for one in DETERMINISTIC_CALIBRATORS if one not in FIRST.values()]


def through_the_adapter(calibrators):
    return parametrize_with_checks([CalibratorAdapter(calibrator) for calibrator in calibrators])


@pytest.mark.filterwarnings("ignore:The slope of PlattCalibrator is negative")
@through_the_adapter([*FIRST.values(), *LINEAR])
def test_through_the_adapter(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The slope of PlattCalibrator is negative")
@through_the_adapter(VARIANTS + FEATURE_CALIBRATORS)
def test_variants_through_the_adapter(estimator, check):
    check(estimator)


# The data of the direct checks are features. As a calibrator takes vectors (`one_d_array`), the
# checks cut them to their first column; what fails then fails for one of these reasons.
REASONS = {
    "the check cuts its data to a vector and then indexes a matrix": [
        "check_dict_unchanged",
        "check_dont_overwrite_parameters",
        "check_dtype_object",
        "check_estimator_sparse_array",
        "check_f_contiguous_array_estimator",
        "check_fit2d_1feature",
        "check_fit2d_1sample",
        "check_fit2d_predict1d",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_n_features_in",
        "check_n_features_in_after_fitting",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
    ],
    "one coordinate of the blobs does not tell the classes apart": [
        "check_classifiers_train",
    ],
    "the data have 30 columns": [
        "check_sample_weight_equivalence_on_dense_data",
    ],
}
OUTSIDE_THE_UNIT_INTERVAL = [
    "check_classifier_data_not_an_array",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_pipeline_consistency",
    "check_readonly_memmap_input",
    "check_sample_weights_not_an_array",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
    "check_transformer_preserve_dtypes",
]
THREE_CLASSES_OF_FEATURES = [
    "check_estimators_fit_returns_self",
    "check_estimators_overwrite_params",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
]
THREE_CLASSES = [
    "check_classifiers_classes",
    "check_fit_score_takes_y",
    "check_sample_weights_list",
    "check_supervised_y_2d",
]


def expected_failures(calibrator):
    """Return the checks that a calibrator must fail, each with the reason."""
    failures = {check: reason for reason, checks in REASONS.items() for check in checks}
    if calibrator.input_scale == "probability":
        reason = "the features of the check lie outside [0, 1]"
        failures.update(dict.fromkeys(OUTSIDE_THE_UNIT_INTERVAL, reason))
        failures["check_positive_only_tag_during_fit"] = (
            "the message names the interval [0, 1] and not only the negative values"
        )
        if hasattr(calibrator, "max_iter"):
            failures["check_transformer_n_iter"] = reason
            failures["check_non_transformer_estimators_n_iter"] = reason
    elif isinstance(calibrator, BaseBinaryCalibrator):
        failures["check_fit1d"] = "vectors are accepted"
    if not isinstance(calibrator, BaseBinaryCalibrator):
        reason = "one column cannot stand for three classes"
        failures.update(dict.fromkeys(THREE_CLASSES, reason))
        if calibrator.input_scale != "probability":
            failures.update(dict.fromkeys(THREE_CLASSES_OF_FEATURES, reason))
    return failures


@pytest.mark.filterwarnings("ignore:The slope of PlattCalibrator is negative")
@pytest.mark.filterwarnings("ignore:All values of S lie in")
@parametrize_with_checks(
    [kind() for kind in dict.fromkeys(map(type, DETERMINISTIC_CALIBRATORS))],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
def test_directly(estimator, check):
    check(estimator)
