"""KernelRecalibrator: what it corrects, what it leaves alone, and the scikit-learn contract."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from sklearn_calib.calibrators import (
    CalibratedClassifier,
    CrossFitTransformer,
    IsotonicCalibrator,
    KernelRecalibrator,
)
from sklearn_calib.datasets import make_calibration_data
from tests._core._programs import n_programs, start_without_programs
from tests.calibrators._features._data import small_recalibrator


def test_local_bias_is_corrected_better_than_by_isotonic(biased):
    S, y, truth = biased
    new = KernelRecalibrator(random_state=0).fit(S, y).predict_proba(S)[:, 1]
    isotonic = IsotonicCalibrator().fit(S[:, 1], y).predict_proba(S[:, 1])[:, 1]
    raw_error, new_error, isotonic_error = (
        np.mean((p - truth) ** 2) for p in (S[:, 1], new, isotonic)
    )
    assert new_error < 0.1 * raw_error
    assert new_error < 0.5 * isotonic_error


class _WithoutTrees(KernelRecalibrator):
    _allowed = ("score", "categories", "linear", "networks")


def test_a_wave_needs_hidden_layers_or_trees():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1280, 2))
    truth = expit(2 * np.sin(3 * X[:, 0]) + 0.7 * X[:, 1])
    f = np.where(X[:, 1] > 0, np.clip(truth + 0.25, 0.001, 0.999), truth)
    S, y = np.column_stack([1 - f, f, X]), rng.uniform(size=1280) < truth
    errors = []
    for make, hidden in [
        (_WithoutTrees, (64, 64)),
        (KernelRecalibrator, ()),
        (_WithoutTrees, ()),
    ]:
        recalibrator = make(hidden_layer_sizes=hidden, random_state=0).fit(S, y)
        errors.append(np.mean((recalibrator.predict_proba(S)[:, 1] - truth) ** 2))
    assert max(errors[:2]) < 0.005 < 0.007 < errors[2]


@pytest.mark.parametrize(
    ("n", "bound"), [pytest.param(500, 0.0007, marks=pytest.mark.slow), (1000, 0.0004)]
)
def test_a_calibrated_model_is_left_alone(n, bound):
    excess = []
    for seed in range(5):
        X, y, f = make_calibration_data(n, miscalibration=0.0, seed=seed)
        S = np.column_stack([1 - f, f, X])
        new = KernelRecalibrator(random_state=seed).fit(S, y).predict_proba(S)[:, 1]
        excess.append(np.mean((new - f) ** 2))
    assert np.mean(excess) < bound


def test_no_held_out_gain_means_no_change():
    """Labels that p explains to the last digit: the factor of both stages is zero."""
    p = np.repeat([0.25, 0.5, 0.75], 200)
    y = np.concatenate([np.arange(200) < 200 * q for q in (0.25, 0.5, 0.75)])
    recalibrator = small_recalibrator().fit(p, y)
    assert recalibrator.shrinkage_ == 0.0
    assert not recalibrator.skip_coef_.any()
    assert_allclose(recalibrator.predict_proba(p)[:, 1], p, rtol=1e-12)


@pytest.mark.parametrize("link", ["logit", pytest.param("identity", marks=pytest.mark.slow)])
def test_multiclass(link):
    X, y = load_iris(return_X_y=True)
    classifier = CalibratedClassifier(
        LogisticRegression(C=0.001, max_iter=1000), KernelRecalibrator(link=link, random_state=0)
    ).fit(X, y)
    proba = classifier.predict_proba(X)
    assert proba.shape == (150, 3)
    assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    raw = LogisticRegression(C=0.001, max_iter=1000).fit(X, y).predict_proba(X)
    assert log_loss(y, proba) < 0.5 * log_loss(y, raw)
    assert classifier.calibrator_.coefs_[-1].shape == (5, 64, 3)


def test_weights_shift_the_target():
    """All rows alike: the new probability is the weighted share of positives."""
    rng = np.random.default_rng(0)
    y = rng.uniform(size=1280) < 0.5
    S = np.column_stack([np.full((1280, 2), 0.5), rng.normal(size=1280)])
    new = small_recalibrator().fit(S, y, np.where(y, 3.0, 1.0)).predict_proba(S)[:, 1]
    assert_allclose(new.mean(), 3 * y.sum() / (3 * y.sum() + (~y).sum()), atol=0.01)


def test_rows_of_weight_zero_do_not_exist(biased):
    S, y, _ = biased
    weight = np.where(np.arange(1000) < 300, 1.0, 0.0)
    dropped = small_recalibrator().fit(S[:300], y[:300]).predict_proba(S)
    assert_array_equal(small_recalibrator().fit(S, y, weight).predict_proba(S), dropped)
    assert_array_equal(small_recalibrator().fit(S, y, 8.0 * weight).predict_proba(S), dropped)


@pytest.mark.parametrize("columns", [[2], [2, 3]])
def test_units_do_not_matter(columns):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 2))
    truth = expit(X[:, 0])
    S = np.column_stack([1 - truth, truth, X])
    y = rng.uniform(size=800) < expit(X[:, 0] + np.where(X[:, 1] > 0, 1.5, -0.5))
    other = S.copy()
    other[:, columns] = other[:, columns] * 1e6 + 1e9
    recalibrator = KernelRecalibrator(random_state=0)
    first = recalibrator.fit(S, y).predict_proba(S)
    second = recalibrator.fit(other, y).predict_proba(other)
    assert np.abs(first - S[:, :2]).max() > 0.05
    assert_allclose(first, second, rtol=0, atol=1e-3)


def test_a_feature_that_was_constant_is_not_blown_up(biased):
    """The mean of many 0.1 is not exactly 0.1; that must not become the unit of the feature."""
    S, y, _ = biased
    constant = np.column_stack([S, np.full(1000, 0.1)])
    recalibrator = small_recalibrator().fit(constant, y)
    moved = np.column_stack([S, np.full(1000, 0.101)])
    expected = recalibrator.predict_proba(constant)
    assert_allclose(recalibrator.predict_proba(moved), expected, atol=1e-3)


def _hard_cases():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=200), rng.integers(0, 2, 200)
    yield "p exactly 0 and 1, half of them wrong", rng.integers(0, 2, 200).astype(float), x, y
    yield "p equal to y", y.astype(float), x, y
    yield "constant p", np.full(200, 0.3), x, y
    yield "constant feature", rng.uniform(size=200), np.full(200, 1e9 + 0.1), y
    yield "20 rows", rng.uniform(size=20), x[:20], y[:20]
    yield "2 rows", np.array([0.2, 0.7]), x[:2], np.array([0, 1])
    yield "one positive", rng.uniform(size=50), x[:50], (np.arange(50) == 7).astype(int)
    yield "heavy tails", rng.uniform(size=200), rng.standard_cauchy(200) * 1e8, y


@pytest.mark.filterwarnings("ignore:All values of the probability columns")
@pytest.mark.parametrize("link", ["logit", pytest.param("identity", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("p", "x", "y"), [pytest.param(*c[1:], id=c[0]) for c in _hard_cases()])
def test_everything_stays_finite(p, x, y, link):
    S = np.column_stack([1 - p, p, x])
    recalibrator = small_recalibrator(link=link).fit(S, y)
    for values in [
        recalibrator.loss_curve_,
        recalibrator.validation_scores_,
        recalibrator.skip_coef_,
        *recalibrator.coefs_,
        *recalibrator.intercepts_,
    ]:
        assert np.isfinite(values).all()
    proba = recalibrator.predict_proba(S)
    assert proba.min() >= 0.0
    assert proba.max() <= 1.0
    assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)


def test_one_row_is_predicted_as_among_many(fitted, biased):
    """float64 of shape (1, 2)."""
    S, _, _ = biased
    one = fitted.predict_proba(S[:1])
    assert isinstance(one, np.ndarray)
    assert (one.shape, one.dtype) == ((1, 2), np.float64)
    assert_allclose(one, fitted.predict_proba(S)[:1], rtol=1e-12)


def test_wrong_data(biased, fitted):
    S, y, _ = biased
    with pytest.raises(ValueError, match="must sum to one within 1e-06"):
        small_recalibrator().fit(S[:, [1, 1, 2]], y)
    with pytest.raises(ValueError, match="y holds one class"):
        small_recalibrator().fit(S, np.zeros(1000))
    with pytest.raises(ValueError, match="S has 2 columns, y has 3 classes"):
        small_recalibrator().fit(S[:, :2], np.arange(1000) % 3)
    with pytest.raises(ValueError, match="4 features, but KernelRecalibrator is expecting 3"):
        fitted.predict_proba(np.column_stack([S, S[:, 2]]))


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"alpha": -0.1}, "'alpha' parameter"),
        ({"beta": "much"}, "'beta' parameter"),
        ({"gamma": -1}, "'gamma' parameter"),
        ({"link": "probit"}, "'link' parameter"),
        ({"batch_size": 1}, "'batch_size' parameter"),
        ({"learning_rate": 0.0}, "'learning_rate' parameter"),
        ({"validation_fraction": 1.0}, "'validation_fraction' parameter"),
        ({"prob_bandwidth": 0.0}, "'prob_bandwidth' parameter"),
        ({"feature_bandwidth": [1.0, 2.0]}, r"feature_bandwidth must be one number or one per"),
        ({"hidden_layer_sizes": (8, 0)}, "hidden_layer_sizes must be a sequence"),
        ({"hidden_layer_sizes": (8.5,)}, "hidden_layer_sizes must be a sequence"),
        ({"n_networks": 0}, "'n_networks' parameter"),
    ],
)
def test_wrong_parameters(biased, option, message):
    S, y, _ = biased
    with pytest.raises(ValueError, match=message):
        small_recalibrator(**option).fit(S, y)


def assert_global_state_is(state):
    now = np.random.get_state()  # noqa: NPY002
    assert now[2] == state[2]
    assert_array_equal(now[1], state[1])


@pytest.mark.parametrize("make", [int, np.int64, np.random.RandomState], ids=lambda t: t.__name__)
def test_same_random_state_same_bits(biased, make):
    """NumPy's global state is neither used nor changed."""
    S, y, _ = biased
    state = np.random.get_state()  # noqa: NPY002
    first, second = (
        small_recalibrator(random_state=make(7)).fit(S, y).predict_proba(S).tobytes()
        for _ in range(2)
    )
    assert first == second
    assert_global_state_is(state)


