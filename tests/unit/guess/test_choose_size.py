"""The size of the default reference: deeper trees where columns matter together, stumps where they do not."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from treewright import OptimalTreeClassifier
from treewright.errors import InputError
from treewright.guess import make_reference, named_reference
from treewright.guess._choose_size import ROUNDS_BETWEEN_QUESTIONS, SIZES, choose_size
from treewright.guess._reference import fit_model
from treewright.table import table_from


def chosen(X, y, is_over=None, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    return choose_size(X, y.astype(np.int32), weight, fit_model, is_over)


def crossed(rng, n=300):
    X = rng.uniform(-1, 1, (n, 4))
    return X, (X[:, 0] > 0.2) ^ (X[:, 1] > -0.1)


def test_columns_that_matter_together_need_deeper_trees():
    rng = np.random.default_rng(0)
    X, y = crossed(rng)
    assert chosen(X, y)[1] > 1
    additive = rng.random(300) < 1 / (1 + np.exp(-2 * X[:, 0] - 2 * X[:, 1]))
    assert chosen(X, additive) == SIZES[0]


def test_rows_count_by_weight():
    X, y = crossed(np.random.default_rng(0), 600)
    y = y.copy()
    y[:300] = X[:300, 2] > 0
    assert chosen(X, y, weight=np.repeat([1.0, 1e-6], 300)) == SIZES[0]
    assert chosen(X, y, weight=np.repeat([1e-6, 1.0], 300))[1] > 1


def test_what_cannot_be_compared_is_the_first_size():
    X = np.arange(6.0)[:, None]
    assert chosen(X, np.array([0, 0, 0, 0, 0, 1])) == SIZES[0]  # one part would train on one class
    assert chosen(X[:2], np.array([0, 1])) == SIZES[0]
    X, y = crossed(np.random.default_rng(0))
    assert chosen(X, y + 1 * (X[:, 2] > 0.9)) == SIZES[0]  # three classes: many trees, and many fits of them


def test_an_end_of_time_ends_the_choice():
    X, y = crossed(np.random.default_rng(0))
    asked = []

    def after(n):
        asked.clear()
        return lambda: asked.append(1) or len(asked) > n

    assert chosen(X, y, after(3)) == SIZES[0]
    assert len(asked) == 4
    chosen(X, y, after(10**6))
    assert len(asked) <= 3 * sum(n for n, _ in SIZES) // ROUNDS_BETWEEN_QUESTIONS


def test_the_default_reference_sees_what_stumps_do_not():
    """Digits 3 and 8: all thresholds allow .0656, those of forty stumps .0824."""
    X, y = load_digits(return_X_y=True)
    X, y = X[(y == 3) | (y == 8)], y[(y == 3) | (y == 8)]
    options = {"cost_complexity": 0.01, "thresholds": "guess"}
    default = OptimalTreeClassifier(**options).fit(X, y).result_.objective
    stumps = OptimalTreeClassifier(reference=named_reference(), **options).fit(X, y).result_.objective
    assert stumps == pytest.approx(0.0824, abs=5e-4)
    assert 0.0655 < default < 0.07


def test_the_depth_is_guessed_from_the_chosen_size():
    X, y = crossed(np.random.default_rng(0))
    reference = make_reference(None, table_from(X), y.astype(np.int32), np.array([False, True]), np.ones(300))
    size = (reference.model.n_estimators, reference.model.max_depth)
    assert size == chosen(X, y)
    model = OptimalTreeClassifier(cost_complexity=0.05, max_depth="guess").fit(X, y)
    same = OptimalTreeClassifier(
        cost_complexity=0.05, max_depth="guess", reference=named_reference("gbdt", *size)
    ).fit(X, y)
    assert model.result_.stats["guessed_depth"] == same.result_.stats["guessed_depth"]


@pytest.mark.parametrize("row", range(4))
def test_a_number_beyond_32_bits_is_refused_wherever_it_is_held_out(row: int) -> None:
    X = np.array([[0.1], [0.3], [0.2], [0.4]])
    X[row] = 1e300
    with pytest.raises(InputError, match="holds 1e\\+300, which a reference of scikit-learn cannot read"):
        OptimalTreeClassifier(thresholds="guess").fit(X, [1, 0, 1, 0])
