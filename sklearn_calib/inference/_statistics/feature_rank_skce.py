"""A kernel statistic of standardised residuals along the ranks of each feature."""

import numpy as np

from ..._core import pair_form
from ..._utils.docs import fill_doc
from ..._utils.options import check_real
from .rank_skce import StandardisedResiduals, weighted_ranks
from .scores.logistic_score import encode
from .statistic import statistic

# Bandwidths between two categories, whose kernel is then below 1e-43.
_FAR = 100.0


class FeatureRankError(StandardisedResiduals):
    """For each feature the sum over pairs of rows of close ranks, and the largest of these.

    Parameters
    ----------
    predictions : Predictions
        Validated data with features.
    target : str
        One event.
    bandwidth : float
        Of the Laplacian kernel on the ranks of a feature, which lie between 0 and 1.
    categorical_features : object
        Which features are categories, as in `FeatureEncoder`.

    Attributes
    ----------
    features : Features
        The encoded features.
    """

    def __init__(self, predictions, target, bandwidth, categorical_features):
        super().__init__(predictions, target)
        variance = self.scale**2 * self.variance
        self.features = encode(predictions, categorical_features)
        self.forms, self.spreads = [], []
        for k in range(self.features.encoder.n_features):
            ranks = _positions(self.features, k, self.weight, bandwidth)
            self.forms.append(pair_form(ranks, kernel="laplacian", bandwidth=bandwidth))
            # The square of the kernel is the kernel of half the bandwidth.
            squares = pair_form(ranks, kernel="laplacian", bandwidth=0.5 * bandwidth)
            self.spreads.append(np.sqrt(max(2.0 * squares(variance)[0], np.finfo(float).tiny)))

    def of_features(self, codes):
        """Return the standardised sum of each feature, shape (n_features, n_draws)."""
        columns = self.standardised(codes)
        return np.stack([form(columns) / spread for form, spread in zip(self.forms, self.spreads)])

    def __call__(self, codes):
        return self.of_features(codes).max(axis=0)


def _positions(features, feature, weight, bandwidth):
    """Return ranks of a number, or positions of categories that are out of each other's reach."""
    values = features.column(feature)
    if features.encoder.is_category(feature):
        return _FAR * bandwidth * values.astype(np.float64)
    present = ~np.isnan(values)
    positions = np.full(values.size, 1.0 + _FAR * bandwidth)  # where it is missing
    positions[present] = weighted_ranks(values[present], weight[present])
    return positions


@statistic(
    "feature_rank_skce",
    label="feature rank kernel",
    meaning="standardised residuals along the ranks of each feature; the largest of the features",
    needs_features=True,
)
@fill_doc()
def prepare_feature_rank_skce(
    predictions, *, bandwidth=0.1, target="auto", categorical_features="auto"
):
    r"""Prepare the kernel statistic of standardised residuals along each feature.

    For each feature, products of the residuals of two rows, divided by their standard deviations as
    in "rank_skce", are added up with a Laplacian kernel on the ranks of the feature, of which ties
    share the middle. Rows of a category, and rows whose number is missing, are compared with each
    other. The sum over its standard deviation for calibrated predictions says how clearly the
    predictions are wrong along this feature, whatever the shape of the error, and the largest one
    counts. It does not depend on the units of the features, and finds errors along one of many
    features more often than a kernel on all of them.

    Parameters
    ----------
    predictions : Predictions
        Validated data with features.
    bandwidth : float, default=0.1
        Bandwidth of the kernel on the ranks, which lie between 0 and 1.
    <<target_one_event>>
    categorical_features : {"auto", "from_dtype"} or array-like, default="auto"
        Which features are categories, as in `klce`.

    References
    ----------
    <<reference_kernel_tests>>
    """
    bandwidth = check_real(bandwidth, "bandwidth")
    return FeatureRankError(predictions, target, bandwidth, categorical_features)
