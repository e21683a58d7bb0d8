"""The temperature of least loss is what a search over all temperatures finds; it changes no answer."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss

from treewright import HybridTreeClassifier
from treewright.leaf_accuracy._temperature import LEAST_POWER, cooled, softened
from treewright.tree import Tree


def drawn(seed: int, n_classes: int, sureness: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log-probabilities that are `sureness` times as sure as the classes that are drawn by them."""
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(300, n_classes))
    true -= logsumexp(true, axis=1, keepdims=True)
    place = np.array([rng.choice(n_classes, p=np.exp(row)) for row in true])
    logs = sureness * true
    return logs - logsumexp(logs, axis=1, keepdims=True), place, rng.uniform(0.5, 2, 300)


def loss(power: float, logs: np.ndarray, place: np.ndarray, weight: np.ndarray) -> float:
    scaled = power * logs
    return float(weight @ (logsumexp(scaled, axis=1) - scaled[np.arange(len(place)), place]))


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("sureness", [0.3, 1.0, 2.0, 8.0])
@pytest.mark.parametrize("start", [1.0, 0.05])
def test_it_is_the_least_loss_over_all_temperatures(n_classes: int, sureness: float, start: float) -> None:
    rows = drawn(n_classes, n_classes, sureness)
    best = minimize_scalar(
        loss, bounds=(LEAST_POWER, 1), args=rows, method="bounded", options={"xatol": 1e-7}
    )
    found, power = cooled(*rows, start)
    assert found == pytest.approx(min(best.fun, loss(1.0, *rows)), rel=1e-6)
    assert found == pytest.approx(loss(power, *rows), rel=1e-6)
    assert (power == 1) == (sureness < 1) or sureness == 1
    if sureness > 1:
        assert power == pytest.approx(1 / sureness, rel=0.3)


def test_a_model_that_is_sure_and_wrong_is_as_good_as_one_that_knows_nothing() -> None:
    logs = np.log(np.array([[0.99, 0.01]] * 50))
    found, power = cooled(logs, np.ones(50, dtype=np.int64), np.ones(50))
    assert LEAST_POWER <= power < 0.05
    assert found == pytest.approx(50 * np.log(2), rel=0.1)


@pytest.mark.parametrize("temperature", [1.0, 1.5, 20.0])
def test_no_answer_changes(temperature: float) -> None:
    shares = np.random.default_rng(0).dirichlet(np.ones(4), size=200)
    soft = softened(shares, temperature)
    np.testing.assert_array_equal(soft.argmax(axis=1), shares.argmax(axis=1))
    np.testing.assert_allclose(soft.sum(axis=1), 1)
    assert (soft.max(axis=1) <= shares.max(axis=1) + 1e-15).all()
    if temperature == 1:
        assert soft is shares


@pytest.mark.filterwarnings("ignore::treewright.errors.NoGainWarning")
def test_a_hybrid_tree_is_less_sure_than_its_models() -> None:
    """Large steps on noisy labels: the chosen number of rounds is too sure of itself, the probabilities are not."""
    rng = np.random.default_rng(3)
    X, new = rng.normal(size=(2, 1500, 6))
    y, truth = (
        ((part[:, :3].sum(axis=1) + np.sin(5 * part[:, 3]) + rng.normal(size=1500)) > 0).astype(int)
        for part in (X, new)
    )
    sure = HistGradientBoostingClassifier(learning_rate=0.6, max_iter=40, random_state=0)
    model = HybridTreeClassifier(leaf_estimator=sure, random_state=0).fit(X, y)
    warm = [own for own in model.extensions_.values() if own.temperature > 1]
    assert warm
    for own in model.extensions_.values():
        assert (own.temperature == 1) or own.model is not None
    tree: Tree = model.tree_
    leaf = tree.apply(new)
    for own in warm:
        here = leaf == own.leaf
        raw = own.model.predict_proba(new[here])
        np.testing.assert_allclose(model.predict_proba(new[here]), softened(raw, own.temperature))
        np.testing.assert_array_equal(model.predict(new[here]), own.model.predict(new[here]))
    rows = np.isin(leaf, [own.leaf for own in warm])
    asked = zip(leaf[rows], new[rows], strict=True)
    bare = np.vstack([model.extensions_[at].model.predict_proba(row[None]) for at, row in asked])
    assert log_loss(truth[rows], model.predict_proba(new[rows])) < log_loss(truth[rows], bare)
