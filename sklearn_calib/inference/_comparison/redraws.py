"""A measure of models that change places in some rows, and of rows drawn with replacement."""

from dataclasses import replace

import numpy as np

from ..._utils.cores import map_on_cores

# Rows of two classes from which on they are sorted once for all draws, and draws share the cores.
_MANY_ROWS = 20_000


def redraws_of(measure, models):
    """Return the faster way to evaluate a measure again and again.

    Parameters
    ----------
    measure : Measure
        A calibration error.
    models : dict of str to Predictions
        The predictions.
    """
    sums = {name: measure.sums(one) for name, one in models.items()}
    if all(one is not None for one in sums.values()):
        return FromSums(sums)
    some = next(iter(models.values()))
    sortable = some.n_classes == 2 and some.features is None and not measure.ordered
    if sortable and some.n_samples >= _MANY_ROWS:
        return OneByOneSorted(measure.value, models)
    return OneByOne(measure.value, models)


class OneByOne:
    """Evaluates the measure ``value(predictions)`` of the models for each draw."""

    def __init__(self, value, models):
        self.value = value
        self.models = models

    def exchanged(self, first, second, flipped):
        """Return the differences after two models have changed places in the flipped rows.

        They are those of the second model minus the first; `flipped` has the shape (n_draws,
        n_samples).
        """
        one, other = self.models[first], self.models[second]
        differences = []
        for flip in flipped[:, :, np.newaxis]:
            new_one = replace(one, proba=np.where(flip, other.proba, one.proba))
            new_other = replace(other, proba=np.where(flip, one.proba, other.proba))
            differences.append(self.value(new_other) - self.value(new_one))
        return np.array(differences)

    def resampled(self, chosen):
        """Return the measure of each model on rows drawn with replacement, one value per draw."""
        return {
            name: np.array([self.value(one.take(rows)) for rows in chosen])
            for name, one in self.models.items()
        }


class OneByOneSorted:
    """The same for many rows of two classes: resamples are in order, and draws share the cores.

    The rows of a model are sorted once, so that the measure gets resamples in the order of their
    probabilities. That changes no measure that does not depend on the order of the rows, and saves
    most of the time of their sorting.
    """

    def __init__(self, value, models):
        self.value = value
        self.models = models
        self._plain = OneByOne(value, models)
        self._order = {
            name: np.argsort(one.proba[:, 1], kind="stable") for name, one in models.items()
        }

    def exchanged(self, first, second, flipped):
        """Return the same as `OneByOne.exchanged`."""

        def difference(flip):
            return self._plain.exchanged(first, second, flip[np.newaxis])[0]

        return np.array(map_on_cores(difference, flipped))

    def resampled(self, chosen):
        """Return the same as `OneByOne.resampled`."""

        def values(rows):
            count = np.bincount(rows, minlength=rows.size)
            return [
                self.value(one.take(np.repeat(order, count[order])))
                for one, order in zip(self.models.values(), self._order.values())
            ]

        return dict(zip(self.models, np.array(map_on_cores(values, chosen)).T))


class FromSums:
    """Evaluates the measure from sums over the rows, all draws at once.

    Parameters
    ----------
    sums : dict of str to object
        The `sums_of_rows` of the prepared measure for each model.
    """

    def __init__(self, sums):
        self.sums = sums
        self.terms = {name: one.terms() for name, one in sums.items()}

    def exchanged(self, first, second, flipped):
        """Return the same as `OneByOne.exchanged`."""
        flip = flipped.astype(float)
        # Nothing is subtracted, so that a bin without rows has a weight of exactly zero.
        own, other = self.terms[first], self.terms[second]
        value = self.sums[first].of_sums
        kept = 1.0 - flip
        return value(kept @ other + flip @ own) - value(kept @ own + flip @ other)

    def resampled(self, chosen):
        """Return the same as `OneByOne.resampled`."""
        n_samples = chosen.shape[1]
        count = np.stack([np.bincount(rows, minlength=n_samples) for rows in chosen]).astype(float)
        return {name: one.of_sums(count @ self.terms[name]) for name, one in self.sums.items()}