def test_without_random_state_the_global_state_is_untouched(biased):
    S, y, _ = biased
    state = np.random.get_state()  # noqa: NPY002
    first, second = (small_recalibrator(random_state=None).fit(S, y).coefs_[0] for _ in range(2))
    assert (first != second).any()
    assert_global_state_is(state)


def test_other_numbers_and_nearby_sizes_compile_nothing(biased, monkeypatch):
    from sklearn_calib._core.network_training import train

    start_without_programs(monkeypatch)
    S, y, _ = biased
    small_recalibrator().fit(S, y)
    compiled = n_programs(train)
    other = {"learning_rate": 0.01, "alpha": 0.5, "beta": 0.2, "gamma": 1.0, "max_iter": 1990}
    other |= {"prob_bandwidth": 0.3, "feature_bandwidth": 2.0, "tol": 0.01, "n_iter_no_change": 60}
    small_recalibrator(**other).fit(S[4:], y[4:])
    assert n_programs(train) == compiled


def test_x64_setting_of_the_caller_does_not_matter(fitted, biased):
    import jax

    S, y, _ = biased
    before = jax.config.jax_enable_x64
    with jax.enable_x64(not before):
        other = small_recalibrator().fit(S, y)
    assert jax.config.jax_enable_x64 == before
    assert_array_equal(other.predict_proba(S), fitted.predict_proba(S))


def test_fitted_attributes_are_plain(fitted):
    arrays = [
        fitted.loss_curve_,
        fitted.validation_scores_,
        fitted.skip_coef_,
        fitted.feature_bandwidth_,
        *fitted.coefs_,
        *fitted.intercepts_,
    ]
    assert all(type(array) is np.ndarray and array.dtype == np.float64 for array in arrays)
    assert type(fitted.prob_bandwidth_) is type(fitted.shrinkage_) is float
    assert [w.shape for w in fitted.coefs_] == [(5, 3, 8), (5, 8, 1)]
    assert [b.shape for b in fitted.intercepts_] == [(5, 8), (5, 1)]
    assert fitted.loss_curve_.shape == (fitted.n_iter_,)
    assert fitted.validation_scores_.shape == (1 + fitted.n_iter_ // 20,)
    best = fitted.validation_scores_[fitted.best_iter_ // 20]
    assert best >= fitted.validation_scores_.max() - fitted.tol


def test_the_parts_and_what_they_give_are_those_recorded(fitted, biased):
    """No formula knows them; they depend on every strength and limit of the parts."""
    proba = [0.69276, 0.20913, 0.06238, 0.05437, 0.84221, 0.92245]
    assert_allclose(fitted.predict_proba(biased[0][:6])[:, 1], proba, atol=2e-5)
    assert_allclose(fitted.held_out_log_loss_, [0.72316322, 0.47354353], rtol=1e-6)
    sizes = {"linear": 3.033135, "trees": 0.052462}
    for name, size in fitted.component_sizes_.items():
        assert size == pytest.approx(sizes.get(name, 0.0), abs=2e-5)


def test_max_iter_counts_optimiser_steps(biased):
    S, y, _ = biased
    fixed = small_recalibrator(early_stopping=False, max_iter=33).fit(S, y)
    assert fixed.n_iter_ == fixed.best_iter_ == fixed.loss_curve_.size == 33
    assert fixed.validation_scores_.size == 0
    assert fixed.shrinkage_ == 1.0
    assert not fixed.skip_coef_.any()


def test_not_converged(biased):
    S, y, _ = biased
    with pytest.warns(ConvergenceWarning, match="last 40 of max_iter=30 steps. Raise max_iter"):
        small_recalibrator(max_iter=30).fit(S, y)


def test_progress(biased, capfd):
    S, y, _ = biased
    fitted = small_recalibrator(early_stopping=False, max_iter=40, verbose=1).fit(S, y)
    out, err = capfd.readouterr()
    for step in (20, 40):
        assert f"step {step}: training loss {fitted.loss_curve_[step - 1]:.5f}" in err
    assert not out
    small_recalibrator(early_stopping=False, max_iter=40).fit(S, y)
    assert capfd.readouterr() == ("", "")


# scikit-learn -------------------------------------------------------------------------------
def test_parameters_are_left_as_they_are(biased):
    S, y, _ = biased
    sizes, columns, widths = [8], [0, 1], np.array([1.5])
    recalibrator = small_recalibrator(
        hidden_layer_sizes=sizes, proba_columns=columns, feature_bandwidth=widths
    )
    before = recalibrator.get_params()
    recalibrator.fit(S, y)
    after = recalibrator.get_params()
    assert all(before[name] is after[name] for name in before)
    copy = clone(recalibrator)
    assert copy.hidden_layer_sizes == [8]
    assert_array_equal(copy.fit(S, y).predict_proba(S), recalibrator.predict_proba(S))


_PREDICT = """
import pickle, sys
recalibrator, S = pickle.load(open(sys.argv[1], "rb"))
pickle.dump(recalibrator.predict_proba(S), open(sys.argv[2], "wb"))
assert "jax" not in sys.modules
"""


def test_a_fresh_process_predicts_without_jax(fitted, biased, tmp_path):
    S, _, _ = biased
    (tmp_path / "model").write_bytes(pickle.dumps((fitted, S)))
    paths = [str(tmp_path / "model"), str(tmp_path / "proba")]
    subprocess.run([sys.executable, "-c", _PREDICT, *paths], check=True, timeout=60)
    assert_array_equal(pickle.loads((tmp_path / "proba").read_bytes()), fitted.predict_proba(S))


@pytest.fixture(scope="module")
def classifier_data():
    """Labels with a jump in a feature that a logistic regression smooths over."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = rng.uniform(size=600) < np.where(X[:, 0] * X[:, 1] > 0, 0.85, 0.15)
    return X, np.where(y, "yes", "no")


@pytest.mark.parametrize(
    "make",
    [
        lambda: CalibratedClassifier(LogisticRegression(), KernelRecalibrator(random_state=0)),
        lambda: make_pipeline(
            CrossFitTransformer(LogisticRegression(), passthrough=True),
            KernelRecalibrator(random_state=0),
        ),
    ],
    ids=["CalibratedClassifier", "CrossFitTransformer"],
)
def test_behind_a_classifier(make, classifier_data):
    X, y = classifier_data
    model = make().fit(X[:400], y[:400])
    raw = LogisticRegression().fit(X[:400], y[:400])
    assert list(model.classes_) == ["no", "yes"]
    losses = [log_loss(y[400:], m.predict_proba(X[400:])) for m in (model, raw)]
    assert losses[0] < losses[1] - 0.1


@pytest.mark.slow
def test_grid_search_in_worker_processes_after_a_fit_here(fitted, classifier_data):
    X, y = classifier_data
    search = GridSearchCV(
        CalibratedClassifier(LogisticRegression(), small_recalibrator(), cv=2),
        {"calibrator__learning_rate": [0.003, 0.01]},
        scoring="neg_log_loss",
        cv=2,
    )
    assert fitted.n_iter_ > 0
    parallel = clone(search).set_params(n_jobs=2).fit(X, y).cv_results_["mean_test_score"]
    assert_array_equal(parallel, search.fit(X, y).cv_results_["mean_test_score"])


def test_words_need_a_fit():
    with pytest.raises(NotFittedError, match="not fitted"):
        KernelRecalibrator().summary()
